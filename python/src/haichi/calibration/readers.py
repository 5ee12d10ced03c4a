"""The supported formats of results. Each format is recognised by its content."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from haichi import _core
from haichi.base.file_names import encoded
from haichi.calibration.imb import is_imb, read_imb
from haichi.calibration.netpipe import is_netpipe, is_netpipe_file, read_netpipe, read_netpipe_file
from haichi.calibration.osu import is_osu, read_osu
from haichi.calibration.results import Lines, Point, Results
from haichi.errors import InputError

_MOST_FILE_BYTES = 64 << 20


@dataclass(frozen=True)
class Reader:
    """A supported format."""

    name: str
    is_one: Callable[[str], bool]
    read: Callable[[Lines], Results]


READERS = (
    Reader("OSU micro-benchmarks", is_osu, read_osu),
    Reader("Intel MPI Benchmarks", is_imb, read_imb),
    Reader("NetPIPE's output", is_netpipe, read_netpipe),
    Reader("the output file of NetPIPE", is_netpipe_file, read_netpipe_file),
)
_NOT_FITTED = {
    "mpiBench": "START mpiBench",
    "perftest's bandwidths": "BW peak[",
    "perftest's latencies": "t_typical[usec]",
    "NCCL tests": "# nThread ",
    "iperf": "Interval           Transfer",
}
"""Benchmark programs that are recognised but not supported, each with a string that its output contains."""


@dataclass(frozen=True)
class Read:
    """The contents of a file with results."""

    format: str
    points: list[Point]
    left_out: list[str]
    """Reasons why lines were left out, with the line numbers, for people."""


def read_results(path: str) -> Read:
    """Reads a file, compressed or not, which may hold the output of several programs. Raises InputError with the line
    for unknown or broken files, and for files without points."""
    content = _core.whole_input(encoded("results", path), _MOST_FILE_BYTES)
    if b"\0" in content:
        raise InputError(f"{path}:{content[: content.index(0)].count(10) + 1}: expected text, found a NUL byte")
    text = content.decode("utf-8-sig", "replace")
    readers = [reader for reader in READERS if reader.is_one(text)]
    if not readers:
        other = next((name for name, sign in _NOT_FITTED.items() if sign in text), None)
        found = "" if other is None else f", found the output of {other}, which haichi does not fit"
        names = ", ".join(reader.name for reader in READERS)
        raise InputError(
            f"{path}: expected the output of a known benchmark{found}", f"use the results of one of: {names}"
        )
    parts = [reader.read(Lines(path, text)) for reader in readers]
    format = " and ".join(reader.name for reader in readers)
    points = [point for part in parts for point in part.points]
    left_out = [why for part in parts for why in part.left_out]
    left_out += [
        f"the output of {name}, which haichi does not fit" for name, sign in _NOT_FITTED.items() if sign in text
    ]
    if not points:
        why = f": {left_out[0]}" if left_out else ""
        raise InputError(
            f"{path}: no usable row of {format}{why}",
            "measure latency, bandwidth, bidirectional bandwidth or a barrier (docs/reference/calibration.md)",
        )
    return Read(format, points, left_out)
