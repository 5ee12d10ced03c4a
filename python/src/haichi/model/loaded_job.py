"""A loaded job, as placements and results use it. `haichi.Job` adds the functions."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Self

from haichi import _core
from haichi.base import notebook
from haichi.model.job_spec import JobSpec, job_options
from haichi.model.machine import Machine, MachineLike, as_machine
from haichi.model.traffic import Traffic
from haichi.model.workload import Workload, WorkloadLike


class LoadedJob:
    """A workload on the nodes of a job on a machine."""

    __slots__ = ("_core", "_problem", "_spec")

    def __init__(self, spec: JobSpec, core: _core.Job | None = None) -> None:
        self._spec = spec
        self._core = _core.Job(spec.core()) if core is None else core
        self._problem = _core.HeldProblem()

    @property
    def workload(self) -> Workload:
        """Its communication sets. Raises UnsupportedError for a log without sets."""
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
        """The shape of the cuboid, as in ``"1x2x4x2x3x2"``; empty for jobs without a shape."""
        return "x".join(map(str, self._core.shape))

    def _has_nodes_of(self, other: LoadedJob) -> bool:
        """True if node numbers mean the same in both jobs."""
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
    """The checked specification, with machine and workload read."""
    options = job_options(given)
    return JobSpec(Traffic.of(workload), as_machine(machine), options)
