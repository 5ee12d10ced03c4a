"""Numbers as arguments: refused by their parameter's name."""

from __future__ import annotations

import operator
from typing import SupportsIndex

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
