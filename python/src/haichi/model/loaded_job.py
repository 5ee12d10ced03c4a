"""The base class of `haichi.Job`, with the members that placements and results use."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from haichi import _core
from haichi.base import notebook
from haichi.base.table_sizes import check_table
from haichi.errors import InputError, OptionError
from haichi.model.job_spec import JobSpec, job_options
from haichi.model.links import Links
from haichi.model.machine import Machine, MachineLike, as_machine, coordinates_or_error
from haichi.model.traffic import Traffic
from haichi.model.workload import Workload, WorkloadLike, whole_numbers

Int32Array = npt.NDArray[np.int32]


class LoadedJob:
    """A workload on the nodes of a job on a machine."""

    __slots__ = ("_core", "_links", "_problem", "_spec")

    def __init__(self, spec: JobSpec, core: _core.Job | None = None) -> None:
        self._spec = spec
        self._core = _core.Job(spec.core()) if core is None else core
        self._problem = _core.HeldProblem()
        self._links: Links | None = None

    @property
    def workload(self) -> Workload:
        """The communication sets of the job. Raises UnsupportedError for a log without sets."""
        return self._spec.workload

    @property
    def machine(self) -> Machine:
        return self._spec.machine

    @property
    def ranks(self) -> int:
        return self._core.rank_count

    @property
    def nodes(self) -> int:
        """The number of nodes of the job."""
        return self._core.node_count

    @property
    def shape(self) -> str:
        """The shape of the cuboid, such as ``"1x2x4x2x3x2"``; empty for jobs without a shape."""
        return "x".join(map(str, self._core.shape))

    @property
    def coordinates(self) -> Int32Array:
        """The coordinates of each node on the machine; shape (nodes, axes), int32. Row n is node n of the job.

        Raises UnsupportedError for networks without coordinates, such as fat trees.
        """
        return coordinates_or_error(self.machine, _core.job_coordinates(self._core))

    @property
    def links(self) -> Links:
        """The directed links of the job's network. `route` and `Placement.link_loads` use their numbers."""
        if self._links is None:
            self._links = Links(self._core)
        return self._links

    def distances(self, sources: npt.ArrayLike | None = None, destinations: npt.ArrayLike | None = None) -> Int32Array:
        """The number of hops of static routes between nodes of the job, as int32.

        Parameters
        ----------
        sources, destinations: node numbers. They are broadcast against each other as in NumPy, and the result has their
            common shape. ``job.distances(a, b)`` has a value per pair, and ``job.distances(a[:, None], b)`` has a row
            per source. With `sources` alone, the result has the distances to all nodes, with shape
            ``sources.shape + (nodes,)``. Without both, the result has shape (nodes, nodes).

        The distance of a node from itself is 0. A pair with a faulty node has the distance -1. Raises OptionError with
        the size for a table that exceeds 256 MiB (8,192 x 8,192 nodes) and the given arrays. Raises InputError for
        numbers outside ``0..nodes - 1``.
        """
        hint = "pass sources and destinations to get the distances of chosen pairs: job.distances(a, b)"
        if sources is None and destinations is not None:
            raise OptionError("destinations require sources", "job.distances(sources, destinations)")
        if sources is None or destinations is None:
            given = np.arange(self.nodes) if sources is None else self._node_numbers("sources", sources)
            check_table("the result", given.size, self.nodes, 4, hint)
            rows = _core.distance_rows(self._core, given.ravel().astype(np.int32))
            return rows.reshape((*given.shape, self.nodes))
        first = self._node_numbers("sources", sources)
        second = self._node_numbers("destinations", destinations)
        try:
            shape = np.broadcast_shapes(first.shape, second.shape)
        except ValueError as error:
            raise InputError(
                f"sources of shape {first.shape} and destinations of shape {second.shape} cannot be combined",
                "pass arrays of equal shape, or sources[:, None] for a row per source",
            ) from error
        size = int(np.prod(shape, dtype=object))
        if size > max(first.size, second.size):
            check_table("the result", size // max(shape[-1], 1), shape[-1], 4, hint)
        pairs = (np.ascontiguousarray(np.broadcast_to(nodes, shape).ravel(), np.int32) for nodes in (first, second))
        return _core.distances(self._core, *pairs).reshape(shape)

    def route(self, source: int, destination: int) -> Int32Array:
        """The static route between two nodes of the job, as the int32 numbers of its links in order (see `links`).

        The route from a node to itself is empty. Raises InputError for numbers outside ``0..nodes - 1``. Raises
        OptionError if a node is faulty or faulty nodes block the route.
        """
        ends = [self._node_numbers(name, node) for name, node in (("source", source), ("destination", destination))]
        if any(node.ndim != 0 for node in ends):
            raise InputError("a route requires one source and one destination", "call route once per pair")
        first, second = (int(node) for node in ends)
        if min(_core.distances(self._core, *(np.array([node], np.int32) for node in (first, second)))) < 0:
            raise OptionError(f"no route from node {first} to node {second}: node {first} or node {second} is faulty")
        return self.links._numbers(_core.route(self._core, first, second))

    def _node_numbers(self, name: str, given: npt.ArrayLike) -> npt.NDArray[np.int64]:
        nodes = whole_numbers(name, given)
        outside = (nodes < 0) | (nodes >= self.nodes)
        if np.any(outside):
            raise InputError(f"invalid node in {name}: {nodes[outside].flat[0]} (the job has {self.nodes} nodes)")
        return nodes

    def _has_nodes_of(self, other: LoadedJob) -> bool:
        """True if equal node numbers mean the same node in both jobs."""
        ours, theirs = self._spec.options, other._spec.options
        same = all(ours.get(name) == theirs.get(name) for name in ("nodes", "origin", "faulty"))
        return same and self.shape == other.shape and self.machine == other.machine

    def _input_files(self, placement: object) -> list[str]:
        given = [os.fspath(placement)] if isinstance(placement, str | os.PathLike) else []
        return [*self._spec.input_files(), *given]

    @classmethod
    def _of(cls, spec: JobSpec, core: _core.Job | None = None) -> Self:
        job = cls.__new__(cls)
        LoadedJob.__init__(job, spec, core)
        return job

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self)._of, (self._spec,)

    def _where(self) -> str:
        return f"{self.machine.name}{f', shape={self.shape}' if self.shape else ''}"

    def __repr__(self) -> str:
        return f"Job(ranks={self.ranks}, nodes={self.nodes} of {self._where()})"

    def _repr_html_(self) -> str:
        """An HTML table for notebooks."""
        rows = [("ranks", notebook.number(self.ranks)), ("nodes", notebook.number(self.nodes))]
        return notebook.table(f"job on {self._where()}", rows)


def job_spec(workload: WorkloadLike, machine: MachineLike, given: Mapping[str, Any]) -> JobSpec:
    """Reads the machine and the workload, and returns the checked specification."""
    options = job_options(given)
    return JobSpec(Traffic.of(workload), as_machine(machine), options)
