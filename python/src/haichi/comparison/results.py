"""The results of a comparison."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Literal

from haichi.base import notebook
from haichi.base.optional_packages import data_frame, drawing_axes
from haichi.base.outputs import write_files
from haichi.comparison.files import cell_row, csv_text, from_json, json_text, read_comparison
from haichi.errors import InputError, OptionError

_TIMING = ("wall_seconds", "evaluations_per_second")


class Comparison:
    """The results of `haichi.compare`, or the content of a results file."""

    def __init__(self, content: dict[str, Any]) -> None:
        """`content`: in the format ``haichi-comparison/1`` (docs/reference/results_of_comparisons.md)."""
        self._content = content
        for cell in content["cells"]:
            from_json(cell)

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Comparison:
        """Reads a JSON file that `write` wrote. Raises InputError with file and line."""
        return cls(read_comparison(path))

    @property
    def cells(self) -> list[dict[str, Any]]:
        """One dict per workload, shape, strategy and seed. The value of `node_of_rank` is an int32 array."""
        cells: list[dict[str, Any]] = self._content["cells"]
        return cells

    @property
    def summary(self) -> dict[str, Any]:
        summary: dict[str, Any] = self._content["summary"]
        return summary

    @property
    def interrupted(self) -> bool:
        """True if Ctrl-C ended the comparison. Cells that were not computed have the status ``missing``."""
        return bool(self._content.get("interrupted", False))

    @property
    def failed(self) -> list[dict[str, Any]]:
        """The cells that failed, each with its `error`."""
        return [cell for cell in self.cells if cell["status"] == "failed"]

    @property
    def warning(self) -> str:
        """A problem that does not concern single cells; empty if there is none."""
        return str(self._content.get("warning", ""))

    @property
    def advice(self) -> str:
        """The best action in one line, with the hours that it saves and their uncertainty."""
        return str(self.summary["overall"]["advice"])

    def to_dict(self, *, timing: bool = False) -> dict[str, Any]:
        """The results as a dict in the format ``haichi-comparison/1``. With `timing`, it includes values that differ
        between runs."""
        if timing:
            return dict(self._content)
        cells = [{key: value for key, value in cell.items() if key not in _TIMING} for cell in self.cells]
        return self._content | {"cells": cells}

    def to_json(self, *, timing: bool = False) -> str:
        return json_text(self.to_dict(timing=timing))

    def to_csv(self, *, timing: bool = False) -> str:
        """The results as CSV, with a line per cell."""
        return csv_text(self.to_dict(timing=timing)["cells"])

    def to_dataframe(self) -> Any:
        """A pandas.DataFrame with a row per cell. It has the machine and the columns of `to_csv` with `timing`.

        Times are in seconds. A number that a cell lacks is NaN. Raises UnsupportedError without pandas.
        """
        request = self._content.get("request", {})
        machines = {entry["name"]: entry.get("machine", request.get("machine")) for entry in self._content["workloads"]}
        rows = [{"machine": machines.get(cell["workload"])} | cell_row(cell) for cell in self.cells]
        names = dict.fromkeys(name for row in rows for name in row)
        return data_frame({name: [row.get(name) for row in rows] for name in names})

    def plot(self, what: Literal["strategies", "link-loads"] = "strategies", *, job: int = 0, ax: Any = None) -> Any:
        """Draws a figure of the report into the matplotlib axes `ax`, or into a new figure. Returns the axes.

        The figure ``"strategies"`` shows the seconds of every strategy, with minimum and maximum over the seeds. The
        figure ``"link-loads"`` shows the sorted link loads under the default and the best placement, and requires
        views. `job` is the index of the job in ``summary["jobs"]``, from 0.

        Raises OptionError for other figures and jobs, and for results without the required data. Raises
        UnsupportedError without matplotlib.
        """
        from haichi.report.figures import draw_into

        if what not in ("strategies", "link-loads"):
            raise OptionError(f"invalid figure: {what!r}", "use strategies or link-loads")
        jobs = self.summary["jobs"]
        if not 0 <= job < len(jobs):
            raise OptionError(f"invalid job: {job} (the comparison has {len(jobs)} jobs, counted from 0)")
        axes = drawing_axes(ax)
        draw_into(axes, self.to_dict(), jobs[job], what)
        return axes

    def write(self, *paths: str | os.PathLike[str], timing: bool = False) -> None:
        """Writes ``.json``, ``.csv``, or ``.html`` (the report). Either all files are written whole, or none is
        changed.

        Raises OptionError for other names and for files that cannot be written. Raises InputError if the disk is full.
        """
        for path in paths:
            check_output(path)
        write_files([(path, self._content_of(Path(path).suffix, timing)) for path in paths])

    def _content_of(self, suffix: str, timing: bool) -> str:
        if suffix == ".html":
            from haichi.report.page import page_text

            return page_text(self.to_dict())
        return self.to_csv(timing=timing) if suffix == ".csv" else self.to_json(timing=timing)

    def text(self) -> str:
        """A table per job, and the winner with its advantage, as text for people."""
        jobs = self.summary["jobs"]
        parts = [_job_text(job, with_advice=len(jobs) > 1) for job in jobs]
        if self.failed:
            parts.append(_failures_text(self.failed))
        if len(jobs) > 1:
            parts.append(f"All {len(jobs)} jobs: {_shown(self.summary['overall']['verdict'])}\n")
        if self.interrupted:
            missing = sum(cell["status"] == "missing" for cell in self.cells)
            what = f"{missing} of {len(self.cells)} cells are missing" if missing else "the pictures are missing"
            parts.append(f"Interrupted: {what}\n")
        return "\n".join(parts) + f"\n{_shown(self.advice)}\n"

    def __repr__(self) -> str:
        done = sum(cell["status"] == "done" for cell in self.cells)
        return f"Comparison({done} of {len(self.cells)} cells, {len(self.failed)} failed: {self.advice})"

    def _repr_html_(self) -> str:
        """HTML tables for notebooks."""
        tables = []
        for job in self.summary["jobs"]:
            rows = [
                (entry["strategy"], f"{_time_text(job, entry)} {_against(job, entry)}") for entry in job["strategies"]
            ]
            tables.append(notebook.table(f"{_job_name(job)}: {job['verdict']}", rows))
        return "".join(tables) + notebook.paragraph(self.advice)


def check_output(path: str | os.PathLike[str], suffixes: tuple[str, ...] = (".json", ".csv", ".html")) -> None:
    """Checks an output name; call this before a long run. Raises OptionError for names without a known suffix, and
    InputError for directories that do not exist or cannot be written."""
    if Path(path).suffix not in suffixes:
        raise OptionError(
            f"invalid output name: {os.fspath(path)!r}", f"use a name that ends in {' or '.join(suffixes)}"
        )
    folder = Path(path).parent
    if not folder.is_dir():
        raise InputError(f"cannot write {os.fspath(path)}: no directory {str(folder)!r}")
    if not os.access(folder, os.W_OK):
        raise InputError(f"cannot write {os.fspath(path)}: the directory {str(folder)!r} is not writable")


def _job_name(entry: dict[str, Any]) -> str:
    return f"{_shown(entry['workload'])} on {_shown(entry['shape'] or 'all nodes')}"


def _shown(text: str) -> str:
    """Escapes control characters, which could move a terminal's cursor."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def _unit(job: dict[str, Any]) -> tuple[float, str]:
    """The scale and the name of the unit that suits the times of the job."""
    largest = max((entry["mean"] for entry in job["strategies"]), default=1.0)
    return next(
        ((scale, name) for scale, name in ((1, "s"), (1e3, "ms"), (1e6, "µs")) if largest * scale >= 1), (1e9, "ns")
    )


def _time_text(job: dict[str, Any], entry: dict[str, Any]) -> str:
    scale, unit = _unit(job)
    spread = "" if entry["spread"] is None else f" ± {entry['spread'] * scale:.4f}"
    held = {"none": ", no barriers", "sets": ", barriers"}.get(entry["barrier"], "")
    return f"{entry['mean'] * scale:.4f}{spread} {unit}{held}"


def _against(job: dict[str, Any], entry: dict[str, Any]) -> str:
    factor = job["factors"].get(entry["strategy"])
    if factor is None:
        return "(fastest)"
    spread = "" if factor["spread"] is None else f" ± {factor['spread']:.2f}"
    return f"({factor['value']:.2f}{spread} times slower)"


def _count(number: int, what: str) -> str:
    return f"{number} {what}" + ("" if number == 1 else "s")


def _job_text(job: dict[str, Any], *, with_advice: bool) -> str:
    lines = [f"{_job_name(job)}: {_measure_text(job)}"]
    width = max([len(entry["strategy"]) for entry in job["strategies"]], default=0)
    scale, _ = _unit(job)
    for entry in job["strategies"]:
        span = f"{entry['least'] * scale:.4f} .. {entry['most'] * scale:.4f}"
        failed = f", {entry['failed']} failed" if entry["failed"] else ""
        lines.append(
            f"  {_shown(entry['strategy']):{width}}  {_time_text(job, entry):32} {span}, "
            f"{_count(entry['seeds'], 'seed')}{failed} {_against(job, entry)}"
        )
    lines.append(f"  {_shown(job['verdict'])}")
    if with_advice:
        lines.append(f"  {_shown(job['advice'])}")
    return "\n".join(lines) + "\n"


def _measure_text(job: dict[str, Any]) -> str:
    if any(entry["barrier"] == "calls" for entry in job["strategies"]):
        return "time of the whole run, by trace replay"
    what = {"simulated_seconds": "simulated", "tac3_seconds": "by the formula of tac3"}[job["measure"]]
    return f"time of all iterations, {what}"


def _failures_text(failed: list[dict[str, Any]], most: int = 5) -> str:
    lines = [f"{_count(len(failed), 'cell')} failed:"]
    for cell in failed[:most]:
        lines.append(f"  {_job_name(cell)}, {_shown(cell['strategy'])}, seed {cell['seed']}: {_shown(cell['error'])}")
    if len(failed) > most:
        lines.append("  ...")
    return "\n".join(lines) + "\n"
