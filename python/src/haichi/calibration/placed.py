"""Positions of the two ranks of a benchmark: the word ``FILE@HOPS``, and two nodes of a machine at this distance."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

import numpy as np

from haichi import _core
from haichi.calibration.results import Point
from haichi.errors import OptionError
from haichi.model.job_spec import JobSpec
from haichi.model.machine import Machine
from haichi.model.traffic import Traffic
from haichi.model.workload import Workload

_WITH_HOPS = re.compile(r"(.+)@(\d{1,9})")
_MOST_TARGETS = 4096


@dataclass(frozen=True)
class PlacedPoint(Point):
    """A point with the distance between its ranks."""

    hops: int
    """The number of links between the nodes of the ranks; 0 if the ranks shared a node."""

    @property
    def is_barrier(self) -> bool:
        return self.benchmark == "barrier"


def file_and_hops(word: str) -> tuple[str, int | None]:
    """Splits ``osu.txt@4`` into the file and the number of links between both ranks (None if not stated). A file with
    exactly this name takes precedence."""
    found = _WITH_HOPS.fullmatch(word)
    if found is None or os.path.exists(word):
        return word, None
    return found[1], int(found[2])


@dataclass(frozen=True)
class Distances:
    """Distances from the machine's first node to the other nodes."""

    node_at: dict[int, int]
    """The first node at each distance in links. Distance 0 has the node itself."""

    @classmethod
    def of(cls, machine: Machine) -> Distances:
        """Computes the distances. Raises OptionError for a machine without a fixed size."""
        if machine.nodes is None:
            raise OptionError(
                f"calibrate requires a machine with a fixed size, found {machine.name}",
                "state the size, as in fx10:10x5x8",
            )
        faulty = {int(node) for node in machine.faulty}
        up = [node for node in range(machine.nodes) if node not in faulty]
        targets = up[1 : 1 + _MOST_TARGETS]
        node_at = {0: up[0]}
        if targets:
            nodes = [up[0], *targets]
            workload = Workload.from_messages(np.zeros(len(targets), np.int64), np.arange(1, len(nodes)), 1)
            core = _core.Job(JobSpec(Traffic.of(workload), machine, {"nodes": nodes}).core())
            first, _ = _core.message_routes(core.place(None, b""))
            for node, hops in zip(targets, np.diff(first).tolist(), strict=True):
                node_at.setdefault(hops, node)
        return cls(node_at)

    @property
    def nearest(self) -> int:
        """The number of links to the nearest other node; 0 if the machine has a single node."""
        return min((hops for hops in self.node_at if hops > 0), default=0)

    def check(self, hops: int, where: str, machine: Machine) -> None:
        """Raises OptionError if no two nodes have this distance."""
        if hops not in self.node_at:
            known = ", ".join(map(str, sorted(self.node_at)))
            raise OptionError(
                f"{where}: no node of {machine.name} has a distance of {hops} links from its first node",
                f"use one of the distances {known}, or name another machine with §like",
            )
