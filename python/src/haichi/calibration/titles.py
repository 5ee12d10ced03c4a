"""Titles of benchmark outputs. A title of any benchmark ends the table before it."""

from __future__ import annotations

import re

_OSU_VERSION = re.compile(r"v\d[\w.-]*|\d[\w.-]*\)")
_IMB = re.compile(r"#\s*Benchmarking\s+(\S+)")


def osu_title(line: str) -> str | None:
    """Extracts `MPI Latency Test` from `# OSU MPI Latency Test v7.5`. Works word by word, so the time is linear in the
    length of the line."""
    if not line.lstrip().startswith("#"):
        return None
    words = line.lstrip()[1:].split()
    if len(words) < 3 or words[0] != "OSU":
        return None
    if _OSU_VERSION.fullmatch(words[-1]):
        words = words[: -2 if words[-2] == "(Version" else -1]
    elif words[-1] != "Test":
        return None
    return " ".join(words[1:])


def imb_title(line: str) -> str | None:
    """Extracts `PingPong` from `# Benchmarking PingPong`. `line` must not begin with spaces."""
    found = _IMB.match(line)
    return None if found is None else found[1]
