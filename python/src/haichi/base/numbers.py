"""Checks of numeric arguments. Errors name the parameter."""

from __future__ import annotations

import operator
from typing import SupportsIndex

import numpy as np

from haichi.errors import OptionError


def whole_option(name: str, value: SupportsIndex, least: int, most: int) -> int:
    """Checks an integer, possibly from NumPy, against a range. Raises OptionError."""
    try:
        if isinstance(value, bool | np.bool_):
            raise TypeError("a bool is not a number")
        number = operator.index(value)
    except TypeError as error:
        raise OptionError(f"{name} must be a whole number, not {value!r}") from error
    if not least <= number <= most:
        raise OptionError(f"{name} must be from {least} to {most}, not {_shown_number(number)}")
    return number


def _shown_number(number: int) -> str:
    """Integers of more than 100 digits are not printed, because Python refuses to convert more than 4,300 digits."""
    return str(number) if abs(number) < 10**100 else "one of more than 100 digits"
