"""Parameters that several functions or the program's commands have in common, declared once.

A declaration is a TypedDict whose keys are annotated with rows: ``seeds: Annotated[int, Option(...)]``. A function
takes it as ``**options: Unpack[Declaration]``; `takes` puts it into signature and docstring, `complete` checks what is
given. `haichi.command_line` makes the options and the help of a command from the same rows. A new option is one row,
and what it does.
"""

from __future__ import annotations

import ast
import inspect
import math
import operator
import os
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeVar, cast, get_type_hints

from haichi import _core
from haichi.base.file_names import encoded
from haichi.base.numbers import number_option, whole_option
from haichi.errors import InputError, OptionError

_LONGEST_SECONDS = 1e9
_LARGEST_MESSAGE_BYTES = 2**48


class Kind:
    """What values there are: how the program's words become one, and what may be given in Python. This one: texts."""

    takes_several = False
    """Words behind the option, and the option may be repeated."""

    def read(self, option: str, *words: str) -> Any:
        """The value that the program's `option` was given. Raises OptionError or InputError that begins with it."""
        return words[0]

    def checked(self, name: str, value: Any) -> Any:
        """What the parameter `name` was given. Raises OptionError that names it, or TypeError."""
        return os.fsdecode(encoded(name, value))


class Anything(Kind):
    """What the function itself checks."""

    def checked(self, name: str, value: Any) -> Any:
        return value


class Flag(Kind):
    """On or off; no word behind the option."""

    def read(self, option: str, *words: str) -> Any:
        return True

    def checked(self, name: str, value: Any) -> Any:
        if not isinstance(value, bool):
            raise OptionError(f"{name} must be True or False, not {value!r}")
        return value


class Count(Flag):
    """How often a flag is given."""

    def read(self, option: str, *words: str) -> Any:
        return len(words)


class Several(Anything):
    """One or more texts."""

    takes_several = True

    def read(self, option: str, *words: str) -> Any:
        return list(words)


@dataclass(frozen=True)
class Choice(Kind):
    """One of a few words; `what` they are, in messages."""

    what: str
    words: tuple[str, ...]

    def read(self, option: str, *words: str) -> Any:
        return self.checked(option, words[0])

    def checked(self, name: str, value: Any) -> Any:
        if isinstance(value, str) and value in self.words:
            return value
        text = value if isinstance(value, str) else repr(value)
        listed = f"{', '.join(self.words[:-1])} or {self.words[-1]}"
        raise OptionError(
            f"{name}: unknown {self.what} {_core.shown(encoded(name, text))}",
            _core.did_you_mean(encoded(name, text), list(self.words)) or f"it is {listed}",
        )


TrafficForm = Literal["auto", "sets", "calls"]
"""What of a job's traffic is simulated: communication sets, the calls of its log, or calls where it has them."""


@dataclass(frozen=True)
class Form(Choice):
    """``auto`` is for Python; for the program it is the option that is not given."""

    what: str = "form of traffic"
    words: tuple[str, ...] = ("sets", "calls")

    def read(self, option: str, *words: str) -> Any:
        return super().checked(option, words[0])

    def checked(self, name: str, value: Any) -> Any:
        return value if value == "auto" else super().checked(name, value)


@dataclass(frozen=True)
class Whole(Kind):
    """A whole number; 0 may stand for a default in Python."""

    least: int = 1
    most: int = 2**31 - 1
    or_zero: bool = False

    def read(self, option: str, *words: str) -> Any:
        value = _core.parse_count(encoded(option, words[0]), min(self.most, 2**63 - 1), option)
        if value >= self.least:
            return value
        raise OptionError(f"{option}: {words[0]!r} is too small (at least {self.least})")

    def checked(self, name: str, value: Any) -> Any:
        return whole_option(name, value, 0 if self.or_zero else self.least, self.most)


@dataclass(frozen=True)
class Factor(Kind):
    """A number from 0."""

    most: float

    def read(self, option: str, *words: str) -> Any:
        try:
            value = float(words[0])
        except ValueError:
            raise OptionError(f"{option}: {_core.shown(encoded(option, words[0]))} is not a number") from None
        return self.checked(option, value)

    def checked(self, name: str, value: Any) -> Any:
        return number_option(name, value, self.most)


class Algorithms(Kind):
    """``OP=ALGORITHM``, one or several; a mapping in Python. Which there are `haichi._core` knows."""

    takes_several = True

    def read(self, option: str, *words: str) -> Any:
        for word in words:
            if "=" not in word:
                raise OptionError(f"{option} {_core.shown(encoded(option, word))}: expected OPERATION=ALGORITHM")
        return dict(word.split("=", 1) for word in words)

    def checked(self, name: str, value: Any) -> Any:
        if not isinstance(value, Mapping):
            raise TypeError(f"{name} must be a mapping from operations to algorithms, not {value!r}")
        return dict(value)


@dataclass(frozen=True)
class Iterations(Kind):
    """How many iterations are simulated."""

    _WORDS = ("auto", "all")

    def read(self, option: str, *words: str) -> Any:
        return words[0] if words[0] in self._WORDS else Whole(1, 2**63 - 1).read(option, *words)

    def checked(self, name: str, value: Any) -> Any:
        if not isinstance(value, str):
            return whole_option(name, value, 1, 2**63 - 1)
        if value not in self._WORDS:
            raise OptionError(f"{name} {value!r} is unknown", "it is 'auto', 'all' or a number")
        return value


class Seconds(Kind):
    """A time above 0: ``10s`` for the program, a number in Python."""

    def read(self, option: str, *words: str) -> Any:
        seconds = _core.parse_time_ps(encoded(option, words[0]), option) / 1e12
        if seconds > 0:
            return seconds
        raise OptionError(f"{option}: {words[0]!r} leaves no time to search")

    def checked(self, name: str, value: Any) -> Any:
        seconds = number_option(name, value, math.inf)
        if not 0 < seconds < _LONGEST_SECONDS:
            raise OptionError(f"{name} must be above 0 and below 1e9 seconds, not {value!r}")
        return seconds


class MessageSize(Kind):
    """Bytes, or a text with a unit."""

    def read(self, option: str, *words: str) -> Any:
        return self._bytes(option, words[0])

    def checked(self, name: str, value: Any) -> Any:
        if not isinstance(value, str):
            return whole_option(name, value, 0, _LARGEST_MESSAGE_BYTES)
        try:
            return self._bytes(name, value)
        except InputError as error:
            raise OptionError(str(error), error.hint) from error

    @staticmethod
    def _bytes(name: str, text: str) -> int:
        if text.isdecimal():
            return int(_core.parse_count(encoded(name, text), _LARGEST_MESSAGE_BYTES, name))
        size = _core.parse_bytes(encoded(name, text), name)
        if size <= _LARGEST_MESSAGE_BYTES:
            return size
        raise OptionError(f"{name}: {text!r} is more than the 2^48 bytes a message may have")


class Sizes(Kind):
    """``"1x2x4"`` or ``(1, 2, 4)``; it becomes a text."""

    def read(self, option: str, *words: str) -> Any:
        return self.checked(option, words[0])

    def checked(self, name: str, value: Any) -> Any:
        try:
            sizes = [int(size) for size in value.split("x")] if isinstance(value, str) else map(operator.index, value)
            listed = list(sizes)
            if not listed or (not isinstance(value, str) and any(isinstance(size, bool) for size in value)):
                raise ValueError("no sizes")
        except (TypeError, ValueError) as error:
            raise OptionError(f"{name} {value!r} is not a list of sizes", "an example is 1x2x4x2x3x2") from error
        return "x".join(str(whole_option(name, size, 0, 2**31 - 1)) for size in listed)


@dataclass(frozen=True)
class Option:
    """A row: what the program's help says of an option, and what stands for its value there; flags have none."""

    help: str
    value: str = ""
    kind: Kind = Kind()
    default: Any = None
    """In Python, where it says what happens when nothing is given."""
    name: str = ""
    """Of the program's option, as ``"--time"``; by default the parameter's."""
    short: str = ""
    python: str = ""
    """The docstring's words where they are not those of the help."""
    is_required: bool = False
    """By the program."""

    def long_name(self, parameter: str) -> str:
        return self.name or "--" + parameter.replace("_", "-")


Rows = dict[str, Option]
"""By the names of parameters, in the order of the help."""


def rows_of(declaration: type) -> Rows:
    """The options that the keys of a TypedDict are annotated with."""
    hints = get_type_hints(declaration, include_extras=True)
    found = {name: getattr(hint, "__metadata__", ())[:1] for name, hint in hints.items()}
    return {name: rows[0] for name, rows in found.items() if rows and isinstance(rows[0], Option)}


_T = TypeVar("_T", bound=Mapping[str, Any])


def complete(function: str, declaration: type[_T], given: _T) -> _T:
    """What a function was given by keywords, checked, and defaults for the rest. Raises OptionError that names the
    parameter, TypeError for one that does not exist."""
    rows = rows_of(declaration)
    for name in given:
        if name not in rows:
            near = _core.did_you_mean(encoded("a parameter", name), list(rows))
            raise TypeError(f"{function}() has no parameter {name!r}" + (f"; {near}" if near else ""))
    values = {name: given.get(name, row.default) for name, row in rows.items()}
    checked: Any = {
        name: value if value is rows[name].default else rows[name].kind.checked(name, value)
        for name, value in values.items()
    }
    return cast(_T, checked)


_F = TypeVar("_F", bound=Callable[..., Any])


def takes(declaration: type) -> Callable[[_F], _F]:
    """For a function with ``**options: Unpack[declaration]``: its signature shows the parameters one by one, and a line
    ``{options}`` of its docstring becomes what the rows say."""

    def shown(function: _F) -> _F:
        plain = inspect.signature(function)
        rows = rows_of(declaration)
        listed = [entry for entry in plain.parameters.values() if entry.kind is not inspect.Parameter.VAR_KEYWORD]
        listed += [
            inspect.Parameter(
                name, inspect.Parameter.KEYWORD_ONLY, default=row.default, annotation=_written_type(declaration, name)
            )
            for name, row in rows.items()
        ]
        setattr(function, "__signature__", plain.replace(parameters=listed))  # noqa: B010 - which functions do not declare
        function.__doc__ = _with_options(function.__doc__ or "", rows)
        return function

    return shown


def _written_type(declaration: type, name: str) -> str:
    """The type in ``Annotated[type, row]``, as the source has it: aliases by their names."""
    annotated = ast.parse(declaration.__annotations__[name].__forward_arg__, mode="eval").body
    assert isinstance(annotated, ast.Subscript) and isinstance(annotated.slice, ast.Tuple)
    return ast.unparse(annotated.slice.elts[0])


def _sentence(text: str) -> str:
    """A line of the help without the default, which the signature shows."""
    return text.split("; default: ", 1)[0] + "."


def _with_options(docstring: str, rows: Rows) -> str:
    def described(indent: str) -> str:
        return "\n".join(
            textwrap.fill(
                f"{name}: {row.python or _sentence(row.help)}",
                width=120,
                initial_indent=indent,
                subsequent_indent=indent + "    ",
                break_on_hyphens=False,
                break_long_words=False,
            )
            for name, row in rows.items()
        )

    lines = docstring.split("\n")
    return "\n".join(described(line[: -len("{options}")]) if line.strip() == "{options}" else line for line in lines)
