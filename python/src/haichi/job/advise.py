"""Advice: simulations that answer a question."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping, Sequence
from typing import Any, SupportsFloat, SupportsIndex

from haichi import _core
from haichi.base.file_names import encoded
from haichi.base.numbers import number_option, whole_option
from haichi.base.options import Form, MessageSize, TrafficForm
from haichi.errors import OptionError
from haichi.model.job_spec import JobOptions, NodesLike
from haichi.model.loaded_job import job_spec
from haichi.model.machine import MachineLike, warn_of_buffers
from haichi.model.search import core_objective
from haichi.model.traffic import Traffic
from haichi.model.workload import WorkloadLike
from haichi.results.advice import (
    BarrierAdvice,
    BarrierAnswer,
    BarrierTimes,
    RailAdvice,
    RailAnswer,
    ShapeAdvice,
    ShapeChoice,
    SpreadAdvice,
    SpreadTimes,
    TimesOfSeeds,
    of_report,
)

_LONGEST_COMPUTE_SECONDS = 2.0**21  # 24 days; a simulation holds 26


def advise_shape(
    workload: WorkloadLike,
    machine: MachineLike,
    nodes: SupportsIndex | None = None,
    *,
    ppn: int = 1,
    objective: str = "auto",
    seed: int = 1,
    seeds: int = 3,
    finalists: int = 4,
    packet_hops: float = _core.ADVICE_PACKET_HOPS,
    threads: int = 0,
    routing: str | None = None,
) -> ShapeAdvice:
    """Tells which allowed job shape of `nodes` nodes suits the workload, as ``haichi advise shape`` does.

    Parameters
    ----------
    workload, machine, ppn, routing: as those of `haichi.Job`.
    nodes: of the job; None: as many as the ranks need. Without a shape of exactly as many the next larger number.
    objective: that placements are searched by; ``"auto"``: tac3, or hop-bytes where all messages are one set.
    seeds: placements of each shape that are simulated, found by searches with the seeds from `seed` on.
    finalists: how many requests, after a quick search of all, are searched properly and simulated.
    packet_hops: what all simulations together may take; there are fewer of them, and of fewer iterations, if need be.
    threads: 0: all cores. The answer does not depend on it.

    Other Python threads run meanwhile; Ctrl-C ends it with what is known. Raises InputError, OptionError,
    UnsupportedError (machines that are no mesh or torus).
    """
    options = _core.ShapeAdviceOptions()
    options.objective = core_objective(objective)
    options.node_count = 0 if nodes is None else whole_option("nodes", nodes, 1, 2**31 - 1)
    options.seed = whole_option("seed", seed, 0, 2**63 - 1)
    options.seeds = whole_option("seeds", seeds, 1, 1000)
    options.finalists = whole_option("finalists", finalists, 1, 1000)
    options.packet_hops = _number_from_1("packet_hops", packet_hops)
    options.threads = whole_option("threads", threads, 0, 4096)
    spec = job_spec("advise_shape", workload, machine, JobOptions(ppn=ppn, routing=routing))
    spec.traffic.tell_of_sets()
    warn_of_buffers(spec.machine)
    report = json.loads(_core.advise_shape(spec.core(), options))
    shapes = tuple(_shape_choice(row) for row in report["shapes"])
    return of_report(ShapeAdvice, report, shapes=shapes, report=report)


def advise_spread(
    workload: WorkloadLike,
    machine: MachineLike,
    spread_workload: WorkloadLike | None = None,
    *,
    compute_seconds: SupportsFloat | None = None,
    form: TrafficForm = "auto",
    nodes: NodesLike | None = None,
    faulty: NodesLike | None = None,
    ppn: int = 1,
    objective: str = "hop-bytes",
    seed: int = 1,
    seeds: int = 3,
    packet_hops: float = _core.ADVICE_PACKET_HOPS,
    threads: int = 0,
    routing: str | None = None,
) -> SpreadAdvice:
    """Tells whether a job that fits into one cluster is faster over all of them, as ``haichi advise spread`` does.

    Parameters
    ----------
    workload: in one cluster; of a log that is given as a file its calls are simulated, as by `haichi.Job.simulate`.
    machine: of two clusters or more.
    spread_workload: the same work on the ranks of all clusters; None: the ranks of `workload`, fewer on a node.
    compute_seconds: that a rank computes in an iteration in one cluster, where the workload does not state it; more
        ranks over all clusters share it.
    form: what of logs is simulated, ``"sets"``, ``"calls"`` or ``"auto"``: calls where they are there.
    nodes, faulty, ppn, routing: as those of `haichi.Job`; `ppn`: at most so many ranks on a node.
    objective: that placements are searched by.
    seeds: placements in each cluster and over all, found by searches with the seeds from `seed` on.
    packet_hops: what all simulations together may take; there are fewer iterations if need be.
    threads: 0: all cores. The answer does not depend on it.

    Other Python threads run meanwhile; Ctrl-C ends it with what is known. Raises InputError, OptionError,
    UnsupportedError (machines without clusters).
    """
    options = _core.SpreadAdviceOptions()
    if compute_seconds is not None:
        options.compute_seconds = number_option("compute_seconds", compute_seconds, _LONGEST_COMPUTE_SECONDS)
    options.objective = core_objective(objective)
    options.seed = whole_option("seed", seed, 0, 2**63 - 1)
    options.seeds = whole_option("seeds", seeds, 1, 1000)
    options.packet_hops = _number_from_1("packet_hops", packet_hops)
    options.threads = whole_option("threads", threads, 0, 4096)
    given = JobOptions(ppn=ppn, routing=routing, nodes=nodes, faulty=faulty)
    spec = job_spec("advise_spread", workload, machine, given)
    simulated = spec.simulated_form(Form().checked("form", form))
    options.set_form(simulated)
    spec.traffic.tell_of_sets()
    if spread_workload is not None:
        spread = Traffic.of(spread_workload)
        if simulated == "calls" and not spread.has_calls:
            raise OptionError("the calls of one workload and the sets of the other cannot be compared", "form='sets'")
        spread.tell_of_sets()
        options.set_spread(spread._core)
    warn_of_buffers(spec.machine)
    report = json.loads(_core.advise_spread(spec.core(), options))
    in_one = tuple(of_report(SpreadTimes, place) for place in report["in_one"])
    over_all = of_report(SpreadTimes, report["over_all"])
    return of_report(SpreadAdvice, report, in_one=in_one, over_all=over_all, report=report)


def barrier_options(
    imbalance: str | None,
    draws: int,
    seed: int,
    sizes: Sequence[str | SupportsIndex],
    simulations: int,
    packet_hops: float,
    threads: int,
) -> _core.BarrierAdviceOptions:
    options = _core.BarrierAdviceOptions()
    if imbalance:
        options.set_imbalance(encoded("imbalance", imbalance))
    options.draws = whole_option("draws", draws, 1, 100_000)
    options.seed = whole_option("seed", seed, 0, 2**63 - 1)
    options.sizes = [MessageSize().checked("sizes", size) for size in sizes]
    options.most_simulations = whole_option("simulations", simulations, 2, 100_000)
    options.packet_hops = _number_from_1("packet_hops", packet_hops)
    options.threads = whole_option("threads", threads, 0, 4096)
    return options


def barrier_advice(placement: _core.Placement, options: _core.BarrierAdviceOptions) -> BarrierAdvice:
    report = json.loads(_core.advise_barrier(placement, options))
    answers = tuple(
        of_report(BarrierAnswer, entry, choices=tuple(of_report(BarrierTimes, choice) for choice in entry["choices"]))
        for entry in report["answers"]
    )
    return of_report(BarrierAdvice, report, answers=answers, report=report)


def advise_rails(
    logs: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | Mapping[str | os.PathLike[str], SupportsIndex],
    *,
    interfaces: int | None = None,
    format: str = "",
) -> RailAdvice:
    """Tells how many network interfaces (rails) of a node to use, as ``haichi advise rails`` does.

    logs: logs of runs: from their profiles; or a mapping from a log to the rails that its run used: measured times
        decide where runs of equally many processes used different numbers.
    interfaces: that a node has, where it is known.
    format: of the logs; empty: by their content.
    """
    named: list[tuple[str, str, int | None]]
    if isinstance(logs, Mapping):
        named = [
            (os.fspath(log), os.path.basename(os.fspath(log)), whole_option("rails", rails, 1, 1000))
            for log, rails in logs.items()
        ]
    else:
        paths: Sequence[Any] = [logs] if isinstance(logs, str | os.PathLike) else logs
        named = [(os.fspath(log), os.path.basename(os.fspath(log)), None) for log in paths]
    count = 0 if interfaces is None else whole_option("interfaces", interfaces, 1, 1000)
    report = json.loads(_core.advise_rails(named, format=format, interfaces=count))
    answers = tuple(of_report(RailAnswer, entry) for entry in report["answers"])
    return of_report(RailAdvice, report, answers=answers, report=report)


def _number_from_1(name: str, value: float) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError) as error:
        raise OptionError(f"{name} must be a number, not {value!r}") from error
    if not (number >= 1 and math.isfinite(number)):
        raise OptionError(f"{name} must be at least 1, not {value!r}")
    return number


def _shape_choice(row: dict[str, Any]) -> ShapeChoice:
    simulated = {key: of_report(TimesOfSeeds, row[key]) for key in ("without_barriers", "with_barriers") if key in row}
    return of_report(ShapeChoice, row, **simulated)
