"""Options and progress of packet-by-packet simulations."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, SupportsIndex

Duration = str | float
"""A text with a unit, such as ``"100us"``, or a number in seconds."""


@dataclass(frozen=True)
class LinkStatistics:
    """A CSV file with the traffic of each link, which the simulation writes as it runs. Times are texts with a unit, or
    numbers in seconds."""

    path: str | os.PathLike[str]
    bin: Duration = "100us"
    """The time that one line covers."""


@dataclass(frozen=True)
class BufferHistory:
    """A CSV file with the packets that left the buffers of a router. The simulation writes it as it runs."""

    path: str | os.PathLike[str]
    router: SupportsIndex
    """The number of the router, as in the file of `LinkStatistics`."""
    begin: Duration = 0
    end: Duration | None = None
    """None means the end of the run."""
    interval: Duration = "10us"
    """The time that one line covers."""


class SimulationProgress(NamedTuple):
    """The progress of a simulation."""

    simulated_seconds: float
    iterations_done: int
    iterations: int
    packet_hops: int
    packet_hops_per_second: float  #: per second of wall time
    calls_done: int  #: for a log only


def observation_options(statistics: LinkStatistics | None, history: BufferHistory | None) -> dict[str, Any]:
    """The options of the simulation that request these files."""
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
