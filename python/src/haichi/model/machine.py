"""Machines: the parallel computers that jobs run on."""

from __future__ import annotations

import hashlib
import json
import logging
import os
from collections.abc import Hashable, Iterable, Mapping
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from haichi import _core
from haichi.base import notebook
from haichi.base.file_names import encoded
from haichi.base.table_sizes import check_table
from haichi.errors import InputError, UnsupportedError
from haichi.model.foreign_types import Graph, is_graph
from haichi.model.graph_text import graphml_of


class Axis(NamedTuple):
    """An axis of a mesh or torus."""

    name: str
    size: int | None  #: None if the shape of a job defines it
    wraps: bool = False


class Machine:
    """A parallel computer. The argument is a preset as in ``Machine("fx10-kyushu")``, ``"graph:FILE"``, the path of a
    machine file, its content, or a NetworkX graph (see `from_graph`).

    Immutable. The object contains the texts of its files, so that a pickled machine works on computers without these
    files. Raises OptionError for unknown presets, and InputError with file and line for invalid files.
    """

    __slots__ = ("_core",)

    def __init__(self, name: str | os.PathLike[str] | Mapping[str, Any] | Graph) -> None:
        self._core = _core_of(name)

    @classmethod
    def _from_source(cls, name: str, text: str | None, graph_text: str | None) -> Machine:
        machine = cls.__new__(cls)
        machine._core = _core.Machine(encoded("machine", name), _file_bytes(text), _file_bytes(graph_text))
        return machine

    @classmethod
    def from_file(cls, path: str | os.PathLike[str]) -> Machine:
        """Reads a machine file (``haichi-machine/1``), even if its path is also the name of a preset."""
        path = os.fspath(path)
        return cls(path if path == "-" or os.sep in path else os.path.join(os.curdir, path))

    @classmethod
    def from_json(cls, text: str, *, name: str = "machine") -> Machine:
        """Reads the text of a machine file. Messages use `name`, which is also the machine's name if the text has
        none."""
        if not isinstance(text, str):
            raise TypeError(f"the text of a machine file must be a str, not {text!r}")
        return cls._from_source(name, text, None)

    @classmethod
    def from_dict(cls, machine: Mapping[str, Any], *, name: str = "machine") -> Machine:
        """Makes a machine from the content of a machine file."""
        return cls.from_json(json.dumps(machine, indent=1), name=name)

    @classmethod
    def from_graph(
        cls,
        graph: Graph,
        *,
        bandwidth: str | float = "bandwidth",
        terminals: str | Iterable[Hashable] = "terminal",
        name: str = "graph",
    ) -> Machine:
        """Makes a network from a NetworkX graph. It is routed like a graph file (docs/reference/graph_file.md).

        Edges are links, and an undirected edge is a link in each direction. `bandwidth` is the name of an edge
        attribute, or the bandwidth of all edges. A bandwidth is in bytes per second, or a text such as ``"5GB/s"``. The
        edge attribute ``latency`` is optional, in seconds or a text.

        `terminals` are the nodes that can run ranks, in the order of the machine's nodes. It can also be the name of a
        node attribute that is True for these nodes. If no node has the attribute ``terminal``, all nodes can run ranks.
        In messages and reports, the machine is called ``graph:`` and `name`.

        Raises InputError for edges without a bandwidth or from a node to itself, and for nodes with equal names. Raises
        it also for any other violation of the graph-file format.
        """
        return cls._from_source(f"graph:{name}", None, graphml_of(graph, bandwidth, terminals))

    @property
    def name(self) -> str:
        """The name of the machine in reports."""
        return self._core.name

    @property
    def text(self) -> str | None:
        """The text of the machine file; None for presets."""
        return self._core.source[1]

    @property
    def kind(self) -> str:
        """The topology kind, as in a machine file. An example is ``"torus"``, which has an axis that wraps. The command
        ``haichi list topologies`` lists all kinds."""
        return str(self._core.topology["kind"])

    @property
    def topology(self) -> dict[str, Any]:
        """The topology, with the keys of a machine file. For a graph, it has the numbers of nodes, switches and
        links."""
        topology = self._core.topology
        if "axes" in topology:
            topology["axes"] = [axis._asdict() for axis in self.axes]
        return topology

    @property
    def axes(self) -> tuple[Axis, ...]:
        """The axes of a mesh or torus; empty for other kinds."""
        return tuple(Axis(**axis) for axis in self._core.topology.get("axes", []))

    @property
    def nodes(self) -> int | None:
        """The number of nodes; None if the shape of a job defines it."""
        return self._core.node_count

    @property
    def coordinates(self) -> npt.NDArray[np.int32]:
        """The coordinates of each node; shape (nodes, axes), int32. Row n is node n.

        Raises UnsupportedError for machines without coordinates, and for machines whose size depends on the job's
        shape. Raises OptionError for a table above 256 MiB.
        """
        if self.nodes is None:
            raise UnsupportedError(f"the size of {self.name} depends on the job", "use the coordinates of a job")
        check_table("the result", self.nodes, len(self.axes), 4, "use the coordinates of a job on some of its nodes")
        return coordinates_or_error(self, _core.machine_coordinates(self._core))

    @property
    def faulty(self) -> npt.NDArray[np.int32]:
        """The numbers of the nodes that are down."""
        return np.array(self._core.faulty, np.int32)

    @property
    def routing(self) -> str:
        return self._core.routing

    @property
    def link_bandwidth(self) -> int:
        """The link bandwidth in bytes per second; for a graph, the bandwidth of its fastest link."""
        return self._core.link_bandwidth

    @property
    def link_classes(self) -> dict[str, int]:
        """The bandwidth of each link class in bytes per second, by name. A dragonfly has host, local and global
        links."""
        return self._core.link_classes

    @property
    def nics_per_node(self) -> int:
        return self._core.nics_per_node

    def digest(self) -> str:
        """SHA-256 of the machine's source: the name of a preset, or the names and texts of the files."""
        return hashlib.sha256(json.dumps(self._core.source).encode()).hexdigest()

    def __reduce__(self) -> tuple[Any, ...]:
        return Machine._from_source, self._core.source

    def __eq__(self, other: object) -> bool:
        return self._core.source == other._core.source if isinstance(other, Machine) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._core.source)

    def _size(self) -> str:
        sizes = {
            key: "x".join("?" if axis.size is None else str(axis.size) for axis in self.axes)
            if key == "axes"
            else "x".join(map(str, value))
            if isinstance(value, list)
            else str(value)
            for key, value in self._core.topology.items()
            if key not in ("kind", "logical")
        }
        return ", ".join(f"{key}={size}" for key, size in sizes.items())

    def __repr__(self) -> str:
        nodes = "" if self.nodes is None else f", nodes={self.nodes}"
        links = f"links={self.link_bandwidth / 1e9:.6g} GB/s"
        return f"Machine({self.name!r}, {self.kind}, {self._size()}{nodes}, {links})"

    def _repr_html_(self) -> str:
        """An HTML table for notebooks."""
        rows: list[tuple[str, object]] = [("topology", f"{self.kind}, {self._size()}")]
        if self.axes:
            rows.append(("axes that wrap", ", ".join(axis.name for axis in self.axes if axis.wraps) or "none"))
        rows += [
            ("nodes", "by the job's shape" if self.nodes is None else f"{self.nodes:,}"),
            ("links", f"{self.link_bandwidth / 1e9:.6g} GB/s"),
            ("NICs per node", self.nics_per_node),
            ("routing", self.routing),
        ]
        if len(self.faulty):
            rows.append(("faulty nodes", len(self.faulty)))
        return notebook.table(self.name, rows)


def _core_of(machine: str | os.PathLike[str] | Mapping[str, Any] | Graph) -> _core.Machine:
    if is_graph(machine):
        return Machine.from_graph(machine)._core
    if isinstance(machine, Mapping):
        return Machine.from_dict(machine)._core
    return _core.Machine(encoded("machine", cast("str | os.PathLike[str]", machine)), None, None)


def _file_bytes(text: str | None) -> bytes | None:
    """The bytes of a text that `_core` has decoded."""
    try:
        return None if text is None else text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        raise InputError(f"the text of a machine file is not Unicode text (character {error.start})") from error


MachineLike = Machine | str | os.PathLike[str] | Mapping[str, Any] | Graph


def as_machine(machine: MachineLike) -> Machine:
    """Returns a Machine unchanged, and passes anything else to its constructor."""
    return machine if isinstance(machine, Machine) else Machine(machine)


def coordinates_or_error(machine: Machine, coordinates: npt.NDArray[np.int32] | None) -> npt.NDArray[np.int32]:
    """Raises UnsupportedError for a machine without coordinates."""
    if coordinates is None:
        raise UnsupportedError(
            f"nodes of {machine.name} have no coordinates, because its topology is {machine.kind!r}",
            "use node numbers, and Job.distances for distances",
        )
    return coordinates


def warn_of_buffers(machine: Machine) -> None:
    """Warns in the logger ``haichi`` if buffers limit the bandwidth of links. Call this before a simulation. Raises
    OptionError for a machine that cannot be simulated."""
    warning = machine._core.buffer_warning()
    if warning:
        logging.getLogger("haichi").warning("%s", warning)
