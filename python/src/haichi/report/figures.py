"""A comparison as pictures for papers and slides, through matplotlib."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from haichi.base.outputs import write_files
from haichi.errors import InputError, UnsupportedError
from haichi.report.link_images import NO_LINK, link_images
from haichi.report.view_data import Array, ViewData, check_comparison

_BEFORE, _AFTER = "#7b8794", "#0b6bb0"
_PARTS = (
    ("compute_seconds", "computing", "#3b9dd4"),
    ("call_seconds", "in calls", "#e0a100"),
    ("wait_seconds", "waiting", "#c65102"),
)
_FORMATS = ("svg", "png")
_MOST_BARS = 1000
STYLE: Any = {
    "svg.hashsalt": "haichi",  # otherwise ids differ from run to run
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
    """Writes the pictures of every job of a comparison (``haichi-comparison/1``) as PNG and SVG; tells which.

    ``strategies``, ``convergence``, ``link-loads``, ``contention``, ``time-space`` and ``rank-time``, each where the
    results hold what it shows; of several jobs with a number in front. Equal comparisons give equal SVG. All are
    written whole, or none is touched. Raises UnsupportedError without matplotlib, InputError - naming `source` - when
    the comparison is broken, and what `write_files` raises.
    """
    files = figure_files(comparison, folder, source=source)
    write_files(files.items())
    return list(files)


def figure_files(comparison: Mapping[str, Any], folder: str | os.PathLike[str], *, source: str) -> dict[Path, bytes]:
    """What `write_figures` writes; the folder is made."""
    try:
        import matplotlib
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as error:
        raise UnsupportedError(
            "pictures are drawn by matplotlib, which is missing", "install the package matplotlib"
        ) from error
    views = check_comparison(comparison, source)
    jobs = comparison.get("summary", {}).get("jobs", [])
    target = Path(folder)
    files: dict[Path, bytes] = {}
    try:
        target.mkdir(parents=True, exist_ok=True)
        with matplotlib.rc_context(STYLE):
            for number, job in enumerate(jobs):
                prefix = f"{number + 1}-" if len(jobs) > 1 else ""
                for name, draw in _pictures(comparison, job, views):
                    figure = Figure(layout="constrained")
                    FigureCanvasAgg(figure)
                    draw(figure)
                    for kind in _FORMATS:
                        path = target / f"{prefix}{name}.{kind}"
                        content = io.BytesIO()
                        metadata = {"Date": None} if kind == "svg" else {"Software": None}
                        figure.savefig(content, format=kind, metadata=metadata)
                        files[path] = content.getvalue()
    except OSError as error:
        raise InputError(f"{target}: cannot be written: {error.strerror}") from error
    return files


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
        yield "contention", partial(_draw_contention, title=title, shown=shown)
    if shown and link_images(shown[0].network):
        yield "link-maps", partial(_draw_link_maps, title=title, shown=shown)
    for barrier, suffix in (("none", ""), ("sets", "-barriers"), ("calls", "")):
        runs = [view for view in shown if barrier in view.simulated]
        if runs:
            yield f"time-space{suffix}", partial(_draw_times, title=title, runs=runs, barrier=barrier)
            yield f"rank-time{suffix}", partial(_draw_ranks, title=title, runs=runs, barrier=barrier)


def _before_and_after(views: Sequence[ViewData]) -> list[ViewData]:
    before = [view for view in views if view.role == "before"][:1]
    after = [view for view in views if view.role == "after"] or [view for view in views if view.role != "before"]
    return before + after[:1]


def _curves(cells: Sequence[Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    """Of every strategy that searches, the first seed."""
    curves: dict[str, Mapping[str, Any]] = {}
    for cell in cells:
        if len(cell.get("convergence") or []) > 1:
            curves.setdefault(str(cell.get("strategy")), cell)
    return curves


def _entry(value: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """What is no object is shown as one of which nothing is known."""
    entry = value.get(key)
    return entry if isinstance(entry, Mapping) else {}


def _number(value: Mapping[str, Any], key: str, otherwise: float) -> float:
    number = value.get(key)
    return float(number) if isinstance(number, int | float) else otherwise


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
    axes.set_yticks(places, [str(entry.get("strategy")) for entry in strategies])
    axes.invert_yaxis()
    axes.margins(x=0.15)
    axes.set_xlim(left=0)
    if any(entry.get("barrier") == "calls" for entry in strategies):
        axes.set_xlabel("seconds of the whole run, simulated call by call")
    else:
        axes.set_xlabel(
            "seconds of all iterations" + (", simulated" if measure == "simulated_seconds" else ", by tac3's formula")
        )
    axes.set_title(f"{title}: mean, least and most over the seeds", loc="left")


def _draw_convergence(figure: Any, title: str, curves: Mapping[str, Mapping[str, Any]]) -> None:
    """A panel per strategy: they search for different things."""
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
        axes.set_title(strategy, loc="left")
        axes.set_ylabel(str(objective.get("unit", "")))
    for axes in list(panels)[len(curves) :]:
        axes.set_visible(False)
    figure.supxlabel("evaluations")
    figure.suptitle(f"{title}: best value so far")


def _draw_link_loads(figure: Any, title: str, shown: Sequence[ViewData]) -> None:
    """Links sorted by their load: how far the busiest stand out, and how many links share the work."""
    figure.set_size_inches(6.4, 3.4)
    axes = figure.subplots()
    for view, color in zip(shown, (_BEFORE, _AFTER), strict=False):
        loads = np.sort(view.worst_of_links()[1])[::-1] / 2**20
        axes.step(np.arange(1, len(loads) + 1), loads, where="mid", color=color, label=f"{view.role}: {view.strategy}")
        if len(loads) and loads[0] > 0:
            busiest = int(np.argmax(view.worst_of_links()[1]))
            axes.annotate(
                f"{view.network.link_name(busiest)}: {loads[0]:.3g} MiB",
                (1, loads[0]),
                xytext=(4, 4),
                textcoords="offset points",
                color=color,
            )
    axes.set_xscale("log")
    axes.set_ylim(bottom=0)
    axes.margins(y=0.12)
    axes.set_xlabel("links, the busiest first")
    axes.set_ylabel("MiB at once, in the link's worst set")
    axes.set_title(f"{title}: loads of links", loc="left")
    axes.legend(frameon=False)


def _draw_link_maps(figure: Any, title: str, shown: Sequence[ViewData]) -> None:
    """A row of panels per placement, all on one scale; links that carry nothing are grey."""
    from matplotlib import colormaps

    colors = colormaps["inferno_r"].with_extremes(under="#e3e7ec")
    images = link_images(shown[0].network)
    figure.set_size_inches(max(2.1 * len(images), 6.4), 2.4 * len(shown) + 0.3)
    rows = figure.subplots(len(shown), len(images), squeeze=False)
    loads = [view.worst_of_links()[1] / 2**20 for view in shown]
    most = max(float(load.max(initial=0)) for load in loads) or 1.0
    for view, load, row in zip(shown, loads, rows, strict=True):
        for (name, links), axes in zip(images, row, strict=True):
            drawn = axes.imshow(
                np.ma.masked_where(links == NO_LINK, load[links]),
                aspect="auto",
                interpolation="nearest",
                cmap=colors,
                vmin=most * 1e-9,
                vmax=most,
            )
            axes.set_title(name, loc="left")
            axes.set_xticks([])
            axes.set_yticks([])
            axes.spines[:].set_visible(True)
            axes.spines[:].set_color("#d8dde3")
        row[0].set_ylabel(f"{view.role}: {view.strategy}")
    figure.colorbar(drawn, ax=rows, label="MiB at once, worst set")
    figure.suptitle(f"{title}: loads of links, by axis" if shown[0].network.axes else f"{title}: loads of links")


def _draw_contention(figure: Any, title: str, shown: Sequence[ViewData]) -> None:
    sets = len(shown[0].labels)
    figure.set_size_inches(min(max(6.4, 1.5 + 0.5 * sets), 12), 3.2)
    axes = figure.subplots()
    places = np.arange(sets)
    for number, view in enumerate(shown):
        axes.bar(
            places + 0.4 * number - 0.2 * (len(shown) - 1),
            view.contention,
            0.4,
            color=(_BEFORE, _AFTER)[number],
            label=f"{view.role}: {view.strategy}",
        )
    if sets <= 24:
        axes.set_xticks(
            places,
            [_shortened(label) for label in shown[0].labels],
            rotation=30 if sets > 5 else 0,
            ha="right" if sets > 5 else "center",
        )
    else:
        axes.set_xlabel("communication set")
    axes.yaxis.get_major_locator().set_params(integer=True)
    axes.set_ylabel("most messages on a link at once")
    axes.set_title(f"{title}: contention per set", loc="left")
    axes.legend(frameon=False)


def _shortened(label: str, most: int = 18) -> str:
    return label if len(label) <= most else f"{label[: most - 1]}\N{HORIZONTAL ELLIPSIS}"


def _draw_times(figure: Any, title: str, runs: Sequence[ViewData], barrier: str) -> None:
    figure.set_size_inches(5.2 * len(runs), 4.2)
    upper, lower = figure.subplots(2, len(runs), squeeze=False, height_ratios=(3, 1), sharex=True)
    most = max((float(view.simulated[barrier].mean_efficiency.max(initial=0)) for view in runs), default=0)
    for view, image, line in zip(runs, upper, lower, strict=True):
        run = view.simulated[barrier]
        length = run.efficiency.shape[1] * run.bin_seconds * 1e3
        drawn = (
            image.imshow(
                np.ma.masked_equal(run.efficiency, 0) / 255,
                aspect="auto",
                interpolation="nearest",
                cmap="inferno_r",
                vmin=0,
                vmax=1,
                extent=(0, length, len(run.links), 0),
            )
            if run.efficiency.size
            else None
        )
        if drawn is not None:
            figure.colorbar(drawn, ax=image, label="efficiency")
        image.set_title(f"{view.role}, {view.strategy}: {run.seconds * 1e3:.3g} ms", loc="left")
        image.set_ylabel("link")
        bins = len(run.mean_efficiency)
        line.step(
            np.arange(bins) * run.bin_seconds * 1e3,
            run.mean_efficiency,
            where="post",
            color=_AFTER if view.role == "after" else _BEFORE,
        )
        line.set_ylim(0, most * 1.1 or 1)
        line.set_xlabel("milliseconds")
        line.set_ylabel("mean of all links")
    longest = max(view.simulated[barrier].seconds for view in runs) * 1e3
    upper[0].set_xlim(0, longest or 1)
    iterations = runs[0].simulated[barrier].iterations
    what = {"sets": f"{iterations} iterations with a barrier before every set", "calls": "the whole run, call by call"}
    figure.suptitle(f"{title}: {what.get(barrier, f'{iterations} iterations without barriers')}")


def _draw_ranks(figure: Any, title: str, runs: Sequence[ViewData], barrier: str) -> None:
    figure.set_size_inches(5.2 * len(runs), 3)
    panels = figure.subplots(1, len(runs), squeeze=False, sharey=True)[0]
    for view, axes in zip(runs, panels, strict=True):
        times = view.simulated[barrier].rank_seconds
        ranks = len(view.node_of_rank)
        edges = np.unique(np.linspace(0, ranks, min(ranks, _MOST_BARS) + 1).astype(int))
        below = np.zeros(len(edges) - 1)
        for key, name, color in _PARTS:
            heights = _means(times[key], edges) * 1e3
            axes.bar(edges[:-1], heights, np.diff(edges), below, align="edge", color=color, label=name, linewidth=0)
            below += heights
        axes.set_title(f"{view.role}, {view.strategy}", loc="left")
        axes.set_xlabel("rank")
        axes.set_xlim(0, ranks)
    panels[0].set_ylabel("milliseconds")
    panels[-1].legend(frameon=False, loc="upper right")
    figure.suptitle(f"{title}: how ranks spend their time")


def _means(values: Array, edges: Array) -> Array:
    return np.add.reduceat(values.astype(np.float64), edges[:-1]) / np.diff(edges)
