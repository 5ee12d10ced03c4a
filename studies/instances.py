"""Measures hops per byte, CPU time and memory of mapping large and regular jobs, for fixed seeds.

    python3 studies/instances.py build/release/cli/haichi GENERATOR DIRECTORY [--seeds 5] [--only TEXT] [--time 10s]

GENERATOR is a Python program that writes the edge lists in JOBS, such as stencil3d_16.txt, into the directory in its
argument. This script makes the patterns of `haichi pattern`. Edge lists and patterns are kept in DIRECTORY. The script
searches each job once per seed on one thread. A row contains the median, best and worst hops per byte, the median CPU
seconds and evaluations, and the maximum memory. With a time limit, values depend on the machine and its load: state
both.

Result (2026-11-23): if the search places groups of ranks first, placements are 1 to 2 % better at equal time. These
jobs are random geometric graphs of 16,384 ranks. search/README.md has other jobs.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path


@dataclasses.dataclass(frozen=True)
class Job:
    """A machine and a workload. The workload is a file of the generator, or arguments of `haichi pattern`."""

    machine: str
    workload: str
    time: str = "10s"

    def options(self, folder: Path) -> list[str]:
        options = ["-m", *self.machine.split()]
        if self.workload.endswith(".txt"):
            return [*options, "-w", str(folder / self.workload), "--workload-format", "edge-list"]
        return [*options, "-w", str(folder / pattern_file(self.workload))]


def pattern_file(pattern: str) -> str:
    return pattern.replace(" ", "_").replace("--", "") + ".json"


JOBS = {
    "stencil 16^3 on 16^3, 1 s": Job("torus:16x16x16", "stencil3d_16.txt", "1s"),
    "stencil 16^3 on 16^3": Job("torus:16x16x16", "stencil3d_16.txt"),
    "stencil 64x64 on 16^3": Job("torus:16x16x16", "stencil2d_64.txt"),
    "FFT 32x32 on 16x8x8": Job("torus:16x8x8", "fft_32x32.txt"),
    "random geometric on 16^3": Job("torus:16x16x16", "rgg_4096.txt"),
    "stencil 16^3, 4 per node": Job("torus:16x8x8 --ppn 4", "stencil3d_16.txt"),
    "stencil 48x48x36": Job("torus:48x48x36", "stencil3d_48x48x36.txt", "60s"),
    "Fugaku, 158,976 ranks": Job("fugaku", "stencil3d --dims 48x69x48 --periodic --shuffle 3", "60s"),
    # The shapes of these jobs do not match those of their machines.
    "open 96x40 on 16^3": Job("torus:16x16x16", "stencil2d --dims 96x40 --shuffle 3"),
    "open 20x15x13 on 16^3": Job("torus:16x16x16", "stencil3d --dims 20x15x13 --shuffle 3"),
    "open 64x32 on mesh 16^3": Job("mesh:16x16x16", "stencil2d --dims 64x32 --shuffle 3"),
    "ring 16^3 on mesh 16^3": Job("mesh:16x16x16", "stencil3d --dims 16x16x16 --periodic --shuffle 3"),
    "stencil 32x24x16, 12 per node": Job("torus:16x8x8 --ppn 12", "stencil3d --dims 32x24x16 --periodic --shuffle 3"),
    "9 points 64x48 on 16^3": Job("torus:16x16x16", "stencil2d --dims 64x48 --points 9 --shuffle 3"),
    "FFT 24x32 on 16x8x8, shuffled": Job("torus:16x8x8", "fft --dims 24x32 --shuffle 3"),
    "geometric 16,384 on 32x32x16": Job("torus:32x32x16", "random-geometric --ranks 16384 --shuffle 3"),
    "geometric 16,384, 4 per node": Job("torus:16x16x16 --ppn 4", "random-geometric --ranks 16384 --shuffle 3"),
    "geometric 16,384, 48 per node": Job(
        "fugaku --shape 3x2x5x2x3x2 --ppn 48", "random-geometric --ranks 16384 --shuffle 3"
    ),
    "K, 8x8x16x2x3x2": Job("k --shape 8x8x16x2x3x2", "stencil3d --dims 32x24x16 --periodic --shuffle 3"),
}


def write_inputs(program: Path, generator: Path, folder: Path, jobs: dict[str, Job]) -> None:
    if any(job.workload.endswith(".txt") and not (folder / job.workload).exists() for job in jobs.values()):
        subprocess.run([sys.executable, str(generator), str(folder)], check=True, stdout=subprocess.DEVNULL)
    for job in jobs.values():
        file = folder / pattern_file(job.workload)
        if job.workload.endswith(".txt") or file.exists():
            continue
        subprocess.run([str(program), "pattern", *job.workload.split(), "-o", str(file)], check=True)


@dataclasses.dataclass(frozen=True)
class Run:
    hops_per_byte: float
    cpu_seconds: float
    evaluations: int
    peak_mb: float


def run(program: Path, job: Job, folder: Path, seed: int, arguments: argparse.Namespace) -> Run:
    command = [str(program), "map", *job.options(folder), "--objective", "hop-bytes", "--threads", "1"]
    command += ["--seed", str(seed), "--time", arguments.time or job.time, "--json", *arguments.options.split()]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        report = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            assert process.stderr is not None
            sys.exit(f"error: {' '.join(command)}\n{process.stderr.read()}")
    result = json.loads(report)
    return Run(
        hops_per_byte=result["metrics"]["hops_per_byte"],
        cpu_seconds=usage.ru_utime + usage.ru_stime,
        evaluations=result.get("evaluations", 0),
        peak_mb=usage.ru_maxrss / 1024,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("program", type=Path)
    parser.add_argument("generator", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--time", default="", help="instead of each job's own")
    parser.add_argument("--only", default="", help="jobs with one of these texts, separated by commas, in their name")
    parser.add_argument("--options", default="", help="more options of haichi map, in one text")
    arguments = parser.parse_args()

    chosen = {name: job for name, job in JOBS.items() if any(text in name for text in arguments.only.split(","))}
    arguments.folder.mkdir(parents=True, exist_ok=True)
    write_inputs(arguments.program, arguments.generator, arguments.folder, chosen)
    print(f"{'job':32} {'median':>7} {'best':>7} {'worst':>7} {'CPU s':>6} {'evaluations':>12} {'MB':>5}")
    for name, job in chosen.items():
        runs = [
            run(arguments.program, job, arguments.folder, seed, arguments) for seed in range(1, arguments.seeds + 1)
        ]
        values = [each.hops_per_byte for each in runs]
        print(
            f"{name:32} {statistics.median(values):7.4f} {min(values):7.4f} {max(values):7.4f}"
            f" {statistics.median(each.cpu_seconds for each in runs):6.1f}"
            f" {statistics.median(each.evaluations for each in runs):12.4g} {max(each.peak_mb for each in runs):5.0f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
