"""Draws the figures of a comparison for papers, with matplotlib."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from haichi.base.outputs import write_files
from haichi.errors import InputError, OptionError, UnsupportedError
from haichi.report.view_data import ViewData, check_comparison

_BEFORE, _AFTER = "#7b8794", "#0b6bb0"
_FORMATS = ("svg", "png")
_STYLE: Any = {
    "svg.hashsalt": "haichi",  # without a fixed salt, IDs differ between runs
    "svg.fonttype": "path",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "figure.dpi": 100,
    "savefig.dpi": 150,
}


def write_figures(
    comparison: Mapping[str, Any], folder: str | os.PathLike[str], *, source: str = "the comparison"
) -> list[Path]:
    """Writes the figures of every job of a comparison (``haichi-comparison/1``) as PNG and SVG. Returns their paths.

    The figures are ``strategies``, ``convergence`` and ``link-loads``. A figure is omitted if the results lack its
    data. With several jobs, each file name begins with the number of its job. All other pictures are on the page of the
    report. Equal comparisons give byte-identical SVG. Either all files are written whole, or none is changed. Raises
    UnsupportedError without matplotlib, InputError (naming `source`) for an invalid comparison, and the errors of
    `write_files`.
    """
    files = figure_files(comparison, folder, source=source)
    write_files(files.items())
    return list(files)


def figure_files(comparison: Mapping[str, Any], folder: str | os.PathLike[str], *, source: str) -> dict[Path, bytes]:
    """The contents of the files of `write_figures`, by path. Creates the directory."""
    matplotlib()
    views = check_comparison(comparison, source)
    jobs = comparison.get("summary", {}).get("jobs", [])
    target = Path(folder)
    try:
        target.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{target}: cannot write: {error.strerror}") from error
    return {
        target / f"{f'{number}-' if len(jobs) > 1 else ''}{name}.{kind}": content
        for number, job in enumerate(jobs, 1)
        for name, draw in _pictures(comparison, job, views)
        for kind, content in drawn(draw, _FORMATS)
    }


def matplotlib() -> Any:
    """Imports matplotlib. Raises UnsupportedError if it is missing."""
    try:
        import matplotlib as imported
    except ImportError as error:
        raise UnsupportedError("figures require matplotlib", "install the package matplotlib") from error
    return imported


def plain_text(text: object) -> str:
    """Escapes a name for a figure. matplotlib would read a formula between two dollar signs."""
    return str(text).replace("$", r"\$")


def drawn(draw: Callable[[Any], None], kinds: Iterable[str]) -> Iterator[tuple[str, bytes]]:
    """Draws a figure and yields its file content for each kind, "svg" or "png". Equal figures give byte-identical
    SVG."""
    with matplotlib().rc_context(_STYLE):
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        figure = Figure(layout="constrained")
        FigureCanvasAgg(figure)
        draw(figure)
        for kind in kinds:
            content = io.BytesIO()
            figure.savefig(content, format=kind, metadata={"Date": None} if kind == "svg" else {"Software": None})
            yield kind, content.getvalue()


def _pictures(
    comparison: Mapping[str, Any], job: Mapping[str, Any], all_views: Sequence[ViewData]
) -> Iterator[tuple[str, Callable[[Any], None]]]:
    def is_job(entry: Mapping[str, Any]) -> bool:
        return (entry.get("workload"), entry.get("shape")) == (job.get("workload"), job.get("shape"))

    cells = [cell for cell in comparison.get("cells", []) if is_job(cell) and cell.get("status") == "done"]
    title = f"{job.get('workload')}" + (f" on {job['shape']}" if job.get("shape") else "")
    views = [view for view in all_views if (view.workload, view.shape) == (job.get("workload"), job.get("shape"))]
    shown = _before_and_after(views)
    strategies = [entry for entry in job.get("strategies", []) if isinstance(entry.get("mean"), int | float)]
    if strategies:
        measure = str(job.get("measure"))
        yield "strategies", partial(_draw_strategies, title=title, measure=measure, strategies=strategies)
    curves = _curves(cells)
    if curves:
        yield "convergence", partial(_draw_convergence, title=title, curves=curves)
    if shown:
        yield "link-loads", partial(_draw_link_loads, title=title, shown=shown)


def _before_and_after(views: Sequence[ViewData]) -> list[ViewData]:
    before = [view for view in views if view.role == "before"][:1]
    after = [view for view in views if view.role == "after"] or [view for view in views if view.role != "before"]
    return before + after[:1]


def _curves(cells: Sequence[Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    """For every strategy that searches, the cell of its first seed."""
    curves: dict[str, Mapping[str, Any]] = {}
    for cell in cells:
        if len(cell.get("convergence") or []) > 1:
            curves.setdefault(str(cell.get("strategy")), cell)
    return curves


def _entry(value: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """The entry under `key`, or an empty dict if this entry is not a dict."""
    entry = value.get(key)
    return entry if isinstance(entry, Mapping) else {}


def _number(value: Mapping[str, Any], key: str, otherwise: float) -> float:
    number = value.get(key)
    return float(number) if isinstance(number, int | float) else otherwise


def draw_into(axes: Any, comparison: Mapping[str, Any], job: Mapping[str, Any], what: str) -> None:
    """Draws the figure "strategies" or "link-loads" of a job into matplotlib axes. Raises OptionError for results
    without its data."""
    figure = _OnAxes(axes)
    for name, draw in _pictures(comparison, job, check_comparison(comparison, "the comparison")):
        if name == what:
            draw(figure)
            return
    raise OptionError(f"the results do not have the data of the figure {what!r}", "compare with views=True")


class _OnAxes:
    """Acts as a figure with one panel. It does not change the size, which belongs to the owner of the axes."""

    def __init__(self, axes: Any) -> None:
        self._axes = axes

    def set_size_inches(self, *_: float) -> None:
        pass

    def subplots(self) -> Any:
        return self._axes


def _draw_strategies(figure: Any, title: str, measure: str, strategies: Sequence[Mapping[str, Any]]) -> None:
    figure.set_size_inches(6.4, 0.8 + 0.32 * len(strategies))
    axes = figure.subplots()
    means = np.array([entry["mean"] for entry in strategies], float)
    ends = [
        [max(mean - _number(entry, "least", mean), 0) for mean, entry in zip(means, strategies, strict=True)],
        [max(_number(entry, "most", mean) - mean, 0) for mean, entry in zip(means, strategies, strict=True)],
    ]
    places = np.arange(len(strategies))
    axes.barh(
        places,
        means,
        color=[_AFTER] + [_BEFORE] * (len(strategies) - 1),
        xerr=ends,
        ecolor="black",
        capsize=3,
        height=0.65,
    )
    for place, mean, high in zip(places, means, means + np.array(ends[1]), strict=True):
        axes.annotate(f"{mean:.3g} s", (high, place), xytext=(5, 0), textcoords="offset points", va="center")
    axes.set_yticks(places, [plain_text(entry.get("strategy")) for entry in strategies])
    axes.invert_yaxis()
    axes.margins(x=0.15)
    axes.set_xlim(left=0)
    if any(entry.get("barrier") == "calls" for entry in strategies):
        axes.set_xlabel("seconds for the whole run, from trace replay")
    else:
        axes.set_xlabel(
            "seconds for all iterations"
            + (", simulated" if measure == "simulated_seconds" else ", by the formula of tac3")
        )
    axes.set_title(f"{plain_text(title)}: mean, minimum and maximum over the seeds", loc="left")


def _draw_convergence(figure: Any, title: str, curves: Mapping[str, Mapping[str, Any]]) -> None:
    """Draws a panel per strategy, because strategies minimize different objectives."""
    columns = min(len(curves), 3)
    rows = -(-len(curves) // columns)
    figure.set_size_inches(2.9 * columns + 0.4, 2.2 * rows + 0.3)
    panels = figure.subplots(rows, columns, sharex=True, squeeze=False).flat
    for axes, (strategy, cell) in zip(panels, curves.items(), strict=False):
        points = [(max(step, 1), value) for step, value in cell["convergence"] if isinstance(value, int | float)]
        objective = _entry(_entry(cell, "objectives"), str(cell.get("objective")))
        axes.step([step for step, _ in points], [value for _, value in points], where="post", color=_AFTER)
        bound = objective.get("lower_bound")
        if isinstance(bound, int | float):
            axes.axhline(bound, color=_BEFORE, linestyle="--", linewidth=1)
            axes.annotate("lower bound", (1, bound), xytext=(2, 2), textcoords="offset points", color=_BEFORE)
        axes.set_xscale("log")
        axes.set_ylim(bottom=0)
        axes.set_title(plain_text(strategy), loc="left")
        axes.set_ylabel(plain_text(objective.get("unit", "")))
    for axes in list(panels)[len(curves) :]:
        axes.set_visible(False)
    figure.supxlabel("evaluations")
    figure.suptitle(f"{plain_text(title)}: best value so far")


def _draw_link_loads(figure: Any, title: str, shown: Sequence[ViewData]) -> None:
    """Draws the links sorted by load. The figure shows how much the most loaded links stand out, and how many links
    carry traffic."""
    figure.set_size_inches(6.4, 3.4)
    axes = figure.subplots()
    for view, color in zip(shown, (_BEFORE, _AFTER), strict=False):
        loads = np.sort(view.worst_of_links()[1])[::-1] / 2**20
        label = f"{view.role}: {plain_text(view.strategy)}"
        axes.step(np.arange(1, len(loads) + 1), loads, where="mid", color=color, label=label)
        if len(loads) and loads[0] > 0:
            most_loaded = int(np.argmax(view.worst_of_links()[1]))
            axes.annotate(
                f"{plain_text(view.network.link_name(most_loaded))}: {loads[0]:.3g} MiB",
                (1, loads[0]),
                xytext=(4, 4),
                textcoords="offset points",
                color=color,
            )
    axes.set_xscale("log")
    axes.set_ylim(bottom=0)
    axes.margins(y=0.12)
    axes.set_xlabel("links, sorted by load")
    axes.set_ylabel("MiB in the link's most loaded set")
    axes.set_title(f"{plain_text(title)}: loads of links", loc="left")
    axes.legend(frameon=False)
