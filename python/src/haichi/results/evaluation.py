"""Evaluations of placements."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from haichi import _core
from haichi.base import notebook
from haichi.model.placement import Placement
from haichi.results.simulation import SimulatedPlacement, simulated_placement


@dataclass(frozen=True, repr=False, eq=False)
class Evaluation:
    """The evaluation of a placement, from `Job.evaluate`."""

    placement: Placement
    objective: str
    unit: str
    value: float
    """The value of the objective for one iteration, in `unit`."""
    lower_bound: float | None
    """A lower bound of the objective: no placement has a smaller value. None if no bound is known."""
    optimal: bool
    """True if the value equals the lower bound, which proves that the placement is optimal."""
    left_out: Mapping[str, int]
    """The number of calls in a log that its sets do not contain, by kind, such as ``one_sided_operations``."""
    interrupted: bool
    """True if Ctrl-C ended the search for the placement, or the simulation. The simulation is then incomplete."""
    metrics: dict[str, Any]
    """All built-in measures of the placement, as in ``metrics`` of the report."""
    report: dict[str, Any]
    """The whole report in the format ``haichi-report/1``."""
    simulated: SimulatedPlacement | None
    """The simulated times; None without the option `simulate` of `Job.evaluate`."""

    def __repr__(self) -> str:
        text = f"Evaluation({self.objective}={self.value:.6g} {self.unit}"
        if self.optimal:
            text += ", optimal"
        elif self.lower_bound is not None:
            text += f", lower_bound={self.lower_bound:.6g}"
        if "set_contention" in self.metrics:
            text += f", set_contention={_shortened(self.metrics['set_contention'])}"
        if self.simulated is not None:
            text += f", simulated={self.simulated.run.seconds:.6g} s"
            if self.simulated.default is not None:
                text += f" (default {self.simulated.default.seconds:.6g} s)"
        if self.interrupted:
            text += ", interrupted"
        return f"{text}, ranks={self.report['ranks']}, nodes={self.report['nodes']})"

    def _repr_html_(self) -> str:
        """An HTML table for notebooks that compares this placement with the default placement."""
        shown = notebook.number
        default = self.report["default"]
        bound = shown(self.lower_bound) + (" (reached)" if self.optimal else "")
        rows: list[Sequence[object]] = [
            (f"{self.objective} [{self.unit}]", shown(self.value), shown(default["value"]), bound)
        ]
        rows += [
            (f"{row['objective']} [{row['unit']}]", shown(row["value"]), "", shown(row["lower_bound"]))
            for row in self.report.get("objectives", [])
            if row["lower_bound"] is not None and row["objective"] != self.objective
        ]
        rows += [
            (name, shown(value), shown(default.get(name)), "")
            for name, value in self.metrics.items()
            if isinstance(value, int | float)
        ]
        if self.simulated is not None:
            before = self.simulated.default
            seconds = shown(self.simulated.run.seconds)
            rows.append(("simulated [seconds]", seconds, "" if before is None else shown(before.seconds), ""))
        sets = zip(self.metrics.get("set_contention", []), default.get("set_contention", []), strict=True)
        rows += notebook.most_rows([(f"set {t}: messages on a link", *both, "") for t, both in enumerate(sets, 1)])
        title = f"{self.report['ranks']} ranks on {self.report['nodes']} nodes of {self.report['machine']}"
        if self.interrupted:
            title += ", interrupted"
        return notebook.table(title, rows, ("", "this placement", "default", "lower bound"))


def _shortened(values: list[int], most: int = 8) -> str:
    shown = ", ".join(map(str, values[:most]))
    return f"[{shown}]" if len(values) <= most else f"[{shown}, ... {len(values)} sets]"


def evaluation_of(placement: Placement, core: _core.Evaluation) -> Evaluation:
    report = json.loads(core.json(True))
    return Evaluation(
        placement=placement,
        objective=core.objective,
        unit=core.unit,
        value=core.value,
        lower_bound=core.lower_bound,
        optimal=core.optimal,
        left_out=report.get("left_out", {}),
        interrupted=core.interrupted,
        metrics=report["metrics"],
        report=report,
        simulated=simulated_placement(core),
    )
