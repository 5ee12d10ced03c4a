"""NetPIPE: its printed output, and its file np.out."""

from __future__ import annotations

import math
import re

from haichi.calibration.results import Lines, Number, Point, Results

_ROW = re.compile(r"\s*\d+:\s+(\S+) bytes\s+(\S+) times -->\s+(\S+) Mbps in\s+(\S+) usec")
_BYTES = re.compile(r"\bbytes\b")
_BITS_PER_MEGABIT = 1024 * 1024
_MOST_MEGABITS_PER_S = 1e12


def is_netpipe(text: str) -> bool:
    return any(map(_is_row, text.splitlines()))


def _is_row(line: str) -> bool:
    """Recognises `0: ... bytes ... -->` in one pass over the line."""
    head, _, rest = line.partition(":")
    before, arrow, _ = rest.rpartition("-->")
    return bool(arrow) and rest[0].isspace() and head.lstrip().isdecimal() and _BYTES.search(before) is not None


def read_netpipe(lines: Lines) -> Results:
    """Half round trips of ping-pongs: the shortest of several trials for each size."""
    results = Results()
    for number, line in lines:
        if not _is_row(line):
            continue
        row = _ROW.match(line)
        if row is None:
            lines.fail(
                number, "incomplete row of NetPIPE", "a row looks like '1: 8 bytes 100 times --> 2 Mbps in 3 usec'"
            )
        time = lines.microseconds(number, "time", row[4])
        rate = lines.number(number, "rate", row[3], _MOST_MEGABITS_PER_S)
        results.points += _point(lines, number, lines.size(number, row[1]), rate, time)
    return results


def is_netpipe_file(text: str) -> bool:
    """Three columns: bytes, megabits per second, and the seconds that belong to them."""
    first = next((line.split() for line in text.splitlines() if line.strip()), [])
    return _is_file_row(first)


def _is_file_row(row: list[str]) -> bool:
    if len(row) != 3 or not row[0].isdecimal():
        return False
    try:
        size, rate, seconds = (float(word) for word in row)
    except ValueError:
        return False
    if not (size > 0 and rate > 0 and seconds > 0 and math.isfinite(rate * seconds)):
        return False
    # NetPIPE rounds to 10 ns.
    return math.isclose(8 * size / (rate * _BITS_PER_MEGABIT), seconds, rel_tol=0.02, abs_tol=1e-8)


def read_netpipe_file(lines: Lines) -> Results:
    results = Results()
    for number, line in lines:
        words = line.split()
        if not words:
            continue
        if len(words) != 3:
            lines.fail(number, f"expected 3 columns (bytes, megabits per second, seconds), found {len(words)}")
        rate = lines.number(number, "rate", words[1], _MOST_MEGABITS_PER_S)
        seconds = lines.number(number, "time", words[2], 1e6)
        time = Number(seconds.value * 1e6, seconds.resolution)
        results.points += _point(lines, number, lines.size(number, words[0]), rate, time)
    return results


def _point(lines: Lines, number: int, size: int, rate: Number, microseconds: Number) -> list[Point]:
    """Uses the rate or the time, whichever has more digits."""
    seconds = Number(microseconds.value * 1e-6, microseconds.resolution)
    if rate.value > 0 and rate.resolution < microseconds.resolution:
        seconds = Number(8 * size / (rate.value * _BITS_PER_MEGABIT), rate.resolution)
    if seconds.value == 0:
        return []
    return [lines.point(number, "latency", 2, size, seconds)]
