"""Compares haichi with SimGrid's SMPI: both run Bruck's all-to-all of 4 bytes as a live program.

    python3 studies/simgrid_bruck.py build/release/cli/haichi [--ranks 1024 4096] [--limit SECONDS]

Requires Debian's simgrid and libsimgrid-dev (smpicc, smpirun) and mpicc.mpich. Both simulators run the same source,
tests/mgen/live/programs/bruck.c, on a torus with the same links. SMPI models flows, haichi models packets. The script
prints the CPU seconds (user and system) and the peak resident memory of each, and their ratios.

Date: 2026-11-24. The ratios are not published. validation/README.md compares a replay of this all-to-all with
published times of SMPI.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).parents[1]
SOURCE = REPOSITORY / "tests" / "mgen" / "live" / "programs" / "bruck.c"
LATENCY_NS, BANDWIDTH = 246, "8GBps"  # values of torus; the latency covers a link and its router
KIB_PER_MIB = 1024


@dataclass(frozen=True)
class Cost:
    cpu_seconds: float
    memory_mib: float
    said: str


def cost(command: list[object], folder: Path, limit_seconds: float) -> Cost | None:
    """Runs the command and measures its cost. Returns None if the run failed or took longer than the limit."""
    with (folder / "said").open("w+") as said:
        job = subprocess.Popen(
            [*map(str, command)], stdout=said, stderr=subprocess.STDOUT, cwd=folder, start_new_session=True
        )
        timer = threading.Timer(limit_seconds, os.killpg, (job.pid, signal.SIGKILL))
        timer.start()
        _, status, used = os.wait4(job.pid, 0)
        timer.cancel()
        said.seek(0)
        text = said.read()
    if status != 0:
        print(f"# {command[0]} ended with {status}: {text.strip()[-300:]}", file=sys.stderr)
        return None
    return Cost(used.ru_utime + used.ru_stime, used.ru_maxrss / KIB_PER_MIB, text)


def torus_of(ranks: int) -> list[int]:
    """Returns three side lengths of a torus, powers of two that are as equal as possible."""
    sides = [1, 1, 1]
    while sides[0] * sides[1] * sides[2] < ranks:
        sides[sides.index(min(sides))] *= 2
    return sorted(sides, reverse=True)


def platform(ranks: int, folder: Path) -> Path:
    sides = ",".join(map(str, torus_of(ranks)))
    path = folder / f"torus{ranks}.xml"
    path.write_text(
        "<?xml version='1.0'?>\n"
        '<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n'
        '<platform version="4.1">\n'
        f'  <cluster id="torus" prefix="node-" suffix="" radical="0-{ranks - 1}" speed="1Gf" bw="{BANDWIDTH}"'
        f' lat="{LATENCY_NS}ns" topology="TORUS" topo_parameters="{sides}"/>\n'
        "</platform>\n"
    )
    (folder / f"hosts{ranks}").write_text("".join(f"node-{node}\n" for node in range(ranks)))
    return path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("haichi", type=Path)
    parser.add_argument("--ranks", type=int, nargs="+", default=[1024, 4096])
    parser.add_argument("--limit", type=float, default=1800, help="seconds for each run")
    given = parser.parse_args()
    for name in ("smpicc", "smpirun", "mpicc.mpich"):
        if shutil.which(name) is None:
            sys.exit(f"{name} is not installed")
    version = subprocess.run(["smpirun", "-version"], capture_output=True, text=True).stdout.split("\n")[0]
    print(f"# {version}")
    print("| ranks | haichi, CPU s | MiB | simulated us | SMPI, CPU s | MiB | ratio of CPU | ratio of memory |")
    print("|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for compiler, program in (("smpicc", "of_smpi"), ("mpicc.mpich", "of_mpich")):
            words = [compiler, "-O2", "-w", f"-I{REPOSITORY}", str(SOURCE), "-o", str(folder / program)]
            subprocess.run(words, check=True, cwd=folder)
        for ranks in given.ranks:
            sides = "x".join(map(str, torus_of(ranks)))
            ours = cost(
                [
                    given.haichi.absolute(),
                    "simulate",
                    "-m",
                    f"torus:{sides}",
                    "-n",
                    ranks,
                    "--",
                    folder / "of_mpich",
                    4,
                ],
                folder,
                given.limit,
            )
            theirs = cost(
                ["smpirun", "-np", ranks, "-platform", platform(ranks, folder), "-hostfile", f"hosts{ranks}",
                 "--cfg=smpi/host-speed:1Gf", "--log=root.thres:critical", folder / "of_smpi", 4],
                folder,
                given.limit,
            )  # fmt: skip
            row = [f"{ranks:,}", "-", "-", "-", "-", "-", "-", "-"]
            if ours:
                simulated = re.search(r"the program: (\S+) s", ours.said)
                row[1:4] = [f"{ours.cpu_seconds:.2f}", f"{ours.memory_mib:.0f}",
                            f"{float(simulated[1]) * 1e6:.1f}" if simulated else "-"]  # fmt: skip
            if theirs:
                row[4:6] = [f"{theirs.cpu_seconds:.2f}", f"{theirs.memory_mib:.0f}"]
            if ours and theirs:
                row[6:] = [f"{theirs.cpu_seconds / ours.cpu_seconds:.2f}", f"{theirs.memory_mib / ours.memory_mib:.2f}"]
            print("| " + " | ".join(row) + " |", flush=True)


if __name__ == "__main__":
    main()
