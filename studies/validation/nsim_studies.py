"""Repeats the NSIM study: its fat tree, its live all-to-alls, and a fat tree with half of the uplinks."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from concurrent.futures import Executor
from pathlib import Path

from cg_studies import Effort, Measured, cg, of_samples

import haichi
from haichi.base.program import find_program

REPOSITORY = Path(__file__).parents[2]
FAT_TREE = "nsim-fattree:2x8"
HALF_TREE = str(Path(__file__).with_name("half-bisection-tree.json"))
LARGEST_SHORT_RUN = 4096
"""Maximum number of ranks in runs without --long."""

LIVE = {(1024, 4): "torus:16x8x8", (4096, 1024): "torus:16x16x16", (65536, 4): "torus:64x32x32"}
"""NSIM's live all-to-alls (ranks, bytes of a block) and their tori. Only the first takes less than ten minutes."""

# The peak memory of a child includes the memory of its parent at the start, so this parent is small.
SMALL_PARENT = """
import json, os, subprocess, sys
process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
_, status, usage = os.wait4(process.pid, 0)
print(json.dumps([usage.ru_utime + usage.ru_stime, usage.ru_maxrss]))
sys.exit(os.waitstatus_to_exitcode(status))
"""


def _compiled(source: str, folder: Path) -> Path | None:
    """Compiles a source file of this repository for MPICH. Returns None without MPICH's compiler."""
    if shutil.which("mpicc.mpich") is None:
        return None
    program = folder / Path(source).stem
    compiler = ["mpicc.mpich", "-O2", "-w", f"-I{REPOSITORY}", str(REPOSITORY / source), "-o", str(program)]
    subprocess.run(compiler, check=True)
    return program


def fat_tree(folder: Path) -> dict[str, Measured]:
    """Measures the study's fat tree: the latency over two levels, and random rings over all nodes."""
    message = haichi.Workload.from_messages([0], [1], 0, ranks=2)
    run = haichi.Job(message, FAT_TREE).simulate([0, 63]).run
    # The time of the sender's call counts, but the receiver has made its call before the packet arrives.
    call_s = float(run.call_seconds[0]) / 2
    call = f"haichi.Job(an empty message, {FAT_TREE!r}).simulate([0, 63]).run: seconds without the send"
    found = {"nsim-fattree.latency": Measured((run.seconds - call_s) * 1e9, call)}
    if (program := _compiled("examples/programs/random_ring.c", folder)) is not None:
        output = haichi.simulate_program([program, str(2**20), "4"], FAT_TREE, ranks=64).output
        time = re.search(r"time ([0-9.]+) us", output or "")
        assert time is not None
        call = f"haichi run -m {FAT_TREE} -n 64 -- random_ring 1048576 4: its time"
        found["nsim-fattree.ring64"] = Measured(float(time[1]) / 1e3, call)
    return found


def live_all_to_all(folder: Path, effort: Effort) -> dict[str, Measured]:
    """Runs Bruck's all-to-all as a live program. haichi does not move the data, as in NSIM."""
    found: dict[str, Measured] = {}
    sizes = [
        size
        for size in LIVE
        if size[0] <= effort.largest_bruck and (size[1] == 4 or effort.largest_bruck > LARGEST_SHORT_RUN)
    ]
    program = _compiled("tests/mgen/live/programs/bruck.c", folder) if sizes else None
    for ranks, block in sizes if program is not None else ():
        report = folder / "report.json"
        options = ["-m", LIVE[ranks, block], "-n", str(ranks), "--payload", "none", "--threads", "1"]
        command = [str(find_program()), "run", *options, "--json", "-o", str(report), "--", str(program), str(block)]
        measured = [sys.executable, "-c", SMALL_PARENT, *command, "untouched"]
        seconds, memory_kb = json.loads(subprocess.run(measured, check=True, capture_output=True, text=True).stdout)
        run = json.loads(report.read_text())["runs"][0]
        name, call = f"live{ranks}.{block}", f"haichi run {' '.join(options)} -- bruck {block} untouched: "
        found[f"{name}.seconds"] = Measured(seconds, call + "CPU time")
        found[f"{name}.memory"] = Measured(memory_kb * 1024 / 1e6, call + "peak memory")
        found[f"{name}.rate"] = Measured(run["packet_hops"] / seconds, call + "packet-hops / CPU time")
    return found


def _gain(seed: int) -> float:
    job = haichi.Job(cg(128), HALF_TREE)
    placement = job.optimize("tac3", seed=seed, evaluations=100_000, restarts=1, threads=1)
    default, found = (job.simulate(at, sim_iterations=4).run.seconds for at in (job.place(), placement))
    return 100 * (1 - found / default)


def half_bisection(pool: Executor, effort: Effort) -> dict[str, Measured]:
    """Computes the gain in % of TAC3 over the default placement, for CG on 128 nodes of a fat tree with half of the
    uplinks."""
    if not effort.large_searches:
        return {}
    seeds = range(1, effort.seeds + 1)
    call = "haichi.Job(cg of 128 ranks, half-bisection-tree.json): simulated time of tac3 under the default placement's"
    return {"half-bisection.cg128": of_samples(pool.map(_gain, seeds), call)}
