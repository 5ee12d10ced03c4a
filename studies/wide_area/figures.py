"""Figures of the study's tables: simulated values are points, closed forms are lines."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from tables import Table


def _save(figure: plt.Figure, folder: Path, name: str) -> None:
    figure.tight_layout()
    for ending in ("svg", "png"):
        figure.savefig(folder / f"{name}.{ending}", dpi=150, metadata={"Date": None} if ending == "svg" else None)
    plt.close(figure)


def sizes(table: Table, folder: Path) -> None:
    figure, axes = plt.subplots(figsize=(7, 4))
    at = [float(size) for size in table.column("bytes")]
    for column, form, label in (
        ("direct MB/s", "closed form", "direct"),
        ("gateway MB/s", "closed form of it", "through a gateway node"),
    ):
        points = axes.plot(at, table.column(column), "o", markersize=4, label=label)
        expected = [size / float(time) for size, time in zip(at, table.column(form), strict=True)]
        axes.plot(at, expected, "-", linewidth=1, color=points[0].get_color())
    for size, text in ((8192, "8 KiB: packet"), (2**18, "256 KiB: zero copy")):
        axes.axvline(size, color="gray", linewidth=0.5)
        axes.annotate(text, (size, 2), fontsize=8)
    axes.set(xscale="log", xlabel="bytes of a message", ylabel="MB/s", title="Ping-pong; lines: closed form")
    axes.legend()
    _save(figure, folder, "sizes")


def _by_delay(axes: Axes, table: Table, label: str, measured: list[float], expected: list[float]) -> None:
    delays = [float(column.split()[0]) for column in table.columns if column.endswith(" ms") and column[0].isdigit()]
    points = axes.plot(delays, measured, "o", markersize=4, label=label)
    axes.plot(delays, expected, "-", linewidth=1, color=points[0].get_color())
    axes.set(xlabel="delay of the gateway node, ms", ylabel="MB/s", yscale="log")


def _halves(row: list[object], before: int) -> tuple[list[float], list[float]]:
    numbers = [float(str(cell)) for cell in row[before:]]
    half = len(numbers) // 2
    return numbers[:half], numbers[half:]


def bridges(table: Table, folder: Path) -> None:
    figure, axes = plt.subplots(figsize=(7, 4))
    for row in table.rows:
        _by_delay(axes, table, f"k = {row[0]}", *_halves(list(row), 1))
    axes.set(title="16 ranks to 16 ranks through k gateway nodes; lines: closed form")
    axes.legend()
    _save(figure, folder, "bridges")


def what_ifs(table: Table, folder: Path) -> None:
    figure, both = plt.subplots(1, 2, figsize=(11, 4), sharey=True)
    for axes, kind in zip(both, ("eager", "zero copy"), strict=True):
        for row in table.rows:
            if row[1] == kind:
                _by_delay(axes, table, str(row[0]), *_halves(list(row), 2))
        axes.set(title=f"{kind}: remedies (lines are closed forms)")
    both[1].legend(fontsize=7)
    _save(figure, folder, "what_ifs")


def nas(table: Table, folder: Path) -> None:
    delays = [float(column.split()[0]) for column in table.columns[2:]]
    names = list(dict.fromkeys(str(name) for name in table.column("program")))
    figure, grid = plt.subplots(2, -(-len(names) // 2), figsize=(11, 5), sharex=True, sharey=True, squeeze=False)
    for axes, name in zip(grid.flat, names, strict=False):
        for row in table.rows:
            if row[0] == name:
                axes.plot(delays, [float(score) for score in row[2:]], "o-", markersize=3, label=f"k = {row[1]}")
        axes.axhline(1, color="gray", linewidth=0.5)
        axes.axhline(2, color="gray", linewidth=0.5, linestyle=":")
        axes.set(title=name, ylim=(0, 2.2))
    for axes in grid[-1]:
        axes.set_xlabel("delay of the gateway nodes, ms")
    for axes in grid[:, 0]:
        axes.set_ylabel("score")
    grid[0][0].legend(fontsize=7)
    _save(figure, folder, "nas")
