"""The Intel MPI Benchmarks, IMB-MPI1: PingPong, PingPing, Uniband, Biband and Barrier."""

from __future__ import annotations

import re

from haichi.calibration.results import Lines, Number, Point, Results, quoted

_TITLE = re.compile(r"#\s*Benchmarking\s+(\S+)")
_PROCESSES = re.compile(r"#\s*#processes\s*=\s*(\d+)")
_BENCHMARKS = {
    "PingPong": "latency",
    "PingPongSpecificSource": "latency",
    "PingPongAnySource": "latency",
    "PingPing": "pingping",
    "PingPingSpecificSource": "pingping",
    "PingPingAnySource": "pingping",
    "Uniband": "uniband",
    "Biband": "biband",
    "Barrier": "barrier",
}
_MOST_PER_S = 1e15


def is_imb(text: str) -> bool:
    return "Intel(R) MPI Benchmarks" in text or any(_TITLE.match(line.strip()) for line in text.splitlines())


def read_imb(lines: Lines) -> Results:
    """All benchmarks of a file. Of those between any number of processes the rows of two are taken."""
    results = Results()
    benchmark, name, processes, columns = None, "", None, None
    for number, raw in lines:
        line = raw.strip()
        if found := _TITLE.match(line):
            name, processes, columns = found[1], None, None
            benchmark = _BENCHMARKS.get(name)
            if benchmark is None:
                results.left_out.append(f"line {number}: IMB {name}: not a benchmark that is fitted")
        elif benchmark is None or not line:
            continue
        elif found := _PROCESSES.match(line):
            processes = lines.count(number, "number of processes", found[1])
            if processes != 2 and benchmark not in ("latency", "pingping", "barrier"):
                results.left_out.append(f"line {number}: IMB {name} of {processes} processes: pairs are fitted")
                benchmark = None
        elif line.startswith("#repetitions") or line.startswith("#bytes"):
            columns = line.split()
        elif line.startswith("#"):
            if columns is not None and "All processes entering" in line:
                benchmark = None
        elif columns is None:
            lines.fail(number, f"a row of IMB {name} before the names of its columns")
        elif not lines.is_row(line.split(), len(columns)):
            results.left_out.append(f"line {number}: {quoted(line)}: not a row of IMB {name}")
        elif (point := _row(lines, number, benchmark, processes, columns, line.split())) is not None:
            results.points.append(point)
    return results


def _row(
    lines: Lines, number: int, benchmark: str, processes: int | None, columns: list[str], words: list[str]
) -> Point | None:
    if any(word.startswith("int-overflow") or word.startswith("out-of-mem") for word in words):
        return None  # what IMB prints for sizes that it has not measured
    if len(words) != len(columns):
        lines.fail(number, f"{len(words)} columns, but the header names {len(columns)}", "was the run cut short?")
    row = dict(zip(columns, words, strict=True))
    size = 0 if benchmark == "barrier" else lines.size(number, row.get("#bytes", ""))
    if benchmark in ("uniband", "biband"):
        seconds = _of_rate(lines, number, benchmark, row, size)
    else:
        column = next((c for c in ("t_avg[usec]", "t[usec]") if c in row), None)
        if column is None:
            lines.fail(number, "the header names no time: neither t[usec] nor t_avg[usec]")
        time = lines.microseconds(number, "time", row[column])
        seconds = None if time.value == 0 else Number(time.value * 1e-6, time.resolution)
    if seconds is None:
        return None
    return lines.point(number, benchmark, processes, size, seconds)


def _of_rate(lines: Lines, number: int, benchmark: str, row: dict[str, str], size: int) -> Number | None:
    """Messages per second where they are printed, which have more digits than bytes per second."""
    directions = 2 if benchmark == "biband" else 1
    if "Msg/sec" in row:
        rate = lines.number(number, "message rate", row["Msg/sec"], _MOST_PER_S)
        return None if rate.value == 0 else Number(directions / rate.value, rate.resolution)
    if "Mbytes/sec" not in row:
        lines.fail(number, "the header names no rate: neither Msg/sec nor Mbytes/sec")
    rate = lines.number(number, "bandwidth", row["Mbytes/sec"], _MOST_PER_S)
    return None if rate.value * size == 0 else Number(directions * size / (rate.value * 1e6), rate.resolution)
