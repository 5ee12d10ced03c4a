"""What is compared: the arguments of `haichi.compare`, checked, and the cells that follow from them."""

from __future__ import annotations

import operator
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, SupportsIndex

import numpy as np

from haichi import _core
from haichi.comparison.cell import Cell, JobOptions, SearchEffort, SimulationPlan
from haichi.comparison.options import Shapes
from haichi.comparison.strategies import BASELINE, Strategy, parse_strategy
from haichi.errors import OptionError
from haichi.machine import Machine
from haichi.numbers import whole_option
from haichi.options import MessageSize
from haichi.workload import Workload, WorkloadLike, as_workload

_DEFAULT_SECONDS = 10.0


@dataclass
class Plan:
    """What was asked, checked."""

    workloads: dict[str, Workload]
    machine: Machine
    shapes: dict[str, list[str | None]]
    """Of every workload, by its name."""
    strategies: list[Strategy]
    seeds: list[int]
    job: JobOptions
    effort: SearchEffort
    simulation: SimulationPlan
    equal: str

    def cells(self) -> list[Cell]:
        """In the order of the results."""
        return [
            self.cell(name, shape, strategy, seed)
            for name, _, shape in self.jobs()
            for strategy in self.strategies
            for seed in self.seeds
        ]

    def baselines(self) -> list[Cell]:
        """The default placement of every job: what a user has without mapping."""
        return [self.cell(name, shape, parse_strategy(BASELINE), self.seeds[0]) for name, _, shape in self.jobs()]

    def cell(self, name: str, shape: str | None, strategy: Strategy, seed: int) -> Cell:
        return Cell(
            name,
            self.workloads[name],
            self.machine,
            shape,
            strategy,
            seed,
            self.job,
            self.effort,
            self.simulation,
        )

    def jobs(self) -> Iterator[tuple[str, Workload, str | None]]:
        """Every workload on every shape, with its name, in the order of the results."""
        for name, workload in self.workloads.items():
            for shape in self.shapes[name]:
                yield name, workload, shape


def request_entry(plan: Plan) -> dict[str, Any]:
    shapes = list(plan.shapes.values())
    return {
        "machine": plan.machine.name,
        "workloads": list(plan.workloads),
        "shapes": shapes[0] if all(entry == shapes[0] for entry in shapes) else plan.shapes,
        "strategies": [strategy.name for strategy in plan.strategies],
        "seeds": plan.seeds,
        "equal": plan.equal,
        "evaluations": plan.effort.evaluations,
        "time_limit_seconds": plan.effort.time_limit,
        "schedule": plan.effort.schedule,
        "restarts": plan.effort.restarts,
        "simulate": bool(plan.simulation.barriers),
        "barriers": list(plan.simulation.barriers),
        "sim_iterations": plan.simulation.iterations,
        "ranks_per_node": plan.job.ppn,
    } | {key: value for key, value in asdict(plan.job).items() if key != "ppn"}


def workload_entry(name: str, workload: Workload) -> dict[str, Any]:
    messages = workload.messages
    sets = len(workload.labels)
    counts = np.bincount(messages.set, minlength=sets)
    sums = np.zeros(sets, np.int64)
    np.add.at(sums, messages.set, messages.bytes)
    return {
        "name": name,
        "ranks": workload.ranks,
        "iterations": workload.iterations,
        "messages": len(messages.source),
        "total_bytes": workload.total_bytes,
        "compute_seconds": float(sum(workload.compute_seconds)),
        "sets": [
            {"label": label, "messages": int(count), "bytes": int(total)}
            for label, count, total in zip(workload.labels, counts, sums, strict=True)
        ],
    }


def named_workloads(
    workloads: WorkloadLike | Sequence[WorkloadLike] | Mapping[str, WorkloadLike], format: str = ""
) -> dict[str, Workload]:
    """By the given names, the files' names without ``.json``, or numbers; files are read in `format`."""
    named: dict[str, Workload] = {}
    if isinstance(workloads, Mapping) and not hasattr(workloads, "edges"):
        for name, workload in workloads.items():
            named[str(name)] = _loaded(workload, format)
    else:
        many: list[Any] = list(workloads) if isinstance(workloads, list | tuple | Iterator) else [workloads]
        for number, workload in enumerate(many, start=1):
            stem = f"workload {number}"
            if isinstance(workload, str | os.PathLike):
                # Names stand in results and on pages: what is no UTF-8 in them is written out.
                file_name = os.fsencode(os.path.basename(workload))
                stem = file_name.decode("utf-8", "backslashreplace").removesuffix(".json") or os.fspath(workload)
            name, again = stem, 1
            while name in named:
                again += 1
                name = f"{stem} ({again})"
            named[name] = _loaded(workload, format)
    if not named:
        raise OptionError("there is no workload to compare strategies on")
    return named


def _loaded(workload: WorkloadLike, format: str) -> Workload:
    if format and isinstance(workload, str | os.PathLike):
        return Workload.from_file(workload, format)
    return as_workload(workload)


def with_message_size(workloads: dict[str, Workload], size: str | SupportsIndex | None) -> dict[str, Workload]:
    """Every message that is not empty gets this size."""
    if size is None:
        return workloads
    size_bytes = MessageSize().checked("message_size", size)
    resized = {}
    for name, workload in workloads.items():
        messages = workload.messages
        resized[name] = Workload.from_messages(
            messages.source,
            messages.destination,
            np.where(messages.bytes > 0, size_bytes, 0),
            messages.set,
            ranks=workload.ranks,
            iterations=workload.iterations,
            labels=workload.labels,
            compute_seconds=workload.compute_seconds.tolist(),
        )
    return resized


def shapes_by_workload(
    shapes: Shapes | Mapping[str, Shapes] | None, workloads: Mapping[str, Workload]
) -> dict[str, list[str | None]]:
    """The same for all, or by the workload's name."""
    if shapes is None:
        return {name: [None] for name in workloads}
    if isinstance(shapes, str):
        shapes = shapes.split(",")
    if not isinstance(shapes, Mapping):
        listed = distinct("shape", [shape_text(shape) for shape in shapes])
        return {name: listed for name in workloads}
    for name in shapes:
        if name not in workloads:
            raise OptionError(f"shapes are given for {name!r}", f"the workloads are {', '.join(workloads)}")
    for name in workloads:
        if name not in shapes:
            raise OptionError(f"shapes are given by workload, but none for {name!r}")
    return {name: distinct("shape", [shape_text(shape) for shape in shapes[name]]) for name in workloads}


def shape_text(shape: str | Sequence[int]) -> str:
    """``"1x2x4"``. Raises OptionError for what is no list of sizes."""
    try:
        if isinstance(shape, str):
            return "x".join(str(int(size)) for size in shape.split("x"))
        return "x".join(str(operator.index(size)) for size in shape)
    except (TypeError, ValueError) as error:
        raise OptionError(f"shape {shape!r} is no list of sizes", "an example is 1x2x4x2x3x2") from error


def distinct(what: str, names: list[str]) -> list[Any]:
    if not names:
        raise OptionError(f"there is no {what} to compare")
    for name in names:
        if not name:
            raise OptionError(f"a {what} is empty")
        if names.count(name) > 1:
            raise OptionError(f"{what} {name!r} is named twice")
    return names


_MOST_SEEDS = 10_000


def seed_list(seeds: SupportsIndex | Sequence[int]) -> list[int]:
    if isinstance(seeds, SupportsIndex):
        return list(range(1, whole_option("seeds", seeds, 1, _MOST_SEEDS) + 1))
    if not 1 <= len(seeds) <= _MOST_SEEDS:
        raise OptionError(f"1 to {_MOST_SEEDS:,} seeds can be compared, not {len(seeds)}")
    listed = [whole_option("a seed", seed, 0, 2**64 - 1) for seed in seeds]
    if len(set(listed)) < len(listed):
        raise OptionError("a seed is named twice")
    return listed


def search_effort(equal: str, evaluations: int, time_limit: float | None, schedule: str, restarts: int) -> SearchEffort:
    if equal == "evaluations":
        if time_limit is not None:
            raise OptionError("a time limit makes seconds equal, not evaluations", "equal='seconds'")
        effort = SearchEffort(evaluations, None, schedule, restarts)
    else:
        if evaluations:
            raise OptionError("a number of evaluations does not make seconds equal", "equal='evaluations'")
        effort = SearchEffort(0, _DEFAULT_SECONDS if time_limit is None else time_limit, schedule, restarts)
    _core.SearchOptions(  # refuses schedules that do not exist, before the first cell does
        seed=1,
        restarts=effort.restarts,
        threads=1,
        evaluations=effort.evaluations,
        time_limit_seconds=effort.time_limit,
        time_by_savings=False,
        schedule=effort.schedule,
        moves="",
        companion_weight=None,
        verify="off",
    )
    return effort


def job_file(name: str, path: str | os.PathLike[str] | None) -> str | None:
    """Raises OptionError for standard input, which every cell would read."""
    if path is not None and os.fspath(path) == "-":
        raise OptionError(f"{name} cannot be standard input: every cell reads it", "give a file")
    return None if path is None else os.fspath(path)


def simulation_plan(simulate: bool, barrier: str, iterations: Literal["auto", "all"] | int) -> SimulationPlan:
    choices: dict[str, tuple[Literal["none", "sets"], ...]] = {
        "none": ("none",),
        "sets": ("sets",),
        "both": ("none", "sets"),
    }
    return SimulationPlan(choices[barrier] if simulate else (), iterations)
