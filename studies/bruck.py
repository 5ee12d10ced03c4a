"""Bruck's all-to-all of 4-byte blocks, replayed on tori of 1,024 to 65,536 nodes: run time, memory and simulated work.

    python3 studies/bruck.py BUILD [--largest RANKS] [--threads N]

BUILD is a build directory with cli/haichi. The script prints each row of a Markdown table as soon as it is measured.
16,384 ranks take about a minute, and 65,536 ranks about twenty.

Result (2026-11-23): 65,536 ranks cause 4.8e9 packet-hops, which take 1,175 s and 615 MB on one core
(studies/simulator/README.md).
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

# Numbers of ranks, each with a torus of the same number of nodes.
SIZES = {1024: "torus:16x8x8", 4096: "torus:16x16x16", 16384: "torus:32x32x16", 65536: "torus:64x32x32"}
COLUMNS = ("ranks", "machine", "simulated", "packets", "packet-hops", "CPU time", "elapsed", "hops per CPU s", "memory")


@dataclass(frozen=True)
class Measured:
    """One run of `haichi simulate`. The memory is the maximum resident set size."""

    simulated_us: float
    packets: int
    hops: int
    cpu_s: float
    elapsed_s: float
    memory_mb: float


def measure(program: Path, ranks: int, threads: int) -> Measured:
    with tempfile.TemporaryDirectory() as folder:
        workload = Path(folder) / "bruck.json"
        pattern = ["pattern", "alltoall-bruck", "--ranks", str(ranks), "--bytes", "4", "-o", str(workload)]
        subprocess.run([program, *pattern], check=True, stderr=subprocess.DEVNULL)
        command = [program, "simulate", "-m", SIZES[ranks], "-w", workload, "--threads", str(threads), "--json"]
        start_s = time.perf_counter()
        with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            text = process.stdout.read()
            # wait4() gives the maximum resident set size of this child alone, unlike getrusage().
            _, status, usage = os.wait4(process.pid, 0)
            elapsed_s = time.perf_counter() - start_s
            process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            sys.exit(f"bruck.py: haichi simulate of {ranks} ranks ends with {process.returncode}")
    run = json.loads(text)["runs"][0]
    return Measured(
        simulated_us=run["seconds"] * 1e6,
        packets=run["packets"],
        hops=run["packet_hops"],
        cpu_s=usage.ru_utime + usage.ru_stime,
        elapsed_s=elapsed_s,
        memory_mb=usage.ru_maxrss / 1024,
    )


def row(ranks: int, measured: Measured) -> str:
    cells = (
        f"{ranks:,}",
        SIZES[ranks],
        f"{measured.simulated_us:,.2f} us",
        f"{measured.packets:,}",
        f"{measured.hops:,}",
        f"{measured.cpu_s:,.2f} s",
        f"{measured.elapsed_s:,.2f} s",
        f"{measured.hops / measured.cpu_s / 1e6:.1f}e6",
        f"{measured.memory_mb:,.0f} MB",
    )
    return "| " + " | ".join(cells) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("--largest", type=int, choices=SIZES, default=16384, help="default: 16384")
    parser.add_argument("--threads", type=int, default=1, help="of a simulation; default: 1")
    arguments = parser.parse_args()
    print("| " + " | ".join(COLUMNS) + " |\n|" + "---|" * len(COLUMNS), flush=True)
    for ranks in SIZES:
        if ranks > arguments.largest:
            break
        print(row(ranks, measure(arguments.build / "cli" / "haichi", ranks, arguments.threads)), flush=True)


if __name__ == "__main__":
    main()
