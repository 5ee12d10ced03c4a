"""The nodes a job has, and placements on them, as arguments."""

from __future__ import annotations

import os
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from haichi import _core
from haichi.errors import OptionError
from haichi.workload import whole_numbers


def _sizes(name: str, sizes: str | Sequence[int] | None) -> list[int]:
    """``"1x2x4"`` or ``(1, 2, 4)``."""
    if sizes is None:
        return []
    try:
        return [int(size) for size in (sizes.split("x") if isinstance(sizes, str) else sizes)]
    except (TypeError, ValueError) as error:
        raise OptionError(f"{name} {sizes!r} is no list of sizes", "an example is 1x2x4x2x3x2") from error


def allocation_request(
    shape: str | Sequence[int] | None,
    origin: str | Sequence[int] | None,
    nodes: str | os.PathLike[str] | None,
    faulty: str | os.PathLike[str] | None,
    ppn: int,
    routing: str | None,
    fold: str | os.PathLike[str],
    count_nic: bool,
) -> _core.AllocationRequest:
    return _core.AllocationRequest(
        shape=_sizes("shape", shape),
        origin=_sizes("origin", origin),
        nodes_file="" if nodes is None else os.fspath(nodes),
        faulty_file="" if faulty is None else os.fspath(faulty),
        ranks_per_node=ppn,
        routing=routing or "",
        fold=os.fspath(fold),
        count_nic=count_nic,
    )


def given_map(name: str, rank_map: npt.ArrayLike | str | os.PathLike[str]) -> str | list[int]:
    """A path, or the node of each rank. Raises OptionError for arrays that are not 1D, and for too large numbers."""
    if isinstance(rank_map, str | os.PathLike):
        return os.fspath(rank_map)
    nodes = whole_numbers(name, rank_map)
    if nodes.ndim != 1:
        raise OptionError(f"{name} must be 1D, not of shape {nodes.shape}")
    if nodes.size and int(np.abs(nodes).max()) > np.iinfo(np.int32).max:
        raise OptionError(f"{name} holds numbers beyond 2^31 - 1")
    node_of_rank: list[int] = nodes.tolist()
    return node_of_rank
