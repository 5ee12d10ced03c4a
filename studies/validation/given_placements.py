"""Run times of CG with the placements that need no search: default and no-ring, on the six job shapes of an FX10."""

from __future__ import annotations

from concurrent.futures import Executor

from cg_studies import SHAPES, Effort, Measured, cg, run_seconds

import haichi

STRATEGIES = ("default", "no-ring")
GAINS = (("tac3", "tahb"), ("tac3", "rmatt-tool"), ("default", "rmatt-tool"), ("tahb", "rmatt-tool"))
"""Columns of the table of run times. Each pair has a gain in the paper's figure: how much longer the second takes."""


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
        call = "haichi.Job(cg with copies, 'fx10-with-copies.json', shape=SHAPE).simulate(placement, "
        call += f"sim_iterations={iterations}); placement: haichi.Job(cg, 'fx10-kyushu', shape=SHAPE)"
        call += f".optimize(strategy={strategy!r})"
        found[f"shape{number}.{strategy}"] = Measured(seconds, call)
    return found


def largest_gains(found: dict[str, Measured]) -> dict[str, Measured]:
    """The largest gain of a column over another, in per cent of the shorter time, if all six shapes were simulated."""
    gains = {}
    for faster, slower in GAINS:
        pairs = [(found.get(f"shape{n}.{slower}"), found.get(f"shape{n}.{faster}")) for n in SHAPES]
        ratios = [float(long.value) / float(short.value) for long, short in pairs if long and short]
        if len(ratios) == len(SHAPES):
            call = f"largest over the shapes of ({slower} / {faster} - 1), from the mean run times above"
            gains[f"gain.{faster}.{slower}"] = Measured(100 * (max(ratios) - 1), call)
    return gains
