"""The study's micro-benchmarks, ping-pong and streams, as logs of calls that the simulator replays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from study_machines import write

import haichi

BYTE = 2  # number of a one-byte data type in the trace format


def log(folder: Path, name: str, calls: Sequence[Sequence[str]]) -> Path:
    """Writes a text trace (TIT) with the calls of each rank."""
    lines = [f"{rank} {call}\n" for rank, of_rank in enumerate(calls) for call in ["init", *of_rank, "finalize"]]
    path = folder / f"{name}.tit"
    path.write_text("".join(lines))
    return path


def seconds(folder: Path, calls: Sequence[Sequence[str]], machine: Mapping[str, Any], nodes: Sequence[int]) -> float:
    """Simulated seconds from the first call to the last, with rank r on nodes[r]."""
    trace = log(folder, "calls", calls)
    job = haichi.Job(str(trace), str(write(machine, folder / "machine.json")))
    return job.simulate(list(nodes), form="calls").run.seconds


def ping_pong(folder: Path, machine: Mapping[str, Any], far: int, size: int, repeats: int = 4) -> float:
    """Returns half the time of a round trip between node 0 and node `far`, after the first `repeats` round trips."""
    there, back = f"send {{}} 0 {size} {BYTE}", f"recv {{}} 0 {size} {BYTE}"
    times = []
    for count in (repeats, 2 * repeats):
        calls = [[there.format(1), back.format(1)] * count, [back.format(0), there.format(0)] * count]
        times.append(seconds(folder, calls, machine, [0, far]))
    return (times[1] - times[0]) / (2 * repeats)


def streams(folder: Path, machine: Mapping[str, Any], pairs: Sequence[tuple[int, int]], size: int, count: int) -> float:
    """Returns the bytes per second of all pairs in total. The first node of a pair sends `count` messages without
    blocking."""
    calls: list[list[str]] = []
    nodes: list[int] = []
    for pair, (source, destination) in enumerate(pairs):
        calls.append([f"isend {2 * pair + 1} 0 {size} {BYTE}"] * count + [f"waitall {count}"])
        calls.append([f"irecv {2 * pair} 0 {size} {BYTE}"] * count + [f"waitall {count}"])
        nodes += [source, destination]
    return len(pairs) * size * count / seconds(folder, calls, machine, nodes)
