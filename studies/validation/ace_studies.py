"""The RDMA study on one switch: its ring barrier and its n-body exchange, computed by studies/rdma."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from cg_studies import QUICK, Effort, Measured, of_samples

STUDY = Path(__file__).resolve().parents[1] / "rdma"
sys.path.append(str(STUDY))

import nbody  # noqa: E402
import rdma_programs  # noqa: E402

NODES, PER_NODE = 16, 2


def rdma(folder: Path, effort: Effort) -> dict[str, Measured]:
    """Simulates the RDMA study. Returns nothing without MPICH's compiler, which `haichi mgencc` calls."""
    if shutil.which(os.environ.get("HAICHI_MPICC", "mpicc.mpich")) is None:
        return {}
    switch = f"switch:{NODES} with {PER_NODE} ranks per node"
    ring = rdma_programs.seconds(
        rdma_programs.compiled("barrier", folder), "ring", "put", nodes=NODES, ranks_per_node=PER_NODE
    )
    seeds = 2 if effort == QUICK else nbody.INPUTS["seeds"]
    times = nbody.exchange(folder, nbody.INPUTS["particles"], seeds)
    call = f"nbody_exchange {{}} on {switch}: studies/rdma/nbody.exchange(), mean of {seeds} draws"
    sync, free = of_samples(times.sync, call.format("sync")), of_samples(times.free, call.format("free"))
    return {
        "barrier.ring": Measured(ring * 1e6, f"examples/programs/rdma/barrier ring put on {switch}"),
        "nbody.measured": sync,
        "nbody.simulated": sync,
        "nbody.free": free,
        "nbody.ratio": of_samples(times.ratios(), call.format("sync / free")),
    }
