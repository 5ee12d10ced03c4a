"""A figure of measured and simulated times."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from haichi.calibration.benchmarks import BENCHMARKS
from haichi.calibration.calibrate import Calibration, by_benchmark
from haichi.errors import OptionError
from haichi.report.figures import drawn, matplotlib, plain_text

FORMATS = ("svg", "png")
_COLORS = ("#0b6bb0", "#c65102", "#3d8b37", "#7b3f99", "#8a6d00", "#7b8794")


def check_figure(path: str) -> str:
    """Checks the name of the figure and returns its file format. Raises OptionError for unknown formats, and
    UnsupportedError without matplotlib."""
    kind = Path(path).suffix.removeprefix(".").lower()
    if kind not in FORMATS:
        raise OptionError(f"invalid §figure: {path!r} (the name must end with .svg or .png)")
    matplotlib()
    return kind


def figure_bytes(calibration: Calibration, kind: str) -> bytes:
    """Draws the figure in the format `kind` and returns the content of its file. Equal calibrations give byte-identical
    SVG."""
    ((_, content),) = drawn(lambda figure: _draw(figure, calibration), [kind])
    return content


def _draw(figure: Any, calibration: Calibration) -> None:
    figure.set_size_inches(9.2, 3.8)
    times, errors = figure.subplots(1, 2, width_ratios=(3, 2))
    drawn = [(heading, rows) for heading, rows in by_benchmark(calibration) if not rows[0][0].is_barrier]
    for number, (heading, listed) in enumerate(drawn):
        color = _COLORS[number % len(_COLORS)]
        sizes = [max(entry.size_bytes, 0.5) for entry, _, _ in listed]
        is_stream = BENCHMARKS[listed[0][0].benchmark].is_stream
        label = plain_text(heading) + (", per message" if is_stream else "")
        times.plot(sizes, [entry.seconds * 1e6 for entry, _, _ in listed], "o", color=color, markersize=3.5)
        times.plot(sizes, [simulated * 1e6 for _, simulated, _ in listed], color=color, linewidth=1.1, label=label)
        errors.plot(sizes, [error * 100 for _, _, error in listed], "o-", color=color, markersize=3, linewidth=0.8)
    for axes in (times, errors):
        axes.set_xscale("log", base=2)
        axes.set_xlabel("bytes of a message")
        if calibration.eager.is_told and calibration.eager.first_rendezvous is not None:
            axes.axvline(calibration.eager_limit, color="#7b8794", linestyle=":", linewidth=1)
    times.set_yscale("log")
    times.set_ylabel("microseconds")
    times.set_title("measured (dots) and simulated (lines) times", loc="left")
    if drawn:
        times.legend(frameon=False, fontsize=7)
    errors.axhline(0, color="#7b8794", linewidth=0.8)
    errors.set_ylabel("error of simulated times, %")
    errors.set_title(f"errors, {calibration.rms:.1%} root mean square", loc="left")
