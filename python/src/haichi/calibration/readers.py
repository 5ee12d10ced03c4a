"""The formats of results. Each is recognised by its content."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from haichi.calibration.imb import is_imb, read_imb
from haichi.calibration.netpipe import is_netpipe, is_netpipe_file, read_netpipe, read_netpipe_file
from haichi.calibration.osu import is_osu, read_osu
from haichi.calibration.results import Lines, Results
from haichi.errors import InputError

_MOST_FILE_BYTES = 64 << 20


@dataclass(frozen=True)
class Reader:
    """A table entry."""

    name: str
    is_one: Callable[[str], bool]
    read: Callable[[Lines], Results]


READERS = (
    Reader("OSU micro-benchmarks", is_osu, read_osu),
    Reader("Intel MPI Benchmarks", is_imb, read_imb),
    Reader("NetPIPE's output", is_netpipe, read_netpipe),
    Reader("NetPIPE's file", is_netpipe_file, read_netpipe_file),
)


def read_results(path: str) -> tuple[Reader, Results]:
    """Reads a file of one format. Raises InputError, with the line, for unknown or broken files, or without points."""
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from error
    if len(content) > _MOST_FILE_BYTES:
        raise InputError(f"{path}: {len(content)} bytes are too many for the output of a benchmark")
    if b"\0" in content:
        raise InputError(f"{path}:{content[: content.index(0)].count(10) + 1}: expected text, found a NUL byte")
    text = content.decode("utf-8", "replace")
    reader = next((reader for reader in READERS if reader.is_one(text)), None)
    if reader is None:
        names = ", ".join(reader.name for reader in READERS)
        raise InputError(f"{path}: expected the output of a known benchmark", f"use one of {names}")
    results = reader.read(Lines(path, text))
    if not results.points:
        why = f": {results.left_out[0]}" if results.left_out else ""
        raise InputError(
            f"{path}: no usable row of {reader.name}{why}",
            "measure latency, bandwidth, bidirectional bandwidth or a barrier (docs/reference/calibration.md)",
        )
    return reader, results
