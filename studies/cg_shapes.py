"""Maps CG on the six shapes of the TAC3 study by short tac3 searches, with hop-bytes as the tie-breaker.

    python3 studies/cg_shapes.py build/release/cli/haichi DIRECTORY [--seeds 10] [--time 2s] [--long 60s]

The script searches each shape once per seed on one thread, and runs three long searches. A row contains the maximum
contention over all seeds, the hops per byte (median, best, worst), and the minimum of the long searches. It also counts
the seeds whose contention is within 3 % of this minimum. Time limits make the values depend on the machine and its
load.

Date: 2026-11-23. The values served to judge changes to the search and are not published. validation/README.md has
simulations of CG on the six shapes.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
from pathlib import Path

SHAPES = {
    "1x2x4x2x3x2": 64,
    "2x2x2x2x3x2": 64,
    "4x2x1x2x3x2": 64,
    "1x1x4x2x3x2": 32,
    "1x2x2x2x3x2": 32,
    "4x1x1x2x3x2": 32,
}
LONG_SEEDS = 3
WITHIN = 1.03


def search(program: str, shape: str, workload: Path, time: str, seed: int) -> tuple[float, float]:
    """Returns the contention and the hops per byte."""
    job = ["map", "-m", "fx10-kyushu", "--shape", shape, "-w", workload, "--objective", "tac3"]
    command = [program, *map(str, job), "--time", time, "--threads", "1", "--seed", str(seed), "--json"]
    metrics = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["metrics"]
    return metrics["largest_contention"], metrics["hops_per_byte"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--time", default="2s")
    parser.add_argument("--long", default="60s")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    print("shape        ranks contention  median    best   worst   least  within 3 %")
    for shape, ranks in SHAPES.items():
        workload = arguments.folder / f"cg{ranks}.json"
        if not workload.exists():
            subprocess.run([arguments.program, "pattern", "cg", "--ranks", str(ranks), "-o", workload], check=True)
        runs = [search(arguments.program, shape, workload, arguments.time, seed + 1) for seed in range(arguments.seeds)]
        long = [search(arguments.program, shape, workload, arguments.long, seed + 101) for seed in range(LONG_SEEDS)]
        hops = [hops for _, hops in runs]
        least = min(hops for _, hops in [*long, *runs])
        within = sum(one <= WITHIN * least for one in hops)
        row = f"{statistics.median(hops):8.4f}{min(hops):8.4f}{max(hops):8.4f}{least:8.4f}  {within} of {len(hops)}"
        print(f"{shape:12} {ranks:5} {max(c for c, _ in runs):10g}{row}", flush=True)


if __name__ == "__main__":
    main()
