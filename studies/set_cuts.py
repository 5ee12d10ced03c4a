"""Tests whether tac3 agrees better with simulated time on other communication sets, which are merged greedily.

    .venv/bin/python studies/set_cuts.py [--placements 48] [--seed 1] LOG...

For each log the script makes good and bad placements: without search, with some ranks swapped, random, and from
searches that stop early or late. The packet simulator replays the calls of the log on each placement. The script starts
from the sets of `haichi ccs`, with one message per rank and with four (`--sends-per-rank 4`). It repeatedly
merges the two consecutive sets that raise Spearman's rank correlation between tac3 and the simulated time most. It
stops when no merge raises the correlation by 0.001.

Merges are chosen on one half of the placements on a Tofu shape. The first table has the correlations over the other
half, and over placements on a torus. The second table has the simulated time of placements that searches find. Both
tables compare sets of one message per rank, sets of four, merged sets, and the objective predicted-time.

Message sizes do not change. Instead, links and NICs are slower and packets are smaller. A message of mean size then
takes as long as one of 8 KiB on the unchanged machine. All messages are eager.

Result (2026-11-27): on fifteen programs, merged sets raise the correlation over unseen placements slightly, from 0.80
to 0.82. On the torus, they lower the correlation. Searches with merged sets do not find faster placements
(objectives/README.md).
"""

from __future__ import annotations

import argparse
import dataclasses
import itertools
import json
import random
import statistics
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import haichi

MACHINES = Path(__file__).parents[1] / "machines"
LIKE_BYTES = 8 * 1024
"""Size of a message on the unchanged machine that takes as long as a message of mean size on the slower one."""
CHOOSING = ("fx10-kyushu", {"shape": "1x2x4x2x3x2"})
HELD_OUT = ("torus", {"shape": "6x4x4"})
STARTS = ("default", "no-ring", "row-major", "greedy", "bisection")
SWAPS = (0, 2, 8, 32)
SEARCHED = ("tac3", "hop-bytes", "max-link-load")
BUDGETS = (100, 1_000, 10_000)
LEAST_GAIN = 0.001
SEEDS = (1, 2)
NICS = 4
"""Number of NICs of an FX10 node, and limit for the messages that a rank sends (and receives) in one set."""

Times = npt.NDArray[np.float64]
Nodes = npt.NDArray[np.int32]


def slower(name: str, mean_bytes: float) -> haichi.Machine:
    """A preset on which a message of `mean_bytes` takes as long as LIKE_BYTES on the preset itself."""
    factor = LIKE_BYTES / mean_bytes
    machine: dict[str, Any] = json.loads((MACHINES / f"{name}.json").read_text())
    del machine["notes"]
    if name == "torus":
        for axis, size in zip(machine["topology"]["axes"], (6, 4, 4), strict=True):
            axis["size"] = size
    for part, key in (
        ("link", "bandwidth"),
        ("router", "bandwidth"),
        *(("node", f"{of}_bandwidth") for of in ("nic", "dma", "memory")),
    ):
        if key in machine[part]:
            rate = float(machine[part][key].removesuffix("GB/s")) * 1e9
            machine[part][key] = f"{round(rate / factor)}B/s"
    for key, size in machine["packet"].items():
        machine["packet"][key] = f"{max(round(int(size.removesuffix('B')) / factor), key == 'payload')}B"
    machine["node"]["eager_limit"] = "1GiB"
    return haichi.Machine.from_dict(machine)


def ranks_of(values: Times) -> Times:
    """Returns the position of each value in ascending order. Equal values get the mean of their positions."""
    _, place, count = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(count)
    return ((ends - count + ends - 1) / 2)[place]


def correlation(a: Times, b: Times) -> float:
    """Spearman's rank correlation, or 0 if all values are equal."""
    if np.ptp(a) == 0 or np.ptp(b) == 0:
        return 0.0
    return float(np.corrcoef(ranks_of(a), ranks_of(b))[0, 1])


class Loads:
    """Link loads of sets on several placements. The value of a message is its bytes times the number of messages on the
    most loaded link of its route. `tac3` of a set is the largest such value. The bandwidth is 1, because all links are
    equal."""

    def __init__(self, job: haichi.Job, placements: list[Nodes]) -> None:
        self.nodes = np.stack(placements)
        routes = {
            (int(a), int(b)): job.route(int(a), int(b)) for a, b in itertools.permutations(np.unique(self.nodes), 2)
        }
        self.links = len(job.links)
        longest = max(map(len, routes.values()))
        size = int(self.nodes.max()) + 1
        # Short routes are padded with `links`, an index that no link has.
        self.routes = np.full((size, size, longest), self.links, np.int32)
        for (a, b), route in routes.items():
            self.routes[a, b, : len(route)] = route

    def tac3(self, source: Nodes, destination: Nodes, sizes: Times) -> Times:
        """Returns the value of one set for each placement."""
        values = np.zeros(len(self.nodes))
        for p, nodes in enumerate(self.nodes):
            routes = self.routes[nodes[source], nodes[destination]]
            counts = np.bincount(routes.ravel(), minlength=self.links + 1)
            counts[self.links] = 0
            values[p] = (counts[routes].max(axis=1) * sizes).max()
        return values


class Case:
    """A log on one machine, with placements and their simulated times."""

    def __init__(self, log: Path, where: tuple[str, dict[str, Any]], count: int, seed: int) -> None:
        self.rng = random.Random(f"{log.parent.name}/{where[0]}/{seed}")
        self.workload = haichi.extract_sets(log).workload
        messages = self.workload.messages
        self.machine = slower(where[0], float(messages.bytes.mean()))
        self.options = where[1]
        self.job = haichi.Job(log, self.machine, **self.options)
        self.sets = haichi.Job(self.workload, self.machine, **self.options)
        placements: dict[bytes, Nodes] = {}
        for nodes in self.candidates():
            placements.setdefault(nodes.tobytes(), nodes)
            if len(placements) == count:
                break
        self.placements = list(placements.values())
        self.rng.shuffle(self.placements)
        self.times = np.array([self.simulated(nodes) for nodes in self.placements])

    def simulated(self, nodes: Nodes) -> float:
        return float(self.job.simulate(nodes, compute="none").run.seconds)

    def candidates(self) -> Iterator[Nodes]:
        node_count = int(np.prod([int(size) for size in self.options["shape"].split("x")]))
        for start, swaps in itertools.product(STARTS, SWAPS):
            nodes = self.sets.optimize("tac3", strategy=start).node_of_rank.copy()
            for _ in range(swaps):
                rank, node = self.rng.randrange(nodes.size), self.rng.randrange(node_count)
                nodes[nodes == node] = nodes[rank]
                nodes[rank] = node
            yield nodes
        for seed in itertools.count(1):
            yield self.sets.optimize("tac3", strategy="random", seed=seed).node_of_rank
            budget = BUDGETS[seed % len(BUDGETS)]
            for objective in SEARCHED:
                yield self.search(self.sets, objective, seed, budget)

    @staticmethod
    def search(job: haichi.Job, objective: str, seed: int, evaluations: int) -> Nodes:
        how: dict[str, Any] = {"strategy": "anneal", "restarts": 1, "threads": 1, "start": "random"}
        return job.optimize(objective, seed=seed, evaluations=evaluations, **how).node_of_rank


def merged_sets(case: Case, workload: haichi.Workload, chosen: slice) -> tuple[float, haichi.Workload]:
    """Merges consecutive sets while the correlation rises. Returns the correlation and the merged workload."""
    messages = workload.messages
    loads = Loads(case.sets, case.placements[chosen])
    times = case.times[chosen]

    def value(first: int, end: int) -> Times:
        part = slice(first, end)
        return loads.tac3(messages.source[part], messages.destination[part], messages.bytes[part].astype(float))

    starts = np.flatnonzero(np.diff(messages.set, prepend=-1)).tolist()
    ranges = list(zip(starts, [*starts[1:], len(messages.set)], strict=True))
    values = [value(*one) for one in ranges]
    pairs = [value(a[0], b[1]) for a, b in itertools.pairwise(ranges)]
    total = np.sum(values, axis=0)
    best = correlation(total, times)
    while pairs:
        found = [correlation(total - values[i] - values[i + 1] + pair, times) for i, pair in enumerate(pairs)]
        i = int(np.argmax(found))
        if found[i] < best + LEAST_GAIN:
            break
        best = found[i]
        total = total - values[i] - values[i + 1] + pairs[i]
        ranges[i : i + 2] = [(ranges[i][0], ranges[i + 1][1])]
        values[i : i + 2] = [pairs.pop(i)]
        for k in (i - 1, i):
            if 0 <= k < len(pairs):
                pairs[k] = value(ranges[k][0], ranges[k + 1][1])
    sets = np.repeat(np.arange(len(ranges)), [end - first for first, end in ranges])
    columns = (messages.source, messages.destination, messages.bytes)
    return best, haichi.Workload.from_messages(*columns, ranks=workload.ranks, set=sets)


def correlations(case: Case, workload: haichi.Workload, which: slice, objective: str = "tac3") -> float:
    job = haichi.Job(workload, case.machine, **case.options)
    values = [job.evaluate(nodes, objective=objective, all_objectives=False).value for nodes in case.placements[which]]
    return correlation(np.array(values), case.times[which])


def found(case: Case, workload: haichi.Workload, objective: str = "tac3") -> float:
    """Returns the simulated time of placements that searches find, relative to the default placement."""
    job = haichi.Job(workload, case.machine, **case.options)
    times = [case.simulated(case.search(job, objective, 100 + seed, 30_000)) for seed in SEEDS]
    return statistics.mean(times) / case.simulated(case.sets.place().node_of_rank)


@dataclasses.dataclass(frozen=True)
class Answer:
    name: str
    set_counts: list[int]
    chosen_by: float  #: correlation with the new sets over the placements that chose them
    correlations: list[float]  #: on each machine with the sets of WAYS, and of predicted-time
    times: list[float]  #: the same, of placements that searches find
    simulations_s: float  #: CPU time
    merging_s: float


def study(log: Path, count: int, seed: int) -> Answer:
    begin = time.process_time()
    case, other = Case(log, CHOOSING, count, seed), Case(log, HELD_OUT, count // 2, seed)
    simulations = time.process_time() - begin
    chosen, rest = slice(0, count // 2), slice(count // 2, None)
    begin = time.process_time()
    ways = [case.workload, haichi.extract_sets(log, sends_per_rank=NICS).workload]
    chosen_by, new = max((merged_sets(case, way, chosen) for way in ways), key=lambda answer: answer[0])
    ways.append(new)
    merging = time.process_time() - begin
    both = ((case, rest), (other, slice(None)))
    agreement: list[float] = []
    for of, which in both:
        agreement += [correlations(of, way, which) for way in ways]
        agreement.append(correlations(of, ways[0], which, "predicted-time"))
    times: list[float] = []
    for of, _ in both:
        times += [*(found(of, way) for way in ways), found(of, ways[0], "predicted-time")]
    name = log.parent.name if log.stem == "log" else log.stem
    counts = [int(way.messages.set.max()) + 1 for way in ways]
    return Answer(name, counts, chosen_by, agreement, times, simulations, merging)


WAYS = ("today", f"{NICS} per rank", "merged")


def table(title: str, cells: list[list[str]]) -> None:
    ways = " | ".join([*WAYS, "predicted-time"])
    print(f"\n{title}\n\n| program | {' | '.join(WAYS)} | {ways} | {ways} |\n|---|{'---|' * 11}")
    for row in cells:
        print("| " + " | ".join(row) + " |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("logs", type=Path, nargs="+")
    parser.add_argument("--placements", type=int, default=48)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    answers = []
    for log in arguments.logs:
        answers.append(study(log, arguments.placements, arguments.seed))
        print(json.dumps(dataclasses.asdict(answers[-1])), file=sys.stderr, flush=True)
    counts = [[a.name, *map(str, a.set_counts)] for a in answers]
    for title, numbers in (
        ("Sets, and rank correlation over unseen placements: Tofu, torus", [a.correlations for a in answers]),
        ("Sets, and simulated time of placements found: Tofu, torus", [a.times for a in answers]),
    ):
        cells = [[*left, *(f"{n:.3f}" for n in row)] for left, row in zip(counts, numbers, strict=True)]
        table(title, [*cells, mean_row(numbers)])
    print("\nCorrelation over the choosing placements: " + ", ".join(f"{a.name} {a.chosen_by:.2f}" for a in answers))
    print(f"CPU s: {sum(a.simulations_s for a in answers):.0f} for placements and their simulation,", end=" ")
    print(f"{sum(a.merging_s for a in answers):.0f} for the choice")


def mean_row(numbers: list[list[float]]) -> list[str]:
    return ["mean", "", "", "", *(f"{statistics.mean(column):.3f}" for column in zip(*numbers, strict=True))]


if __name__ == "__main__":
    main()
