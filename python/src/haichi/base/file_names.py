"""File names as the system has them: bytes that need not be UTF-8."""

from __future__ import annotations

import os

from haichi.errors import InputError, OptionError


def encoded(option: str, name: str | os.PathLike[str]) -> bytes:
    """A path, or a word that may be a path, as the bytes that `_core` expects. Raises OptionError for invalid texts."""
    try:
        encoded_name = os.fsencode(name)
    except TypeError as error:
        raise TypeError(f"{option} must be a name or a path, not {name!r}") from error
    except UnicodeEncodeError as error:
        raise OptionError(f"{option} must be a name or a path, not {name!r}") from error
    if b"\0" in encoded_name:
        raise OptionError(f"{option} must not contain a NUL character: {name!r}")
    return encoded_name


def unicode_text(name: str, text: str) -> str:
    """A text that becomes part of a workload or a report. Raises InputError for texts that UTF-8 cannot encode."""
    try:
        text.encode()
    except (AttributeError, UnicodeEncodeError) as error:
        raise InputError(f"{name} must be Unicode text, not {text!r}") from error
    return text
