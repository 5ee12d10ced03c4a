"""The TAC3 study, repeated with haichi: CG on the six job shapes of an FX10, searched and simulated."""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterable
from concurrent.futures import Executor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import haichi

SHAPES = {
    1: ("1x2x4x2x3x2", 64),
    2: ("2x2x2x2x3x2", 64),
    3: ("4x2x1x2x3x2", 64),
    4: ("1x1x4x2x3x2", 32),
    5: ("1x2x2x2x3x2", 32),
    6: ("4x1x1x2x3x2", 32),
}

MACHINE = str(Path(__file__).with_name("fx10-with-copies.json"))
"""fx10-kyushu with the cost of a copy within a node. In CG, a rank without a partner in the transpose copies."""

PAPER = {"schedule": "paper", "restarts": 1, "threads": 1}
LETTER = PAPER | {"moves": "uniform", "smoothing": 0, "start": "random"}
COLUMNS: dict[str, tuple[str, dict[str, Any]]] = {
    "tahb": ("hop-bytes", PAPER),
    "rmatt": ("rmatt", PAPER),
    "rmatt-tool": ("rmatt-3d", {"schedule": "rmatt", "restarts": 1, "threads": 1}),
    "tac3": ("tac3", PAPER),
    "tahb.letter": ("hop-bytes", LETTER),
    "rmatt.letter": ("rmatt", LETTER),
    "tac3.letter": ("tac3", LETTER),
}


@dataclass(frozen=True)
class Measured:
    """A value that haichi computed."""

    value: float | str
    call: str  #: call that computed it
    low: float | None = None
    high: float | None = None


def of_samples(samples: Iterable[float], call: str) -> Measured:
    """Mean of the samples, with their minimum and maximum."""
    values = list(samples)
    return Measured(statistics.fmean(values), call, min(values), max(values))


@dataclass(frozen=True)
class Effort:
    """Numbers of seeds, iterations and jobs. They depend on --quick and --long."""

    seeds: int = 10
    iterations: int = 40  #: iterations without barriers, which never repeat exactly if sets contend
    shapes: tuple[int, ...] = (1, 2, 3, 4, 5, 6)
    one_more: int = 24  #: placements with one set at contention 2
    largest_bruck: int = 4096
    large_searches: bool = True
    ring_seeds: int = 10
    noise_seeds: int = 3
    timed_seeds: int = 3  #: searches whose best time counts
    moved_maps: int = 10  #: maps that are evaluated on other shapes
    robust: dict[str, Any] = field(default_factory=dict)  #: options of the search for several shapes
    message_sizes: tuple[int, ...] = (32, 64, 128, 256, 512, 1024, 2048)  #: KiB


LONG = Effort(largest_bruck=65536)
QUICK = Effort(seeds=2, iterations=10, shapes=(1,), one_more=4, largest_bruck=512, large_searches=False, ring_seeds=1,
               message_sizes=(512,), noise_seeds=1, timed_seeds=1, moved_maps=2,
               robust={"evaluations": 20_000, "restarts": 1})  # fmt: skip


def cg(ranks: int, copies: bool = False) -> haichi.Workload:
    """The CG kernel. With `copies`, ranks without a partner in the transpose send to themselves, as in CG."""
    kernel = haichi.Workload.from_pattern("cg", ranks=ranks)
    if not copies:
        return kernel
    messages, transpose = kernel.messages, len(kernel.labels) - 1
    alone = np.setdiff1d(np.arange(ranks), messages.source[messages.set == transpose])
    return haichi.Workload.from_messages(
        np.concatenate([messages.source, alone]),
        np.concatenate([messages.destination, alone]),
        2**20,
        set=np.concatenate([messages.set, np.full(len(alone), transpose)]),
        ranks=ranks,
        iterations=kernel.iterations,
        labels=kernel.labels,
    )


@dataclass(frozen=True)
class Placement:
    """The parts of a haichi.Placement that other processes need."""

    nodes: list[int]
    contention: int  #: sum over the sets
    evaluations: int
    evaluations_per_second: float
    wall_seconds: float


def place(number: int, objective: str, search: dict[str, Any]) -> Placement:
    shape, ranks = SHAPES[number]
    job = haichi.Job(cg(ranks), "fx10-kyushu", shape=shape)
    placement = job.optimize(objective, **search)
    report = job.evaluate(placement, all_objectives=False).report
    return Placement(
        placement.node_of_rank.tolist(),
        report["metrics"]["contention_sum"],
        report["evaluations"],
        report["evaluations_per_second"],
        report["wall_seconds"],
    )


def run_seconds(
    number: int, nodes: list[int], barrier: str, iterations: int, copies: bool = True, size: str | None = None
) -> float:
    shape, ranks = SHAPES[number]
    workload = cg(ranks, copies) if size is None else cg(ranks, copies).with_message_size(size)
    job = haichi.Job(workload, MACHINE, shape=shape)
    return job.simulate(nodes, barrier=barrier, sim_iterations=iterations if barrier == "none" else "auto").seconds


@dataclass(frozen=True)
class Cell:
    """A placement in a table column, and its times with and without barriers. TAC3 also has times without copies."""

    placement: Placement
    none: float
    sets: float
    without_copies: float | None


def _cell(task: tuple[int, str, int, int]) -> Cell:
    number, column, seed, iterations = task
    objective, search = COLUMNS[column]
    placement = place(number, objective, search | {"seed": seed})
    none = run_seconds(number, placement.nodes, "none", iterations)
    sets = run_seconds(number, placement.nodes, "sets", iterations)
    alone = run_seconds(number, placement.nodes, "none", iterations, copies=False) if column == "tac3" else None
    return Cell(placement, none, sets, alone)


def _written(options: dict[str, Any]) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in options.items())


def job_shapes(pool: Executor, effort: Effort) -> dict[str, Measured]:
    """Makes the table of run times (six shapes, the paper's strategies, ten seeds each), and times the searches."""
    tasks = [
        (number, column, seed, effort.iterations)
        for number in effort.shapes
        for column in COLUMNS
        for seed in range(1, effort.seeds + 1)
    ]
    cells = dict(zip(tasks, pool.map(_cell, tasks), strict=True))
    found: dict[str, Measured] = {}
    for number in effort.shapes:
        for column, (objective, search) in COLUMNS.items():
            mine = [cell for task, cell in cells.items() if task[:2] == (number, column)]
            call = f"haichi.Job(cg, 'fx10-kyushu', shape=SHAPE).optimize({objective!r}, {_written(search)}, seed=S), "
            call += f"S = 1..{effort.seeds}; haichi.Job(cg with copies, 'fx10-with-copies.json', shape=SHAPE)"
            plain = call + f".simulate(placement, sim_iterations={effort.iterations}); mean"
            found[f"shape{number}.{column}"] = of_samples((cell.none for cell in mine), plain)
            held = call + ".simulate(placement, barrier='sets'); mean"
            name = column.replace("tac3", "tac3-barriers") if objective == "tac3" else f"{column}-barriers"
            found[f"shape{number}.{name}"] = of_samples((cell.sets for cell in mine), held)
            alone = [cell.without_copies for cell in mine if cell.without_copies is not None]
            if alone:
                found[f"without-copies.shape{number}"] = of_samples(alone, plain.replace("cg with copies", "cg"))
            if effort.seeds == 10:  # the published numbers have ten seeds, too
                sums = [cell.placement.contention for cell in mine]
                found[f"free.{column}.shape{number}"] = Measured(
                    sums.count(4), call.split(";")[0] + "; those with metrics['contention_sum'] == 4"
                )
    free = [row for name, row in found.items() if name.startswith("free.tac3.shape")]
    if len(free) == len(SHAPES):
        seeds = [float(row.value) for row in free]
        found["free.shapes"] = Measured(sum(count > 0 for count in seeds), free[0].call)
        found["free.least"] = Measured(min(seeds), free[0].call)
    return found


def search_times(effort: Effort) -> dict[str, Measured]:
    """Measures wall time and evaluations of one restart of the paper's schedule. The machine must be otherwise idle."""
    found = {}
    for number, nodes in ((1, 96), (4, 48)):
        for column in ("tac3.letter", "tahb.letter", "rmatt.letter", "rmatt-tool"):
            objective, search = COLUMNS[column]
            runs = [place(number, objective, search | {"seed": seed}) for seed in range(1, effort.timed_seeds + 1)]
            call = f"haichi.Job(cg, 'fx10-kyushu', shape={SHAPES[number][0]!r}).optimize({objective!r}, "
            call += (
                _written(search) + "): report['{}'] of its evaluation, " + f"best of seeds 1 to {effort.timed_seeds}"
            )
            name = f"{column.removesuffix('.letter')}.{nodes}"
            found[f"search.{name}"] = Measured(min(r.wall_seconds for r in runs), call.format("wall_seconds"))
            rate = max(r.evaluations_per_second for r in runs)
            found[f"rate.{name}"] = Measured(rate, call.format("evaluations_per_second"))
            found[f"evaluations.{name}"] = Measured(runs[0].evaluations, call.format("evaluations"))
    for number in effort.shapes:
        search = {"then": "none", "start": "random", "restarts": 1, "threads": 1}
        runs = [place(number, "tac3", search | {"seed": seed}) for seed in range(1, 11)]
        call = f"haichi.Job(cg, 'fx10-kyushu', shape={SHAPES[number][0]!r}).optimize({_written(search)}, seed=S)"
        reached = [r.evaluations for r in runs if r.contention == 4]
        found[f"evaluations-to-bound.shape{number}"] = Measured(
            statistics.median(reached), call + f".evaluations, median of {len(reached)} of 10 seeds",
            min(reached), max(reached),
        )  # fmt: skip
    return found


def _stopped_early(task: tuple[int, int]) -> Placement:
    contention, seed = task
    search: dict[str, Any] = {"then": "none", "start": "random", "restarts": 1, "threads": 1, "seed": seed}
    if contention > 4:
        search["evaluations"] = 250 + 100 * (seed % 5)
    return place(1, "tac3", search)


def _stopped_at(pool: Executor, contention: int, count: int) -> list[list[int]]:
    """Finds `count` placements on shape 1 with this sum of contention, by annealing that stops early."""
    kept: list[list[int]] = []
    for first in range(1, 100_000, 64):
        tasks = [(contention, seed) for seed in range(first, first + 64)]
        kept += [p.nodes for p in pool.map(_stopped_early, tasks, chunksize=8) if p.contention == contention]
        if len(kept) >= count:
            return kept[:count]
    raise AssertionError(f"no {count} placements with contention {contention}")


def _with_and_without(task: tuple[list[int], int, str | None]) -> tuple[float, float]:
    nodes, iterations, size = task
    copies = size is not None  # the table of message sizes is for the kernel with copies
    none, sets = (run_seconds(1, nodes, barrier, iterations, copies, size) for barrier in ("none", "sets"))
    return none, sets


def barriers(pool: Executor, effort: Effort) -> dict[str, Measured]:
    """Measures placements on shape 1 that are contention-free, or have one set at contention 2."""
    found = {}
    means = {}
    for name, contention, count in (("free", 4, 5), ("one-more", 5, effort.one_more)):
        placements = _stopped_at(pool, contention, count)
        times = list(pool.map(_with_and_without, [(nodes, effort.iterations, None) for nodes in placements]))
        call = (
            f"haichi.Job(cg, 'fx10-with-copies.json', shape='1x2x4x2x3x2').simulate(map, barrier={{!r}}) for {count} "
        )
        call += f"placements with contention {contention} from job.optimize(then='none', start='random', restarts=1, "
        call += "seed=S" + (")" if contention == 4 else ", evaluations=250 + 100 * (S % 5))")
        found[f"{name}.none"] = of_samples((t[0] for t in times), call.format("none"))
        found[f"{name}.sets"] = of_samples((t[1] for t in times), call.format("sets"))
        means[name] = [statistics.fmean(t[i] for t in times) for i in (0, 1)]
    for kib in effort.message_sizes:
        runs = list(pool.map(_with_and_without, [(n, effort.iterations, f"{kib}KiB") for n in placements[:12]]))
        for i, barrier in enumerate(("none", "sets")):
            call = f"the same for {len(runs)} of the placements with one set at contention 2, and "
            call += f"cg with copies, .with_message_size('SIZE'), barrier={barrier!r}"
            found[f"size{kib}.{barrier}"] = of_samples((run[i] for run in runs), call)
    spread = found["one-more.none"]
    found["one-more.least"] = Measured(min(t[0] for t in times), spread.call + "; the least")
    found["one-more.most"] = Measured(max(t[0] for t in times), spread.call + "; the most")
    step = means["one-more"][1] - means["free"][1]
    found["step"] = Measured(step, "one set at contention 2 with barriers - contention-free with barriers")
    for i, barrier in enumerate(("none", "sets")):
        found[f"intercept.{barrier}"] = Measured(
            means["free"][i] - 4 * step, f"contention-free, barrier={barrier!r}, - 4 steps"
        )
        mixed = 0.6 * means["free"][i] + 0.4 * means["one-more"][i]
        found[f"mixed.{barrier}"] = Measured(
            mixed, f"0.6 * (contention-free) + 0.4 * (one set at contention 2), barrier={barrier!r}"
        )
    return found


def other_shapes(effort: Effort) -> dict[str, Measured]:
    """Evaluates placements on shapes and a tie rule for which they were not optimised."""
    found = {}
    workload = cg(64)
    for tuned in (1, 2, 3):
        search = {"then": "none", "restarts": 1, "threads": 1}
        seeds = range(1, effort.moved_maps + 1)
        maps = [place(tuned, "tac3", search | {"seed": seed}).nodes for seed in seeds]
        for number in {1, 2, 3} - {tuned}:
            shape = SHAPES[number][0]
            job = haichi.Job(workload, "fx10-kyushu", shape=shape)
            sums = [job.evaluate(nodes).metrics["contention_sum"] for nodes in maps]
            call = f"haichi.Job(cg, 'fx10-kyushu', shape={shape!r}).evaluate(map).metrics['contention_sum']"
            call += (
                f" for the maps of haichi.Job(cg, 'fx10-kyushu', shape={SHAPES[tuned][0]!r})"
                f".optimize(then='none', restarts=1, seed=S), S = 1..{effort.moved_maps}"
            )
            found[f"tuned{tuned}.on{number}"] = of_samples(sums, call)
        if tuned == 3:
            how = {"shape": SHAPES[3][0], "routing": "dor:XYZACB,tie=-"}
            job = haichi.Job(workload, "fx10-kyushu", **how)
            sums = [job.evaluate(nodes).metrics["contention_sum"] for nodes in maps]
            call = f"haichi.Job(cg, 'fx10-kyushu', {_written(how)}).evaluate(map).metrics['contention_sum'] "
            call += "for maps of S = 4"
            found["tie"] = of_samples(sums, call)
    shapes = [SHAPES[number][0] for number in (1, 2, 3)]
    jobs = haichi.jobs(workload, "fx10-kyushu", shapes, fold="row-major")
    how = {"robust": "max"} | effort.robust
    robust = haichi.optimize_shapes(jobs, **how)
    call = f"haichi.optimize_shapes(haichi.jobs(cg, 'fx10-kyushu', {shapes}, fold='row-major'), {_written(how)})"
    call += ".evaluations[{}]"
    for i, result in enumerate(robust.evaluations):
        sums = result.metrics["contention_sum"]
        found[f"robust.on{i + 1}"] = Measured(sums, call.format(i) + ".metrics['contention_sum']")
    return found


def two_switches(folder: Path) -> dict[str, Measured]:
    """The small example: two switches with three nodes each under a third switch, with six ranks and four steps."""
    machine = folder / "two-switches.json"
    topology = {"kind": "tree", "children": [3, 2]}
    link = {"bandwidth": "5GB/s"}
    machine.write_text(json.dumps({"schema": "haichi-machine/1", "topology": topology, "link": link}))
    steps = [[(1, 2)], [(4, 5)], [(1, 3), (4, 6)], [(1, 6), (2, 4), (3, 5)]]
    pairs = [(a - 1, b - 1, t) for t, step in enumerate(steps) for a, b in step]
    both = pairs + [(b, a, t) for a, b, t in pairs]
    workload = haichi.Workload.from_messages(
        [a for a, _, _ in both], [b for _, b, _ in both], 2**20, set=[t for _, _, t in both]
    )
    found = {}
    through_upper = {}
    for name, nodes in (("grouped", [0, 1, 2, 3, 4, 5]), ("mixed", [0, 3, 1, 4, 2, 5])):
        contention = haichi.Job(workload, machine).evaluate(nodes).metrics["set_contention"]
        call = f"haichi.Job(steps, two switches).evaluate({nodes}).metrics['set_contention']"
        found[f"switches.{name}.last"] = Measured(contention[-1], call)
        found[f"switches.{name}.largest"] = Measured(max(contention), call)
        through_upper[name] = sum((nodes[a] < 3) != (nodes[b] < 3) for a, b, _ in both)
    found["switches.upper"] = Measured(
        through_upper["mixed"] / through_upper["grouped"], "messages between the halves, second placement / first"
    )
    return found
