"""Workloads: the communication of a parallel program."""

from __future__ import annotations

import hashlib
import json
import logging
import os
from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple, SupportsIndex, cast

import numpy as np
import numpy.typing as npt

from haichi import _core
from haichi.base import notebook
from haichi.base.file_names import encoded, unicode_text
from haichi.base.interruption import held_back
from haichi.base.optional_packages import data_frame, drawing_axes
from haichi.base.pair_matrix import pair_matrix
from haichi.errors import InputError, OptionError
from haichi.model.array_files import array_file, is_array_file
from haichi.model.foreign_types import Graph, SparseMatrix, is_graph, is_sparse_matrix
from haichi.model.labels import LabelledMatrix, check_same_rows, is_labelled_matrix, matrix_of_ranks

Int32Array = npt.NDArray[np.int32]
Int64Array = npt.NDArray[np.int64]


class Messages(NamedTuple):
    """All messages of a workload in order. Each field is an array, and all arrays have the same length."""

    source: Int32Array  #: sending rank
    destination: Int32Array  #: receiving rank
    bytes: Int64Array
    set: Int32Array  #: number of the communication set, from 0; ascending


def whole_numbers(name: str, values: npt.ArrayLike) -> Int64Array:
    """`values` as int64. Raises InputError for fractions, because rounding would silently change the workload."""
    array = _unmasked(name, values)
    if array.dtype.kind == "f":
        if array.dtype.itemsize < 4:
            array = array.astype(np.float64)  # half precision cannot represent 2^63
        if not np.all(np.isfinite(array)) or np.any(array != np.rint(array)):
            raise InputError(f"{name} must contain whole numbers")
        if np.any(np.abs(array) >= 2.0**63):
            raise InputError(f"{name} must not contain numbers beyond 2^63 - 1")
    if array.dtype.kind == "u" and array.size and int(array.max()) > np.iinfo(np.int64).max:
        raise InputError(f"{name} must not contain numbers beyond 2^63 - 1")
    return array.astype(np.int64, order="C", copy=False)


def _unmasked(name: str, values: npt.ArrayLike) -> npt.NDArray[Any]:
    """Converts `values` to an array of numbers. Rejects masked arrays, because masked entries may have any value."""
    if np.ma.is_masked(values):
        raise InputError(f"{name} must not have masked entries", f"replace them by zeros with {name}.filled(0)")
    try:
        array = np.asarray(values)
    except ValueError as error:  # matrix rows of different lengths
        raise InputError(f"{name} must be an array of whole numbers: its rows differ in length") from error
    if array.dtype.kind not in "iufb":
        raise InputError(f"{name} must contain whole numbers, not {array.dtype}")
    return array


def number_array(name: str, values: npt.ArrayLike) -> npt.NDArray[Any]:
    """Converts `values` to an array that `_core` checks and reads without a copy. Only rare number types are copied."""
    array = _unmasked(name, values)
    is_read = array.dtype.isnative and (array.dtype.kind != "f" or array.dtype.itemsize in (4, 8))
    return array if is_read else whole_numbers(name, array)


class Workload:
    """An ordered list of communication sets that is repeated `iterations` times. The messages of a set start together.

    Immutable. The ``from_...`` methods make workloads.
    """

    def __init__(self, core: _core.Workload) -> None:
        self._core = core

    @classmethod
    def from_matrix(
        cls, matrix: npt.ArrayLike | SparseMatrix | LabelledMatrix, *, iterations: int = 1, label: str = "matrix"
    ) -> Workload:
        """Makes a workload with one set from a square matrix: ``matrix[i, j]`` bytes go from rank i to rank j.

        `matrix` is an array, or a sparse matrix or sparse array of SciPy, which stays sparse. Dense, CSR, CSC and COO
        matrices of any number type and stride are read without a copy. Entries of 0 are not messages. An entry that is
        stored twice is two messages. In a pandas DataFrame, labels with rank numbers (``3``, ``"3"``, ``"rank 3"``)
        give the rank of a row or column, in any order. Other labels must be equal for rows and columns, and in the
        order of the ranks.

        Raises InputError for other shapes, and for labels that omit ranks or differ between rows and columns. Raises it
        also for entries that are negative, fractional, above 2^48, or masked (`numpy.ma`).
        """
        label = unicode_text("label", label)
        if is_sparse_matrix(matrix):
            return cls(_sparse_core(matrix, iterations, label))
        given = matrix_of_ranks("matrix", matrix) if is_labelled_matrix(matrix) else cast("npt.ArrayLike", matrix)
        dense = number_array("matrix", given)
        if dense.ndim != 2 or dense.shape[0] != dense.shape[1]:
            raise InputError(f"the matrix must be square, not {' x '.join(map(str, dense.shape)) or 'one number'}")
        return cls(_core.Workload.from_matrix(iterations=iterations, label=label, matrix=dense))

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
        transfers: Sequence[str] | None = None,
    ) -> Workload:
        """Makes a workload from arrays of equal length. `bytes` may also be one number for all messages.

        `set` is the number of each message's communication set, from 0. Without it, all messages are in one set.
        Messages of a set keep their order. `ranks` defaults to the highest rank + 1. `labels`, `compute_seconds`
        (before each set) and `transfers` have one entry per set. A transfer is ``"messages"``, or ``"put"`` into the
        receiver's memory. Raises InputError for different lengths, values that are masked or fractional, and ranks
        outside ``0..ranks - 1``. Raises it also for sizes outside ``0..2^48``, other transfers, labels that are not
        Unicode text, and pandas Series with different row labels.
        """
        check_same_rows([("source", source), ("destination", destination), ("bytes", bytes), ("set", set)])
        for name, texts in (("labels", labels), ("transfers", transfers)):
            if isinstance(texts, str):
                raise TypeError(f"{name} must be a list of texts, not {texts!r}")
        sources = number_array("source", source)
        destinations = number_array("destination", destination)
        sizes = number_array("bytes", bytes)
        if sizes.ndim == 0:
            sizes = np.broadcast_to(sizes, sources.shape)
        sets = None if set is None else number_array("set", set)
        for name, array in (("destination", destinations), ("bytes", sizes), ("set", sets)):
            if array is not None and (array.shape != sources.shape or array.ndim != 1):
                raise InputError(
                    f"source has shape {sources.shape}, {name} has {array.shape}; all must be 1D and equal"
                )
        return cls(
            _core.Workload.from_messages(
                ranks=ranks,
                iterations=iterations,
                source=sources,
                destination=destinations,
                size_bytes=sizes,
                set=sets,
                labels=None if labels is None else [unicode_text("labels", label) for label in labels],
                compute_seconds=None if compute_seconds is None else list(compute_seconds),
                transfers=None if transfers is None else [unicode_text("transfers", one) for one in transfers],
            )
        )

    @classmethod
    def from_graph(
        cls,
        graph: Graph,
        *,
        bytes: str | int = "weight",
        order: Sequence[Hashable] | None = None,
        iterations: int = 1,
        label: str = "graph",
    ) -> Workload:
        """Makes a workload with one set from a NetworkX graph. An edge is a message; an undirected edge is a message in
        each direction.

        `bytes` is the name of the edge attribute with the message size, or the size of all messages. Parallel edges are
        separate messages. The nodes must be the ranks ``0..n - 1``, or `order` lists the nodes of ranks 0, 1 and so on.
        Raises InputError for other nodes and for edges without the attribute. Raises also the errors of
        `from_messages`.
        """
        rank = _rank_of_node(graph, order)
        edges = list(graph.edges(data=bytes if isinstance(bytes, str) else "weight", default=None))
        ends = np.array([(rank[u], rank[v]) for u, v, _ in edges], np.int64).reshape(-1, 2)
        if isinstance(bytes, str):
            for u, v, size in edges:
                if size is None:
                    raise InputError(
                        f"the edge {u!r} - {v!r} has no attribute {bytes!r}", "name another attribute with bytes=..."
                    )
            sizes = whole_numbers("bytes", [size for _, _, size in edges])
        else:
            sizes = np.full(len(edges), whole_numbers("bytes", bytes))
        if not graph.is_directed():
            both_ways = np.stack([ends, ends[:, ::-1]], axis=1).reshape(-1, 2)
            kept = np.repeat(ends[:, 0] != ends[:, 1], 2)
            kept[::2] = True  # a loop is one message
            ends, sizes = both_ways[kept], np.repeat(sizes, 2)[kept]
        return cls.from_messages(ends[:, 0], ends[:, 1], sizes, ranks=len(rank), iterations=iterations, labels=[label])

    @classmethod
    def from_file(cls, path: str | os.PathLike[str], format: str = "") -> Workload:
        """Reads a file in `format` (`haichi.list_workload_formats`). By default, the format is detected from the
        content.

        ``.npy`` and ``.npz`` files contain a dense matrix, or a sparse matrix of SciPy, as in `from_matrix`. Nothing is
        unpickled. Raises InputError with file and line.
        """
        if not format and is_array_file(os.fspath(path)):
            with array_file(os.fspath(path)) as matrix:
                return cls.from_matrix(matrix)
        return cls._of_traffic(_core.Traffic.read(encoded("path", path), encoded("format", format))[0])

    @classmethod
    def _of_traffic(cls, traffic: _core.Traffic) -> Workload:
        """The communication sets of traffic. Notes about the sets of a log go to the logger ``haichi``."""
        workload = cls(traffic.workload())
        for warning in traffic.warnings():
            logging.getLogger("haichi").warning("%s", warning)
        return workload

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
        """Makes a built-in pattern (`haichi.list_patterns`), as ``haichi pattern`` does.

        Patterns of programs (``nas-...``) are logs of calls, which `haichi.write_nas_log` writes.

        A pattern requires `ranks`; grid patterns also accept `dims`. `shuffle` is the seed of a random permutation of
        the ranks. Raises OptionError for unknown names and for options that a pattern does not use.
        """
        return cls(
            _core.Workload.from_pattern(
                encoded("name", name),
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

    def with_message_size(self, size: str | SupportsIndex) -> Workload:
        """This workload with another size of all messages that are not empty: bytes, or a text such as ``"64KiB"``."""
        traffic = _core.Traffic.of_workload(self._core)
        return Workload(traffic.with_message_size(_core.message_bytes(size)).workload())

    @property
    def ranks(self) -> int:
        return self._core.rank_count

    @property
    def iterations(self) -> int:
        return self._core.iterations

    @property
    def labels(self) -> list[str]:
        """The label of each communication set."""
        return self._core.labels

    @property
    def compute_seconds(self) -> npt.NDArray[np.float64]:
        """The computation time of every rank before each set."""
        return self._core.compute_seconds

    @property
    def transfers(self) -> list[str]:
        """The transfers of each set: ``"messages"`` or ``"put"``."""
        return self._core.transfers

    @property
    def total_bytes(self) -> int:
        """The bytes of the messages that cross the network in one iteration."""
        return self._core.total_bytes

    @property
    def messages(self) -> Messages:
        """All messages. The arrays are read-only. Except for `Messages.set`, they are views of the workload."""
        stored = self._core.messages
        sizes = self._core.set_sizes
        if len(sizes) == 1:
            set = np.broadcast_to(np.int32(0), stored.shape)  # a broadcast view takes no memory
        else:
            set = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
            set.flags.writeable = False
        return Messages(stored["source"], stored["destination"], stored["bytes"], set)

    def _check_set(self, set: int | None) -> None:
        """Raises OptionError unless `set` is None or the number of a communication set."""
        sets = len(self.labels)
        if set is not None and (not isinstance(set, int | np.integer) or not 0 <= set < sets):
            raise OptionError(f"invalid set: {set!r} (the workload has {sets} sets, counted from 0)")

    def to_matrix(self, *, sparse: bool = False, set: int | None = None) -> Any:
        """The bytes between ranks in one iteration, as int64 with shape (ranks, ranks). Entry [i, j] goes from rank i
        to rank j.

        With `sparse`, the result is a ``scipy.sparse.csr_array``. It needs 12 bytes per pair of ranks that exchange
        messages. `set` is the number of a communication set, from 0. None sums over all sets.

        Raises OptionError for other sets. Raises it with the size for a dense matrix above 256 MiB (5,792 ranks).
        Raises UnsupportedError for ``sparse=True`` without SciPy.
        """
        self._check_set(set)
        source, destination, size, _ = self.messages
        if set is not None:
            end = np.cumsum(self._core.set_sizes)
            chosen = slice(int(end[set] - self._core.set_sizes[set]), int(end[set]))
            source, destination, size = source[chosen], destination[chosen], size[chosen]
        return pair_matrix(self.ranks, source, destination, size, sparse)

    def to_dataframe(self) -> Any:
        """A pandas.DataFrame with a row per message. The columns are source, destination, bytes, set (from 0) and label
        (of the set). Raises UnsupportedError without pandas."""
        messages = self.messages
        labels = np.array(self.labels, object)
        return data_frame(
            {
                "source": messages.source,
                "destination": messages.destination,
                "bytes": messages.bytes,
                "set": messages.set,
                "label": labels[messages.set],
            }
        )

    def plot(self, *, ax: Any = None) -> Any:
        """Draws the bytes between ranks as a matrix into the matplotlib axes `ax`, with sources down and destinations
        to the right. Returns the axes.

        With more than 512 ranks, an entry represents a group of ranks. ``ax=None`` makes a new figure. Raises
        UnsupportedError without matplotlib.
        """
        axes = drawing_axes(ax)
        binned = self._core.binned_bytes(min(self.ranks, _MOST_DRAWN))
        ends = (-0.5, self.ranks - 0.5)
        image = axes.imshow(binned, extent=(*ends, *ends[::-1]), interpolation="nearest", cmap="Blues")
        axes.figure.colorbar(image, ax=axes, label="bytes per iteration")
        axes.set(xlabel="destination rank", ylabel="source rank")
        return axes

    def write(self, path: str | os.PathLike[str]) -> None:
        """Writes the workload in the format ``haichi-workload/1``, which `from_file` reads."""
        with held_back():
            self._core.write(encoded("path", path))

    def digest(self) -> str:
        """SHA-256 of the content, in hexadecimal. Equal workloads have equal digests on every computer."""
        # Adding 0.0 turns -0.0 into 0.0, which is equal but has a different text.
        head: list[object] = [
            self.ranks,
            self.iterations,
            self.labels,
            (self.compute_seconds + 0.0).tolist(),
            self._core.set_sizes.tolist(),
        ]
        transfers = self.transfers
        if set(transfers) - {"messages"}:  # workloads without puts keep the digests of earlier versions
            head.append(transfers)
        digest = hashlib.sha256(json.dumps(head, separators=(",", ":")).encode())
        messages = self._core.messages
        digest.update(messages.astype(messages.dtype.newbyteorder("<"), copy=False).view(np.uint8).data)
        return digest.hexdigest()

    def __reduce__(self) -> tuple[Any, ...]:
        core = self._core
        return _unpickled, (
            core.messages,
            core.set_sizes,
            core.compute_seconds,
            self.labels,
            self.ranks,
            self.iterations,
            self.transfers,
        )

    def __eq__(self, other: object) -> bool:
        return self._core.equals(other._core) if isinstance(other, Workload) else NotImplemented

    def __hash__(self) -> int:
        return hash((self.ranks, self.iterations, self._core.message_count, self.total_bytes))

    def __repr__(self) -> str:
        return (
            f"Workload(ranks={self.ranks}, sets={len(self.labels)}, messages={self._core.message_count}, "
            f"bytes={self.total_bytes}, iterations={self.iterations})"
        )

    def _repr_html_(self) -> str:
        """The sizes, and a picture of the bytes between ranks, for notebooks."""
        bins = min(self.ranks, _MOST_BINS)
        rows = [
            ("ranks", notebook.number(self.ranks)),
            ("iterations", notebook.number(self.iterations)),
            ("sets", notebook.number(len(self.labels))),
            ("messages", notebook.number(self._core.message_count)),
            ("bytes", notebook.number(self.total_bytes)),
        ]
        title = "bytes from rank (row) to rank (column)"
        if bins < self.ranks:
            title += f", {bins} x {bins} groups of ranks"
        return notebook.table("workload", rows) + notebook.matrix_picture(self._core.binned_bytes(bins), title)


_MOST_BINS = 64
_MOST_DRAWN = 512


def _unpickled(
    messages: npt.NDArray[np.void],
    set_sizes: Int64Array,
    compute_seconds: npt.NDArray[np.float64],
    labels: list[str],
    ranks: int,
    iterations: int,
    transfers: list[str],
) -> Workload:
    return Workload.from_messages(
        messages["source"],
        messages["destination"],
        messages["bytes"],
        None if len(set_sizes) == 1 else np.repeat(np.arange(len(set_sizes), dtype=np.int32), set_sizes),
        ranks=ranks,
        iterations=iterations,
        labels=labels,
        compute_seconds=compute_seconds.tolist(),
        transfers=transfers,
    )


def _sparse_core(matrix: SparseMatrix, iterations: int, label: str) -> _core.Workload:
    if len(matrix.shape) != 2 or matrix.shape[0] != matrix.shape[1]:
        raise InputError(f"the matrix must be square, not {' x '.join(map(str, matrix.shape))}")
    stored: Any = matrix if matrix.format in ("csr", "csc", "coo") else matrix.tocoo()
    sizes = number_array("matrix", stored.data)
    if stored.format == "coo":
        return _core.Workload.from_coordinates(
            ranks=matrix.shape[0],
            iterations=iterations,
            label=label,
            row=stored.row,
            column=stored.col,
            size_bytes=sizes,
        )
    return _core.Workload.from_compressed(
        ranks=matrix.shape[0],
        iterations=iterations,
        label=label,
        first=stored.indptr,
        index=stored.indices,
        size_bytes=sizes,
        by_columns=stored.format == "csc",
    )


def _rank_of_node(graph: Graph, order: Sequence[Hashable] | None) -> dict[Any, int]:
    nodes = list(graph.nodes)
    if order is None:
        ranks = set(range(len(nodes)))
        for node in nodes:
            if isinstance(node, bool) or not isinstance(node, int | np.integer) or node not in ranks:
                raise InputError(
                    f"the node {node!r} is not a rank in 0..{len(nodes) - 1}",
                    "list the node of each rank in order=[...]",
                )
        return {node: int(node) for node in nodes}
    rank = {node: i for i, node in enumerate(order)}
    if len(rank) != len(order):
        raise InputError("duplicate node in order")
    for node in nodes:
        if node not in rank:
            raise InputError(f"order must contain the node {node!r}")
    if len(rank) != len(nodes):
        raise InputError(f"order must contain {len(nodes)} nodes as the graph, found {len(rank)}")
    return rank


WorkloadLike = Workload | str | os.PathLike[str] | npt.NDArray[Any] | SparseMatrix | LabelledMatrix | Graph


def as_workload(workload: WorkloadLike) -> Workload:
    """Returns a Workload unchanged, and converts matrices and graphs. It does not read files; `Traffic` does."""
    if isinstance(workload, Workload):
        return workload
    if is_graph(workload):
        return Workload.from_graph(workload)
    if isinstance(workload, np.ndarray) or is_sparse_matrix(workload) or is_labelled_matrix(workload):
        return Workload.from_matrix(workload)
    raise TypeError(f"expected a Workload, path, matrix or graph, found {type(workload).__name__}")
