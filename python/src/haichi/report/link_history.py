"""Throughput and buffer use over time, from the link statistics of a simulation (``--stats``)."""

from __future__ import annotations

import csv
import html
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from haichi.base.json_text import one_line
from haichi.errors import InputError
from haichi.report.figures import drawn, matplotlib, plain_text
from haichi.report.inline_page import content_hash, filled, joined_script, report_text
from haichi.report.page import page_date

_COLUMNS = (
    "bin",
    "begin_seconds",
    "end_seconds",
    "router",
    "channel",
    "bytes",
    "throughput_bytes_per_s",
    "efficiency",
    "buffered_packets",
    "buffer_utilisation",
)
_MOST_BINS = 300
"""The number of bins in a picture. Bins of longer statistics are joined, so that memory depends only on the number of
links."""
_SHOWN_LINKS = 64
_NAME_INCHES = 0.085
"""The height of a link's name in a figure."""
_MOST = 1e18
"""The largest number that is accepted, above all values of a simulation."""
_FULL = 255
_SCRIPTS = ("words", "colors", "bars", "theme", "tip", "history")

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LinkRows:
    """The links with the highest values over time, in the order of the machine's links."""

    names: list[str]
    values: Array
    """Fractions from 0 to 1, with a row per link and a column per bin."""
    left_out: int
    """The number of links with values that are not included."""

    def peak(self) -> tuple[str, int, float] | None:
        """The name, the bin and the value of the maximum; None without values."""
        if not self.values.size:
            return None
        row, column = np.unravel_index(int(self.values.argmax()), self.values.shape)
        return self.names[int(row)], int(column), float(self.values[row, column])


@dataclass(frozen=True, eq=False)
class LinkHistory:
    """The traffic of links and the use of buffers over time, in at most 300 bins."""

    seconds: float
    bin_seconds: float
    received_bytes_per_s: Array
    """The rate at which all nodes together receive data from the network."""
    carried_bytes_per_s: Array
    """The sum of the rates over all links. A byte counts once per link."""
    buffered_packets: Array
    """The number of packets in all buffers, or on their way to a buffer. The value of a joined bin is the mean over the
    ends of its bins."""
    efficiency: LinkRows
    buffers: LinkRows


def is_link_statistics(path: str) -> bool:
    """True if the first line of the file is the header of link statistics. False for a pipe, which cannot be read
    twice."""
    if not Path(path).is_file():
        return False
    try:
        with Path(path).open("rb") as file:
            return file.readline(4096).rstrip(b"\r\n") == ",".join(_COLUMNS).encode()
    except OSError:
        return False


def _rows(path: str) -> Iterator[tuple[int, float, float, int, str, float, float, float, float]]:
    """Yields bin, begin, end, router, channel, bytes, efficiency, buffered packets and buffer utilisation of each line.
    Raises InputError."""
    try:
        with Path(path).open(newline="", encoding="utf-8") as file:
            reader = csv.reader(file)
            next(reader, None)
            for row in reader:
                try:
                    if len(row) != len(_COLUMNS):
                        raise ValueError(f"expected {len(_COLUMNS)} fields, found {len(row)}")
                    numbers = [float(row[k]) for k in (1, 2, 5, 7, 8, 9)]
                    if not np.isfinite(numbers).all() or min(numbers) < 0 or int(row[0]) < 0:
                        raise ValueError("expected numbers of at least 0")
                    begin, end, size, efficiency, packets, use = numbers
                    if end <= begin or max(numbers) > _MOST or max(int(row[0]), int(row[3])) > _MOST:
                        raise ValueError("expected an end after the beginning, and numbers of at most 1e18")
                    yield int(row[0]), begin, end, int(row[3]), row[4], size, efficiency, packets, use
                except ValueError as error:
                    raise InputError(
                        f"{path}: line {reader.line_num}: invalid link statistics: {error}", "run §stats again"
                    ) from error
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path}: cannot read: {error}") from error


def read_link_history(path: str) -> LinkHistory:
    """Reads a file of ``--stats``, in two passes. The memory depends on the number of links but not on the simulated
    time.

    Raises InputError with the line for files of another kind and for files without lines."""
    number_of: dict[tuple[int, str], int] = {}
    totals: list[list[float]] = []  # by channel: sums of efficiency * seconds and of buffer use * seconds
    last = -1
    bin_seconds = end_seconds = 0.0
    for number, begin, end, router, channel, _, efficiency, _, use in _rows(path):
        at = number_of.setdefault((router, channel), len(totals))
        if at == len(totals):
            totals.append([0.0, 0.0])
        totals[at][0] += efficiency * (end - begin)
        totals[at][1] += use * (end - begin)
        last, end_seconds = max(last, number), max(end_seconds, end)
        bin_seconds = max(bin_seconds, end - begin)  # the last bin may be shorter
    if last * bin_seconds > end_seconds * (1 + 1e-6):
        raise InputError(
            f"{path}: bin {last} of {bin_seconds:g} s is after the end of {end_seconds:g} s", "run §stats again"
        )
    if last < 0 or end_seconds <= 0:
        raise InputError(f"{path}: no link carried anything", "simulate a program or workload that sends messages")
    names = list(number_of)
    is_link = np.array([not channel.startswith("ejection ") for _, channel in names])
    sums = np.array(totals)
    joined = -(-(last + 1) // _MOST_BINS)
    columns = -(-(last + 1) // joined)
    spans = np.minimum(bin_seconds * joined, end_seconds - bin_seconds * joined * np.arange(columns))
    spans = np.maximum(spans, np.finfo(np.float64).tiny)
    samples = np.minimum(joined, last + 1 - joined * np.arange(columns))
    shown = [_highest(sums[:, k] * is_link) for k in (0, 1)]
    row_of = [{int(channel): row for row, channel in enumerate(chosen)} for chosen in shown]
    values = [np.zeros((len(chosen), columns)) for chosen in shown]
    received, carried, buffered = (np.zeros(columns) for _ in range(3))
    for number, begin, end, router, channel, size, efficiency, packets, use in _rows(path):
        at, column = number_of[router, channel], number // joined
        if is_link[at]:
            carried[column] += size
            buffered[column] += packets
        else:
            received[column] += size
        for k, value in ((0, efficiency * (end - begin)), (1, use)):
            row = row_of[k].get(at)
            if row is not None:
                values[k][row, column] += value
    scales = (spans, samples)
    rows = [
        LinkRows(
            [names[channel][1] for channel in chosen],
            values[k] / scales[k],
            int((sums[is_link, k] > 0).sum()) - len(chosen),
        )
        for k, chosen in enumerate(shown)
    ]
    return LinkHistory(
        end_seconds, bin_seconds * joined, received / spans, carried / spans, buffered / samples, rows[0], rows[1]
    )


def _highest(sums: Array) -> npt.NDArray[np.int64]:
    """The channels with the highest sums above 0, in ascending order."""
    used = np.flatnonzero(sums)
    return np.sort(used[np.lexsort((used, -sums[used]))[:_SHOWN_LINKS]])


def link_history_page(history: LinkHistory, source: str) -> str:
    """The HTML page of a history. `source` is the name of the statistics file."""
    script = joined_script(report_text(f"{name}.js") for name in _SCRIPTS)
    style = report_text("page.css")
    data = {
        "file": source,
        "seconds": history.seconds,
        "bin_seconds": history.bin_seconds,
        "received": history.received_bytes_per_s.tolist(),
        "carried": history.carried_bytes_per_s.tolist(),
        "buffered": history.buffered_packets.tolist(),
        **{name: _page_rows(getattr(history, name)) for name in ("efficiency", "buffers")},
    }
    parts = {
        "TITLE": html.escape(f"{source}: links and buffers over time"),
        "MADE_BY": html.escape(f"{page_date()}, haichi {version('haichi')}"),
        "ADVICE": html.escape(summary(history)),
        "STYLE": style,
        "STYLE_HASH": content_hash(style),
        "SCRIPT": script,
        "SCRIPT_HASH": content_hash(script),
        "COMPARISON": one_line(data).replace("<", "\\u003c"),
    }
    return filled(report_text("page.html"), parts)


def _page_rows(rows: LinkRows) -> dict[str, Any]:
    # Levels are rounded up, so that any use of a buffer is visible.
    levels = np.ceil(np.minimum(rows.values, 1) * _FULL)
    return {"names": rows.names, "left_out": rows.left_out, "levels": [row.astype(int).tolist() for row in levels]}


def summary(history: LinkHistory) -> str:
    """One or two sentences that summarize the run."""
    spans = np.minimum(
        history.bin_seconds, history.seconds - history.bin_seconds * np.arange(len(history.buffered_packets))
    )
    mean = float((history.received_bytes_per_s * spans).sum() / history.seconds)
    most = float(history.received_bytes_per_s.max())
    text = f"Nodes received {mean / 1e9:.3g} GB/s from the network on average, and at most {most / 1e9:.3g} GB/s."
    if (fullest := history.buffers.peak()) is not None:
        name, column, value = fullest
        time = _time(column * history.bin_seconds)
        text += f" The fullest buffers, those of {name}, were {100 * value:.2g} % full at {time}."
    return text


def _time(seconds: float) -> str:
    for unit, scale in (("s", 1.0), ("ms", 1e3), ("us", 1e6)):
        if seconds * scale >= 1:
            return f"{seconds * scale:.4g} {unit}"
    return f"{seconds * 1e9:.4g} ns"


def link_history_figures(history: LinkHistory, folder: str | os.PathLike[str], source: str) -> dict[Path, bytes]:
    """The figure ``links-over-time`` as PNG and SVG. Creates the directory. Raises the errors of `figure_files`."""
    matplotlib()
    target = Path(folder)
    try:
        target.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{target}: cannot write: {error.strerror}") from error
    draw: Callable[[Any], None] = partial(_draw, history=history, source=source)
    return {target / f"links-over-time.{kind}": content for kind, content in drawn(draw, ("svg", "png"))}


def _draw(figure: Any, history: LinkHistory, source: str) -> None:
    maps = (history.efficiency, history.buffers)
    heights = [1.4, 1.4, *(max(1.2, _NAME_INCHES * len(rows.names)) for rows in maps)]
    figure.set_size_inches(7, sum(heights) + 1.4)
    axes = figure.subplots(4, 1, sharex=True, height_ratios=heights)
    scale, unit = next(
        (pair for pair in ((1.0, "s"), (1e3, "ms"), (1e6, "us")) if history.seconds * pair[0] >= 1), (1e9, "ns")
    )
    edges = np.minimum(history.bin_seconds * np.arange(len(history.buffered_packets) + 1), history.seconds) * scale
    for at, values, label in (
        (axes[0], history.received_bytes_per_s / 1e9, "received by\nall nodes, GB/s"),
        (axes[1], history.buffered_packets, "packets\nin buffers"),
    ):
        at.stairs(values, edges, color="#0b6bb0")
        at.set_ylim(bottom=0)
        at.set_ylabel(label)
    for at, rows, label in zip(axes[2:], maps, ("link efficiency", "buffer use"), strict=True):
        if rows.values.size:
            rows_at = np.arange(len(rows.names) + 1)
            shown = at.pcolormesh(edges, rows_at, rows.values, cmap="inferno_r", vmin=0, vmax=1, rasterized=True)
            figure.colorbar(shown, ax=at)
            at.set_yticks(rows_at[:-1] + 0.5, [plain_text(name) for name in rows.names], fontsize=5)
            at.tick_params(axis="y", length=0)
            at.invert_yaxis()
        at.set_ylabel(f"{label}\n{len(rows.names)} links")
    axes[3].set_xlabel(f"simulated time, {unit}")
    figure.suptitle(plain_text(source))
