"""What the profiler costs: nanoseconds added to an MPI call, and memory and files for short and long runs.

    python3 tests/bench/profiler_overhead.py BUILD [--mpi openmpi mpich] [--repetitions 5] [--json FILE]

BUILD is a build directory with commlog/profiler/libhaichi-prof-*.so. A process sends 8 bytes to itself in a loop of
MPI_Isend, MPI_Irecv and MPI_Waitall. It runs bare, with the profile, and with profile and call log, the latter two also
without call sites. The runs alternate, so that a change of the machine's speed affects all of them. The script prints
medians and minima, and then the peak memory and the files of 1e5, 1e6 and 1e7 calls.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE = r"""
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Not getrusage: its largest memory begins with that of the process this one was forked from. */
static long largest_memory(void) {
    char line[256];
    long kib = 0;
    FILE* status = fopen("/proc/self/status", "r");
    while (status && fgets(line, sizeof(line), status)) {
        if (strncmp(line, "VmHWM:", 6) == 0) kib = atol(line + 6);
    }
    if (status) fclose(status);
    return kib;
}

static double run(long rounds) {
    char out[8] = {0}, in[8];
    MPI_Request requests[2];
    const double begin = MPI_Wtime();
    for (long i = 0; i < rounds; ++i) {
        MPI_Irecv(in, 8, MPI_BYTE, 0, 0, MPI_COMM_SELF, &requests[0]);
        MPI_Isend(out, 8, MPI_BYTE, 0, 0, MPI_COMM_SELF, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    return MPI_Wtime() - begin;
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    const long rounds = atol(argv[1]) / 3;
    run(rounds / 10);
    double best = 1e9;
    for (int i = 0; i < 3; ++i) {
        const double seconds = run(rounds / 3);
        if (seconds < best) best = seconds;
    }
    printf("%.3f %ld\n", best * 1e9 / (double)(rounds / 3 * 3), largest_memory());
    MPI_Finalize();
    return 0;
}
"""

WAYS = {
    "bare": None,
    "profile without call sites": "log=off,call_sites=off",
    "profile": "log=off",
    "profile and log without call sites": "call_sites=off",
    "profile and log": "log=on",
}
TARGETS = {way: 60.0 if "log" in way else 35.0 for way in WAYS if way != "bare"}


def run(program: Path, library: Path, way: str, calls: int, folder: Path) -> tuple[float, int, int]:
    """Returns nanoseconds per call, peak memory in KiB, and bytes of the remaining files."""
    folder.mkdir()
    environment = dict(os.environ)
    if WAYS[way] is not None:
        environment |= {"LD_PRELOAD": str(library), "HAICHI_PROF": f"file=run,keep_parts=on,{WAYS[way]}"}
    # MPI allows one process without mpiexec, so nothing else runs beside it.
    done = subprocess.run(
        [program, str(calls)], env=environment, cwd=folder, capture_output=True, text=True, timeout=400, check=True
    )
    ns, memory = done.stdout.split()
    size = sum(path.stat().st_size for path in folder.iterdir())
    shutil.rmtree(folder)
    return float(ns), int(memory), size


def measure(mpi: str, build: Path, repetitions: int, work: Path) -> dict[str, object]:
    program = work / f"loop-{mpi}"
    source = work / "loop.c"
    source.write_text(SOURCE)
    subprocess.run([f"mpicc.{mpi}", "-w", "-O2", source, "-o", program], check=True)
    library = (build / f"commlog/profiler/libhaichi-prof-{mpi}.so").resolve()
    times: dict[str, list[float]] = {way: [] for way in WAYS}
    for _ in range(repetitions):
        for way in WAYS:
            times[way].append(run(program, library, way, 3_000_000, work / "run")[0])
    medians = {way: statistics.median(values) for way, values in times.items()}
    print(f"{mpi}: bare {medians['bare']:.1f} ns per call")
    for way, target in TARGETS.items():
        added = medians[way] - medians["bare"]
        least = min(times[way]) - min(times["bare"])
        print(
            f"  {way}: {added:+.1f} ns per call (target {target:.0f}), least {least:+.1f}, of {repetitions} runs "
            + spread(times[way])
        )
    lengths = {}
    for way in ("profile", "profile and log"):
        for calls in (100_000, 1_000_000, 10_000_000):
            _, memory, size = run(program, library, way, calls, work / "run")
            bare = run(program, library, "bare", calls, work / "run")[1]
            lengths[f"{way}, {calls:.0e} calls"] = {"kib": memory, "bare_kib": bare, "bytes": size}
            print(f"  {way}, {calls:.0e} calls: {memory} KiB, bare {bare} KiB; files {size} bytes")
    return {"median_ns": medians, "ns": times, "lengths": lengths}


def spread(values: list[float]) -> str:
    return f"{min(values):.1f} to {max(values):.1f}"


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("build", type=Path)
    arguments.add_argument("--mpi", nargs="+", default=["openmpi", "mpich"])
    arguments.add_argument("--repetitions", type=int, default=5)
    arguments.add_argument("--json", type=Path, help="write what was measured there")
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as work:
        results = {mpi: measure(mpi, given.build, given.repetitions, Path(work)) for mpi in given.mpi}
    if given.json:
        given.json.write_text(json.dumps(results, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
