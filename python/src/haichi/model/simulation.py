"""Simulating placements, packet by packet."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, SupportsFloat, SupportsIndex

from haichi import _core
from haichi.base.file_names import encoded
from haichi.base.numbers import number_option, whole_option
from haichi.base.options import Choice, Iterations
from haichi.errors import InputError, OptionError

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
    calls_done: int  #: of a log


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
    *,
    form: Literal["sets", "calls"] = "sets",
    replay: Replay | None = None,
) -> _core.SimulationOptions:
    """`replay`: of calls."""
    options = _core.SimulationOptions(
        barrier=encoded("barrier", barrier),
        iterations=Iterations().checked("iterations", iterations),
        threads=whole_option("threads", threads, 1, 4096),
        partitions=whole_option("partitions", partitions, 0, 16_384),
        hottest_links=whole_option("hottest", hottest, 0, 1_000_000),
    )
    options.set_form(form)
    if replay is not None:
        replay.set(options)
    for name, is_given in (("barrier", barrier != "none"), ("iterations", iterations != "auto")):
        if form == "calls" and is_given:
            raise OptionError(
                f"{name} is about communication sets, but the calls of the log are simulated",
                "form='sets' simulates the sets of its kernel",
            )
    return options


def algorithm_list(algorithms: Mapping[str, str] | None) -> list[str]:
    """In the program's words."""
    return [f"{operation}={algorithm}" for operation, algorithm in (algorithms or {}).items()]


@dataclass(frozen=True)
class Replay:
    """How the calls of a log are replayed, as `Job.simulate` takes it."""

    compute: Literal["mean", "drawn", "none"] = "mean"
    compute_factor: SupportsFloat = 1.0
    seed: SupportsIndex = 1
    algorithms: Mapping[str, str] | None = None

    def set(self, options: _core.SimulationOptions) -> None:
        compute = Choice("rule of computing time", ("mean", "drawn", "none")).checked("compute", self.compute)
        seed = whole_option("seed", self.seed, 0, 2**63 - 1)
        if seed != 1 and compute != "drawn":
            raise OptionError("seed is that of compute='drawn', which is not given")
        factor = number_option("compute_factor", self.compute_factor, MOST_COMPUTE_FACTOR)
        algorithms = [encoded("algorithms", text) for text in algorithm_list(self.algorithms)]
        given = {"compute": compute != "mean", "compute_factor": factor != 1, "algorithms": bool(algorithms)}
        options.set_replay(
            compute=compute,
            factor=factor,
            seed=seed,
            algorithms=algorithms,
            given=next((name for name, is_given in given.items() if is_given), ""),
        )


MOST_COMPUTE_FACTOR = 1e6


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
) -> Callable[[float, int, int, int, float, int], object] | None:
    if progress is None:
        return None
    if not callable(progress):
        raise TypeError(f"progress must be a function, not {progress!r}")
    return lambda *values: progress(SimulationProgress(*values))
