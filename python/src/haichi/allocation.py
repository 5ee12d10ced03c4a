"""What jobs share as arguments: the nodes they have, placements on them, sizes of messages."""

from __future__ import annotations

import operator
import os
from collections.abc import Sequence
from typing import Any, SupportsIndex

import numpy.typing as npt

from haichi import _core
from haichi.errors import InputError, OptionError
from haichi.workload import number_array


def sizes_option(name: str, sizes: str | Sequence[int] | None) -> list[int]:
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
        shape=sizes_option("shape", shape),
        origin=sizes_option("origin", origin),
        nodes_file="" if nodes is None else os.fspath(nodes),
        faulty_file="" if faulty is None else os.fspath(faulty),
        ranks_per_node=ppn,
        routing=routing or "",
        fold=os.fspath(fold),
        count_nic=count_nic,
    )


def given_map(name: str, rank_map: npt.ArrayLike | str | os.PathLike[str]) -> str | npt.NDArray[Any]:
    """A path, or the node of each rank. Raises OptionError for arrays that are not 1D."""
    if isinstance(rank_map, str | os.PathLike):
        return os.fspath(rank_map)
    nodes = number_array(name, rank_map)
    if nodes.ndim != 1:
        raise OptionError(f"{name} must be 1D, not of shape {nodes.shape}")
    return nodes


def whole_option(name: str, value: SupportsIndex, least: int, most: int) -> int:
    """A whole number in a range; raises OptionError."""
    try:
        number = operator.index(value)
    except TypeError as error:
        raise OptionError(f"{name} must be a whole number, not {value!r}") from error
    if not least <= number <= most:
        raise OptionError(f"{name} must be {least} to {most}, not {number}")
    return number


def message_bytes(size: str | SupportsIndex | None) -> int | None:
    """``"64KiB"`` or bytes."""
    if size is None:
        return None
    if isinstance(size, str):
        try:
            size = _core.parse_bytes(size, "message_size")
        except InputError as error:
            raise OptionError(str(error), error.hint) from error
    return whole_option("message_size", size, 0, 2**48)
