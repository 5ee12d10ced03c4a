"""Reads the printed output of NetPIPE 2 to 5, and its file np.out."""

from __future__ import annotations

import math
import re

from haichi.calibration.results import Lines, Number, Results, decimal, split_lines

_ROW = re.compile(r"\s*\d+:\s+(\S+) bytes\s+(\S+) times -->\s+(\S+) Mbps in\s+(\S+) usec")
_ROW_5 = re.compile(r"\s*\d+:\s+(\S+) +([KMGT]?B)\s+\d+ times -->\s+(\S+) +([KMGT]?)bps  in\s+(\S+) +([num]?)secs")
_COLOR = re.compile(r"\x1b\[\d{0,3}m")
_SIZE_UNIT = re.compile(r"\b(bytes|[KMGT]?B)\b")
_SCALES = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_SECONDS = {"": 1.0, "m": 1e-3, "u": 1e-6, "n": 1e-9}
_BITS_PER_MEGABIT = 1024 * 1024
"""The unit of NetPIPE 2 to 4. NetPIPE 5 prints multiples of 1000."""
_MOST_MEGABITS_PER_S = 1e12
_OTHER_MODES = {
    "Streaming in one direction": "streams",
    "Streaming data in one direction": "streams",
    "Passing data in both directions": "both directions at once",
    "Bidirectional mode": "both directions at once",
}
"""The words that NetPIPE prints for -s and -2 (--stream and --bidir)."""


def is_netpipe(text: str) -> bool:
    return any(map(_is_row, split_lines(text)))


def _is_row(line: str) -> bool:
    """Recognises `0: ... bytes ... -->` in one pass over the line."""
    head, _, rest = line.partition(":")
    before, arrow, _ = rest.rpartition("-->")
    return bool(arrow) and rest[0].isspace() and head.lstrip().isdecimal() and _SIZE_UNIT.search(before) is not None


def read_netpipe(lines: Lines) -> Results:
    """Reads ping-pongs as half round trips. Each is the shortest of several trials, or their mean in NetPIPE 5."""
    results = Results()
    mode = ""
    for number, colored in lines:
        line = _COLOR.sub("", colored)
        mode = next((mode for sign, mode in _OTHER_MODES.items() if sign in line), mode)
        if not _is_row(line):
            continue
        if mode:
            results.leave_out(number, f"NetPIPE: {mode} are not fitted (run it without -s and -2)")
            continue
        if found := _ROW_5.match(line):
            size, seconds = _row_5(lines, number, *found.groups())
        elif found := _ROW.match(line):
            size = lines.size(number, found[1])
            time = lines.microseconds(number, "time", found[4])
            seconds = _finer(lines, number, size, found[3], time)
        else:
            lines.fail(
                number, "incomplete row of NetPIPE", "a row looks like '1: 8 bytes 100 times --> 2 Mbps in 3 usec'"
            )
        _add(results, lines, number, size, seconds)
    return results


def _row_5(
    lines: Lines, number: int, size: str, size_unit: str, rate: str, rate_unit: str, time: str, time_unit: str
) -> tuple[int, Number]:
    """Parses one line. Sizes have three digits after the decimal point, so that those of a megabyte and more are
    rounded."""
    whole = round(lines.number(number, "size", size, 1e4).value * _SCALES[size_unit.removesuffix("B")])
    seconds = lines.number(number, "time", time, 1e6)
    bits = lines.number(number, "rate", rate, 1e6)
    finest = Number(seconds.value * _SECONDS[time_unit], seconds.resolution)
    if bits.value > 0 and bits.resolution < seconds.resolution:
        finest = Number(8 * whole / (bits.value * _SCALES[rate_unit]), bits.resolution)
    return whole, finest


def is_netpipe_file(text: str) -> bool:
    """Three columns: bytes, megabits per second, and the seconds that belong to them."""
    first = next((line.split() for line in split_lines(text) if line.strip()), [])
    return _is_file_row(first)


def _is_file_row(row: list[str]) -> bool:
    if len(row) != 3 or not (row[0].isascii() and row[0].isdecimal()):
        return False
    try:
        size, rate, seconds = (decimal(word) for word in row)
    except ValueError:
        return False
    if not (size > 0 and rate > 0 and seconds > 0 and math.isfinite(rate * seconds)):
        return False
    # NetPIPE rounds the seconds to 10 ns.
    return math.isclose(8 * size / (rate * _BITS_PER_MEGABIT), seconds, rel_tol=0.02, abs_tol=1e-8)


def read_netpipe_file(lines: Lines) -> Results:
    results = Results()
    for number, line in lines:
        words = line.split()
        if not words:
            continue
        if len(words) != 3:
            lines.fail(number, f"expected 3 columns (bytes, megabits per second, seconds), found {len(words)}")
        size = lines.size(number, words[0])
        seconds = lines.number(number, "time", words[2], 1e6)
        time = Number(seconds.value * 1e6, seconds.resolution)
        _add(results, lines, number, size, _finer(lines, number, size, words[1], time))
    return results


def _finer(lines: Lines, number: int, size: int, megabits_per_s: str, microseconds: Number) -> Number:
    """The seconds, from the rate or from the time, whichever has more digits."""
    rate = lines.number(number, "rate", megabits_per_s, _MOST_MEGABITS_PER_S)
    if rate.value > 0 and rate.resolution < microseconds.resolution:
        return Number(8 * size / (rate.value * _BITS_PER_MEGABIT), rate.resolution)
    return Number(microseconds.value * 1e-6, microseconds.resolution)


def _add(results: Results, lines: Lines, number: int, size: int, seconds: Number) -> None:
    if seconds.value > 0:
        results.add(lines.point(number, "latency", 2, size, seconds))
    else:
        results.leave_out(number, "NetPIPE: the value is below the printed precision")
