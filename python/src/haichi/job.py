"""Optimising and evaluating placements."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, SupportsFloat, SupportsIndex

import numpy as np
import numpy.typing as npt

from haichi import _core, notebook
from haichi.allocation import allocation_request, given_hosts, given_map, message_bytes
from haichi.errors import OptionError
from haichi.file_names import encoded
from haichi.interruption import held_back
from haichi.machine import MachineLike, as_machine
from haichi.numbers import number_option, whole_option
from haichi.simulation_result import SimulatedPlacement, simulated_placement
from haichi.workload import WorkloadLike, as_workload

ObjectiveCallable = Callable[[npt.NDArray[np.int32]], SupportsFloat]
"""A function of the node of every rank."""


class SearchProgress(NamedTuple):
    """How far a search is."""

    fraction_done: float  #: 0 to 1
    best_value: float  #: in the unit of the objective
    restarts_done: int
    restarts: int


SearchCallback = Callable[[SearchProgress], object]


def search_callback(progress: SearchCallback | None) -> Callable[[float, float, int, int], object] | None:
    return None if progress is None else lambda *values: progress(SearchProgress(*values))


@dataclass(frozen=True, repr=False, eq=False)
class Result:
    """A placement and what it is worth."""

    node_of_rank: npt.NDArray[np.int32]
    """The node of each rank: nodes of the job in row-major order of their coordinates, last axis fastest. Read-only."""
    objective: str
    unit: str
    value: float
    """Of the objective, in `unit`, per iteration."""
    lower_bound: float | None
    """No placement has a smaller value; None where no bound is known."""
    optimal: bool
    """The value equals the bound: proved optimal."""
    interrupted: bool
    """Stopped by Ctrl-C; the best placement until then, or a simulation that is not complete."""
    metrics: dict[str, Any]
    """Every built-in measure of the placement; the report's ``metrics``."""
    report: dict[str, Any]
    """The whole report, ``haichi-report/1``."""
    simulated: SimulatedPlacement | None
    """By ``optimize(..., validate=True)`` and ``evaluate(..., simulate=True)``, unless interrupted before."""
    _core: _core.Evaluation = field(repr=False)

    def write(self, path: str | os.PathLike[str], format: str = "fujitsu") -> None:
        """Writes the rank map (formats: `haichi.list_formats`).

        The file is whole or not there. Raises UnsupportedError when the format cannot express this placement.
        """
        with held_back():
            self._core.placement.write_rank_map(encoded("path", path), encoded("format", format))

    def __repr__(self) -> str:
        text = f"Result({self.objective}={self.value:.6g} {self.unit}"
        if self.optimal:
            text += ", optimal"
        elif self.lower_bound is not None:
            text += f", lower_bound={self.lower_bound:.6g}"
        if "set_contention" in self.metrics:
            text += f", set_contention={_shortened(self.metrics['set_contention'])}"
        if self.simulated is not None:
            text += f", simulated={self.simulated.run.seconds:.6g} s"
            if self.simulated.default is not None:
                text += f" (default {self.simulated.default.seconds:.6g} s)"
        if self.interrupted:
            text += ", interrupted"
        return f"{text}, ranks={len(self.node_of_rank)}, nodes={self.report['nodes']})"

    def _repr_html_(self) -> str:
        """The measures beside those of the default placement, for notebooks."""
        shown = notebook.number
        default = self.report["default"]
        bound = shown(self.lower_bound) + (" (reached)" if self.optimal else "")
        rows: list[Sequence[object]] = [
            (f"{self.objective} [{self.unit}]", shown(self.value), shown(default["value"]), bound)
        ]
        rows += [
            (f"{row['objective']} [{row['unit']}]", shown(row["value"]), "", shown(row["lower_bound"]))
            for row in self.report.get("objectives", [])
            if row["lower_bound"] is not None and row["objective"] != self.objective
        ]
        rows += [
            (name, shown(value), shown(default.get(name)), "")
            for name, value in self.metrics.items()
            if isinstance(value, int | float)
        ]
        if self.simulated is not None:
            before = self.simulated.default
            seconds = shown(self.simulated.run.seconds)
            rows.append(("simulated [seconds]", seconds, "" if before is None else shown(before.seconds), ""))
        sets = zip(self.metrics.get("set_contention", []), default.get("set_contention", []), strict=True)
        rows += notebook.most_rows([(f"set {t}: messages on a link", *both, "") for t, both in enumerate(sets, 1)])
        title = f"{len(self.node_of_rank)} ranks on {self.report['nodes']} nodes of {self.report['machine']}"
        if self.interrupted:
            title += ", interrupted"
        return notebook.table(title, rows, ("", "this placement", "default", "lower bound"))


def _shortened(values: list[int], most: int = 8) -> str:
    shown = ", ".join(map(str, values[:most]))
    return f"[{shown}]" if len(values) <= most else f"[{shown}, ... {len(values)} sets]"


def search_result(core: _core.Evaluation) -> Result:
    report = json.loads(core.json(True))
    return Result(
        node_of_rank=core.placement.node_of_rank,
        objective=core.objective,
        unit=core.unit,
        value=core.value,
        lower_bound=core.lower_bound,
        optimal=core.optimal,
        interrupted=core.interrupted,
        metrics=report["metrics"],
        report=report,
        simulated=simulated_placement(core),
        _core=core,
    )


def optimize(
    workload: WorkloadLike,
    machine: MachineLike,
    *,
    shape: str | Sequence[int] | None = None,
    origin: str | Sequence[int] | None = None,
    nodes: str | os.PathLike[str] | None = None,
    faulty: str | os.PathLike[str] | None = None,
    ppn: int = 1,
    objective: str | ObjectiveCallable = "tac3",
    strategy: str = "auto",
    seed: int = 1,
    restarts: int = 0,
    threads: int = 0,
    evaluations: int = 0,
    time_limit: float | Literal["auto"] | None = None,
    schedule: str = "auto",
    moves: str | Sequence[str] | None = None,
    companion: float | None = None,
    count_nic: bool = False,
    routing: str | None = None,
    fold: str | os.PathLike[str] = "default",
    verify: str = "off",
    start: str | os.PathLike[str] | None = None,
    message_size: str | SupportsIndex | None = None,
    hosts: str | os.PathLike[str] | None = None,
    validate: bool = False,
    progress: SearchCallback | None = None,
) -> Result:
    """Looks for a placement of the workload's ranks with a small value of the objective, as ``haichi map`` does.

    Parameters
    ----------
    workload: a Workload, a file, a square matrix of bytes (NumPy or SciPy), or a NetworkX graph with bytes as the
        ``weight`` of its edges.
    machine: a Machine, a preset (`haichi.list_machines`), ``"graph:FILE"`` or a machine file.
    shape, origin: the job's cuboid on the machine, ``"1x2x4x2x3x2"`` or a sequence; default: the whole machine.
    nodes: a node-list file instead of a cuboid.
    faulty: a file with nodes that are down: they take no rank, and no route passes them.
    ppn: ranks per node.
    objective: a name (`haichi.list_objectives`), ``"weighted(hop-bytes=0.7,tac3=0.3)"``, a plug-in
        ``"./libx.so:name"``, or a function of the node of every rank (int32 array) that gives a number, the same for
        the same placement. A function is called at every proposal: the search is as fast as it is.
    strategy: a first placement, ``"anneal"``, ``"tabu"``, ``"exhaustive"`` or ``"auto"`` (`haichi.list_strategies`);
        ``Result.report["strategy"]`` says which one it was.
    seed: equal inputs and seeds give equal results, whatever the number of threads (not with `time_limit`).
    restarts: independent searches, the best of which counts; 0: a number that depends only on the job.
    threads: 0: all processors.
    evaluations: per restart; 0: by the schedule's rule.
    time_limit: seconds, above 0, instead of a number of evaluations; "auto": a hundredth of what a better placement can
      save over all iterations.
    schedule: ``"auto"``, ``"paper"`` or ``"rmatt"`` (until the objective stays the same over `evaluations`).
    moves: kinds of moves, ``"uniform,focused"`` or a sequence; None: the default mix.
    companion: weight of the smooth companion in the search, 0 for none; None: the default.
    count_nic: injection and ejection channels count as links.
    routing, fold: as the options of the program.
    verify: ``"off"``, ``"end"`` or ``"step"``: compares incremental values with ones computed from scratch.
    start: where the search starts: a strategy's name or a map file; None: the best of default,
        greedy and bisection.
    message_size: makes every non-empty message this large, ``"64KiB"`` or bytes.
    hosts: names of the nodes, for maps with host names: a file, or a pattern as ``"node[000-095]"``.
    validate: simulates the result and the default placement, packet by packet (`Result.simulated`).
    progress: called with a `SearchProgress` a few times a second, in the caller's thread. What it raises ends the
        search; KeyboardInterrupt does so as Ctrl-C does.

    Other Python threads run meanwhile. Ctrl-C ends the search with the best placement so far, or the simulation with
    what is known (`Result.interrupted`).
    Raises InputError, OptionError, UnsupportedError; InternalError when a verification fails.
    """
    allocation = allocation_request(shape, origin, nodes, faulty, ppn, routing, fold, count_nic)
    options = map_options(
        objective=objective,
        strategy=strategy,
        seed=seed,
        restarts=restarts,
        threads=threads,
        evaluations=evaluations,
        time_limit=time_limit,
        schedule=schedule,
        moves=moves,
        companion=companion,
        verify=verify,
        start=start,
    )
    job = _core.Job(job_spec(workload, machine, allocation, hosts, message_size))
    validation = search_validation(validate, threads)
    return search_result(
        _core.optimize(job, options, validation=validation, progress=search_callback(progress)),
    )


def job_spec(
    workload: WorkloadLike,
    machine: MachineLike,
    allocation: _core.AllocationRequest,
    hosts: str | os.PathLike[str] | Sequence[str] | None,
    message_size: str | SupportsIndex | None,
) -> _core.JobSpec:
    return _core.JobSpec(
        machine=as_machine(machine),
        workload=as_workload(workload)._core,
        allocation=allocation,
        hosts=given_hosts(hosts),
        message_size_bytes=message_bytes(message_size),
    )


def search_validation(validate: bool, threads: SupportsIndex) -> _core.SimulationOptions | None:
    """Asked for more, threads are the search's; the simulation's result depends on neither."""
    return _simulation(max(whole_option("threads", threads, 0, 4096), 1)) if validate else None


def map_options(
    *,
    objective: str | ObjectiveCallable,
    strategy: str,
    seed: int,
    restarts: int,
    threads: int,
    evaluations: int,
    time_limit: float | Literal["auto"] | None,
    schedule: str,
    moves: str | Sequence[str] | None,
    companion: float | None,
    verify: str,
    start: npt.ArrayLike | str | os.PathLike[str] | None,
) -> _core.MapOptions:
    """How `optimize` searches."""
    search = _core.SearchOptions(
        seed=whole_option("seed", seed, 0, 2**64 - 1),
        restarts=whole_option("restarts", restarts, 0, 1_000_000),
        threads=whole_option("threads", threads, 0, 4096),
        evaluations=whole_option("evaluations", evaluations, 0, 2**63 - 1),
        schedule=encoded("schedule", schedule),
    )
    search.time_by_savings = isinstance(time_limit, str) and time_limit == "auto"
    if time_limit is not None and not search.time_by_savings:
        search.time_limit_seconds = _time_limit(time_limit)
    if moves is not None:
        search.set_moves(encoded("moves", moves if isinstance(moves, str) else ",".join(moves)))
    if companion is not None:
        search.companion_weight = number_option("companion", companion, _LARGEST_WEIGHT)
    search.set_verify(encoded("verify", verify))
    return _core.MapOptions(
        objective=_objective(objective),
        strategy=encoded("strategy", strategy),
        start=None if start is None else given_map("start", start),
        search=search,
    )


_LONGEST_SECONDS = 2**63 / 1e12
_LARGEST_WEIGHT = 1e300


def _time_limit(seconds: Any) -> float:
    limit = number_option("time_limit", seconds, _LONGEST_SECONDS)
    if limit == 0:
        raise OptionError("time_limit must be above 0", "None: no limit")
    return limit


def _objective(objective: str | ObjectiveCallable) -> _core.Objective:
    if callable(objective):
        return _core.Objective(encoded("objective", getattr(objective, "__name__", "function")), objective)
    return _core.Objective(encoded("objective", objective), None)


def _simulation(threads: int) -> _core.SimulationOptions:
    return _core.SimulationOptions(barrier=b"none", iterations="auto", threads=threads, hottest_links=10)


def evaluate(
    workload: WorkloadLike,
    machine: MachineLike,
    node_of_rank: npt.ArrayLike | str | os.PathLike[str],
    *,
    shape: str | Sequence[int] | None = None,
    origin: str | Sequence[int] | None = None,
    nodes: str | os.PathLike[str] | None = None,
    faulty: str | os.PathLike[str] | None = None,
    ppn: int = 1,
    objective: str | ObjectiveCallable = "tac3",
    format: str = "",
    count_nic: bool = False,
    routing: str | None = None,
    fold: str | os.PathLike[str] = "default",
    message_size: str | SupportsIndex | None = None,
    hosts: str | os.PathLike[str] | None = None,
    simulate: bool = False,
) -> Result:
    """Measures a given placement: the node of each rank, or a rank-map file (in `format`; empty: by its content).

    The other parameters are those of `optimize`. The report holds every objective that applies, with its bound, and the
    links with most bytes with their messages. With `simulate` it and the default placement are simulated, packet by
    packet (`Result.simulated`); Ctrl-C then ends the simulation with what is known.
    """
    allocation = allocation_request(shape, origin, nodes, faulty, ppn, routing, fold, count_nic)
    job = _core.Job(job_spec(workload, machine, allocation, hosts, message_size))
    placement = job.place(given_map("node_of_rank", node_of_rank), encoded("format", format))
    simulation = _simulation(1) if simulate else None
    return search_result(_core.evaluate(placement, objective=_objective(objective), simulation=simulation))
