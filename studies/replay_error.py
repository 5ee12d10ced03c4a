"""Compares replayed times with run times, for MPI programs of two ranks on this machine.

    python3 studies/replay_error.py BUILD [--runs N] -- COMMAND [ARGUMENT ...] [-- COMMAND ...]

BUILD is a build directory with cli/haichi and the profiler for Open MPI. The script measures the cost of messages
between two processes (tests/commlog/profiler/programs/pingpong.c) and writes a machine file. It runs each command under
the profiler and replays the log. It prints a Markdown table with the time from MPI_Init to MPI_Finalize, profiled and
replayed. The difference is the median of N runs (default 5), with the range.

Result (2026-11-23): the replayed times of five programs of two ranks are 1.2 to 8.0 % too short
(studies/replay/README.md).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ENVIRONMENT = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_btl": "self,vader",
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
    "OMP_NUM_THREADS": "1",
}
PINGPONG = Path(__file__).parents[1] / "tests/commlog/profiler/programs/pingpong.c"
# Eager limit of Open MPI's btl vader.
EAGER_LIMIT = "4KiB"


def run(*command: str | Path, folder: str, environment: dict[str, str] | None = None) -> str:
    everything = {**os.environ, **ENVIRONMENT, **(environment or {})}
    done = subprocess.run(command, cwd=folder, env=everything, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: {done.stderr or done.stdout}")
    return done.stdout


def machine_file(folder: str) -> Path:
    program = Path(folder) / "pingpong"
    run("mpicc.openmpi", "-O2", "-o", program, PINGPONG, folder=folder)
    words = [run("mpiexec.openmpi", "-n", "2", program, folder=folder).split() for _ in range(5)]
    call_ns, latency_ns = (min(float(line[i]) for line in words) for i in (0, 1))
    bandwidth = max(float(line[2]) for line in words)
    print(f"call {call_ns:.0f} ns, message of 8 bytes {latency_ns:.0f} ns, {bandwidth / 1e9:.1f} GB/s\n")
    machine = {
        "schema": "haichi-machine/1",
        "name": "this machine",
        "topology": {"kind": "torus", "axes": [{"name": "X", "size": 2}]},
        "link": {"bandwidth": "1GB/s"},
        "node": {
            "shared_memory_latency": f"{max(latency_ns - call_ns, 1):.0f}ns",
            "shared_memory_bandwidth": f"{bandwidth:.0f}B/s",
            "mpi_call_overhead": f"{call_ns:.0f}ns",
            "eager_limit": EAGER_LIMIT,
        },
    }
    path = Path(folder) / "machine.json"
    path.write_text(json.dumps(machine))
    return path


def seconds(build: Path, machine: Path, command: list[str], folder: str) -> tuple[float, float, dict[str, float]]:
    """Returns the time of the run, the time of the replay, and the parts of the replayed time."""
    log = Path(folder) / "run.haichi-log"
    profiler = build / "commlog/profiler/libhaichi-prof-openmpi.so"
    log.unlink(missing_ok=True)
    preload = ["-x", f"LD_PRELOAD={profiler}", "-x", f"HAICHI_PROF=file={log.with_suffix('')}"]
    run("mpiexec.openmpi", "-n", "2", *preload, *command, folder=folder)
    shown = json.loads(run(build / "cli/haichi", "log", "show", log, "--json", folder=folder))
    ran = shown["run_seconds"]
    report = json.loads(
        run(build / "cli/haichi", "simulate", "-m", machine, "--ppn", "2", "-w", log, "--json", folder=folder)
    )["runs"][0]
    return ran, report["seconds"], report["fractions_of_run"]


def main() -> None:
    arguments = sys.argv[1:]
    runs = 5
    if len(arguments) > 2 and arguments[1] == "--runs":
        runs = int(arguments[2])
        del arguments[1:3]
    if len(arguments) < 3 or arguments[1] != "--":
        sys.exit(__doc__)
    build = Path(arguments[0]).resolve()
    commands: list[list[str]] = [[]]
    for word in arguments[2:]:
        if word == "--":
            commands.append([])
        else:
            commands[-1].append(word)
    with tempfile.TemporaryDirectory() as folder:
        machine = machine_file(folder)
        print(
            "| program | ran, ms | replayed, ms | error, median | least to most | waiting |\n|---|---|---|---|---|---|"
        )
        for command in commands:
            found = [seconds(build, machine, command, folder) for _ in range(runs)]
            found.sort(key=lambda one: one[1] / one[0])
            errors = [replayed / ran - 1 for ran, replayed, _ in found]
            ran, replayed, shares = found[len(found) // 2]
            print(
                f"| {Path(command[0]).name} | {ran * 1e3:.1f} | {replayed * 1e3:.1f} | "
                f"{replayed / ran - 1:+.1%} | {errors[0]:+.1%} to {errors[-1]:+.1%} | {shares['waiting']:.1%} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
