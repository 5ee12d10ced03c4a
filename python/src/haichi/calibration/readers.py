"""The formats of results: a row each, recognised by their content."""

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
    """A row."""

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
    """A file of one format. Raises InputError, with the line, for what is none, is broken, or has no point."""
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
    if len(content) > _MOST_FILE_BYTES:
        raise InputError(f"{path}: {len(content)} bytes are more than the output of a benchmark can be")
    if b"\0" in content:
        raise InputError(f"{path}:{content[: content.index(0)].count(10) + 1}: a NUL byte: this is no text")
    text = content.decode("utf-8", "replace")
    reader = next((reader for reader in READERS if reader.is_one(text)), None)
    if reader is None:
        names = ", ".join(reader.name for reader in READERS)
        raise InputError(f"{path}: not the output of a known benchmark", f"haichi reads {names}")
    results = reader.read(Lines(path, text))
    if not results.points:
        why = f": {results.left_out[0]}" if results.left_out else ""
        raise InputError(
            f"{path}: {reader.name} without a row that can be fitted{why}",
            "latency, bandwidth, bidirectional bandwidth and barrier are fitted (docs/reference/calibration.md)",
        )
    return reader, results
