"""Workloads: what an application communicates."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from haichi import _core
from haichi.errors import InputError

Int32Array = npt.NDArray[np.int32]
Int64Array = npt.NDArray[np.int64]


class Messages(NamedTuple):
    """All messages of a workload in its order, one array per field, all of the same length."""

    source: Int32Array  #: rank
    destination: Int32Array  #: rank
    bytes: Int64Array
    set: Int32Array  #: number of the communication set, from 0, never falling


def whole_numbers(name: str, values: npt.ArrayLike) -> Int64Array:
    """`values` as int64; InputError when any is not a whole number: rounding would change the workload silently."""
    array = np.asarray(values)
    if array.dtype.kind not in "iufb":
        raise InputError(f"{name} must hold whole numbers, not {array.dtype}")
    if array.dtype.kind == "f":
        if not np.all(np.isfinite(array)) or np.any(array != np.rint(array)):
            raise InputError(f"{name} must hold whole numbers")
        if np.any(np.abs(array) >= 2.0**63):
            raise InputError(f"{name} holds numbers beyond 2^63 - 1")
    if array.dtype.kind == "u" and array.size and int(array.max()) > np.iinfo(np.int64).max:
        raise InputError(f"{name} holds numbers beyond 2^63 - 1")
    return array.astype(np.int64, order="C", copy=False)


class Workload:
    """An ordered list of communication sets (messages whose transfers start together), repeated `iterations` times.

    Made by one of the ``from_...`` methods; immutable.
    """

    def __init__(self, core: _core.Workload) -> None:
        self._core = core

    @classmethod
    def from_matrix(cls, matrix: npt.ArrayLike, *, iterations: int = 1, label: str = "matrix") -> Workload:
        """One set from a dense square matrix: ``matrix[i, j]`` bytes go from rank i to rank j.

        Entries of 0 are no messages. Raises InputError for other shapes, and for entries that are negative, no whole
        numbers, or above 2^48.
        """
        dense = whole_numbers("matrix", matrix)
        if dense.ndim != 2 or dense.shape[0] != dense.shape[1]:
            raise InputError(f"the matrix must be square, not {' x '.join(map(str, dense.shape))}")
        source, destination = np.nonzero(dense)
        return cls.from_messages(
            source,
            destination,
            dense[source, destination],
            ranks=dense.shape[0],
            iterations=iterations,
            labels=[label],
        )

    @classmethod
    def from_messages(
        cls,
        source: npt.ArrayLike,
        destination: npt.ArrayLike,
        bytes: npt.ArrayLike,
        set: npt.ArrayLike | None = None,
        *,
        ranks: int | None = None,
        iterations: int = 1,
        labels: Sequence[str] | None = None,
        compute_seconds: Sequence[float] | None = None,
    ) -> Workload:
        """From arrays of equal length; `bytes` may be one number for all messages.

        `set` is the number of each message's communication set, from 0; without it all are in one. Inside a set the
        given order is kept. `ranks` defaults to the highest rank + 1. `labels` and `compute_seconds` (before each set)
        have one entry per set. Raises InputError for lengths that differ, values that are no whole numbers, ranks
        outside ``0..ranks - 1``, and sizes outside ``0..2^48``.
        """
        sources = whole_numbers("source", source)
        destinations = whole_numbers("destination", destination)
        sizes = whole_numbers("bytes", bytes)
        if sizes.ndim == 0:
            sizes = np.full(sources.shape, sizes)
        sets = np.zeros(sources.shape, np.int64) if set is None else whole_numbers("set", set)
        for name, array in (("destination", destinations), ("bytes", sizes), ("set", sets)):
            if array.shape != sources.shape or array.ndim != 1:
                raise InputError(
                    f"source has shape {sources.shape}, {name} has {array.shape}; all must be 1D and equal"
                )
        if sets.size and int(sets.min()) < 0:
            raise InputError(f"set holds {int(sets.min())}; sets are numbered from 0")
        # Checked before anything of that size is made.
        used_sets = int(sets.max()) + 1 if sets.size else 0
        most_sets = len(sources) if labels is None else len(labels)
        if used_sets > most_sets:
            what = "messages" if labels is None else "labels"
            raise InputError(
                f"set holds {used_sets - 1}, but there are only {most_sets} {what}",
                "labels tell the number of sets, of which some may be empty",
            )
        set_count = used_sets if labels is None else len(labels)
        if compute_seconds is not None and len(compute_seconds) != set_count:
            raise InputError(f"there are {set_count} sets, but {len(compute_seconds)} entries in compute_seconds")
        if ranks is None:
            ranks = int(max(sources.max(initial=-1), destinations.max(initial=-1))) + 1
        order = np.argsort(sets, kind="stable")
        return cls(
            _core.Workload.from_arrays(
                ranks=ranks,
                iterations=iterations,
                source=sources[order],
                destination=destinations[order],
                size_bytes=sizes[order],
                set_first=[0, *np.cumsum(np.bincount(sets, minlength=set_count)).tolist()],
                labels=list(labels) if labels is not None else [f"set {t + 1}" for t in range(set_count)],
                compute_seconds=list(compute_seconds) if compute_seconds is not None else [0.0] * set_count,
            )
        )

    @classmethod
    def from_file(cls, path: str | os.PathLike[str], format: str = "") -> Workload:
        """From a workload file in `format` (`haichi.list_workload_formats`); empty: by its content."""
        return cls(_core.Workload.read(os.fspath(path), format))

    @classmethod
    def from_pattern(
        cls,
        name: str,
        ranks: int = 0,
        *,
        dims: Sequence[int] = (),
        periodic: bool = False,
        points: int = 0,
        bytes: int = 2**20,
        iterations: int | None = None,
        seed: int = 1,
        mean_degree: float = 8.0,
        shuffle: int | None = None,
    ) -> Workload:
        """A built-in pattern (`haichi.list_patterns`), as ``haichi pattern`` makes it.

        `ranks` or, for grid patterns, `dims`; `shuffle` relabels the ranks by a random permutation with that seed.
        Raises OptionError for unknown names and for options that a pattern has no use for.
        """
        return cls(
            _core.Workload.from_pattern(
                name,
                ranks=ranks,
                dims=list(dims),
                periodic=periodic,
                points=points,
                message_bytes=bytes,
                iterations=iterations,
                seed=seed,
                mean_degree=mean_degree,
                shuffle_seed=shuffle,
            )
        )

    @property
    def ranks(self) -> int:
        return self._core.rank_count

    @property
    def iterations(self) -> int:
        return self._core.iterations

    @property
    def labels(self) -> list[str]:
        """One per communication set."""
        return self._core.labels

    @property
    def total_bytes(self) -> int:
        """Of the messages that cross the network, one iteration."""
        return self._core.total_bytes

    @property
    def messages(self) -> Messages:
        """All messages, as new arrays."""
        return Messages(*self._core.message_arrays())

    def write(self, path: str | os.PathLike[str]) -> None:
        """Writes ``haichi-workload/1``; `from_file` reads the same workload back."""
        self._core.write(os.fspath(path))

    def __repr__(self) -> str:
        return (
            f"Workload(ranks={self.ranks}, sets={len(self.labels)}, messages={self._core.message_count}, "
            f"bytes={self.total_bytes}, iterations={self.iterations})"
        )


def as_workload(workload: Workload | str | os.PathLike[str] | npt.NDArray[Any]) -> Workload:
    """A workload as it is; a path is read, an array is taken as a matrix."""
    if isinstance(workload, Workload):
        return workload
    if isinstance(workload, np.ndarray):
        return Workload.from_matrix(workload)
    return Workload.from_file(workload)
