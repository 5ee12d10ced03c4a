"""Simulates CG on the six job shapes of an FX10 with the placements default and no-ring, which need no search."""

from __future__ import annotations

import json
from concurrent.futures import Executor
from pathlib import Path
from typing import Any

from cg_studies import MACHINE, SHAPES, Effort, Measured, cg, of_samples, run_seconds

import haichi

STRATEGIES = ("default", "no-ring")
NOISE: dict[str, Any] = json.loads(Path(__file__).with_name("os_noise.json").read_text())
"""The interruptions of a node by its operating system, with their source."""

GAINS = (("tac3", "tahb"), ("tac3", "rmatt-tool"), ("default", "rmatt-tool"), ("tahb", "rmatt-tool"))
"""Pairs of columns in the table of run times. The paper's figure shows how much longer the second of a pair takes."""


def _nodes(number: int, strategy: str) -> list[int]:
    shape, ranks = SHAPES[number]
    placement = haichi.Job(cg(ranks), "fx10-kyushu", shape=shape).optimize(strategy=strategy)
    return placement.node_of_rank.tolist()


def _seconds(task: tuple[int, str, int]) -> float:
    number, strategy, iterations = task
    return run_seconds(number, _nodes(number, strategy), "none", iterations)


def given_placements(pool: Executor, effort: Effort) -> dict[str, Measured]:
    """Simulates run times without barriers and noise. The model was made without the published run times."""
    found = {}
    tasks = [(number, strategy, effort.iterations) for strategy in STRATEGIES for number in effort.shapes]
    for (number, strategy, iterations), seconds in zip(tasks, pool.map(_seconds, tasks), strict=True):
        call = "haichi.Job(cg with copies, 'fx10-with-copies.json', shape=SHAPE).simulate(placement, "
        call += f"sim_iterations={iterations}); placement: haichi.Job(cg, 'fx10-kyushu', shape=SHAPE)"
        call += f".optimize(strategy={strategy!r})"
        found[f"shape{number}.{strategy}"] = Measured(seconds, call)
    return found


def _noisy_seconds(task: tuple[int, str, str, int, int | str]) -> float:
    number, strategy, barrier, seed, iterations = task
    shape, ranks = SHAPES[number]
    job = haichi.Job(cg(ranks, copies=True), MACHINE, shape=shape)
    return job.simulate(
        _nodes(number, strategy),
        barrier=barrier,
        sim_iterations=iterations,
        compute_spread=NOISE["compute_spread"],
        compute_spread_seed=seed,
    ).seconds


def with_noise(pool: Executor, effort: Effort) -> dict[str, Measured]:
    """Simulates run times with the noise of os_noise.json, as the mean over its seeds, with and without barriers."""
    seeds = NOISE["seeds"][: effort.noise_seeds]
    iterations = effort.iterations if effort.noise_seeds == 1 else NOISE["sim_iterations"]
    names = [(number, strategy, barrier) for strategy in STRATEGIES for number in effort.shapes
             for barrier in ("none", "sets")]  # fmt: skip
    tasks = [(*name, seed, iterations) for name in names for seed in seeds]
    seconds = dict(zip(tasks, pool.map(_noisy_seconds, tasks), strict=True))
    found = {}
    for number, strategy, barrier in names:
        call = "haichi.Job(cg with copies, 'fx10-with-copies.json', shape=SHAPE).simulate(placement, "
        call += f"barrier={barrier!r}, sim_iterations={iterations!r}, compute_spread={NOISE['compute_spread']!r}, "
        call += f"compute_spread_seed=S), mean of S in {seeds}; placement: optimize(strategy={strategy!r})"
        name = f"noise{'-barriers' if barrier == 'sets' else ''}.shape{number}.{strategy}"
        mine = [seconds[number, strategy, barrier, seed, iterations] for seed in seeds]
        found[name] = of_samples(mine, call)
    return found


def largest_gains(found: dict[str, Measured]) -> dict[str, Measured]:
    """Returns the largest gain of one column over another, in per cent of the shorter time. Requires all six shapes."""
    gains = {}
    for faster, slower in GAINS:
        pairs = [(found.get(f"shape{n}.{slower}"), found.get(f"shape{n}.{faster}")) for n in SHAPES]
        ratios = [float(long.value) / float(short.value) for long, short in pairs if long and short]
        if len(ratios) == len(SHAPES):
            call = f"largest over the shapes of ({slower} / {faster} - 1), from the mean run times above"
            gains[f"gain.{faster}.{slower}"] = Measured(100 * (max(ratios) - 1), call)
    return gains
