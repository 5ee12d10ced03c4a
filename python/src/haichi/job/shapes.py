"""Placements for each shape that the scheduler may give a job."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Unpack

import numpy as np
import numpy.typing as npt

from haichi import _core
from haichi.base import notebook
from haichi.base.file_names import encoded
from haichi.base.option_types import SearchOptions
from haichi.base.options import given_options, takes
from haichi.base.outputs import write_files
from haichi.errors import OptionError
from haichi.job.job import Job
from haichi.model.placement import ObjectiveCallable, Placement
from haichi.model.search import SearchCallback, core_options, search_callback
from haichi.results.evaluation import Evaluation, evaluation_of


@dataclass(frozen=True, eq=False)
class RobustPlacement:
    """One placement that serves all shapes."""

    measure: str
    """``"max"`` if the worst shape counts, or ``"mean"``."""
    with_rotations: bool
    """True if every order of the logical axes counts as a separate shape."""
    value: float
    """The maximum or the mean of the objective over all shapes."""
    lower_bound: float | None
    optimal: bool
    position_of_rank: npt.NDArray[np.int32]
    """The position of each rank in the rank order of the shape that the job gets. Read-only."""


@dataclass(frozen=True, repr=False, eq=False)
class ShapesResult:
    """The result of `haichi.optimize_shapes`."""

    jobs: tuple[Job, ...]
    evaluations: tuple[Evaluation, ...]
    """One evaluation with its placement per job, in the order of the jobs. A robust placement is evaluated on each
    shape."""
    robust: RobustPlacement | None
    interrupted: bool
    report: dict[str, Any]
    """The whole report in the format ``haichi-report/1``, with ``shapes``."""
    _core: _core.ShapesReport = field(repr=False)

    def write(self, path: str | os.PathLike[str], format: str = "fujitsu") -> None:
        """Writes the rank maps. A robust placement gives one file, `path`. Otherwise there is a file per shape, whose
        name replaces ``{shape}`` in `path`.

        Either all files are written whole, or none is changed. Raises OptionError if ``{shape}`` is missing. Raises
        UnsupportedError if the format cannot express a placement. A robust map can have the format ``fujitsu`` (1D
        coordinates) or ``json``.
        """
        text = os.fspath(path)
        if self.robust is not None:
            write_files([(text, self._core.robust_map(encoded("format", format)))])
            return
        if "{shape}" not in text:
            raise OptionError(
                f"{len(self.jobs)} maps require {{shape}} in the name, found {text!r}",
                "use a name such as 'cg-{shape}.map'",
            )
        write_files(
            (text.replace("{shape}", shape), evaluation.placement._core.rank_map(encoded("format", format)))
            for shape, evaluation in zip(self.shapes, self.evaluations, strict=True)
        )

    @property
    def shapes(self) -> tuple[str, ...]:
        """The shape of each job, such as ``"1x2x4x2x3x2"``."""
        return tuple(job.shape for job in self.jobs)

    def _title(self) -> str:
        first = self.evaluations[0]
        ranks = self.jobs[0].ranks
        title = f"{first.objective}, ranks={ranks}"
        if self.robust is not None:
            title = f"one placement, {self.robust.measure} {first.objective}={self.robust.value:.6g} {first.unit}"
            title += f"{', optimal' if self.robust.optimal else ''}, ranks={ranks}"
        return f"{title}, interrupted" if self.interrupted else title

    def __repr__(self) -> str:
        rows = (f"{shape}: {one!r}" for shape, one in zip(self.shapes, self.evaluations, strict=True))
        return "\n  ".join([f"ShapesResult({self._title()})", *rows])

    def _repr_html_(self) -> str:
        """An HTML table for notebooks."""
        rows = [
            (
                shape,
                f"{one.value:.6g}{' (optimal)' if one.optimal else ''}",
                "" if one.lower_bound is None else f"{one.lower_bound:.6g}",
                f"{one.report['default']['value']:.6g}",
                one.report["nodes"],
            )
            for shape, one in zip(self.shapes, self.evaluations, strict=True)
        ]
        unit = self.evaluations[0].unit
        return notebook.table(self._title(), rows, ("shape", f"value [{unit}]", "lower bound", "default", "nodes"))


@takes(SearchOptions)
def optimize_shapes(
    jobs: Sequence[Job],
    objective: str | ObjectiveCallable = "auto",
    *,
    robust: Literal["max", "mean"] | None = None,
    rotations: bool = False,
    progress: SearchCallback | None = None,
    **search: Unpack[SearchOptions],
) -> ShapesResult:
    """Searches placements for each shape that the scheduler may give a job, as ``haichi map --shapes`` does.

    Parameters
    ----------
    jobs: the job on each of its shapes, from `haichi.jobs`.
    objective: as in `Job.optimize`.
    robust: None finds a placement for each shape. ``"max"`` or ``"mean"`` finds one placement for all shapes, and
    minimizes its worst or its mean value.
    rotations: requires `robust`. Every order of the logical axes counts as a separate shape, because the scheduler may
        rotate a request.
    progress: as in `Job.optimize`, but for all shapes together. The option `time` also applies to all shapes together.
    {options}

    Ctrl-C ends the search and returns the best placements so far. Raises the errors of `Job.optimize`. If `robust` is
    given, raises OptionError for jobs that differ in more than their shapes.
    """
    listed = list(jobs)
    if not listed:
        raise OptionError("at least one job is required", "make a job for each shape with haichi.jobs")
    if rotations and robust is None:
        raise OptionError("rotations requires robust", "add robust='max' or robust='mean'")
    for job in listed:
        job._spec.traffic.tell_of_sets()
    core = _core.optimize_shapes(
        [job._core for job in listed],
        core_options(objective, given_options("optimize_shapes", SearchOptions, search)),
        robust=None if robust is None else _core.RobustOptions(encoded("robust", robust), rotations),
        progress=search_callback(progress),
    )
    report = json.loads(core.json(True))
    return ShapesResult(
        jobs=tuple(listed),
        evaluations=tuple(
            evaluation_of(Placement(job, one.placement, objective), one)
            for job, one in zip(listed, core.shapes, strict=True)
        ),
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
