"""Compares two builds of haichi on this machine, now: speed with haichi_bench, quality with quality.py.

    python3 tests/bench/compare_builds.py BASE_BUILD CHANGE_BUILD [--filter REGEX] [--repetitions N] [--skip-quality]

The two programs alternate, and the order changes from pair to pair (AB BA AB ...), so that a slowdown of the machine
affects both equally. Each pair gives one ratio change / base; the table shows the median ratio, its 95% interval
(bootstrap over the pairs) and the median absolute deviation. A difference counts only if it exceeds the noise: the
interval is on one side of 1, the median differs from 1 by more than --threshold, and a second measurement confirms it.
Exits with 1 if anything is slower or worse.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import re
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from quality import Case, Run, run_case, select_cases, write_workload

# Per benchmark (or case), one number per repetition; lower is better in all of them.
Samples = dict[str, list[float]]


@dataclass(frozen=True)
class Ratio:
    """Statistics of the ratio change / base over the pairs. Below 1, the change is better."""

    median: float
    low: float
    high: float
    deviation: float

    def verdict(self, threshold: float) -> int:
        """Returns -1 for better, 1 for worse, and 0 for a difference within the noise."""
        if self.low > 1 and self.median > 1 + threshold:
            return 1
        return -1 if self.high < 1 and self.median < 1 / (1 + threshold) else 0

    def text(self) -> str:
        return f"{self.median:7.3f}  [{self.low:6.3f}, {self.high:6.3f}]  MAD {self.deviation:5.3f}"


def ratio_of(base: list[float], change: list[float]) -> Ratio:
    """The bootstrap uses a fixed seed, so equal samples give equal intervals."""
    resamples, share_outside = 2000, 0.025
    draw = random.Random(1)
    # Two zeros give the ratio 1. A single zero gives an extreme ratio.
    floor = 1e-300
    logs = [math.log(max(b, floor) / max(a, floor)) for a, b in zip(base, change, strict=True)]
    medians = sorted(statistics.median(draw.choices(logs, k=len(logs))) for _ in range(resamples))
    outside = int(resamples * share_outside)
    middle = statistics.median(logs)
    deviation = statistics.median(abs(value - middle) for value in logs)
    most = 700.0  # exp() of a larger value overflows
    median, low, high = (math.exp(min(value, most)) for value in (middle, medians[outside], medians[-1 - outside]))
    return Ratio(median, low, high, math.expm1(min(deviation, most)))


def alternating(repetitions: int) -> Iterator[tuple[int, int]]:
    """Yields the sides 0 (base) and 1 (change) of each pair in the order of their runs."""
    for repetition in range(repetitions):
        yield (0, 1) if repetition % 2 == 0 else (1, 0)


def run_benchmarks(program: Path, pattern: str, min_seconds: float, samples: Samples) -> None:
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        command = [
            str(program),
            f"--benchmark_filter={pattern}",
            f"--benchmark_min_time={min_seconds}",
            f"--benchmark_out={out.name}",
            "--benchmark_out_format=json",
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"error: {' '.join(command)}\n{done.stderr}")
        # The output is empty if no benchmark matches the filter.
        text = Path(out.name).read_text(encoding="utf-8")
    for result in json.loads(text)["benchmarks"] if text else []:
        if result.get("error_occurred"):
            sys.exit(f"error: {program}: {result['name']}: {result['error_message']}")
        samples.setdefault(result["name"], []).append(result["cpu_time"])


def exactly(names: list[str]) -> str:
    """Returns a POSIX extended regular expression for Google Benchmark. re.escape() would escape too many
    characters."""
    return "^(" + "|".join(re.sub(r"([][.(){}*+?^$|\\])", r"\\\1", name) for name in names) + ")$"


def measure_speed(programs: list[Path], pattern: str, options: argparse.Namespace) -> dict[str, Ratio]:
    samples: list[Samples] = [{}, {}]
    for number, pair in enumerate(alternating(options.repetitions), start=1):
        print(f"\rpair {number} of {options.repetitions}", end="", file=sys.stderr, flush=True)
        for side in pair:
            run_benchmarks(programs[side], pattern, options.min_seconds, samples[side])
    print(file=sys.stderr)
    only = samples[0].keys() ^ samples[1].keys()
    if only:
        print("only in one build: " + ", ".join(sorted(only)))
    return {name: ratio_of(base, samples[1][name]) for name, base in samples[0].items() if name in samples[1]}


def compare_speed(programs: list[Path], options: argparse.Namespace) -> bool:
    """Returns whether any benchmark is slower."""
    first = measure_speed(programs, options.filter, options)
    if not first:
        sys.exit(f"error: no benchmark that both builds have fits {options.filter!r}")
    suspects = [name for name, ratio in first.items() if ratio.verdict(options.threshold) != 0]
    again: dict[str, Ratio] = {}
    if suspects:
        print(f"{len(suspects)} of {len(first)} differ: measuring those again", file=sys.stderr)
        again = measure_speed(programs, exactly(suspects), options)
        missing = [name for name in suspects if name not in again]
        if missing:
            raise RuntimeError(f"the second round did not measure {missing}")
    print(f"CPU time, change / base; {options.repetitions} pairs")
    words = {-1: "faster", 0: "", 1: "SLOWER"}
    slower = False
    for name, ratio in first.items():
        verdict = ratio.verdict(options.threshold)
        if verdict != 0 and again[name].verdict(options.threshold) != verdict:
            print(f"{name:44}{ratio.text()}  not confirmed")
            continue
        confirmed = f", again {again[name].median:.3f}" if verdict != 0 else ""
        print(f"{name:44}{ratio.text()}  {words[verdict]}{confirmed}".rstrip())
        slower = slower or verdict > 0
    return slower


def quality_runs(programs: list[Path], case: Case, seeds: int | None, folders: list[Path]) -> list[list[Run]]:
    """The programs alternate, and a pair has one seed. Each program reads the workload that it wrote itself."""
    workloads = [write_workload(program, case, folder) for program, folder in zip(programs, folders, strict=True)]
    runs: list[list[Run]] = [[], []]
    for seed, pair in enumerate(alternating(seeds or case.seeds), start=1):
        for side in pair:
            runs[side].append(run_case(programs[side], case, workloads[side], seed))
    return runs


def compare_quality(programs: list[Path], options: argparse.Namespace) -> bool:
    """Returns whether any case is worse. Values do not depend on the machine, so only the seeds cause noise, and a
    second round is not needed. CPU seconds are shown, but the benchmarks judge them."""
    print("quality, change / base; value: over the seeds, CPU: of the whole program")
    words = {-1: "better", 0: "", 1: "WORSE"}
    worse = False
    with tempfile.TemporaryDirectory() as base_folder, tempfile.TemporaryDirectory() as change_folder:
        for case in select_cases(options.cases):
            base, change = quality_runs(programs, case, options.seeds, [Path(base_folder), Path(change_folder)])
            values = [run.value for run in base], [run.value for run in change]
            value = ratio_of(*values)
            cpu = ratio_of([run.cpu_seconds for run in base], [run.cpu_seconds for run in change])
            verdict = value.verdict(options.threshold)
            best = min(min(values[0]), min(values[1]))
            reached = f"best by {values[0].count(best)} -> {values[1].count(best)} of {len(values[0])} seeds"
            same = "  same values" if values[0] == values[1] else ""
            print(f"{case.name:36}{value.text()}  {reached}; CPU {cpu.median:.3f}{same}  {words[verdict]}".rstrip())
            worse = worse or verdict > 0
    return worse


def program_of(build: Path, inside: str) -> Path:
    program = (build / inside).resolve()
    if not program.is_file():
        sys.exit(f"error: {program} does not exist: build the preset release")
    return program


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("base", type=Path, metavar="BASE_BUILD")
    parser.add_argument("change", type=Path, metavar="CHANGE_BUILD")
    parser.add_argument("--filter", default=".", metavar="REGEX", help="of the benchmarks; default: all")
    parser.add_argument("--repetitions", type=int, default=7, metavar="N", help="pairs of runs; default: 7")
    parser.add_argument("--min-seconds", type=float, default=0.1, metavar="S", help="per benchmark and run")
    parser.add_argument("--threshold", type=float, default=0.03, metavar="X", help="smaller differences do not count")
    parser.add_argument("--cases", default="", metavar="TEXT", help="quality: only those with TEXT in their names")
    parser.add_argument("--seeds", type=int, metavar="N", help="quality: 1..N instead of each case's own number")
    parser.add_argument("--skip-speed", action="store_true")
    parser.add_argument("--skip-quality", action="store_true")
    options = parser.parse_args()
    if options.repetitions < 5:
        parser.error("fewer than 5 pairs say nothing about the noise")

    builds = [options.base, options.change]
    failed = False
    if not options.skip_speed:
        failed = compare_speed([program_of(build, "tests/bench/haichi_bench") for build in builds], options)
    if not options.skip_quality:
        failed = compare_quality([program_of(build, "cli/haichi") for build in builds], options) or failed
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
