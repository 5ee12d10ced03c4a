"""Simulating placements, packet by packet."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, SupportsIndex

Duration = str | float
"""``"100us"``, or seconds."""


@dataclass(frozen=True)
class LinkStatistics:
    """A CSV file with the traffic of each link, written during a run. Times are strings with a unit, or numbers in
    seconds."""

    path: str | os.PathLike[str]
    bin: Duration = "100us"
    """The interval of a line."""


@dataclass(frozen=True)
class BufferHistory:
    """A CSV file with the packets that left the buffers of a router, written during a run."""

    path: str | os.PathLike[str]
    router: SupportsIndex
    """Numbered as in the file of `LinkStatistics`."""
    begin: Duration = 0
    end: Duration | None = None
    """None for the end of the run."""
    interval: Duration = "10us"
    """The interval of a line."""


class SimulationProgress(NamedTuple):
    """The progress of a simulation."""

    simulated_seconds: float
    iterations_done: int
    iterations: int
    packet_hops: int
    packet_hops_per_second: float  #: of wall time
    calls_done: int  #: for a log


def observation_options(statistics: LinkStatistics | None, history: BufferHistory | None) -> dict[str, Any]:
    """The observations, keyed by option name."""
    given: dict[str, Any] = {}
    if statistics is not None:
        given |= {"stats": statistics.path, "stats_bin": statistics.bin}
    if history is not None:
        given |= {"buffer_history": history.path, "router": history.router, "history_begin": history.begin}
        given |= {"history_end": history.end, "history_interval": history.interval}
    return {name: value for name, value in given.items() if value is not None}


SimulationCallback = Callable[[SimulationProgress], object]


def simulation_callback(
    progress: SimulationCallback | None,
) -> Callable[[float, int, int, int, float, int], object] | None:
    if progress is None:
        return None
    if not callable(progress):
        raise TypeError(f"progress must be a function, not {progress!r}")
    return lambda *values: progress(SimulationProgress(*values))
