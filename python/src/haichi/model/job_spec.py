"""A job as it is asked for: what a `haichi.Job` is made of, checked one by one but not yet loaded."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal, TypedDict, cast

import numpy as np
import numpy.typing as npt

from haichi import _core
from haichi.base.file_names import encoded
from haichi.base.options import Flag, Kind, Option, Sizes, TrafficForm, Whole
from haichi.errors import InputError, OptionError
from haichi.model.machine import Machine
from haichi.model.traffic import Traffic, read_once
from haichi.model.workload import Workload, whole_numbers


class _Nodes(Kind):
    """A file, or nodes by number or by coordinates; these become lists."""

    def checked(self, name: str, value: Any) -> Any:
        if isinstance(value, str | bytes | os.PathLike):
            return super().checked(name, value)
        if not hasattr(value, "__len__"):
            raise TypeError(f"{name} must be a file, numbers or coordinates, not {value!r}")
        if any(isinstance(node, bool | np.bool_) for node in value):
            raise InputError(f"{name} must hold numbers of nodes, not truth values", "numpy.flatnonzero gives them")
        nodes = whole_numbers(name, value) if len(value) else np.empty(0, np.int64)
        if nodes.ndim not in (1, 2):
            raise OptionError(f"{name} must be a list of numbers or of coordinates, not of shape {nodes.shape}")
        return nodes.tolist()


class _Hosts(Kind):
    """A file or pattern, or the names."""

    def checked(self, name: str, value: Any) -> Any:
        if isinstance(value, str | bytes | os.PathLike):
            return super().checked(name, value)
        return [os.fsdecode(encoded(name, host)) for host in value]


_FOLDS = ", ".join(name for name, _ in _core.folds())
SizesLike = str | Sequence[int]
NodesLike = str | os.PathLike[str] | Sequence[int] | Sequence[Sequence[int]] | npt.NDArray[np.integer[Any]]


class JobOptions(TypedDict, total=False):
    """Keyword arguments of `haichi.Job`; options of the program's commands in the same words."""

    shape: Annotated[
        SizesLike | None,
        Option(
            "the job's cuboid, one size per axis; default: the whole machine",
            "AxBx...",
            Sizes(),
            python='the job\'s cuboid, ``"1x2x4x2x3x2"`` or a sequence; None: the whole machine, or `nodes`.',
        ),
    ]
    nodes: Annotated[
        NodesLike | None,
        Option(
            "the job's nodes instead of a cuboid: one per line, number or coordinates",
            "FILE",
            _Nodes(),
            python="""the job's nodes instead of a cuboid, in the order of its ranks: a file, numbers (row-major, last
                axis fastest), or coordinates.""",
        ),
    ]
    origin: Annotated[
        SizesLike | None, Option("corner of the cuboid on the machine; default: zeros", "AxBx...", Sizes())
    ]
    faulty: Annotated[
        NodesLike | None,
        Option(
            "nodes that are down, one per line as in --nodes: they take no rank, and no route passes them",
            "FILE",
            _Nodes(),
            python="nodes that are down, given as `nodes` are: they take no rank, and no route passes them.",
        ),
    ]
    ppn: Annotated[
        int,
        Option("most ranks on a node; default: 1", "N", Whole(1, 2**20), default=1),
    ]
    routing: Annotated[
        str | None,
        Option("static routing, as in dor:XYZACB,tie=+ (haichi list routings); default: the machine's", "ROUTING"),
    ]
    fold: Annotated[
        str | os.PathLike[str],
        Option(
            f"logical coordinates and rank order: {_FOLDS}, or a coordinate table's file",
            "FOLD",
            default="default",
        ),
    ]
    hosts: Annotated[
        str | os.PathLike[str] | Sequence[str] | None,
        Option(
            "names of the nodes, for maps with host names: a file, node[000-095] or node%04d",
            "FILE|PATTERN",
            _Hosts(),
            python="names of the nodes, for maps with host names: a list, a file, or a pattern as ``node[000-095]``.",
        ),
    ]
    count_nic: Annotated[bool, Option("injection and ejection of a node count as links", kind=Flag(), default=False)]


@dataclass(frozen=True, eq=False)
class JobSpec:
    """A value, which pickles with the texts of the machine's files."""

    traffic: Traffic
    machine: Machine
    options: JobOptions
    """All of them, as `haichi.options.complete` gives them."""

    @property
    def workload(self) -> Workload:
        """As `Traffic.workload`."""
        return self.traffic.workload

    def reading_once(self) -> JobSpec:
        """The same with `haichi.traffic.read_once`."""
        return replace(self, traffic=read_once(self.traffic))

    def with_shape(self, shape: SizesLike | None) -> JobSpec:
        text = None if shape is None else Sizes().checked("shape", shape)
        return replace(self, options=cast(JobOptions, {**self.options, "shape": text}))

    @property
    def shape(self) -> str | None:
        return cast("str | None", self.options["shape"])

    @property
    def workload_name(self) -> str:
        """Of a workload from a file."""
        return file_name(self.traffic.files[0]) if self.traffic.files else ""

    def simulated_form(self, form: TrafficForm) -> Literal["sets", "calls"]:
        """What is simulated where `form` is asked for. Raises OptionError where there are no calls."""
        has_calls = self.traffic.has_calls
        if form == "calls" and not has_calls:
            raise OptionError(
                "form is 'calls', but the traffic has no calls",
                "it is no log, or one that has no order" if self.traffic.files else "give haichi.Job the log's file",
            )
        return "calls" if has_calls and form != "sets" else "sets"

    def input_files(self) -> list[str]:
        """What is, or may be, the name of a file that the job was read from."""
        machine = self.machine._core
        named = [self.options[name] for name in ("nodes", "faulty", "hosts", "fold")]
        return [
            name
            for name in (*self.traffic.files, machine.source[0], machine.graph_file, *named)
            if isinstance(name, str) and name
        ]

    def core(self) -> _core.JobSpec:
        given = self.options
        allocation = _core.AllocationRequest(
            shape=_numbers(given["shape"]),
            origin=_numbers(given["origin"]),
            nodes=_node_list(given["nodes"]),
            faulty=_node_list(given["faulty"]),
        )
        allocation.ranks_per_node = given["ppn"]
        allocation.routing = encoded("routing", given["routing"] or "")
        allocation.fold = encoded("fold", given["fold"])
        allocation.count_nic = given["count_nic"]
        hosts = given["hosts"] or ""
        return _core.JobSpec(
            machine=self.machine._core,
            traffic=self.traffic._core,
            allocation=allocation,
            hosts=encoded("hosts", hosts)
            if isinstance(hosts, str | os.PathLike)
            else [encoded("hosts", host) for host in hosts],
        )


def file_name(path: str | os.PathLike[str]) -> str:
    """As results and pages have it: what is no UTF-8 in it is written out."""
    name = os.fsencode(os.path.basename(path)).decode("utf-8", "backslashreplace")
    return name.removesuffix(".json") or os.fspath(path)


def _numbers(sizes: SizesLike | None) -> list[int]:
    return [] if sizes is None else [int(size) for size in (sizes.split("x") if isinstance(sizes, str) else sizes)]


def _node_list(nodes: NodesLike | None) -> bytes | npt.NDArray[Any]:
    if nodes is None or isinstance(nodes, str | os.PathLike):
        return encoded("nodes", nodes or "")
    return np.array(nodes, np.int64)
