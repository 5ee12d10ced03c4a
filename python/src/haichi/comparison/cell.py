"""One cell of a comparison: a job and a strategy with a seed. The placement is evaluated and simulated."""

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
from haichi.comparison.strategies import AUTO, Strategy, plugin_library
from haichi.errors import Error
from haichi.job.job import Job
from haichi.model.job_spec import JobSpec
from haichi.model.placement import Placement
from haichi.results.evaluation import Evaluation
from haichi.results.simulation import SimulatedRun, simulation_of


@dataclass(frozen=True)
class SearchEffort:
    """The search effort, equal for all strategies that search."""

    evaluations: int = 0
    time_limit: float | None = None
    schedule: str = "auto"
    restarts: int = 0

    def options(self) -> dict[str, Any]:
        """The effort as options of `haichi.Job.optimize`."""
        return {
            "evaluations": self.evaluations or None,
            "time": self.time_limit,
            "schedule": self.schedule,
            "restarts": self.restarts or None,
        }


SimulatedAs = Literal["none", "sets", "calls"]
"""How a placement is simulated: sets without barriers, sets with a barrier before each, or the calls of a log."""


@dataclass(frozen=True)
class SimulationPlan:
    """The simulations of each placement. Without `runs`, placements are not simulated."""

    runs: tuple[SimulatedAs, ...] = ()
    iterations: str | int = "auto"
    spread: dict[str, Any] = field(default_factory=dict)
    """Options for the simulation of communication sets. `spread` varies their computation times."""
    replay: dict[str, Any] = field(default_factory=dict)
    """The call-replay options that the user gave."""


@dataclass(frozen=True)
class Cell:
    """One cell. It contains all data for its computation, so that any computer can compute it."""

    job: JobSpec
    strategy: Strategy
    seed: int
    effort: SearchEffort = SearchEffort()
    simulation: SimulationPlan = SimulationPlan()
    threads: int = 1

    def key(self) -> str:
        """A key that is equal for cells with equal results. It covers all inputs of the results; files enter by
        content."""
        parts = {
            "workload": self.job.workload.digest(),
            "machine": self.job.machine.digest(),
            "shape": self.job.shape,
            "strategy": self.strategy.identity(),
            "seed": self.seed if self.strategy.uses_seed else None,
            "job": common_options(self.job),
            "effort": asdict(self.effort) if self.strategy.takes_effort else None,
            "simulation": {"barriers": self.simulation.runs, "iterations": self.simulation.iterations},
            "files": [_file_digest(path) for path in self._files()],
            "version": version("haichi"),
        }
        if self.job.traffic.log is not None and self.simulation.runs:
            parts["log"] = self.job.traffic.log.digest() if "calls" in self.simulation.runs else "sets"
        if "calls" in self.simulation.runs and self.simulation.replay:
            parts["replay"] = self.simulation.replay
        if self.simulation.spread:
            parts["spread"] = self.simulation.spread
        return _digest(json.dumps(parts, sort_keys=True))

    def _files(self) -> list[str]:
        named = [*(self.job.options.get(name) for name in ("nodes", "faulty", "fold", "job")), self.strategy.map_file]
        if self.strategy.objective is not None:
            named.append(plugin_library(self.strategy.objective))
        return [path for path in named if isinstance(path, str) and os.path.isfile(path)]


def common_options(job: JobSpec) -> dict[str, Any]:
    """The values that all jobs of a comparison share, by the names and in the order of the results."""
    common = dict.fromkeys(("origin", "nodes", "faulty", "ppn", "routing", "fold", "count_nic"))
    usual = {"ppn": 1, "fold": "default", "count_nic": False}
    return (
        common
        | usual
        | {name: value for name, value in job.options.items() if name in common or name in ("job", "imbalance")}
    )


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _file_digest(path: str) -> str:
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


Outcome = dict[str, Any]
"""The result of a cell: the entry of ``cells`` without the four keys that identify it."""


def compute_cell(cell: Cell) -> Outcome:
    """Places, evaluates and simulates a cell. An error becomes the outcome of the cell, not an exception."""
    try:
        return _compute(cell)
    except Error as error:
        return {"status": "failed", "error": str(error), "hint": error.hint}
    except MemoryError:
        return {"status": "failed", "error": "out of memory", "hint": "use a smaller workload or fewer processes"}


def _compute(cell: Cell) -> Outcome:
    started = time.monotonic()
    job = Job._of(cell.job.reading_once())
    placed = _place(cell, job)
    measured = job.evaluate(placed, objective="tac3")
    evaluations, values = _core.convergence(placed._core)
    outcome: Outcome = {
        "status": "done",
        "objective": placed.objective if cell.strategy.search == AUTO else cell.strategy.objective,
        "search": placed.strategy or "given",
        "ranks": job.ranks,
        "nodes": job.nodes,
        "evaluations": placed.evaluations,
        "optimal": _is_optimal(cell, job, measured),
        "objectives": {
            entry["objective"]: {key: entry[key] for key in ("value", "unit", "lower_bound", "optimal")}
            for entry in measured.report["objectives"]
        },
        "metrics": measured.metrics,
    }
    if cell.simulation.runs:
        outcome["simulated"] = {run: _simulated(cell, placed, run) for run in cell.simulation.runs}
    if placed.verdict is not None:
        outcome["verdict"] = placed.verdict._asdict()
    outcome["convergence"] = [[int(n), float(value)] for n, value in zip(evaluations, values, strict=True)]
    outcome["node_of_rank"] = placed.node_of_rank
    outcome["wall_seconds"] = time.monotonic() - started
    outcome["evaluations_per_second"] = placed.evaluations_per_second
    return outcome


def _place(cell: Cell, job: Job) -> Placement:
    if cell.strategy.map_file is not None:
        return job.place(cell.strategy.map_file)
    if cell.strategy.nodes is not None:
        return job.place(cell.strategy.nodes)
    search: dict[str, Any] = {"strategy": cell.strategy.search, "seed": cell.seed, "threads": cell.threads}
    if cell.strategy.takes_effort:
        search |= cell.effort.options()
    return job.optimize(cell.strategy.objective or "auto", **search)


def _is_optimal(cell: Cell, job: Job, measured: Evaluation) -> bool:
    """True if the placement is proved optimal for the objective of the search."""
    objective = cell.strategy.objective
    if objective is None or objective == measured.objective:
        return objective is not None and measured.optimal
    return job.evaluate(measured.placement, objective=objective, all_objectives=False).optimal


def _simulated(cell: Cell, placed: Placement, simulated_as: SimulatedAs) -> dict[str, Any]:
    if simulated_as == "calls":
        given = {"form": "calls"} | cell.simulation.replay
    else:
        given = {"form": "sets", "barrier": simulated_as, "sim_iterations": cell.simulation.iterations}
        given |= cell.simulation.spread
    options = _core.SimulationOptions(given | {"most_loaded": 0})
    core = _core.simulate(placed._core, options, inputs=[], progress=None)
    run: SimulatedRun = simulation_of(placed, core).runs[0]
    entry: dict[str, Any] = {
        "seconds": run.seconds,
        "seconds_per_iteration": run.seconds_per_iteration,
        "simulated_iterations": run.simulated_iterations,
        "extrapolated": run.extrapolated,
        "compute_seconds": float(run.compute_seconds.mean()),
        "call_seconds": float(run.call_seconds.mean()),
        "wait_seconds": float(run.wait_seconds.mean()),
    }
    if run.fractions_of_run is not None:
        entry |= {"calls": run.calls, "fractions_of_run": run.fractions_of_run._asdict()}
    if run.fractions_of_run is not None or run.left_out:
        entry["left_out"] = run.left_out
    return entry
