"""Simulating placements, packet by packet."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple, SupportsIndex

import numpy.typing as npt

from haichi import _core
from haichi.allocation import allocation_request, given_map
from haichi.errors import InputError, OptionError
from haichi.file_names import encoded
from haichi.job import Result, job_spec
from haichi.machine import MachineLike
from haichi.numbers import whole_option
from haichi.simulation_result import Simulation, simulation_result
from haichi.workload import WorkloadLike

Duration = str | float
"""``"100us"``, or seconds."""


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


def _iteration_rule(iterations: str | SupportsIndex) -> int | str:
    if not isinstance(iterations, str):
        return whole_option("iterations", iterations, 1, 2**63 - 1)
    if iterations in ("auto", "all"):
        return iterations
    raise OptionError(f"iterations {iterations!r} is unknown", "it is 'auto', 'all' or a number")


def _observation(
    stats: str | os.PathLike[str] | None, buffer_history: str | os.PathLike[str] | None, inputs: list[bytes]
) -> _core.Observation:
    return _core.Observation(
        b"" if stats is None else encoded("stats", stats),
        b"" if buffer_history is None else encoded("buffer_history", buffer_history),
        inputs,
    )


def _check_observed(
    stats: object, stats_bin: object, buffer_history: object, router: object, history: Sequence[object]
) -> None:
    """Options of a file that is not asked for are refused: they would be silently without effect."""
    if stats is None and stats_bin is not None:
        raise OptionError("stats_bin is that of stats, which is not given")
    if buffer_history is None:
        if router is not None or any(value is not None for value in history):
            raise OptionError("router and history_... are those of buffer_history, which is not given")
    elif router is None:
        raise OptionError("router is missing", "buffer_history is of one router, numbered as in the file of stats")


def _set_observed(
    observation: _core.Observation,
    stats_bin: Duration | None,
    router: SupportsIndex | None,
    history_from: Duration | None,
    history_to: Duration | None,
    history_every: Duration | None,
) -> None:
    if stats_bin is not None:
        observation.set_bin(_picoseconds("stats_bin", stats_bin, 1))
    if router is not None:
        observation.set_router(whole_option("router", router, 0, 2**31 - 1))
    observation.set_history(
        0 if history_from is None else _picoseconds("history_from", history_from),
        0 if history_to is None else _picoseconds("history_to", history_to, 1),
        None if history_every is None else _picoseconds("history_every", history_every, 1),
    )


def _input_files(*names: object) -> list[bytes]:
    """Of what a job is made of: what is, or may be, the name of a file."""
    return [encoded("input", name) for name in names if isinstance(name, str | os.PathLike)]


def simulate(
    workload: WorkloadLike,
    machine: MachineLike,
    map: npt.ArrayLike | str | os.PathLike[str] | Result | None = None,
    *,
    shape: str | Sequence[int] | None = None,
    origin: str | Sequence[int] | None = None,
    nodes: str | os.PathLike[str] | None = None,
    faulty: str | os.PathLike[str] | None = None,
    ppn: int = 1,
    barrier: Literal["none", "sets", "both"] | str = "none",
    iterations: Literal["auto", "all"] | SupportsIndex = "auto",
    threads: int = 1,
    hottest: int = 10,
    message_size: str | SupportsIndex | None = None,
    hosts: str | os.PathLike[str] | None = None,
    format: str = "",
    routing: str | None = None,
    fold: str | os.PathLike[str] = "default",
    stats: str | os.PathLike[str] | None = None,
    stats_bin: Duration | None = None,
    buffer_history: str | os.PathLike[str] | None = None,
    router: SupportsIndex | None = None,
    history_from: Duration | None = None,
    history_to: Duration | None = None,
    history_every: Duration | None = None,
    progress: Callable[[SimulationProgress], object] | None = None,
) -> Simulation:
    """Simulates a placement packet by packet, as ``haichi simulate`` does.

    Parameters
    ----------
    workload, machine, shape, origin, nodes, faulty, ppn, routing, fold, message_size, hosts: as those of `optimize`.
    map: the node of each rank, a rank-map file (in `format`; empty: by its content), what `optimize` or `evaluate`
        gave for the same job, or None: the default placement.
    barrier: ``"sets"``: all ranks wait for each other before every set; ``"1,3"``: before these sets, counted from 1;
        ``"none"``; ``"both"``: a run without and one with barriers before every set.
    iterations: how many are simulated, the rest is multiplied: ``"auto"``: until their time repeats or its mean
        settles; ``"all"``; a number.
    threads: the result does not depend on it.
    hottest: how many of the busiest links to list.
    stats: a CSV file, written while the run goes on, of what each link carried in bins of `stats_bin`
        (default: 100us). Times are texts with units, or seconds.
    buffer_history: a CSV file of the packets that left the buffers of router number `router`, from `history_from`
        (default: 0) to `history_to` (default: the end), in intervals of `history_every` (default: 10us).
    progress: called a few times a second, in the caller's thread. What it raises ends the simulation.

    Other Python threads run meanwhile. Ctrl-C ends the simulation with what is known (`Simulation.interrupted`).
    Raises InputError, OptionError, UnsupportedError.
    """
    simulation = _core.SimulationOptions(
        barrier=encoded("barrier", barrier),
        iterations=_iteration_rule(iterations),
        threads=whole_option("threads", threads, 1, 4096),
        hottest_links=whole_option("hottest", hottest, 0, 1_000_000),
    )
    if barrier == "both" and (stats is not None or buffer_history is not None):
        raise OptionError("stats and buffer_history describe one run", "barrier='none' or barrier='sets'")
    if format and (map is None or not isinstance(map, str | os.PathLike)):
        raise OptionError("format is that of a map's file, but there is none")
    inputs = _input_files(workload, machine, map, nodes, faulty, hosts, fold)
    _check_observed(stats, stats_bin, buffer_history, router, (history_from, history_to, history_every))
    observation = _observation(stats, buffer_history, inputs)
    _set_observed(observation, stats_bin, router, history_from, history_to, history_every)
    allocation = allocation_request(shape, origin, nodes, faulty, ppn, routing, fold, False)
    job = _core.Job(job_spec(workload, machine, allocation, hosts, message_size))
    placed = None if map is None else given_map("map", map.node_of_rank if isinstance(map, Result) else map)
    return simulation_result(
        _core.simulate(
            job.place(placed, encoded("format", format)),
            simulation,
            observation=observation,
            progress=None if progress is None else lambda *values: progress(SimulationProgress(*values)),
        )
    )
