"""Numbers as arguments: refused by their parameter's name."""

from __future__ import annotations

import math
import operator
from typing import SupportsFloat, SupportsIndex

import numpy as np

from haichi.errors import OptionError


def whole_option(name: str, value: SupportsIndex, least: int, most: int) -> int:
    """A whole number in a range, of NumPy's too; raises OptionError."""
    try:
        if isinstance(value, bool | np.bool_):
            raise TypeError("a truth value counts nothing")
        number = operator.index(value)
    except TypeError as error:
        raise OptionError(f"{name} must be a whole number, not {value!r}") from error
    if not least <= number <= most:
        raise OptionError(f"{name} must be {least} to {most}, not {_shown_number(number)}")
    return number


def _shown_number(number: int) -> str:
    """Python writes no more than 4,300 digits."""
    return str(number) if abs(number) < 10**100 else "one of more than 100 digits"


def number_option(name: str, value: SupportsFloat, most: float) -> float:
    """A number from 0 to `most`; raises OptionError."""
    try:
        if isinstance(value, str | bytes | bool):
            raise TypeError("a text or a truth value is no number")
        number = float(value)
    except (TypeError, ValueError) as error:
        raise OptionError(f"{name} must be a number, not {value!r}") from error
    except OverflowError:
        number = math.inf
    if not 0 <= number <= most:
        raise OptionError(f"{name} must be 0 to {most:.6g}, not {number}")
    return number
