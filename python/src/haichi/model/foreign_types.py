"""The parts of SciPy matrices and NetworkX graphs that haichi uses. Both packages are optional."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any, Protocol, TypeGuard

import numpy.typing as npt


class SparseMatrix(Protocol):
    """A SciPy sparse matrix or sparse array."""

    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def format(self) -> str: ...
    @property
    def data(self) -> npt.NDArray[Any]: ...
    def tocoo(self) -> Any: ...


class Graph(Protocol):
    """A NetworkX Graph, DiGraph, MultiGraph or MultiDiGraph."""

    @property
    def nodes(self) -> Any: ...
    def edges(self, *, data: str, default: Any) -> Iterable[tuple[Any, Any, Any]]: ...
    def is_directed(self) -> bool: ...


def is_sparse_matrix(value: object) -> TypeGuard[SparseMatrix]:
    """False unless SciPy is loaded. No such matrix can exist before."""
    sparse = sys.modules.get("scipy.sparse")
    return sparse is not None and bool(sparse.issparse(value))


def is_graph(value: object) -> TypeGuard[Graph]:
    """False unless NetworkX is loaded. No such graph can exist before."""
    networkx = sys.modules.get("networkx")
    return networkx is not None and isinstance(value, networkx.Graph)
