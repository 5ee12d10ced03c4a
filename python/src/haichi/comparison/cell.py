"""One cell of a comparison: a workload on a shape, placed by a strategy with a seed, measured and simulated."""

from __future__ import annotations

import hashlib
import json
import os
import time
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal

from haichi import _core
from haichi.comparison.strategies import Strategy, plugin_library
from haichi.errors import Error
from haichi.job import Result, evaluate, optimize
from haichi.machine import Machine
from haichi.simulation import simulate
from haichi.simulation_result import SimulatedRun
from haichi.workload import Workload


@dataclass(frozen=True)
class JobOptions:
    """What all cells have in common; the fields are arguments of `haichi.optimize`."""

    origin: str | None = None
    nodes: str | None = None
    faulty: str | None = None
    ppn: int = 1
    routing: str | None = None
    fold: str = "default"
    count_nic: bool = False


@dataclass(frozen=True)
class SearchEffort:
    """The same for every strategy that searches."""

    evaluations: int = 0
    time_limit: float | None = None
    schedule: str = "auto"
    restarts: int = 0


@dataclass(frozen=True)
class SimulationPlan:
    """How placements are simulated; no barriers: not at all."""

    barriers: tuple[Literal["none", "sets"], ...] = ()
    iterations: Literal["auto", "all"] | int = "auto"


@dataclass(frozen=True)
class Cell:
    """A value that holds all that is needed to compute it, here or elsewhere."""

    workload_name: str
    workload: Workload = field(repr=False)
    machine: Machine = field(repr=False)
    shape: str | None
    strategy: Strategy
    seed: int
    job: JobOptions = JobOptions()
    effort: SearchEffort = SearchEffort()
    simulation: SimulationPlan = SimulationPlan()
    threads: int = 1

    @property
    def uses_seed(self) -> bool:
        return self.strategy.search not in ("default", "no-ring", "row-major", "map")

    def key(self) -> str:
        """Equal for cells with equal results: names everything that these depend on, files by their content."""
        parts = {
            "workload": self.workload.digest(),
            "machine": self.machine.digest(),
            "shape": self.shape,
            "strategy": asdict(self.strategy),
            "seed": self.seed if self.uses_seed else None,
            "job": asdict(self.job),
            "effort": asdict(self.effort) if self.strategy.takes_effort else None,
            "simulation": asdict(self.simulation),
            "files": [_file_digest(path) for path in self._files()],
            "version": version("haichi"),
        }
        return _digest(json.dumps(parts, sort_keys=True))

    def _files(self) -> list[str]:
        named = [self.job.nodes, self.job.faulty, self.job.fold, self.strategy.map_file]
        if self.strategy.objective is not None:
            named.append(plugin_library(self.strategy.objective))
        return [path for path in named if path and os.path.isfile(path)]


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _file_digest(path: str) -> str:
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


Outcome = dict[str, Any]
"""What a cell gives: the entry of ``cells`` without the four keys that say which one it is."""


def compute_cell(cell: Cell) -> Outcome:
    """Places, measures and simulates. What is wrong with one cell is its outcome, not an exception."""
    try:
        return _compute(cell)
    except Error as error:
        return {"status": "failed", "error": str(error), "hint": error.hint}
    except MemoryError:
        return {"status": "failed", "error": "out of memory", "hint": "a smaller workload, or fewer processes"}


def _compute(cell: Cell) -> Outcome:
    started = time.monotonic()
    placed = _place(cell)
    measured = evaluate(cell.workload, cell.machine, placed.node_of_rank, shape=cell.shape, **asdict(cell.job))
    evaluations, values = _core.convergence(placed._core.placement)
    searched = {entry["objective"]: entry for entry in measured.report["objectives"]}
    outcome: Outcome = {
        "status": "done",
        "objective": cell.strategy.objective,
        "search": placed.report["strategy"],
        "ranks": measured.report["ranks"],
        "nodes": measured.report["nodes"],
        "evaluations": placed.report["evaluations"],
        "optimal": placed.optimal if cell.strategy.is_search else False,
        "objectives": {
            name: {key: entry[key] for key in ("value", "unit", "lower_bound", "optimal")}
            for name, entry in searched.items()
        },
        "metrics": measured.metrics,
    }
    if cell.simulation.barriers:
        outcome["simulated"] = {barrier: _simulated(cell, placed, barrier) for barrier in cell.simulation.barriers}
    outcome["convergence"] = [[int(n), float(value)] for n, value in zip(evaluations, values, strict=True)]
    outcome["node_of_rank"] = placed.node_of_rank
    outcome["wall_seconds"] = time.monotonic() - started
    outcome["evaluations_per_second"] = placed.report.get("evaluations_per_second", 0)
    return outcome


def _place(cell: Cell) -> Result:
    job = asdict(cell.job)
    if cell.strategy.map_file is not None:
        return evaluate(cell.workload, cell.machine, cell.strategy.map_file, shape=cell.shape, **job)
    return optimize(
        cell.workload,
        cell.machine,
        shape=cell.shape,
        objective=cell.strategy.objective or "tac3",
        strategy=cell.strategy.search,
        seed=cell.seed,
        threads=cell.threads,
        **(asdict(cell.effort) if cell.strategy.takes_effort else {}),
        **job,
    )


def _simulated(cell: Cell, placed: Result, barrier: Literal["none", "sets"]) -> dict[str, Any]:
    job = asdict(cell.job)
    del job["count_nic"]  # channels of network interfaces are simulated in any case
    simulation = simulate(
        cell.workload,
        cell.machine,
        placed,
        shape=cell.shape,
        barrier=barrier,
        iterations=cell.simulation.iterations,
        hottest=0,
        **job,
    )
    run: SimulatedRun = simulation.runs[0]
    return {
        "seconds": run.seconds,
        "seconds_per_iteration": run.seconds_per_iteration,
        "simulated_iterations": run.simulated_iterations,
        "extrapolated": run.extrapolated,
        "compute_seconds": float(run.compute_seconds.mean()),
        "call_seconds": float(run.call_seconds.mean()),
        "wait_seconds": float(run.wait_seconds.mean()),
    }
