"""What jobs share as arguments: the nodes they have, placements on them, sizes of messages."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, SupportsIndex

import numpy.typing as npt

from haichi import _core
from haichi.errors import InputError, OptionError
from haichi.file_names import encoded
from haichi.numbers import whole_option
from haichi.workload import number_array

_MOST_INT32 = 2**31 - 1


def sizes_option(name: str, sizes: str | Sequence[int] | None) -> list[int]:
    """``"1x2x4"`` or ``(1, 2, 4)``."""
    if sizes is None:
        return []
    try:
        listed = [int(size) for size in (sizes.split("x") if isinstance(sizes, str) else sizes)]
    except (TypeError, ValueError, OverflowError) as error:
        raise OptionError(f"{name} {sizes!r} is no list of sizes", "an example is 1x2x4x2x3x2") from error
    return [whole_option(name, size, 0, _MOST_INT32) for size in listed]


def allocation_request(
    shape: str | Sequence[int] | None,
    origin: str | Sequence[int] | None,
    nodes: str | os.PathLike[str] | None,
    faulty: str | os.PathLike[str] | None,
    ppn: SupportsIndex,
    routing: str | None,
    fold: str | os.PathLike[str],
    count_nic: bool,
) -> _core.AllocationRequest:
    request = _core.AllocationRequest(
        shape=sizes_option("shape", shape),
        origin=sizes_option("origin", origin),
        nodes=given_nodes("nodes", nodes),
        faulty=given_nodes("faulty", faulty),
    )
    request.ranks_per_node = whole_option("ppn", ppn, 1, _MOST_INT32)
    request.routing = b"" if routing is None else encoded("routing", routing)
    request.fold = encoded("fold", fold)
    request.count_nic = count_nic
    return request


def given_nodes(name: str, nodes: npt.ArrayLike | str | os.PathLike[str] | None) -> bytes | npt.NDArray[Any]:
    """A list of nodes: a path, numbers, or rows of coordinates; None: none is given."""
    if nodes is None:
        return b""
    return encoded(name, nodes) if isinstance(nodes, str | os.PathLike) else number_array(name, nodes)


def given_hosts(hosts: str | os.PathLike[str] | Sequence[str] | None) -> bytes | list[bytes]:
    """A file or a pattern, or the names themselves; None: not known."""
    if hosts is None:
        return b""
    if isinstance(hosts, str | os.PathLike):
        return encoded("hosts", hosts)
    return [encoded("hosts", host) for host in hosts]


def given_map(name: str, rank_map: npt.ArrayLike | str | os.PathLike[str]) -> bytes | npt.NDArray[Any]:
    """A path, or the node of each rank. Raises OptionError for arrays that are not 1D."""
    if isinstance(rank_map, str | os.PathLike):
        return encoded(name, rank_map)
    nodes = number_array(name, rank_map)
    if nodes.ndim != 1:
        raise OptionError(f"{name} must be 1D, not of shape {nodes.shape}")
    return nodes


def message_bytes(size: str | SupportsIndex | None) -> int | None:
    """``"64KiB"`` or bytes."""
    if size is None:
        return None
    if isinstance(size, str):
        try:
            size = _core.parse_bytes(encoded("message_size", size), "message_size")
        except InputError as error:
            raise OptionError(str(error), error.hint) from error
    return whole_option("message_size", size, 0, 2**48)
