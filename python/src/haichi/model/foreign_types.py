"""The parts of SciPy's matrices and NetworkX's graphs that haichi uses. Both packages are optional."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any, Protocol, TypeGuard

import numpy.typing as npt


class SparseMatrix(Protocol):
    """A sparse matrix or array of SciPy."""

    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def format(self) -> str: ...
    @property
    def data(self) -> npt.NDArray[Any]: ...
    def tocoo(self) -> Any: ...


class Graph(Protocol):
    """A Graph, DiGraph, MultiGraph or MultiDiGraph of NetworkX."""

    @property
    def nodes(self) -> Any: ...
    def edges(self, *, data: str, default: Any) -> Iterable[tuple[Any, Any, Any]]: ...
    def is_directed(self) -> bool: ...


def is_sparse_matrix(value: object) -> TypeGuard[SparseMatrix]:
    """False unless SciPy is loaded: without it no such object can exist."""
    sparse = sys.modules.get("scipy.sparse")
    return sparse is not None and bool(sparse.issparse(value))


def is_graph(value: object) -> TypeGuard[Graph]:
    """False unless NetworkX is loaded: without it no such object can exist."""
    networkx = sys.modules.get("networkx")
    return networkx is not None and isinstance(value, networkx.Graph)
