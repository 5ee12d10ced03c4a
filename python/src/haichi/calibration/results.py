"""Measured points from the output of benchmarks."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NoReturn

from haichi import _core
from haichi.errors import InputError

_MOST_BYTES = 2**40
_MOST_MICROSECONDS = 1e12
_LEAST_SECONDS = 1e-18
_MOST_POINTS = 10_000
"""The maximum of a file. Benchmarks measure some dozens, and every step of the fit uses each point."""
_LONGEST_NUMBER = 60
"""The maximum number of characters. Benchmarks print shorter numbers, and arithmetic on these cannot overflow."""


@dataclass(frozen=True)
class Point:
    """A measured time from one line of a file."""

    file: str
    line: int
    benchmark: str
    """A key of `haichi.calibration.benchmarks.BENCHMARKS`."""
    processes: int | None
    """None if the format does not state it."""
    size_bytes: int
    """The size of a message in bytes; 0 for barriers."""
    seconds: float
    """The time of one round of the benchmark, divided by the number of messages that a rank sends in it."""
    resolution: float
    """Half a unit of the last printed digit, relative to the value."""


@dataclass
class Results:
    """The points of a file, and its lines that were left out."""

    points: list[Point] = field(default_factory=list)
    _lines_left_out: dict[str, list[tuple[int, str]]] = field(default_factory=dict)

    def add(self, point: Point) -> None:
        """Raises InputError for too many."""
        if len(self.points) == _MOST_POINTS:
            raise InputError(
                f"{point.file}:{point.line}: the file has more than {_MOST_POINTS} measured points",
                "use the mean time of each message size",
            )
        self.points.append(point)

    def leave_out(self, line: int, why: str, found: str = "") -> None:
        self._lines_left_out.setdefault(why, []).append((line, found))

    @property
    def left_out(self) -> list[str]:
        """Reasons why lines were left out, with the line numbers, for people."""
        return [_left_out(why, lines) for why, lines in self._lines_left_out.items()]


@dataclass(frozen=True)
class Number:
    """A number as printed."""

    value: float
    resolution: float
    """Half a unit of the last printed digit, relative to the value."""


def split_lines(text: str) -> list[str]:
    """Lines end with a line feed, before which a carriage return may stand. `str.splitlines` knows further ends."""
    return [line.removesuffix("\r") for line in text.split("\n")]


@dataclass(frozen=True)
class Lines:
    """The lines of a file, numbered from 1. Errors name the file and the line."""

    file: str
    text: str

    def __iter__(self) -> Iterator[tuple[int, str]]:
        return iter(enumerate(split_lines(self.text), 1))

    def fail(self, line: int, what: str, hint: str = "") -> NoReturn:
        raise InputError(f"{self.file}:{line}: {what}", hint)

    @staticmethod
    def is_row(words: list[str], columns: int) -> bool:
        """True for rows of a table, even incomplete ones. False for lines that launchers and job scripts print between
        rows."""
        if not _is_number(words[0]):
            return False
        has_digits = len(words) == columns and any(letter.isdigit() for word in words[1:] for letter in word)
        return has_digits or all(map(_is_number, words))

    def number(self, line: int, name: str, word: str, most: float) -> Number:
        """Parses a number of the column `name`. Raises InputError for other words, and for numbers below 0 or above
        `most`."""
        if len(word) > _LONGEST_NUMBER:
            self.fail(line, f"invalid {name}: {quoted(word)} ({len(word)} characters are too many)")
        try:
            value = decimal(word)
        except ValueError:
            self.fail(line, f"invalid {name}: {quoted(word)} (not a number)")
        if not 0 <= value <= most:  # the condition also holds for NaN
            self.fail(line, f"invalid {name}: {quoted(word)} (not between 0 and {most:g})")
        if value == 0:  # also for words with an exponent, such as 0e5
            return Number(value, math.inf)
        mantissa, _, exponent = word.lower().partition("e")
        digits = len(mantissa.partition(".")[2])
        last = 10.0 ** (int(exponent or 0) - digits)
        return Number(value, 0.5 * last / value)

    def count(self, line: int, name: str, word: str) -> int:
        """Parses an integer. Raises InputError for more than ten digits."""
        if len(word) > 10:
            self.fail(line, f"invalid {name}: {quoted(word)} (too large)")
        return int(word)

    def point(self, line: int, benchmark: str, processes: int | None, size: int, time: Number) -> Point:
        """Makes a point. `time`: in seconds. Raises InputError for implausible times."""
        if not _LEAST_SECONDS <= time.value <= _MOST_MICROSECONDS * 1e-6:
            least, most = f"{_LEAST_SECONDS:g}", f"{_MOST_MICROSECONDS * 1e-6:g}"
            self.fail(line, f"invalid time of a message: {time.value:.3g} s (not between {least} and {most})")
        return Point(self.file, line, benchmark, processes, size, time.value, time.resolution)

    def size(self, line: int, word: str) -> int:
        """Parses the size of a message in bytes. Raises InputError."""
        if not (word.isascii() and word.isdigit()):
            self.fail(line, f"invalid size: {quoted(word)} (not a whole number)")
        if len(word) > 13 or int(word) > _MOST_BYTES:
            self.fail(line, f"invalid size: {quoted(word)} (the maximum is 2^40 bytes)")
        return int(word)

    def microseconds(self, line: int, name: str, word: str) -> Number:
        return self.number(line, name, word, _MOST_MICROSECONDS)


_MOST_NUMBERED = 3


def _left_out(why: str, lines: list[tuple[int, str]]) -> str:
    """The numbers of the left-out lines, the reason, and the text of the first line."""
    shown = ", ".join(str(line) for line, _ in lines[:_MOST_NUMBERED])
    if len(lines) > _MOST_NUMBERED:
        shown += f" and {len(lines) - _MOST_NUMBERED} more"
    found = lines[0][1]
    text = f"line{'s' if len(lines) > 1 else ''} {shown}: {why}"
    return f"{text}, found {quoted(found)}{' and others' if len(lines) > 1 else ''}" if found else text


def _is_number(word: str) -> bool:
    try:
        decimal(word)
    except ValueError:
        return False
    return True


def decimal(word: str) -> float:
    """Parses a number as C programs print it. `float()` also accepts underscores and the digits of other scripts."""
    if not word.isascii() or "_" in word:
        raise ValueError(word)
    return float(word)


def quoted(word: str) -> str:
    return _core.shown(word.encode("utf-8", "surrogateescape"))
