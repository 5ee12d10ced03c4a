"""Quality at fixed seeds: what a haichi program finds on a small fixed set of jobs, and what it spends on it.

    python3 tests/bench/quality.py build/release/cli/haichi [--json] [--cases TEXT] [--seeds N]

Per case and seed: value, bound, evaluations, CPU seconds (of one thread). Per case: the median and the best value, and
how many seeds reach the best. The values are the same on every machine, the CPU seconds are not.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Case:
    """A job and its search options. `change` modifies the workload that the program generates."""

    name: str
    pattern: str
    job: str
    seeds: int = 10
    change: Callable[[dict[str, Any]], None] | None = None


@dataclass(frozen=True)
class Run:
    case: str
    seed: int
    value: float
    bound: float | None
    evaluations: int
    cpu_seconds: float


def make_sizes_unequal(workload: dict[str, Any]) -> None:
    """Multiplies each message size by one to four, depending on the ranks, so that every set has several sizes."""
    for communication in workload["sets"]:
        for message in communication["messages"]:
            message[2] *= 1 + (7 * message[0] + 3 * message[1]) % 4


KYUSHU = "-m fx10-kyushu"
CG64, CG32 = "cg --ranks 64", "cg --ranks 32"

CASES = [
    # The six job shapes of the TAC3 paper.
    *(Case(f"cg64 tac3 {s}", CG64, f"{KYUSHU} --shape {s}") for s in ("1x2x4x2x3x2", "2x2x2x2x3x2", "4x2x1x2x3x2")),
    *(Case(f"cg32 tac3 {s}", CG32, f"{KYUSHU} --shape {s}") for s in ("1x1x4x2x3x2", "1x2x2x2x3x2", "4x1x1x2x3x2")),
    # Without idle nodes, the search is harder.
    *(Case(f"cg64 tac3 {m}", CG64, f"-m {m}", seeds=5) for m in ("mesh:4x4x4", "torus:4x4x4")),
    *(Case(f"cg32 tac3 {m}", CG32, f"-m {m}", seeds=5) for m in ("mesh:4x4x2", "torus:4x4x2")),
    Case(
        "stencil 16^3 shuffled hop-bytes",
        "stencil3d --dims 16x16x16 --shuffle 1",
        "-m torus:16x16x16 --objective hop-bytes --evaluations 2000000",
        seeds=3,
    ),
    *(
        Case(
            f"random-geometric 768 {objective}",
            "random-geometric --ranks 768",
            f"{KYUSHU} --objective {objective} --evaluations 300000 --restarts 1",
            seeds=5,
        )
        for objective in ("hop-bytes", "rmatt")
    ),
    Case(
        "cg256 tac3, 4 ranks per node",
        "cg --ranks 256",
        f"{KYUSHU} --shape 1x2x4x2x3x2 --ppn 4 --evaluations 300000 --restarts 1",
        seeds=5,
    ),
    *(
        Case(
            f"cg64 {objective}, unequal sizes",
            CG64,
            f"{KYUSHU} --shape 1x2x4x2x3x2 --objective {objective} --evaluations 200000 --restarts 1",
            seeds=5,
            change=make_sizes_unequal,
        )
        for objective in ("tac3", "tac3-bytes")
    ),
]


def write_workload(program: Path, case: Case, folder: Path) -> Path:
    path = folder / f"{CASES.index(case)}.json"
    subprocess.run([program, "pattern", *case.pattern.split(), "--quiet", "-o", path], check=True)
    if case.change is not None:
        workload = json.loads(path.read_text(encoding="utf-8"))
        case.change(workload)
        path.write_text(json.dumps(workload), encoding="utf-8")
    return path


def cpu_seconds_of_children() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def run_case(program: Path, case: Case, workload: Path, seed: int) -> Run:
    search = ["--seed", str(seed), "--threads", "1"]
    command = [str(program), "map", *case.job.split(), "-w", str(workload), *search, "--json"]
    before = cpu_seconds_of_children()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    spent = cpu_seconds_of_children() - before
    if done.returncode != 0:
        sys.exit(f"error: {' '.join(command)}\n{done.stderr}")
    report = json.loads(done.stdout)
    return Run(case.name, seed, report["value"], report.get("lower_bound"), report["evaluations"], spent)


def select_cases(text: str) -> list[Case]:
    chosen = [case for case in CASES if text in case.name]
    if not chosen:
        sys.exit(f"error: no case has {text!r} in its name; cases are " + ", ".join(case.name for case in CASES))
    return chosen


def summarise(runs: list[Run]) -> dict[str, Any]:
    """Summarises the runs of one case."""
    values = [run.value for run in runs]
    best, bound = min(values), runs[0].bound
    return {
        "case": runs[0].case,
        "seeds": len(runs),
        "bound": bound,
        "best": best,
        "median": statistics.median(values),
        "reach_best": values.count(best),
        "reach_bound": sum(value == bound for value in values),
        "median_evaluations": statistics.median(run.evaluations for run in runs),
        "median_cpu_seconds": statistics.median(run.cpu_seconds for run in runs),
    }


def table_line(summary: dict[str, Any]) -> str:
    bound = "-" if summary["bound"] is None else f"{summary['bound']:.6g}"
    reached = f"{summary['reach_best']}/{summary['seeds']}"
    return (
        f"{summary['case']:36}{bound:>13}{summary['best']:>13.6g}{summary['median']:>13.6g}{reached:>9}"
        f"{summary['median_evaluations']:>13.0f}{summary['median_cpu_seconds']:>9.3f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=Path, help="as build/release/cli/haichi")
    parser.add_argument("--json", action="store_true", help="print every run and the summaries as JSON")
    parser.add_argument("--cases", default="", metavar="TEXT", help="only those with TEXT in their names")
    parser.add_argument("--seeds", type=int, metavar="N", help="1..N instead of each case's own number")
    options = parser.parse_args()

    head = ("bound", 13), ("best", 13), ("median", 13), ("reach it", 9), ("evaluations", 13), ("CPU s", 9)
    if not options.json:
        print(f"{'case':36}" + "".join(f"{text:>{width}}" for text, width in head))
    runs: list[Run] = []
    summaries = []
    with tempfile.TemporaryDirectory() as folder:
        for case in select_cases(options.cases):
            workload = write_workload(options.program, case, Path(folder))
            seeds = range(1, (options.seeds or case.seeds) + 1)
            of_case = [run_case(options.program, case, workload, seed) for seed in seeds]
            runs += of_case
            summaries.append(summarise(of_case))
            if not options.json:
                print(table_line(summaries[-1]), flush=True)
    if options.json:
        print(json.dumps({"runs": [asdict(run) for run in runs], "summaries": summaries}, indent=1))


if __name__ == "__main__":
    main()
