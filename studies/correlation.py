"""Rank correlation of objectives with the packet simulator's time, over fast and slow placements.

    python3 studies/correlation.py PROGRAM [--objectives tac3,hop-bytes] [--cells held-out] [--placements 200]
                                       [--only cg] [--only halo/tofu] [--seed 1] [--keep DIRECTORY] [--itself]

PROGRAM is the program haichi. For every workload and network the script makes good and bad placements. Some are
random, made without search, or made by swapping some ranks. Others come from searches with four objectives, which stop
early or late. Each placement is simulated for ten iterations without barriers. The script prints a Markdown table of
Spearman's rank correlation of each objective with the simulated time. The number in parentheses is for the faster half
of the placements. --keep stores placements and times in DIRECTORY and reuses them, so that the next run only evaluates
objectives. Without stored times a run takes several hours.

--itself adds a second correlation, which is the upper limit of a prediction. It compares the simulated times of the
placements with their simulated times when all messages are 3 % smaller.

Result (2026-11-23): predicted-time has a rank correlation of 0.9 or more in 17 of 28 jobs. It is below tac3 in none of
them (objectives/README.md has the table).
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from pathlib import Path

ITERATIONS = 10
SEARCHED = ("tac3", "tac3-bytes", "hop-bytes", "max-link-load")
BUDGETS = (100, 300, 1_000, 3_000, 10_000, 30_000, 100_000)
STARTS = ("default", "no-ring", "row-major", "greedy", "bisection")
SWAPS = (0, 1, 2, 4, 8, 16, 32)
SMALLER = 0.97

Message = tuple[int, int, int]
Sets = list[list[Message]]


@dataclass(frozen=True)
class Net:
    """A network. Its `unit` is a message size whose transfer takes much longer than the start-up of a message."""

    name: str
    options: tuple[str, ...]
    unit: int
    nics: int = 0  # NICs in a machine file made from the preset; 0 uses the preset itself


NETWORKS = (
    Net("tofu", ("-m", "fx10-kyushu", "--shape", "1x2x4x2x3x2"), 512 << 10),
    Net("torus", ("-m", "torus:6x4x4"), 64 << 10),
    Net("torus, 4 NICs", ("-m", "torus:5x5x4"), 64 << 10, nics=4),
    Net("fat tree", ("-m", "fattree:3x4"), 256 << 10),
)
HELD_OUT_NETWORKS = (
    Net("tofu 2", ("-m", "fx10-kyushu", "--shape", "2x2x2x2x3x2"), 256 << 10),
    Net("dragonfly", ("-m", "dragonfly:2,4,2"), 128 << 10),
    Net("fat tree 2x10", ("-m", "fattree:2x10"), 64 << 10),
)


def halo(_: random.Random, unit: int, side: int = 4) -> Sets:
    """Exchange with 26 neighbours at once (as in LULESH). The messages of faces, edges and corners differ in size."""
    sizes = {1: unit, 2: unit // 16, 3: 64}
    ranks = list(itertools.product(range(side), repeat=3))
    number = {rank: i for i, rank in enumerate(ranks)}
    messages = []
    for rank, step in itertools.product(ranks, itertools.product((-1, 0, 1), repeat=3)):
        partner = tuple(r + s for r, s in zip(rank, step, strict=True))
        if any(step) and partner in number:
            messages.append((number[rank], number[partner], sizes[sum(map(abs, step))]))
    return [messages]


def bt(_: random.Random, unit: int, side: int = 8) -> Sets:
    """NPB BT's multipartition: faces go to six neighbours at once, then both directions of three axes are swept."""

    def rank(i: int, j: int) -> int:
        return i % side + side * (j % side)

    cells = [(i, j) for j in range(side) for i in range(side)]
    steps = ((1, 0), (0, 1), (-1, 1))  # step to the successor along each axis
    faces = [(rank(i, j), rank(i + s * a, j + s * b), unit) for i, j in cells for a, b in steps for s in (1, -1)]
    sets = [faces]
    for a, b in steps:
        for sign, size in ((1, unit * 3 // 4), (-1, unit // 8)):
            sweep = [(rank(i, j), rank(i + sign * a, j + sign * b), size) for i, j in cells]
            sets += [sweep] * (side - 1)
    return sets


def random_sets(rng: random.Random, unit: int, ranks: int = 64) -> Sets:
    """Eight sets: four random rings over parts of the ranks, and four sets of random pairs and sizes."""
    sets: Sets = []
    for _ in range(4):
        members = rng.sample(range(ranks), rng.randrange(ranks // 4, ranks))
        sets.append([(s, d, unit) for s, d in zip(members, members[1:] + members[:1], strict=True)])
    for _ in range(4):
        pairs = [rng.sample(range(ranks), 2) for _ in range(ranks)]
        sets.append([(s, d, unit >> rng.randrange(5)) for s, d in pairs])
    return sets


def lulesh(rng: random.Random, unit: int) -> Sets:
    """The three exchanges of a LULESH step on 27 ranks."""
    (whole,) = halo(rng, unit, 3)
    return [whole, [(s, d, 2 * size) for s, d, size in whole if s > d], [m for m in whole if m[2] == unit]]


@dataclass(frozen=True)
class Traffic:
    name: str
    arguments: tuple[str, ...] = ()  # arguments for `haichi pattern`
    make: Callable[[random.Random, int], Sets] | None = None
    divisor: int = 1  # message size = network unit / this


TRAFFICS = (
    Traffic("cg", ("cg", "--ranks", "64")),
    Traffic("bt", make=bt, divisor=4),
    Traffic("halo", make=halo),
    Traffic("transpose", ("fft", "--dims", "8x8"), divisor=2),
    Traffic("sweep", ("sweep", "--dims", "8x8")),
    Traffic("alltoall", ("alltoall-pairwise", "--ranks", "64"), divisor=8),
    Traffic("random", make=random_sets),
)
HELD_OUT_TRAFFICS = (
    Traffic("cg, 32 ranks", ("cg", "--ranks", "32")),
    Traffic("stencil2d", ("stencil2d", "--dims", "8x8", "--points", "9")),
    Traffic("stencil3d", ("stencil3d", "--dims", "4x4x4", "--periodic")),
    Traffic("recursive doubling", ("recursive-doubling", "--ranks", "64")),
    Traffic("bruck", ("alltoall-bruck", "--ranks", "48"), divisor=16),
    Traffic("irregular", ("random-geometric", "--ranks", "64"), divisor=4),
    Traffic("lulesh, 27 ranks", make=lulesh),
)


class Cell:
    """A workload on a network, with a directory for its files."""

    def __init__(self, program: Path, traffic: Traffic, net: Net, folder: Path, seed: int) -> None:
        self.program, self.traffic, self.net, self.seed = program, traffic, net, seed
        self.folder = folder / f"{traffic.name}-{net.name}".replace(", ", "-").replace(" ", "-")
        self.folder.mkdir(parents=True, exist_ok=True)
        self.rng = random.Random(f"{traffic.name}/{net.name}/{seed}")
        self.workload = self.folder / "workload.json"
        self.job = ["-w", str(self.workload), *net.options]
        self.write_inputs()
        self.ranks = json.loads(self.workload.read_text())["ranks"]
        self.nodes = 0  # set by the first placement

    def run(self, *arguments: str) -> str:
        done = subprocess.run([self.program, *arguments], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"haichi {' '.join(arguments)}: {done.stderr}")
        return done.stdout

    def write_inputs(self) -> None:
        size = self.net.unit // self.traffic.divisor
        if self.traffic.make is None:
            pattern = ("pattern", *self.traffic.arguments, "--bytes", str(size), "--iterations", str(ITERATIONS))
            self.run(*pattern, "--quiet", "-o", str(self.workload))
        else:
            sets = self.traffic.make(self.rng, size)
            ranks = 1 + max(max(m[0], m[1]) for messages in sets for m in messages)
            text = {"schema": "haichi-workload/1", "ranks": ranks, "iterations": ITERATIONS}
            self.workload.write_text(json.dumps({**text, "sets": [{"messages": messages} for messages in sets]}))
        if self.net.nics > 0:
            kind, _, sizes = self.net.options[1].partition(":")
            machine = json.loads((Path(__file__).parents[1] / "machines" / f"{kind}.json").read_text())
            for axis, axis_size in zip(machine["topology"]["axes"], sizes.split("x"), strict=True):
                axis["size"] = int(axis_size)
            machine["node"]["nics"] = self.net.nics
            del machine["notes"]
            path = self.folder / "machine.json"
            path.write_text(json.dumps(machine))
            self.job[3] = str(path)

    def placed(self, *options: str) -> list[int]:
        found = json.loads(self.run("map", *self.job, "--threads", "1", "--quiet", "-f", "json", *options))
        return found["node_of_rank"]

    def swapped(self, nodes: list[int], count: int) -> list[int]:
        """Moves `count` random ranks to random nodes. If the node has a rank, the two ranks swap their nodes."""
        nodes = list(nodes)
        for _ in range(count):
            rank, node = self.rng.randrange(self.ranks), self.rng.randrange(self.node_count())
            if node in nodes:
                nodes[nodes.index(node)] = nodes[rank]
            nodes[rank] = node
        return nodes

    def node_count(self) -> int:
        if self.nodes == 0:
            report = json.loads(self.run("map", *self.job, "--strategy", "default", "--quiet", "--json"))
            self.nodes = report["nodes"]
        return self.nodes

    def candidates(self, count: int) -> Iterator[list[int]]:
        for start in STARTS:
            first = self.placed("--strategy", start)
            for swaps in SWAPS:
                yield self.swapped(first, swaps)
        seed = self.seed * 1_000
        for _ in range(count // 8):
            seed += 1
            yield self.placed("--strategy", "random", "--seed", str(seed))
        for budget, objective in itertools.cycle(itertools.product(BUDGETS, SEARCHED)):
            seed += 1
            search = ["--strategy", "anneal", "--objective", objective, "--restarts", "1", "--seed", str(seed)]
            search += ["--start", "random" if seed % 3 else "greedy"]
            yield self.placed(*search, "--evaluations", str(budget))

    def placements(self, count: int) -> list[list[int]]:
        """Returns distinct placements. A duplicate gets random swaps until it is new."""
        seen: set[tuple[int, ...]] = set()
        for nodes in self.candidates(count):
            one = nodes
            while tuple(one) in seen:
                one = self.swapped(one, 1)
            seen.add(tuple(one))
            if len(seen) == count:
                break
        return sorted(map(list, seen))

    def with_map(self, nodes: Sequence[int]) -> list[str]:
        path = self.folder / "map.csv"
        path.write_text("rank,node\n" + "".join(f"{r},{n}\n" for r, n in enumerate(nodes)))
        return [*self.job, "--map", str(path), "-f", "csv", "--json", "--no-timing", "--quiet"]

    def simulated(self, nodes: Sequence[int]) -> float:
        report = json.loads(self.run("simulate", *self.with_map(nodes), "--sim-iterations", "all"))
        return report["runs"][0]["seconds"]

    def value(self, objective: str, nodes: Sequence[int]) -> float:
        return json.loads(self.run("evaluate", *self.with_map(nodes), "--objective", objective))["value"]

    def smaller(self) -> Cell:
        """Returns a cell with the same placements and machine, smaller messages and its own directory."""
        other = copy(self)
        other.folder = self.folder / "smaller"
        other.folder.mkdir(exist_ok=True)
        path = other.folder / "workload.json"
        text = json.loads(self.workload.read_text())
        for one in text["sets"]:
            one["messages"] = [[s, d, max(1, int(size * SMALLER))] for s, d, size in one["messages"]]
        path.write_text(json.dumps(text))
        other.job = ["-w", str(path), *self.job[2:]]
        return other

    def times_again(self, data: list[tuple[list[int], float]]) -> list[float]:
        path = self.folder / f"times-{len(data)}-{self.seed}.json"
        if not path.exists():
            path.write_text(json.dumps([self.simulated(nodes) for nodes, _ in data]))
        return json.loads(path.read_text())

    def data(self, count: int) -> list[tuple[list[int], float]]:
        path = self.folder / f"placements-{count}-{self.seed}.json"
        if not path.exists():
            found = [(nodes, self.simulated(nodes)) for nodes in self.placements(count)]
            path.write_text(json.dumps(found))
        return json.loads(path.read_text())


def ranks_of(values: Sequence[float]) -> list[float]:
    """Returns the position of each value in ascending order. Equal values get the mean of their positions."""
    order = sorted(range(len(values)), key=lambda i: values[i])
    ranks = [0.0] * len(values)
    for _, same in itertools.groupby(enumerate(order), key=lambda at: values[at[1]]):
        group = list(same)
        mean = sum(place for place, _ in group) / len(group)
        for _, i in group:
            ranks[i] = mean
    return ranks


def spearman(a: Sequence[float], b: Sequence[float]) -> float:
    x, y = ranks_of(a), ranks_of(b)
    mx, my = sum(x) / len(x), sum(y) / len(y)
    xx, yy = sum((v - mx) ** 2 for v in x), sum((v - my) ** 2 for v in y)
    if xx == 0 or yy == 0:
        return 0.0
    return sum((v - mx) * (w - my) for v, w in zip(x, y, strict=True)) / (xx * yy) ** 0.5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=Path)
    parser.add_argument("--objectives", default="tac3,tac3-bytes,hop-bytes,max-link-load,predicted-time")
    parser.add_argument("--cells", choices=("main", "held-out"), default="main")
    parser.add_argument("--only", action="append", default=[], help="WORKLOAD or WORKLOAD/NETWORK; repeatable")
    parser.add_argument("--placements", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--itself", action="store_true")
    given = parser.parse_args()
    objectives = given.objectives.split(",")
    columns = [*objectives, *(["itself"] if given.itself else [])]
    traffics, networks = (TRAFFICS, NETWORKS) if given.cells == "main" else (HELD_OUT_TRAFFICS, HELD_OUT_NETWORKS)
    wanted = set(given.only)

    print("| workload | network | slowest / fastest |", " | ".join(columns), "|")
    print("|---|---|---|" + "---|" * len(columns))
    with tempfile.TemporaryDirectory() as scratch:
        for traffic, net in itertools.product(traffics, networks):
            if wanted and not wanted & {traffic.name, net.name, f"{traffic.name}/{net.name}"}:
                continue
            cell = Cell(given.program.resolve(), traffic, net, given.keep or Path(scratch), given.seed)
            data = sorted(cell.data(given.placements), key=lambda one: one[1])
            times = [time for _, time in data]
            half = len(data) // 2
            cells = []
            for column in columns:
                if column == "itself":
                    values = cell.smaller().times_again(data)
                else:
                    values = [cell.value(column, nodes) for nodes, _ in data]
                cells.append(f"{spearman(values, times):.2f} ({spearman(values[:half], times[:half]):.2f})")
            print(f"| {traffic.name} | {net.name} | {times[-1] / times[0]:.2f} |", " | ".join(cells), "|", flush=True)


if __name__ == "__main__":
    main()
