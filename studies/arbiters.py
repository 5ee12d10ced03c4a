"""Compares the run times of random rings and all-to-alls under the arbiters of router outputs.

    python3 studies/arbiters.py [--seeds N]

The package haichi must be installed. The script prints a Markdown table. Each row is a communication pattern on
one machine. Each column is a value of `router.arbiter`, the rule by which an output chooses among waiting packets.

Result (2026-11-27): the arbiter changes run times by -9 to +18 % (studies/simulator/README.md).
"""

from __future__ import annotations

import argparse
import json
import statistics
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import haichi

MACHINES = Path(__file__).parents[1] / "machines"
ARBITERS = ("round-robin", "oldest-first", "fixed-priority")


def machine(preset: str, topology: dict[str, Any] | None, arbiter: str) -> haichi.Machine:
    """The machine of a preset, with this arbiter and optionally another topology."""
    file = json.loads((MACHINES / f"{preset}.json").read_text())
    file["router"]["arbiter"] = arbiter
    file["topology"] = topology or file["topology"]
    if topology is not None:
        del file["routing"]
    return haichi.Machine.from_dict(file)


def torus(*sizes: int) -> dict[str, Any]:
    axes = [{"name": "XYZ"[k], "size": size, "wraps": True} for k, size in enumerate(sizes)]
    return {"kind": "torus", "axes": axes}


def traffics(seeds: int) -> Iterator[tuple[str, str, dict[str, Any] | None, list[haichi.Workload]]]:
    """Yields description, preset, topology (None: the topology of the preset) and workloads."""
    rings = [haichi.Workload.from_pattern("random-ring", ranks=64, shuffle=s) for s in range(1, seeds + 1)]
    yield "random ring, 1 MiB, 64 ranks on nsim-fattree", "nsim-fattree", None, rings
    yield "random ring, 1 MiB, 64 ranks on torus:4x4x4", "torus", torus(4, 4, 4), rings
    for name, kind, size in (("pairwise", "4 KiB", 4096), ("Bruck's", "1 KiB", 1024)):
        pattern = "alltoall-pairwise" if name == "pairwise" else "alltoall-bruck"
        workload = haichi.Workload.from_pattern(pattern, ranks=256, bytes=size, iterations=1)
        yield f"{name} all-to-all, {kind}, 256 ranks on torus:8x8x4", "torus", torus(8, 8, 4), [workload]


def seconds(workload: haichi.Workload, on: haichi.Machine) -> float:
    return float(haichi.Job(workload, on).simulate(sim_iterations="all").run.seconds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=10, help="number of random rings; default: 10")
    arguments = parser.parse_args()
    print("| traffic | " + " | ".join(ARBITERS) + " |\n|" + "---|" * (1 + len(ARBITERS)))
    for name, preset, topology, workloads in traffics(arguments.seeds):
        machines = [machine(preset, topology, arbiter) for arbiter in ARBITERS]
        times = [statistics.fmean(seconds(workload, on) for workload in workloads) for on in machines]
        cells = [f"{time * 1e6:,.1f} us ({100 * (time / times[0] - 1):+.1f} %)" for time in times]
        print("| " + " | ".join((name, *cells)) + " |", flush=True)


if __name__ == "__main__":
    main()
