"""Simulates the NAS programs on the study's machines: two clusters relative to one, for delays and bridges.

Score = time on 16 nodes of one cluster / time on 32 nodes of two. Rank r is on node r, so the first half of the ranks
is in the first cluster. BT and SP require a square number of ranks, so they run on 36 nodes, and the score is scaled
by 32 / 36. Computation times are those of computing.json, multiplied by its factor. All iterations of a program are
alike, so only a few are simulated. The last simulated ones give the time of one iteration.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from study_machines import one_cluster, two_clusters, two_switches, write
from tables import Table

import haichi

COMPUTING = Path(__file__).with_name("computing.json")
NPB_CLASS = "B"
ONE_CLUSTER = 16
SLOWER = (0.5, 1.0, 2.0)
LINKS = (1, 2, 4)
"""Links between the two switches of the reference line."""


@dataclass(frozen=True)
class Program:
    all: int
    """Number of iterations of class B."""
    few: tuple[int, int] | None
    """Two numbers of simulated iterations, the lower first; None simulates all."""
    ranks: int = 32


PROGRAMS = {
    "ep": Program(1, None),
    "cg": Program(75, (1, 3)),
    "mg": Program(20, (1, 3)),
    "ft": Program(20, (1, 3)),
    "is": Program(10, None),
    "lu": Program(250, (2, 4)),
    "bt": Program(200, (2, 4), 36),
    "sp": Program(400, (2, 4), 36),
}


def computing() -> dict[str, float]:
    """Seconds of all iterations of each program on one of the study's processors."""
    text = json.loads(COMPUTING.read_text())
    times = text["classes"][NPB_CLASS]
    return {name: times[name]["seconds"] * text["factor"] for name in PROGRAMS}


def misses_of_lu(ranks: int) -> float:
    """Computation time of LU with cache misses, relative to the time without them (`cache` of computing.json)."""
    text = json.loads(COMPUTING.read_text())
    lu = text["cache"]["lu"]
    missing = 1 - min(1.0, text["cache"]["bytes"] / lu["set_bytes"][str(ranks)])
    moved = missing * lu["bytes_per_point_and_iteration"] * lu["points"] * lu["iterations"]
    bus = 1e6 * text["rates"]["pentium_iii_933"]["memory_bus_mb_per_s"]
    return 1 + float(moved) / bus / computing()["lu"]


class Runs:
    """Simulates runs. Writes the logs of a program only once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.seconds_of_one = computing()

    def log(self, name: str, ranks: int, iterations: int) -> Path:
        path = self.folder / f"{name}.{NPB_CLASS}.{ranks}.{iterations}.haichi-log"
        if not path.exists():
            haichi.write_nas_log(
                path,
                f"nas-{name}",
                ranks,
                problem_class=NPB_CLASS,
                iterations=iterations,
                compute_seconds=self.seconds_of_one[name],
            )
        return path

    def seconds(self, name: str, ranks: int, machine: Mapping[str, Any], compute_factor: float = 1.0) -> float:
        """Time of the whole program. `compute_factor` multiplies the computation times."""
        program = PROGRAMS[name]
        file = str(write(machine, self.folder / "machine.json"))
        counts = program.few or (program.all,)
        times = []
        for count in counts:
            job = haichi.Job(str(self.log(name, ranks, count)), file)
            run = job.simulate(list(range(ranks)), form="calls", compute_factor=compute_factor)
            times.append(run.run.seconds)
        if program.few is None:
            return times[0]
        few, more = program.few
        return times[1] + (program.all - more) * (times[1] - times[0]) / (more - few)

    def scores(self, name: str, delays_ms: Sequence[float], k: int, compute_factor: float = 1.0) -> list[float]:
        """Scores with k gateway nodes, for each delay."""
        nodes = PROGRAMS[name].ranks // 2
        return self.scores_on(name, [two_clusters(k, delay, nodes) for delay in delays_ms], compute_factor)

    def scores_on(self, name: str, machines: Sequence[Mapping[str, Any]], compute_factor: float = 1.0) -> list[float]:
        ranks = PROGRAMS[name].ranks
        alone = 2 * ONE_CLUSTER / ranks * self.seconds(name, ONE_CLUSTER, one_cluster(), compute_factor)
        return [alone / self.seconds(name, ranks, machine, compute_factor) for machine in machines]


def nas(
    folder: Path, delays_ms: Sequence[float], bridges: Sequence[int], programs: Sequence[str] = tuple(PROGRAMS)
) -> Table:
    table = Table(
        "nas",
        f"NAS programs, class {NPB_CLASS}: performance on two clusters over that on one, by delay",
        ("program", "gateway nodes", *(f"{delay:g} ms" for delay in delays_ms)),
    )
    runs = Runs(folder)
    for name in programs:
        for k in bridges:
            table.rows.append([name.upper(), k, *runs.scores(name, delays_ms, k)])
    return table


def two_switches_scores(folder: Path, programs: Sequence[str] = tuple(PROGRAMS)) -> Table:
    """The study's reference line: no gateway nodes and no delay."""
    table = Table(
        "nas_two_switches",
        f"NAS programs, class {NPB_CLASS}: the same score on two switches joined by links, without gateway nodes",
        ("program", *(f"{links} links" if links > 1 else "1 link" for links in LINKS)),
    )
    runs = Runs(folder)
    for name in programs:
        machines = [two_switches(links, PROGRAMS[name].ranks // 2) for links in LINKS]
        table.rows.append([name.upper(), *runs.scores_on(name, machines)])
    return table


def lu_with_cache(folder: Path, delays_ms: Sequence[float], bridges: Sequence[int]) -> Table:
    table = Table(
        "nas_lu_cache",
        f"LU, class {NPB_CLASS}: an estimate of the score with cache misses, by delay",
        ("gateway nodes", *(f"{delay:g} ms" for delay in delays_ms)),
    )
    runs = Runs(folder)
    alone = runs.seconds("lu", ONE_CLUSTER, one_cluster(), misses_of_lu(ONE_CLUSTER))
    ranks = 2 * ONE_CLUSTER
    for k in bridges:
        times = [runs.seconds("lu", ranks, two_clusters(k, delay), misses_of_lu(ranks)) for delay in delays_ms]
        table.rows.append([k, *(alone / time for time in times)])
    return table


def falls_to_one(delays_ms: Sequence[float], scores: Sequence[float]) -> str:
    """Returns the delay at which the score is 1, linearly interpolated between simulated delays."""
    if scores[0] < 1:
        return "below 1 everywhere"
    points = list(zip(delays_ms, scores, strict=True))
    for (low, above), (high, below) in itertools.pairwise(points):
        if below < 1:
            return f"{low + (high - low) * (above - 1) / (above - below):.1f}"
    return f"above {delays_ms[-1]:g}"


def processors(
    folder: Path, delays_ms: Sequence[float], bridges: int, programs: Sequence[str] = tuple(PROGRAMS)
) -> Table:
    """Makes the table of scores for other assumed speeds of the study's processors."""
    table = Table(
        "nas_processors",
        f"Delay in ms at which the score falls to 1, {bridges} gateway nodes, by slowness of processors as assumed",
        ("program", *(f"{factor:g} times" for factor in SLOWER)),
    )
    runs = Runs(folder)
    for name in programs:
        scores = [runs.scores(name, delays_ms, bridges, factor) for factor in SLOWER]
        table.rows.append([name.upper(), *(falls_to_one(delays_ms, of) for of in scores)])
    return table


def one_cluster_times(folder: Path, programs: Sequence[str] = tuple(PROGRAMS)) -> Table:
    """Makes the table of the reference times of the scores, with the fraction of time spent in computation."""
    table = Table(
        "nas_one_cluster",
        f"NAS programs, class {NPB_CLASS}, on 16 nodes of one cluster",
        (
            "program",
            "seconds",
            "computation, fraction",
            "communication alone, seconds",
            "score of 32 nodes in one cluster",
        ),
    )
    runs = Runs(folder)
    for name in programs:
        seconds = runs.seconds(name, ONE_CLUSTER, one_cluster())
        share = runs.seconds_of_one[name] / ONE_CLUSTER / seconds
        communication = runs.seconds(name, ONE_CLUSTER, one_cluster(), 0)
        ranks = PROGRAMS[name].ranks
        larger = 2 * ONE_CLUSTER / ranks * seconds / runs.seconds(name, ranks, one_cluster(ranks))
        table.rows.append([name.upper(), seconds, share, communication, larger])
    return table
