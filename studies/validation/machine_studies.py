"""Repeats measurements of published machines and simulator runs, such as latencies, all-to-alls and large searches."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
import tempfile
from concurrent.futures import Executor
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from cg_studies import Effort, Measured, of_samples
from link_studies import link

import haichi

PROFILER_BENCHMARK = Path(__file__).parents[2] / "tests/bench/profiler_overhead.py"


def _message(machine: str, node: int, size_bytes: int) -> haichi.SimulatedRun:
    """Simulates one message from node 0 to another node of an idle machine."""
    workload = haichi.Workload.from_messages([0], [1], size_bytes, ranks=2)
    return haichi.Job(workload, machine).simulate([0, node]).run


def _latency(machine: str, near: int, far: int, hops: int, size_bytes: int) -> Measured:
    seconds = [_message(machine, node, size_bytes).seconds for node in (near, far)]
    call = f"haichi.Job(one message of {size_bytes} B, {machine!r}).simulate([0, node]).seconds: "
    call += f"(node {far} - node {near})"
    return Measured((seconds[1] - seconds[0]) / hops * 1e9, f"{call} / {hops} hops")


@cache
def presets() -> dict[str, Measured]:
    """Measures parameters of the presets for published machines by simulating messages."""
    found = {}
    for machine in ("k", "fx10-kyushu", "fugaku", "fx100:4x4x4", "torus:4x4x4", "fattree:2x8", "switch:4"):
        name = machine.split(":")[0]
        nodes = haichi.Machine(machine).nodes or 0
        found[f"{name}.nodes"] = Measured(nodes, f"haichi.Machine({machine!r}).nodes")
        found[f"{name}.nics"] = Measured(
            haichi.Machine(machine).nics_per_node, f"haichi.Machine({machine!r}).nics_per_node"
        )
        found[f"{name}.link"] = link(machine)
    found["fx10-kyushu.hop"] = _latency("fx10:64x1x1", 30 * 12, 40 * 12, 10, 8)
    found["torus.hop"] = _latency("torus:64", 10, 20, 10, 8)
    found["fattree.hop"] = _latency("fattree:2x8", 1, 9, 2, 2048)
    for machine, size in (("torus:64", 256), ("fattree:2x8", 2048), ("switch:4", 2048), ("fx10:4x1x1", 1920)):
        payload = 2**20 // size
        run = _message(machine, 1, size * payload)
        control = run.packets - payload
        call = (
            f"haichi.Job(one message of {size * payload} B, {machine!r}).simulate().run.packets, {control} of control"
        )
        found[f"{machine.split(':')[0]}.mtu"] = Measured(size * payload / (run.packets - control), call)
    for machine in ("fattree:2x8", "switch:4"):
        rate = 2**24 / _message(machine, 1, 2**24).seconds / 1e9
        found[f"{machine.split(':')[0]}.rate"] = Measured(
            rate, f"2**24 / haichi.Job(one message of 16 MiB, {machine!r}).simulate().seconds"
        )
    for machine in ("torus:64", "fattree:2x8", "switch:4"):
        calls = float(_message(machine, 1, 0).call_seconds[1])  # the receiver posts once and waits once
        found[f"{machine.split(':')[0]}.call"] = Measured(
            calls / 2 * 1e9, f"haichi.Job(an empty message, {machine!r}).simulate().call_seconds[1] / 2 calls"
        )
    return found


def logical_shape(folder: Path) -> dict[str, Measured]:
    """Shows how Tofu machines fold a job shape into their six axes, by the default placement."""
    found = {}
    for name, machine, shape in (("fx10-kyushu", "fx10-kyushu", (4, 2, 8)), ("y4", "fx10:1x4x1", (1, 4, 1))):
        units = shape[0] * shape[1] * shape[2]
        ring = haichi.Workload.from_pattern("ring", ranks=12 * units)
        placement = haichi.Job(ring, machine).place()
        rank_map = folder / f"{name}.map"
        placement.write(rank_map, "fujitsu")
        logical = [tuple(map(int, re.findall(r"\d+", line))) for line in rank_map.read_text().splitlines()]
        sizes = "x".join(str(1 + max(place[axis] for place in logical)) for axis in range(3))
        call = f"haichi.Job(ring, {machine!r}).place()"
        found[f"{name}.logical"] = Measured(sizes, call + ".write(FILE, 'fujitsu'): largest coordinates + 1")
        if name == "y4":
            placement.write(rank_map, "tofu6d")
            physical = [tuple(map(int, line.split()[:6])) for line in rank_map.read_text().splitlines()]
            along_y = [place for place, at in zip(physical, logical, strict=True) if at[0] == at[2] == 0]
            text = "".join(f"({place[1]},{place[4]})" for place in along_y)
            found["y4.ring"] = Measured(text, call + ".write(FILE, 'tofu6d'): Y and B where logical x = z = 0")
    return found


BRUCK = {
    512: "torus:8x8x8",
    1024: "torus:16x8x8",
    4096: "torus:16x16x16",
    16384: "torus:32x32x16",
    65536: "torus:64x32x32",
}


# Runs in a separate, small process, because the peak in getrusage() would include the memory of this process.
BRUCK_RUN = """
import json, re, sys, time, haichi
workload = haichi.Workload.from_pattern("alltoall-bruck", ranks=int(sys.argv[1]), bytes=4, iterations=1)
begin = time.process_time()
run = haichi.Job(workload, sys.argv[2]).simulate().run
seconds = time.process_time() - begin
memory = re.search(r"VmHWM:\\s+(\\d+) kB", open("/proc/self/status").read())
print(json.dumps([run.packets, run.packet_hops, seconds, int(memory[1]) * 1024 / 1e6]))
"""


def all_to_all(effort: Effort) -> dict[str, Measured]:
    """Replays Bruck's all-to-all of 4 bytes from the pattern."""
    found = {}
    for ranks in (n for n in BRUCK if n <= effort.largest_bruck):
        command = [sys.executable, "-c", BRUCK_RUN, str(ranks), BRUCK[ranks]]
        text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        packets, hops, seconds, memory_mb = json.loads(text)
        call = f"haichi.Job(alltoall-bruck of {ranks} ranks, bytes=4, {BRUCK[ranks]!r}).simulate().run"
        found[f"bruck{ranks}.packets"] = Measured(packets, call + ".packets")
        found[f"bruck{ranks}.hops"] = Measured(hops, call + ".packet_hops")
        found[f"bruck{ranks}.link-hops"] = Measured(hops - packets, call + ": packet_hops - packets")
        found[f"bruck{ranks}.seconds"] = Measured(seconds, call + ": CPU time of the call, one thread")
        found[f"bruck{ranks}.memory"] = Measured(memory_mb, call + ": peak memory of the Python process")
        found[f"bruck{ranks}.rate"] = Measured(hops / seconds, call + ": packet_hops / CPU time of the call")
    return found


def large_search(effort: Effort) -> dict[str, Measured]:
    """Searches 10 s for a shuffled 16^3 stencil on a 16^3 torus, with and without moves next to partners."""
    if not effort.large_searches:
        return {}
    stencil = haichi.Workload.from_pattern("stencil3d", dims=[16, 16, 16], periodic=True, shuffle=1)
    found = {}
    for name, moves in (("uniform", "uniform"), ("neighbour", "uniform,empty,neighbour")):
        how: dict[str, Any] = {"strategy": "anneal", "start": "random", "moves": moves}
        how |= {"restarts": 1, "threads": 1, "evaluations": 120_000_000}
        job = haichi.Job(stencil, "torus:16x16x16")
        result = job.evaluate(job.optimize("hop-bytes", **how), all_objectives=False)
        call = "haichi.Job(stencil, 'torus:16x16x16').optimize('hop-bytes', "
        call += ", ".join(f"{k}={v!r}" for k, v in how.items()) + "): metrics['hops_per_byte'] of its evaluation"
        found[f"stencil.{name}"] = Measured(result.metrics["hops_per_byte"], call)
    return found


def _ring_rate(task: tuple[int, int]) -> float:
    ranks, seed = task
    workload = haichi.Workload.from_pattern("random-ring", ranks=ranks, shuffle=seed)
    run = haichi.Job(workload, "nsim-fattree:2x8").simulate(sim_iterations="all").run
    return run.iterations * 2**20 / run.seconds / 1e9


RING_SIZES = (2, 4, 8, 12, 16, 24, 32, 40, 48, 56, 64)


def random_rings(pool: Executor, effort: Effort) -> dict[str, Measured]:
    """Simulates HPCC's random ring on an InfiniBand fat tree, in GB/s per process."""
    found = {}
    for ranks in RING_SIZES:
        rates = pool.map(_ring_rate, [(ranks, seed) for seed in range(1, effort.ring_seeds + 1)])
        call = (
            f"haichi.Job(random-ring of {ranks} ranks, shuffle=S, 'nsim-fattree:2x8').simulate(sim_iterations='all'), "
        )
        found[f"ring{ranks}"] = of_samples(rates, call + f"mean of S = 1..{effort.ring_seeds}")
    return found


def _benchmark_module() -> ModuleType:
    spec = importlib.util.spec_from_file_location("profiler_overhead", PROFILER_BENCHMARK)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def engine_rate(build: Path | None, effort: Effort) -> dict[str, Measured]:
    """Measures the engine's rate under uniform traffic, which requires a build."""
    found: dict[str, Measured] = {}
    if build is None:
        return found
    bench = build / "tests/bench/haichi_bench"
    if bench.exists():
        for size in ("8x8x8", "16x16x16") + (("64x32x32",) if effort.large_searches else ()):
            pattern = f"--benchmark_filter=packets/uniform/{size}/real_time$"
            # Started through a shell, so that its peak memory does not include this process's memory.
            command = ["sh", "-c", '"$@"; exit $?', "sh", bench, pattern, "--benchmark_format=json"]
            done = subprocess.run(command, check=True, capture_output=True, text=True)
            for run in json.loads(done.stdout)["benchmarks"]:
                call = f"haichi_bench {pattern}"
                rate = run["items_per_second"] * run["real_time"] / run["cpu_time"]
                found[f"uniform.{size}.rate"] = Measured(rate, call + ": items per second of CPU time")
                found[f"uniform.{size}.memory"] = Measured(run["peak_rss_mb"], call + ": peak_rss_mb")
    return found


def profiling_cost(build: Path | None) -> dict[str, Measured]:
    """Measures the cost of profiling a call, which requires a build."""
    found: dict[str, Measured] = {}
    if build is None:
        return found
    benchmark = _benchmark_module()
    for mpi in ("openmpi", "mpich"):
        library = build / f"commlog/profiler/libhaichi-prof-{mpi}.so"
        if not library.exists():
            continue
        with tempfile.TemporaryDirectory() as folder:
            source, program = Path(folder) / "loop.c", Path(folder) / "loop"
            source.write_text(benchmark.SOURCE)
            if subprocess.run([f"mpicc.{mpi}", "-w", "-O2", source, "-o", program]).returncode != 0:
                continue
            times: dict[str, list[float]] = {way: [] for way in benchmark.WAYS}
            for _ in range(5):
                for way in benchmark.WAYS:
                    run = benchmark.run(program, library.resolve(), way, 3_000_000, Path(folder) / "run")
                    times[way].append(run[0])
        least = {way: min(values) for way, values in times.items()}
        for way in ("profile", "profile and log"):
            call = f"tests/bench/profiler_overhead.py BUILD --mpi {mpi}: {way}, minus the bare call, minimum of 5 runs"
            found[f"profiler.{mpi}.{way}"] = Measured(least[way] - least["bare"], call)
    return found
