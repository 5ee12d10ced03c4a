"""The OSU micro-benchmarks, 5 to 7: osu_latency, osu_bw, osu_bibw and osu_barrier."""

from __future__ import annotations

import re
from dataclasses import dataclass

from haichi.calibration.results import Lines, Number, Point, Results, quoted

_VERSION = re.compile(r"v\d[\w.-]*")
_BENCHMARKS = {
    "Latency": "latency",
    "Bandwidth": "bandwidth",
    "Bi-Directional Bandwidth": "bibandwidth",
    "Barrier Latency": "barrier",
}
_COLUMN_GAP = re.compile(r"\s{2,}|\t+|(?<=\))\s+")
_MOST_MEGABYTES_PER_S = 1e9


@dataclass(frozen=True)
class _Columns:
    """Positions of the size and the value in a row, from the last header."""

    size: int | None
    value: int
    count: int
    iterations: int | None


def is_osu(text: str) -> bool:
    return any(_title(line) is not None for line in text.splitlines())


def _title(line: str) -> str | None:
    """`Latency` from `# OSU MPI Latency Test v7.5`. Works word by word, so that the time is linear in the line."""
    if not line.lstrip().startswith("#"):
        return None
    words = line.lstrip()[1:].split()
    if len(words) < 3 or words[0] != "OSU" or not words[1].startswith("MPI") or not _VERSION.fullmatch(words[-1]):
        return None
    return " ".join(words[2:-1]).removesuffix("Test").removesuffix("Benchmark").rstrip()


def read_osu(lines: Lines) -> Results:
    """Ignores lines of job scripts and launchers before the first title. A file may hold several outputs."""
    results = Results()
    benchmark, title, columns = None, "", None
    for number, raw in lines:
        line = raw.strip()
        if (found := _title(line)) is not None:
            title, columns = found, None
            benchmark = _BENCHMARKS.get(title)
            if benchmark is None:
                results.left_out.append(f"line {number}: unsupported benchmark: OSU {title}")
        elif benchmark is None or not line:
            continue
        elif line.startswith("#"):
            columns = _header(line) or columns
        elif columns is None:
            lines.fail(
                number,
                f"expected a header with column names, found a row of OSU {title}",
                "the header is a line '# Size'",
            )
        elif not lines.is_row(line.split(), columns.count):
            results.left_out.append(f"line {number}: expected a row of OSU {title}, found {quoted(line)}")
        elif (point := _row(lines, number, benchmark, columns, line.split())) is not None:
            results.points.append(point)
    return results


def _header(line: str) -> _Columns | None:
    """The columns of a header line."""
    names = [name for name in _COLUMN_GAP.split(line.lstrip("#").strip()) if name]
    values = [k for k, name in enumerate(names) if re.match(r"(Avg )?Latency ?\(us\)|Bandwidth ?\(MB/s\)", name)]
    if not values:
        return None
    size = 0 if names[0] == "Size" else None
    iterations = names.index("Iterations") if "Iterations" in names else None
    return _Columns(size, values[0], len(names), iterations)


def _row(lines: Lines, number: int, benchmark: str, columns: _Columns, words: list[str]) -> Point | None:
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
            return None  # below the printed precision
        seconds = Number(time.value * 1e-6, time.resolution)
    return lines.point(number, benchmark, None, size, seconds)
