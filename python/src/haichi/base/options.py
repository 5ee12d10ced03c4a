"""Function parameters that are also options of the program. The option table of the program (options/ in C++) has their
names, kinds and descriptions. The build generates their types from this table (`haichi.base.option_types`)."""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, TypeVar

from haichi import _core
from haichi.base.file_names import encoded


@cache
def _rows(table: str) -> dict[str, dict[str, Any]]:
    """Table entries by parameter name, in the order of the table."""
    return {row["name"]: row for row in _core.option_rows(table)}


def given_options(function: str, types: type, options: Mapping[str, Any]) -> dict[str, Any]:
    """The keyword arguments of a function that are not None. Raises TypeError for unknown parameters."""
    known = _rows(types.__name__)
    for name in options:
        if name not in known:
            near = _core.did_you_mean(encoded("a parameter", name), list(known))
            raise TypeError(f"{function}() has no parameter {name!r}" + (f"; {near}" if near else ""))
    return {name: value for name, value in options.items() if value is not None}


def part_of(types: type, given: Mapping[str, Any]) -> dict[str, Any]:
    """The given options that belong to the table `types`."""
    return {name: value for name, value in given.items() if name in _rows(types.__name__)}


_F = TypeVar("_F", bound=Callable[..., Any])


def takes(types: type) -> Callable[[_F], _F]:
    """Decorates a function with ``**options: Unpack[types]``. Its signature then lists the parameters. The line
    ``{options}`` of its docstring is replaced by the descriptions from the table."""

    def shown(function: _F) -> _F:
        plain = inspect.signature(function)
        listed = [entry for entry in plain.parameters.values() if entry.kind is not inspect.Parameter.VAR_KEYWORD]
        hints = {name: getattr(hint, "__forward_arg__", str(hint)) for name, hint in types.__annotations__.items()}
        listed += [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=hints[name])
            for name in _rows(types.__name__)
        ]
        setattr(function, "__signature__", plain.replace(parameters=listed))  # noqa: B010 - which functions do not declare
        lines = (function.__doc__ or "").split("\n")
        function.__doc__ = "\n".join(
            _described(types, line[: -len("{options}")]) if line.strip() == "{options}" else line for line in lines
        )
        return function

    return shown


def _in_python(sentence: str) -> str:
    """The description with parameter names in place of option names."""
    return re.sub(r"--([a-z][a-z-]*)", lambda found: f"`{found[1].replace('-', '_')}`", sentence)


def _described(types: type, indent: str) -> str:
    return "\n".join(
        textwrap.fill(
            f"{name}: {_in_python(row['description'])}." + (f" Default: {row['default']}." if row["default"] else ""),
            width=120,
            initial_indent=indent,
            subsequent_indent=indent + "    ",
            break_on_hyphens=False,
            break_long_words=False,
        )
        for name, row in _rows(types.__name__).items()
    )
