"""The Intel MPI Benchmarks, IMB-MPI1: PingPong, PingPing, Uniband, Biband and Barrier."""

from __future__ import annotations

import re

from haichi.calibration.results import Lines, Number, Point, Results, split_lines
from haichi.calibration.titles import imb_title, osu_title

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
    return "Intel(R) MPI Benchmarks" in text or any(imb_title(line.strip()) is not None for line in split_lines(text))


def read_imb(lines: Lines) -> Results:
    """Reads all benchmarks of a file. Point-to-point benchmarks must have run with two processes."""
    results = Results()
    benchmark, name, processes, columns = None, "", None, None
    for number, raw in lines:
        line = raw.strip()
        if (title := imb_title(line)) is not None:
            name, processes, columns = title, None, None
            benchmark = _BENCHMARKS.get(name)
            if benchmark is None:
                results.leave_out(number, f"IMB {name}: haichi does not fit this benchmark")
        elif osu_title(line) is not None:
            benchmark = None
        elif benchmark is None or not line:
            continue
        elif found := _PROCESSES.match(line):
            processes = lines.count(number, "number of processes", found[1])
            if processes != 2 and benchmark != "barrier":
                results.leave_out(number, f"IMB {name} of {processes} processes is not a pair of processes")
                benchmark = None
        elif line.startswith("#repetitions") or line.startswith("#bytes"):
            columns = line.split()
        elif line.startswith("#"):
            if columns is not None and "All processes entering" in line:
                benchmark = None
        elif not lines.is_row(line.split(), len(columns or ())):
            results.leave_out(number, f"expected a row of IMB {name}", line)
        elif columns is None:
            lines.fail(number, f"expected a header with column names, found a row of IMB {name}")
        elif (point := _row(lines, number, benchmark, processes, columns, line.split())) is not None:
            results.add(point)
        else:
            results.leave_out(number, f"IMB {name}: the value is below the printed precision")
    return results


def _row(
    lines: Lines, number: int, benchmark: str, processes: int | None, columns: list[str], words: list[str]
) -> Point | None:
    """A point from one table row. Returns None if the value is 0, which means below the printed precision."""
    if len(words) != len(columns):
        lines.fail(number, f"expected {len(columns)} columns, found {len(words)}", "check whether the run was complete")
    row = dict(zip(columns, words, strict=True))
    size = 0 if benchmark == "barrier" else lines.size(number, row.get("#bytes", ""))
    if benchmark in ("uniband", "biband"):
        seconds = _of_rate(lines, number, benchmark, row, size)
    else:
        column = next((c for c in ("t_avg[usec]", "t[usec]") if c in row), None)
        if column is None:
            lines.fail(number, "the header requires a column t[usec] or t_avg[usec]")
        time = lines.microseconds(number, "time", row[column])
        seconds = None if time.value == 0 else Number(time.value * 1e-6, time.resolution)
    if seconds is None:
        return None
    return lines.point(number, benchmark, processes, size, seconds)


def _of_rate(lines: Lines, number: int, benchmark: str, row: dict[str, str], size: int) -> Number | None:
    """The time per message, from the messages per second if possible. This rate has more digits than the bytes per
    second."""
    directions = 2 if benchmark == "biband" else 1
    if "Msg/sec" in row:
        rate = lines.number(number, "message rate", row["Msg/sec"], _MOST_PER_S)
        return None if rate.value == 0 else Number(directions / rate.value, rate.resolution)
    if "Mbytes/sec" not in row:
        lines.fail(number, "the header requires a column Msg/sec or Mbytes/sec")
    rate = lines.number(number, "bandwidth", row["Mbytes/sec"], _MOST_PER_S)
    return None if rate.value * size == 0 else Number(directions * size / (rate.value * 1e6), rate.resolution)
