"""The studies that the packet simulator is held against, as tables beside the published numbers.

    simulated_studies.py barriers HAICHI   CG on shape 1 of the FX10: what barriers cost, and from which size they pay
    simulated_studies.py shapes HAICHI     CG on the six shapes: the strategies, mean of ten seeds
    simulated_studies.py ring HAICHI       random rings on an InfiniBand fat tree: bandwidth per process, with a curve

HAICHI is the program. Times are of 1,000 iterations, as the paper's. Without barriers iterations never repeat exactly
where sets contend, so --iterations of them are simulated (barriers, shapes) and multiplied.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

SHAPES = {  # number: shape, communicating ranks, the paper's seconds: TAHB, RMATT-O2F, TAC3 without, TAC3 with barriers
    1: ("1x2x4x2x3x2", 64, (1.501, 1.585, 1.207, 1.126)),
    2: ("2x2x2x2x3x2", 64, (1.478, 1.466, 1.032, 1.049)),
    3: ("4x2x1x2x3x2", 64, (1.268, 1.304, 1.020, 1.041)),
    4: ("1x1x4x2x3x2", 32, (1.255, 1.316, 1.025, 1.039)),
    5: ("1x2x2x2x3x2", 32, (1.260, 1.300, 1.027, 1.041)),
    6: ("4x1x1x2x3x2", 32, (1.115, 1.165, 1.017, 1.037)),
}


# fx10-kyushu, and what a copy within a node takes: CG copies where a transpose has no partner.
KYUSHU = {
    "schema": "haichi-machine/1",
    "name": "fx10-kyushu with copies",
    "topology": {
        "kind": "torus",
        "axes": [
            {"name": "X", "size": 4, "wraps": True},
            {"name": "Y", "size": 2},
            {"name": "Z", "size": 8, "wraps": True},
            {"name": "A", "size": 2},
            {"name": "B", "size": 3, "wraps": True},
            {"name": "C", "size": 2},
        ],
        "logical": [["X", "A"], ["Y", "B"], ["Z", "C"]],
    },
    "routing": {"kind": "dimension-order", "order": "XYZACB", "tie": "+"},
    "link": {"bandwidth": "5GB/s", "cable_latency": "0ns"},
    "router": {"switch_latency": "100ns", "virtual_channels": 2, "buffer": "8 packets"},
    "packet": {"payload": "1920B", "header": "72B"},
    "node": {
        "nics": 4,
        "nic_bandwidth": "5GB/s",
        "shared_memory_bandwidth": "5GB/s",
        "mpi_call_overhead": "1us",
        "rendezvous_overhead": "36us",
        "eager_limit": "32KiB",
        "barrier": "5us",
    },
}


class Study:
    """Runs the program in a folder of its own."""

    def __init__(self, haichi: str, place: Path) -> None:
        self.haichi = str(Path(haichi).resolve())
        self.place = place

    def run(self, *arguments: object) -> str:
        command = [self.haichi, *(str(a) for a in arguments)]
        return subprocess.run(command, cwd=self.place, check=True, capture_output=True, text=True).stdout

    def pattern(self, name: str, ranks: int, *more: object) -> str:
        file = "-".join([name, str(ranks), *(str(m) for m in more)]) + ".json"
        self.run("pattern", name, "--ranks", ranks, *more, "-o", file)
        return file

    def with_copies(self, file: str) -> str:
        """CG, whose ranks without a partner in the transpose send to themselves."""
        workload = json.loads((self.place / file).read_text())
        transpose = workload["sets"][-1]["messages"]
        alone = sorted(set(range(workload["ranks"])) - {m[0] for m in transpose})
        transpose += [[rank, rank, transpose[0][2]] for rank in alone]
        (self.place / f"copies-{file}").write_text(json.dumps(workload))
        return f"copies-{file}"

    def map(self, job: list[str], *more: object) -> dict:
        return json.loads(self.run("map", *job, *more, "--json", "--quiet"))

    def seconds(self, job: list[str], nodes: list[int], barrier: str, *more: object) -> float:
        mapping = {"schema": "haichi-mapping/1", "ranks": len(nodes), "node_of_rank": nodes}
        (self.place / "map.json").write_text(json.dumps(mapping))
        text = self.run("simulate", *job, "--map", "map.json", "--barrier", barrier, "--json", "--quiet", *more)
        return json.loads(text)["runs"][0]["seconds"]


def placements(study: Study, job: list[str], contention: int, count: int) -> Iterator[list[int]]:
    """Placements whose sets' contention adds up to this: annealing stopped early, from random starts."""
    for seed in range(1, 100_000):
        evaluations = 250 + 100 * (seed % 5)
        start = ["--start", "random", "--restarts", 1, "--seed", seed]
        effort = [] if contention == 4 else ["--evaluations", evaluations]
        report = study.map(job, "--objective", "tac3", *start, *effort)
        if sum(report["metrics"]["set_contention"]) != contention:
            continue
        yield report["node_of_rank"]
        count -= 1
        if count == 0:
            return


def barriers(study: Study, iterations: int) -> None:
    shape, ranks, _ = SHAPES[1]
    job = ["-m", "fx10-kyushu", "--shape", shape, "-w", study.pattern("cg", ranks, "--bytes", 2**20)]
    effort = ["--sim-iterations", iterations]
    free = list(placements(study, job, 4, 5))
    one_more = list(placements(study, job, 5, 24))
    print("1,000 iterations of CG 64 on shape 1, 2^20 bytes, mean (least .. most)")
    with_barriers = {}
    for name, nodes, paper in (
        ("free of contention", free, "about 1.03 / 1.05"),
        ("one set at 2", one_more, "1.24 to 1.70 / 1.264"),
    ):
        plain = [study.seconds(job, n, "none", *effort) for n in nodes]
        held = [study.seconds(job, n, "sets") for n in nodes]
        with_barriers[name] = statistics.mean(held)
        spread = [f"{statistics.mean(t):.4f} ({min(t):.4f} .. {max(t):.4f})" for t in (plain, held)]
        print(f"  {name:20} {len(nodes):2} placements  none {spread[0]}  sets {spread[1]}  paper {paper}", flush=True)
    print(f"  one level more costs {with_barriers['one set at 2'] - with_barriers['free of contention']:.4f} s")
    print("barriers pay from which message size? 12 of the placements with one set at 2")
    for kib in (64, 128, 192, 256, 320, 384, 448, 512, 1024):
        size = ["--message-size", f"{kib}KiB"]
        plain = [study.seconds(job, n, "none", *effort, *size) for n in one_more[:12]]
        held = [study.seconds(job, n, "sets", *size) for n in one_more[:12]]
        gain = statistics.mean(plain) / statistics.mean(held) - 1
        wins = sum(p > h for p, h in zip(plain, held, strict=True))
        print(
            f"  {kib:5} KiB  none {statistics.mean(plain):.4f}  sets {statistics.mean(held):.4f}  "
            f"gain {100 * gain:+.1f} %  {wins} of {len(plain)} faster with barriers",
            flush=True,
        )


def shapes(study: Study, iterations: int) -> None:
    (study.place / "kyushu.json").write_text(json.dumps(KYUSHU))
    print(
        "1,000 iterations of CG, 2^20 bytes, mean of 10 seeds; in brackets the paper's; `alone`: without the copies of"
    )
    print("ranks that have no partner in the transpose, which then run ahead of the others")
    print("  shape  TAHB            RMATT-O2F       TAC3            TAC3, barriers  TAC3, alone")
    effort = ["--sim-iterations", iterations]
    for number, (shape, ranks, paper) in SHAPES.items():
        plain = study.pattern("cg", ranks, "--bytes", 2**20)
        job = ["-m", "kyushu.json", "--shape", shape, "-w"]
        row = []
        for objective in ("hop-bytes", "rmatt", "tac3"):
            search = ["--objective", objective, "--schedule", "paper"]
            found = [study.map([*job, plain], *search, "--seed", seed)["node_of_rank"] for seed in range(1, 11)]
            copies = [*job, study.with_copies(plain)]
            row.append(statistics.mean(study.seconds(copies, nodes, "none", *effort) for nodes in found))
        row.append(statistics.mean(study.seconds(copies, nodes, "sets") for nodes in found))
        alone = statistics.mean(study.seconds([*job, plain], nodes, "none", *effort) for nodes in found)
        cells = [f"{ours:.3f} ({theirs:.3f})" for ours, theirs in zip(row, paper, strict=True)]
        print(f"  {number:5}  " + "   ".join([*cells, f"{alone:.3f}"]), flush=True)


def ring(study: Study, picture: str) -> None:
    """Every process sends to the next of a random ring and receives from the one before, HPCC's RandomRing."""
    print("random ring, 1 MiB, fattree:2x8 (64 nodes, InfiniBand QDR 8X), mean of 10 rings")
    points = []
    for ranks in (2, 4, 8, 12, 16, 24, 32, 40, 48, 56, 64):
        rates = []
        for seed in range(1, 11):
            workload = study.pattern("random-ring", ranks, "--bytes", 2**20, "--shuffle", seed)
            job = ["-m", "fattree:2x8", "-w", workload]
            report = json.loads(study.run("simulate", *job, "--sim-iterations", "all", "--json", "--quiet"))
            run = report["runs"][0]
            rates.append(run["iterations"] * 2**20 / run["seconds"] / 1e9)
        points.append((ranks, statistics.mean(rates)))
        print(
            f"  {ranks:3} nodes  {points[-1][1]:.3f} GB/s per process ({min(rates):.3f} .. {max(rates):.3f})",
            flush=True,
        )
    if not picture:
        return
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 4))
    axes = figure.subplots()
    axes.plot([p[0] for p in points], [p[1] for p in points], marker="o")
    axes.set_xlabel("nodes, one process each")
    axes.set_ylabel("bandwidth per process, GB/s")
    axes.set_title("Random ring on a fat tree of 64 nodes (InfiniBand QDR 8X)")
    axes.set_ylim(bottom=0)
    axes.grid(True, alpha=0.3)
    figure.savefig(picture, dpi=100, metadata={"Date": None}, bbox_inches="tight")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("study", choices=["barriers", "shapes", "ring"])
    parser.add_argument("haichi", help="the program")
    parser.add_argument("--iterations", type=int, default=40, help="simulated without barriers (barriers, shapes)")
    parser.add_argument("--picture", default="", help="where the curve goes (ring)")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        study = Study(arguments.haichi, Path(place))
        if arguments.study == "barriers":
            barriers(study, arguments.iterations)
        elif arguments.study == "shapes":
            shapes(study, arguments.iterations)
        else:
            ring(study, arguments.picture)


if __name__ == "__main__":
    main()
