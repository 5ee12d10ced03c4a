"""Placements of the ranks of a job on its nodes."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, Literal, NamedTuple, SupportsFloat

import numpy as np
import numpy.typing as npt

from haichi import _core
from haichi.base.file_names import encoded
from haichi.base.optional_packages import drawing_axes
from haichi.base.outputs import write_files
from haichi.errors import OptionError
from haichi.model.labels import is_series, values_of_ranks
from haichi.model.loaded_job import LoadedJob
from haichi.model.workload import number_array


class Verdict(NamedTuple):
    """The answer of a search with the objective ``"auto"``: whether a placement saves time over the default placement.
    Without a gain beyond the spread, the search returns the default placement."""

    text: str
    helps: bool
    share_saved: float
    """The fraction of the default placement's time that is saved."""
    spread: float | None
    """The standard deviation of the saved fraction over the seeds of the search; None with one seed."""


ObjectiveCallable = Callable[[npt.NDArray[np.int32]], SupportsFloat]
"""A function that returns a number for the node of every rank."""


class Placement:
    """The placement of the ranks of a job. `Job.optimize` finds one, and `Job.place` converts an existing map."""

    __slots__ = ("_core", "_job", "_objective", "_search")

    def __init__(self, job: LoadedJob, core: _core.Placement, objective: str | ObjectiveCallable = "auto") -> None:
        self._job = job
        self._core = core
        self._objective = objective
        self._search = core.search

    @property
    def job(self) -> LoadedJob:
        return self._job

    @property
    def node_of_rank(self) -> npt.NDArray[np.int32]:
        """The node of each rank, int32. Nodes of the job are numbered in row-major order of their coordinates, with the
        last axis fastest. Read-only."""
        return self._core.node_of_rank

    @property
    def is_default(self) -> bool:
        """True if this is the placement that the scheduler would make."""
        return self._core.is_default

    @property
    def strategy(self) -> str | None:
        """The strategy that found the placement (`haichi.list_strategies`), never ``"auto"``; None for a given
        placement."""
        return None if self._search is None else str(self._search["strategy"])

    @property
    def objective(self) -> str | None:
        """The objective of the search; None for a given placement."""
        return None if self._search is None else str(self._search["objective"])

    @property
    def verdict(self) -> Verdict | None:
        """Whether the placement saves time, after a search with the objective ``"auto"``; None for other placements."""
        entry = None if self._search is None else self._search.get("verdict")
        return None if entry is None else Verdict(**entry)

    @property
    def evaluations(self) -> int:
        """The number of evaluations of the objective over all restarts."""
        return 0 if self._search is None else int(self._search["evaluations"])

    @property
    def evaluations_per_second(self) -> float:
        """The evaluations per second in the inner loops alone, per thread."""
        return 0.0 if self._search is None else float(self._search["evaluations_per_second"])

    @property
    def interrupted(self) -> bool:
        """True if Ctrl-C ended the search. The placement is then the best one so far."""
        return self._search is not None and bool(self._search["interrupted"])

    def link_loads(
        self, measure: Literal["bytes", "messages", "seconds"] = "bytes", *, set: int | None = None
    ) -> npt.NDArray[Any]:
        """The load of each link of `Job.links` in one iteration, with shape (links,).

        Parameters
        ----------
        measure: ``"bytes"`` or ``"messages"`` as int64, or ``"seconds"`` as float64. Seconds are the bytes of a link
            divided by its bandwidth.
        set: the number of a communication set, from 0. None sums over all sets.

        Messages of 0 bytes and messages within a node do not load any link. Raises OptionError for other measures and
        sets. Raises UnsupportedError for a log without sets.
        """
        if measure not in ("bytes", "messages", "seconds"):
            raise OptionError(f"invalid measure: {measure!r}", "use bytes, messages or seconds")
        self._job.workload._check_set(set)
        links = self._job.links
        sizes, messages = _core.link_loads(self._core, links._id, set)
        return messages if measure == "messages" else sizes / links.bandwidth if measure == "seconds" else sizes

    def plot_link_loads(self, measure: Literal["bytes", "messages", "seconds"] = "bytes", *, ax: Any = None) -> Any:
        """Draws the link loads into the matplotlib axes `ax`, the most loaded link first. Returns the axes.

        ``ax=None`` makes a new figure. Raises UnsupportedError without matplotlib, and the errors of `link_loads`.
        """
        loads = np.sort(self.link_loads(measure))[::-1]
        axes = drawing_axes(ax)
        label = "default placement" if self.is_default else self.strategy or "given placement"
        axes.step(np.arange(1, len(loads) + 1), loads, where="mid", label=label)
        axes.set(xlabel="links, sorted by load", ylabel=f"{measure} per iteration")
        axes.set_ylim(bottom=0)
        return axes

    def write(self, path: str | os.PathLike[str], format: str | None = None) -> None:
        """Writes the rank map (formats: `haichi.list_formats`). The default format is ``fujitsu``, or ``json`` if the
        job has no logical coordinates.

        The file is written whole or not at all. Raises UnsupportedError if the format cannot express this placement.
        """
        if format is None:
            format, _, _ = self._core.usual_rank_map("FILE")
        write_files([(path, self._core.rank_map(encoded("format", format)))])

    def launch_lines(self, format: str, file: str = "FILE") -> str:
        """The lines of a job script that start a program with the rank map in `file`.

        The text is empty if no launcher reads the format, or if the launcher cannot use this placement.
        """
        return os.fsdecode(self._core.launch_lines(encoded("format", format), encoded("file", file)))

    def __repr__(self) -> str:
        text = f"Placement(ranks={len(self.node_of_rank)}, nodes={self.job.nodes}"
        if self.is_default:
            text += ", default"
        if self.strategy is not None:
            text += f", {self.strategy} for {self.objective}, evaluations={self.evaluations}"
        return text + (", interrupted)" if self.interrupted else ")")


PlacementLike = Placement | str | os.PathLike[str] | npt.ArrayLike
"""A placement of the same job, a rank-map file, or the node of each rank."""


def as_map(name: str, given: PlacementLike) -> bytes | npt.NDArray[Any]:
    """The path of a map, or the node of each rank. Raises OptionError for arrays that are not 1D."""
    if isinstance(given, Placement):
        return given.node_of_rank
    if isinstance(given, str | os.PathLike):
        return encoded(name, given)
    nodes = number_array(name, values_of_ranks(name, given) if is_series(given) else given)
    if nodes.ndim != 1:
        raise OptionError(f"{name} must be 1D, not of shape {nodes.shape}")
    return nodes
