"""Run times of CG with the placements that need no search: default and no-ring, on the six job shapes of an FX10."""

from __future__ import annotations

from concurrent.futures import Executor

import haichi
from cg_studies import SHAPES, Effort, Measured, cg, run_seconds

STRATEGIES = ("default", "no-ring")


def _nodes(number: int, strategy: str) -> list[int]:
    shape, ranks = SHAPES[number]
    placement = haichi.Job(cg(ranks), "fx10-kyushu", shape=shape).optimize(strategy=strategy)
    return placement.node_of_rank.tolist()


def _seconds(task: tuple[int, str, int]) -> float:
    number, strategy, iterations = task
    return run_seconds(number, _nodes(number, strategy), "none", iterations)


def given_placements(pool: Executor, effort: Effort) -> dict[str, Measured]:
    """Run times without barriers and without noise: the published ones were held back from the model."""
    found = {}
    tasks = [(number, strategy, effort.iterations) for strategy in STRATEGIES for number in effort.shapes]
    for (number, strategy, iterations), seconds in zip(tasks, pool.map(_seconds, tasks), strict=True):
        call = f"haichi.Job(cg with copies, 'fx10-with-copies.json', shape=SHAPE).simulate(placement, "
        call += f"sim_iterations={iterations}); placement: haichi.Job(cg, 'fx10-kyushu', shape=SHAPE)"
        call += f".optimize(strategy={strategy!r})"
        found[f"shape{number}.{strategy}"] = Measured(seconds, call)
    return found
