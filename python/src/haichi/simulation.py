"""Simulating placements, packet by packet."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, SupportsIndex

from haichi import _core
from haichi.errors import InputError, OptionError
from haichi.file_names import encoded
from haichi.numbers import whole_option
from haichi.options import Iterations

Duration = str | float
"""``"100us"``, or seconds."""


@dataclass(frozen=True)
class LinkStatistics:
    """A CSV file, written while a run goes on, of what each link carried. Times are texts with units, or seconds."""

    path: str | os.PathLike[str]
    bin: Duration = "100us"
    """How much time is one line."""


@dataclass(frozen=True)
class BufferHistory:
    """A CSV file, written while a run goes on, of the packets that left the buffers of a router."""

    path: str | os.PathLike[str]
    router: SupportsIndex
    """Numbered as in the file of `LinkStatistics`."""
    begin: Duration = 0
    end: Duration | None = None
    """None: the end of the run."""
    interval: Duration = "10us"
    """How much time is one line."""


class SimulationProgress(NamedTuple):
    """How far a simulation is."""

    simulated_seconds: float
    iterations_done: int
    iterations: int
    packet_hops: int
    packet_hops_per_second: float  #: of wall time


def _picoseconds(name: str, time: Duration, least: int = 0) -> int:
    try:
        if isinstance(time, str):
            time_ps = _core.parse_time_ps(encoded(name, time), name)
        elif math.isfinite(time):
            time_ps = round(time * 1e12)
        else:
            raise OptionError(f"{name} must be a time, not {time}")
    except InputError as error:
        raise OptionError(str(error), error.hint) from error
    except TypeError as error:
        raise OptionError(f"{name} must be a time as '10us', or seconds, not {time!r}") from error
    if not least <= time_ps < 2**63:
        raise OptionError(f"{name} must be at least {least} ps and less than 106 days, not {time!r}")
    return time_ps


def core_options(
    barrier: str = "none",
    iterations: str | SupportsIndex = "auto",
    threads: SupportsIndex = 1,
    partitions: SupportsIndex = 0,
    hottest: SupportsIndex = 10,
) -> _core.SimulationOptions:
    return _core.SimulationOptions(
        barrier=encoded("barrier", barrier),
        iterations=Iterations().checked("iterations", iterations),
        threads=whole_option("threads", threads, 1, 4096),
        partitions=whole_option("partitions", partitions, 0, 16_384),
        hottest_links=whole_option("hottest", hottest, 0, 1_000_000),
    )


def core_observation(
    statistics: LinkStatistics | None, history: BufferHistory | None, inputs: Sequence[str]
) -> _core.Observation:
    """`inputs`: files that are read, which no output may be."""
    observation = _core.Observation(
        statistics_path=b"" if statistics is None else encoded("statistics.path", statistics.path),
        history_path=b"" if history is None else encoded("history.path", history.path),
        inputs=[encoded("input", path) for path in inputs],
    )
    if statistics is not None:
        observation.set_bin(_picoseconds("statistics.bin", statistics.bin, 1))
    if history is not None:
        observation.set_router(whole_option("history.router", history.router, 0, 2**31 - 1))
        observation.set_history(
            begin_ps=_picoseconds("history.begin", history.begin),
            end_ps=0 if history.end is None else _picoseconds("history.end", history.end, 1),
            interval_ps=_picoseconds("history.interval", history.interval, 1),
        )
    return observation


SimulationCallback = Callable[[SimulationProgress], object]


def simulation_callback(
    progress: SimulationCallback | None,
) -> Callable[[float, int, int, int, float], object] | None:
    if progress is None:
        return None
    if not callable(progress):
        raise TypeError(f"progress must be a function, not {progress!r}")
    return lambda *values: progress(SimulationProgress(*values))
