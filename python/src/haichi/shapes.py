"""Placements for every shape that the scheduler may give a job."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, SupportsIndex

import numpy as np
import numpy.typing as npt

from haichi import _core, notebook
from haichi.allocation import allocation_request, sizes_option
from haichi.errors import OptionError
from haichi.file_names import encoded
from haichi.interruption import held_back
from haichi.job import (
    ObjectiveCallable,
    Result,
    SearchCallback,
    job_spec,
    map_options,
    search_callback,
    search_result,
    search_validation,
)
from haichi.machine import MachineLike
from haichi.workload import WorkloadLike


@dataclass(frozen=True, eq=False)
class RobustPlacement:
    """One placement for all shapes."""

    measure: str
    """``"max"``, the worst of the shapes counts, or ``"mean"``."""
    with_rotations: bool
    """Every order of the logical axes counts as a shape of its own."""
    value: float
    """Largest or mean over all that counts."""
    lower_bound: float | None
    optimal: bool
    position_of_rank: npt.NDArray[np.int32]
    """The position of each rank in the rank order of whatever shape the job gets. Read-only."""


@dataclass(frozen=True, repr=False, eq=False)
class ShapesResult:
    """What `haichi.optimize_shapes` gives."""

    shapes: tuple[str, ...]
    """As in ``"1x2x4x2x3x2"``."""
    results: tuple[Result, ...]
    """One per shape, in the same order; of the robust placement what it is worth there."""
    robust: RobustPlacement | None
    interrupted: bool
    report: dict[str, Any]
    """The whole report, ``haichi-report/1`` with ``shapes``."""
    _core: _core.ShapesReport = field(repr=False)

    def write(self, path: str | os.PathLike[str], format: str = "fujitsu") -> None:
        """Writes the rank maps: a robust one to `path`, else one per shape, whose name replaces ``{shape}`` in `path`.

        Files are whole or not there. Raises OptionError when ``{shape}`` is missing, UnsupportedError when the format
        cannot express a placement; robust ones are ``fujitsu``, in 1D coordinates, or ``json``.
        """
        text = os.fspath(path)
        if self.robust is not None:
            with held_back():
                self._core.write_robust_map(encoded("path", text), encoded("format", format))
            return
        if "{shape}" not in text:
            raise OptionError(f"there are {len(self.shapes)} maps for {text!r}", "an example is 'cg-{shape}.map'")
        for shape, result in zip(self.shapes, self.results, strict=True):
            result.write(text.replace("{shape}", shape), format)

    def _title(self) -> str:
        first = self.results[0]
        title = f"{first.objective}, ranks={len(first.node_of_rank)}"
        if self.robust is not None:
            title = f"one placement, {self.robust.measure} {first.objective}={self.robust.value:.6g} {first.unit}"
            title += f"{', optimal' if self.robust.optimal else ''}, ranks={len(first.node_of_rank)}"
        return f"{title}, interrupted" if self.interrupted else title

    def __repr__(self) -> str:
        rows = (f"{shape}: {result!r}" for shape, result in zip(self.shapes, self.results, strict=True))
        return "\n  ".join([f"ShapesResult({self._title()})", *rows])

    def _repr_html_(self) -> str:
        """A table, for notebooks."""
        rows = [
            (
                shape,
                f"{result.value:.6g}{' (optimal)' if result.optimal else ''}",
                "" if result.lower_bound is None else f"{result.lower_bound:.6g}",
                f"{result.report['default']['value']:.6g}",
                result.report["nodes"],
            )
            for shape, result in zip(self.shapes, self.results, strict=True)
        ]
        unit = self.results[0].unit
        return notebook.table(self._title(), rows, ("shape", f"value [{unit}]", "lower bound", "default", "nodes"))


def optimize_shapes(
    workload: WorkloadLike,
    machine: MachineLike,
    shapes: str | Sequence[str | Sequence[int]],
    *,
    robust: Literal["max", "mean"] | None = None,
    rotations: bool = False,
    origin: str | Sequence[int] | None = None,
    faulty: str | os.PathLike[str] | None = None,
    ppn: int = 1,
    objective: str | ObjectiveCallable = "tac3",
    strategy: str = "auto",
    seed: int = 1,
    restarts: int = 0,
    threads: int = 0,
    evaluations: int = 0,
    time_limit: float | Literal["auto"] | None = None,
    schedule: str = "auto",
    moves: str | Sequence[str] | None = None,
    companion: float | None = None,
    count_nic: bool = False,
    routing: str | None = None,
    fold: str | os.PathLike[str] = "default",
    verify: str = "off",
    start: str | os.PathLike[str] | None = None,
    message_size: str | SupportsIndex | None = None,
    hosts: str | os.PathLike[str] | None = None,
    validate: bool = False,
    progress: SearchCallback | None = None,
) -> ShapesResult:
    """Looks for placements for every shape that the scheduler may give the job, as ``haichi map --shapes`` does.

    shapes: ``"1x2x4x2x3x2,2x2x2x2x3x2"``, or a sequence of shapes as `optimize` takes them.
    robust: None: a placement for each shape; ``"max"`` or ``"mean"``: one for all, by its worst or its mean value.
    rotations: robust only: every order of the logical axes counts as a shape of its own, as the scheduler may turn a
        request.

    The other parameters are those of `optimize`; a `time_limit` is for all shapes together, and the `progress` too.
    Ctrl-C ends the search with the best placements so far. Raises what `optimize` raises.
    """
    listed = shapes.split(",") if isinstance(shapes, str) else shapes
    sizes = [sizes_option("shapes", shape) for shape in listed]
    if not sizes:
        raise OptionError("there are no shapes")
    options = map_options(
        objective=objective,
        strategy=strategy,
        seed=seed,
        restarts=restarts,
        threads=threads,
        evaluations=evaluations,
        time_limit=time_limit,
        schedule=schedule,
        moves=moves,
        companion=companion,
        verify=verify,
        start=start,
    )
    if rotations and robust is None:
        raise OptionError("rotations needs robust")
    allocation = allocation_request(None, origin, None, faulty, ppn, routing, fold, count_nic)
    core = _core.optimize_shapes(
        _core.Job.of_shapes(job_spec(workload, machine, allocation, hosts, message_size), sizes),
        options,
        robust=None if robust is None else _core.RobustOptions(encoded("robust", robust), rotations),
        validation=search_validation(validate, threads),
        progress=search_callback(progress),
    )
    report = json.loads(core.json(True))
    return ShapesResult(
        shapes=tuple("x".join(map(str, shape)) for shape in sizes),
        results=tuple(search_result(one) for one in core.shapes),
        robust=_robust(report, core),
        interrupted=core.interrupted,
        report=report,
        _core=core,
    )


def _robust(report: dict[str, Any], core: _core.ShapesReport) -> RobustPlacement | None:
    positions = core.position_of_rank
    if positions is None:
        return None
    return RobustPlacement(
        measure=report["robust"],
        with_rotations=report["with_rotations"],
        value=float(report["value"]),
        lower_bound=report["lower_bound"],
        optimal=report["optimal"],
        position_of_rank=positions,
    )
