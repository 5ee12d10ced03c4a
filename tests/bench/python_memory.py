#!/usr/bin/env python3
"""What the Python package allocates for communication matrices, beside the matrices themselves.

    .venv/bin/python tests/bench/python_memory.py [--ranks 4096]

Every case runs in a process of its own, on Linux. "peak" is the growth of the memory of the process (VmHWM) while the
step runs, "NumPy" is the growth of the allocations of Python and NumPy (tracemalloc). A workload stores 16 bytes per
message, and any further memory is a copy of the matrix. A search also has an index of the messages, but no copy of the
workload.
"""

import argparse
import functools
import json
import os
import signal
import subprocess
import sys
import threading
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

import haichi

MIB = 2**20


def dense(ranks: int) -> np.ndarray:
    matrix = np.arange(ranks * ranks, dtype=np.int64).reshape(ranks, ranks)
    np.mod(matrix, 1000, out=matrix)
    matrix += 1
    return matrix


def few(ranks: int) -> np.ndarray:
    """Returns a matrix in which 1 % of the entries are not 0."""
    matrix = dense(ranks)
    matrix.reshape(-1)[np.arange(ranks * ranks) % 100 != 0] = 0
    return matrix


CASES: dict[str, Callable[[int], Any]] = {
    "dense int64": dense,
    "dense int64, 1 % set": few,
    "dense int64, Fortran order": lambda ranks: np.asfortranarray(dense(ranks)),
    "dense int64, every other row": lambda ranks: np.repeat(dense(ranks), 2, axis=0)[::2],
    "dense float64": lambda ranks: dense(ranks).astype(np.float64),
    "dense uint16": lambda ranks: dense(ranks).astype(np.uint16),
    "CSR int64": lambda ranks: sparse.csr_array(dense(ranks)),
    "CSR float64": lambda ranks: sparse.csr_array(dense(ranks).astype(np.float64)),
    "CSC int64": lambda ranks: sparse.csc_array(dense(ranks)),
    "COO int64": lambda ranks: sparse.coo_array(dense(ranks)),
}


def status_bytes(field: str) -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field):
            return int(line.split()[1]) * 1024
    raise LookupError(field)


def measured(step: Callable[[], Any]) -> tuple[Any, dict[str, float]]:
    """Returns the result of a step, its seconds and its bytes."""
    Path("/proc/self/clear_refs").write_text("5")  # resets VmHWM
    before = status_bytes("VmRSS")
    tracemalloc.start()
    started = time.monotonic()
    result = step()
    seconds = time.monotonic() - started
    numpy_peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return result, {"seconds": seconds, "peak": status_bytes("VmHWM") - before, "numpy_peak": numpy_peak}


def input_bytes(matrix: Any) -> int:
    if isinstance(matrix, np.ndarray):
        return matrix.nbytes
    parts = ("data", "indices", "indptr", "row", "col")
    return sum(getattr(matrix, part).nbytes for part in parts if hasattr(matrix, part))


def run_case(case: str, ranks: int) -> dict[str, Any]:
    matrix = CASES[case](ranks)
    # A small call first makes the one-time allocations, which are not counted.
    haichi.Workload.from_matrix(matrix[:2, :2].tocsr() if case.startswith("CS") else np.ones((2, 2)))
    workload, made = measured(lambda: haichi.Workload.from_matrix(matrix))
    messages, looked = measured(lambda: workload.messages)
    return {
        "case": case,
        "input": input_bytes(matrix),
        "messages": len(messages.bytes),
        **made,
        "messages_peak": looked["peak"],
    }


def torus(ranks: int) -> str:
    """Returns a torus with one node per rank."""
    return f"torus:16x16x{ranks // 256}"


def run_search(ranks: int) -> dict[str, Any]:
    """Measures what a search allocates in addition to the workload and the tables of the machine."""
    options = {"strategy": "anneal", "start": "default", "threads": 1, "restarts": 1, "evaluations": 1}

    def searched(workload: haichi.Workload) -> haichi.Placement:
        return haichi.Job(workload, torus(ranks)).optimize("hop-bytes", **options)

    workload = haichi.Workload.from_matrix(sparse.csr_array(dense(ranks)))
    ring = haichi.Workload.from_pattern("ring", ranks=ranks)
    _, tables = measured(lambda: searched(ring))
    _, search = measured(lambda: searched(workload))
    return {
        "case": SEARCH,
        "messages": len(workload.messages.bytes),
        **search,
        "peak": search["peak"] - tables["peak"],
    }


def run_interrupted(ranks: int, time_limit: float = 20) -> dict[str, Any]:
    """Searches a placement for a sparse matrix, a stencil with randomly numbered ranks. The search is stopped half
    way."""
    grid = np.random.default_rng(1).permutation(ranks).reshape(16, 16, -1)
    ends = [(grid, np.roll(grid, step, axis)) for axis in range(3) for step in (1, -1)]
    row, column = (np.concatenate([end[k].ravel() for end in ends]) for k in (0, 1))
    matrix = sparse.csr_array((np.full(len(row), 65536), (row, column)), shape=(ranks, ranks))
    threading.Timer(time_limit / 2, signal.raise_signal, [signal.SIGINT]).start()
    found, search = measured(lambda: haichi.Job(matrix, torus(ranks)).optimize("hop-bytes", time=time_limit))
    result = found.job.evaluate(found, all_objectives=False)
    return {
        "case": INTERRUPTED,
        "input": input_bytes(matrix),
        "messages": matrix.nnz,
        **search,
        "interrupted": found.interrupted,
        "value": result.value,
        "default": result.report["default"]["value"],
    }


SEARCH = "search on CSR int64"
INTERRUPTED = "stencil, interrupted"
RUNS: dict[str, Callable[[int], dict[str, Any]]] = {SEARCH: run_search, INTERRUPTED: run_interrupted}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ranks", type=int, default=4096, help="a multiple of 256; default: 4096")
    parser.add_argument("--case", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.case:
        run = RUNS.get(options.case, functools.partial(run_case, options.case))
        print(json.dumps(run(options.ranks)))
        return
    print(f"{'input':30} {'MiB':>7} {'messages':>10} {'peak MiB':>9} {'B/message':>9} {'NumPy MiB':>9} {'s':>6}")
    for case in [*CASES, *RUNS]:
        row = run_apart(case, options.ranks)
        print(
            f"{case:30} {row.get('input', 0) / MIB:7.1f} {row['messages']:10} {row['peak'] / MIB:9.1f} "
            f"{row['peak'] / row['messages']:9.1f} {row['numpy_peak'] / MIB:9.2f} {row['seconds']:6.2f}",
            flush=True,
        )
    kept = "interrupted half way, kept" if row["interrupted"] else "NOT interrupted:"
    print(f"{kept} {row['value']:.6g}, the default placement has {row['default']:.6g}")


def run_apart(case: str, ranks: int) -> dict[str, Any]:
    """Runs a case in its own process, which returns freed large blocks to the system."""
    command = [sys.executable, __file__, "--ranks", str(ranks), "--case", case]
    environment = {**os.environ, "MALLOC_MMAP_THRESHOLD_": "65536"}
    text = subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout
    row: dict[str, Any] = json.loads(text)
    return row


if __name__ == "__main__":
    main()
