"""The OSU micro-benchmarks, 3 to 7: osu_latency, osu_bw, osu_mbw_mr with one pair, osu_bibw and osu_barrier."""

from __future__ import annotations

import re
from dataclasses import dataclass

from haichi.calibration.results import Lines, Number, Point, Results, split_lines
from haichi.calibration.titles import imb_title, osu_title

_BENCHMARKS = {
    "MPI Latency Test": "latency",
    "MPI Bandwidth Test": "bandwidth",
    "MPI Multiple Bandwidth / Message Rate Test": "bandwidth",
    "MPI Bi-Directional Bandwidth Test": "bibandwidth",
    "MPI Barrier Latency Test": "barrier",
}
"""Benchmarks by their exact titles. Other titles, such as `MPI_Put Latency Test`, measure something else."""
_ACCELERATED = re.compile(r"MPI-\S+ ")
"""Titles of builds for CUDA, ROCm and OpenACC, which may use buffers on devices."""
_BUFFERS = re.compile(r"# Send Buffer on (\w+) .* Receive Buffer on (\w+)")
_PAIRS = re.compile(r"# \[ pairs: (\d{1,9}) \] \[ window size: (\w{1,9}) \]")
_USUAL_WINDOW = "64"
_COLUMN_GAP = re.compile(r"\s{2,}|\t+|(?<=\))\s+")
_VALUE = re.compile(r"(Avg )?Latency ?\(us\)|(Bi-)?Bandwidth ?\(MB/s\)|MB/s")
_MOST_MEGABYTES_PER_S = 1e9


@dataclass(frozen=True)
class _Columns:
    """The columns of the size and the value, from the last header."""

    size: int | None
    value: int
    count: int


def is_osu(text: str) -> bool:
    return any(osu_title(line) is not None for line in split_lines(text))


def read_osu(lines: Lines) -> Results:
    """Reads all outputs in the file. Lines of job scripts and launchers before the first title are ignored."""
    results = Results()
    benchmark: str | None = None
    title, columns, on_host = "", None, True

    def skip(number: int, why: str) -> None:
        nonlocal benchmark
        benchmark = None
        results.leave_out(number, f"OSU {title}: {why}")

    for number, raw in lines:
        line = raw.strip()
        if (found := osu_title(line)) is not None:
            title, columns = found, None
            on_host = _ACCELERATED.match(title) is None
            benchmark = _BENCHMARKS.get(_ACCELERATED.sub("MPI ", title))
            if benchmark is None:
                skip(number, "haichi does not fit this benchmark")
        elif imb_title(line) is not None:
            benchmark = None
        elif benchmark is None or not line:
            continue
        elif buffers := _BUFFERS.match(line):
            on_host = buffers[1] == buffers[2] == "HOST"
            if not on_host:
                skip(number, f"buffers on {buffers[1]} and {buffers[2]} are not host memory and are not fitted")
        elif pairs := _PAIRS.match(line):
            if (pairs[1], pairs[2]) != ("1", _USUAL_WINDOW):
                skip(number, f"{pairs[1]} pairs with windows of {pairs[2]} are not fitted (only 1 pair, windows of 64)")
        elif line.startswith("#"):
            columns = _header(line) or columns
            if columns is not None and not on_host:
                skip(number, "the buffers are not stated to be in host memory and are not fitted")
        elif not lines.is_row(line.split(), columns.count if columns is not None else 2):
            results.leave_out(number, f"expected a row of OSU {title}", line)
        elif columns is None:
            lines.fail(
                number,
                f"expected a header with column names, found a row of OSU {title}",
                "the header is a line '# Size'",
            )
        elif (point := _row(lines, number, benchmark, columns, line.split())) is not None:
            results.add(point)
        else:
            results.leave_out(number, f"OSU {title}: the value is below the printed precision")
    return results


def _header(line: str) -> _Columns | None:
    """Parses a header line. Returns None if the line has no known column."""
    names = [name for name in _COLUMN_GAP.split(line.lstrip("#").strip()) if name]
    values = [k for k, name in enumerate(names) if _VALUE.match(name)]
    if not values:
        return None
    return _Columns(0 if names[0] == "Size" else None, values[0], len(names))


def _row(lines: Lines, number: int, benchmark: str, columns: _Columns, words: list[str]) -> Point | None:
    """A point from one table row. Returns None if the value is 0, which means below the printed precision."""
    if len(words) != columns.count:
        lines.fail(
            number, f"expected {columns.count} columns, found {len(words)}", "check whether the run was complete"
        )
    if "Fail" in words:
        lines.fail(number, "the benchmark's validation failed", "measure again")
    size = 0 if columns.size is None else lines.size(number, words[columns.size])
    word = words[columns.value]
    if benchmark in ("bandwidth", "bibandwidth"):
        rate = lines.number(number, "bandwidth", word, _MOST_MEGABYTES_PER_S)
        if rate.value == 0 or size == 0:
            return None
        directions = 2 if benchmark == "bibandwidth" else 1
        seconds = Number(directions * size / (rate.value * 1e6), rate.resolution)
    else:
        time = lines.microseconds(number, "latency", word)
        if time.value == 0:
            return None
        seconds = Number(time.value * 1e-6, time.resolution)
    return lines.point(number, benchmark, None, size, seconds)
