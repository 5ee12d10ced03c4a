"""What is compared: the arguments of `haichi.compare`, checked, and the cells that follow from them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from haichi import _core
from haichi.comparison.cell import Cell, JobOptions, SearchEffort, SimulationPlan
from haichi.comparison.strategies import BASELINE, Strategy, parse_strategy
from haichi.errors import OptionError
from haichi.machine import Machine
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
    workloads: WorkloadLike | Sequence[WorkloadLike] | Mapping[str, WorkloadLike],
) -> dict[str, Workload]:
    if isinstance(workloads, Mapping) and not hasattr(workloads, "edges"):
        named = {str(name): as_workload(workload) for name, workload in workloads.items()}
    else:
        many: list[Any] = list(workloads) if isinstance(workloads, list | tuple) else [workloads]
        named = {}
        for number, workload in enumerate(many, start=1):
            is_path = isinstance(workload, str | os.PathLike)
            stem = Path(workload).name.removesuffix(".json") if is_path else f"workload {number}"
            name = stem
            while name in named:
                name = f"{stem} ({number})"
            named[name] = as_workload(workload)
    if not named:
        raise OptionError("there is no workload to compare strategies on")
    return named


def with_message_size(workloads: dict[str, Workload], size: str | int | None) -> dict[str, Workload]:
    """Every message that is not empty gets this size."""
    if size is None:
        return workloads
    size_bytes = _core.parse_bytes(size, "message_size") if isinstance(size, str) else size
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


Shapes = Sequence[str | Sequence[int]]


def shapes_by_workload(
    shapes: Shapes | Mapping[str, Shapes] | None, workloads: Mapping[str, Workload]
) -> dict[str, list[str | None]]:
    """The same for all, or by the workload's name."""
    if shapes is None:
        return {name: [None] for name in workloads}
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
    return shape if isinstance(shape, str) else "x".join(str(int(size)) for size in shape)


def distinct(what: str, names: list[str]) -> list[Any]:
    if not names:
        raise OptionError(f"there is no {what} to compare")
    for name in names:
        if not name:
            raise OptionError(f"a {what} is empty")
        if names.count(name) > 1:
            raise OptionError(f"{what} {name!r} is named twice")
    return names


def seed_list(seeds: int | Sequence[int]) -> list[int]:
    listed = list(range(1, seeds + 1)) if isinstance(seeds, int) else [int(seed) for seed in seeds]
    if not listed or len(listed) > 10_000:
        raise OptionError(f"1 to 10,000 seeds can be compared, not {seeds if isinstance(seeds, int) else len(listed)}")
    if len(set(listed)) < len(listed):
        raise OptionError("a seed is named twice")
    if min(listed) < 0 or max(listed) >= 2**64:
        raise OptionError("seeds are 0 to 2^64 - 1")
    return listed


def search_effort(equal: str, evaluations: int, time_limit: float | None, schedule: str, restarts: int) -> SearchEffort:
    if equal not in ("evaluations", "seconds"):
        raise OptionError(f"equal {equal!r} is unknown", "it is 'evaluations' or 'seconds'")
    if equal == "evaluations":
        if time_limit is not None:
            raise OptionError("a time limit makes seconds equal, not evaluations", "equal='seconds'")
        return SearchEffort(evaluations, None, schedule, restarts)
    if evaluations:
        raise OptionError("a number of evaluations does not make seconds equal", "equal='evaluations'")
    limit = _DEFAULT_SECONDS if time_limit is None else time_limit
    if not 0 < limit < 1e9:
        raise OptionError(f"the time limit must be above 0 and below 1e9 seconds, not {limit}")
    return SearchEffort(0, limit, schedule, restarts)


def simulation_plan(simulate: bool, barrier: str, iterations: Literal["auto", "all"] | int) -> SimulationPlan:
    choices: dict[str, tuple[Literal["none", "sets"], ...]] = {
        "none": ("none",),
        "sets": ("sets",),
        "both": ("none", "sets"),
    }
    if barrier not in choices:
        raise OptionError(f"barrier {barrier!r} is unknown", "it is 'none', 'sets' or 'both'")
    if isinstance(iterations, str) and iterations not in ("auto", "all"):
        raise OptionError(f"sim_iterations {iterations!r} is unknown", "it is 'auto', 'all' or a number")
    if not isinstance(iterations, str) and iterations < 1:
        raise OptionError(f"sim_iterations must be at least 1, not {iterations}")
    return SimulationPlan(choices[barrier] if simulate else (), iterations)
