"""What a calibration found, in words: for the report and for the notes of the machine file."""

from __future__ import annotations

import os
from collections.abc import Iterable

import numpy as np

from haichi.calibration.calibrate import Calibration, Value, by_benchmark
from haichi.calibration.parameters import BY_NAME
from haichi.calibration.placed import PlacedPoint


def quantity(value: Value) -> str:
    """With its unit, as people read it."""
    if value.parameter.unit == "seconds":
        return time_words(value.value)
    return "no limit" if value.value == 0 else f"{1e-9 / value.value:.4g} GB/s"


def time_words(seconds: float) -> str:
    return f"{seconds * 1e9:.4g} ns" if seconds < 1e-6 else f"{seconds * 1e6:.4g} us"


def error_words(value: Value) -> str:
    """The standard error; empty where there is none."""
    if value.error is None:
        return ""
    if value.value == 0:
        least = time_words(value.error) if value.parameter.unit == "seconds" else f"{1e-9 / value.error:.3g} GB/s"
        return f"beyond {least}" if value.parameter.unit == "seconds per byte" else f"± {least}"
    return f"± {value.error / value.value:.1%}"


def origin(calibration: Calibration, value: Value) -> str:
    """Where a value comes from."""
    if value.is_fitted:
        points = [point for point in calibration.points if value.parameter.concerns(point)]
        return f"fitted to {_points_of(points)}"
    if value.held is None:
        return f"that of {calibration.like}: nothing was measured that depends on it"
    place = f"that of {calibration.like}" if value.held.is_preset else "without effect"
    if not value.held.together:
        return f"{place}: measured times hardly depend on it"
    others = " and ".join(BY_NAME[name].title for name in value.held.together)
    return f"{place}: the data cannot tell it from {others}"


def _points_of(points: Iterable[PlacedPoint]) -> str:
    """Files and how many points of each."""
    counts: dict[str, int] = {}
    for point in points:
        name = os.path.basename(point.file)
        counts[name] = counts.get(name, 0) + 1
    return ", ".join(f"{counted(count, 'point')} of {name}" for name, count in counts.items())


def counted(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def limit_origin(calibration: Calibration) -> str:
    """Of the eager limit."""
    eager = calibration.eager
    sizes = [point.size_bytes for point in calibration.points if not point.is_barrier]
    if not sizes:
        return f"that of {calibration.like}: nothing was measured that depends on it"
    if not eager.is_told:
        if not eager.rivals:
            return f"{limit_source(calibration)}: all messages up to {max(sizes)} bytes are eager"
        return f"{limit_source(calibration)}: the data cannot tell it from {', '.join(map(str, eager.rivals))}"
    assert eager.first_rendezvous is not None
    last = max((size for size in sizes if size < eager.first_rendezvous), default=0)
    return f"fitted: times jump between {last} and {eager.first_rendezvous} bytes"


def limit_source(calibration: Calibration) -> str:
    is_preset = calibration.eager_limit == calibration.preset_limit
    return f"that of {calibration.like}" if is_preset else "the one that fits best"


def what_is_unknown(calibration: Calibration) -> list[str]:
    """Sentences: what the data cannot tell, and what would."""
    sentences = []
    for value in calibration.values:
        parameter = value.parameter
        if value.is_fitted:
            continue
        what = f"{parameter.title} ({parameter.pointer[1:].replace('/', '.')}): {quantity(value)}, "
        sentences.append(f"{what}{origin(calibration, value)}. What tells: {parameter.tells}.")
    if not calibration.eager.is_told:
        limit = f"eager limit (node.eager_limit): {calibration.eager_limit} bytes, {limit_origin(calibration)}. "
        sentences.append(limit + "What tells: ping-pongs of many sizes below and above it.")
    if len({point.hops for point in calibration.points if point.hops > 0 and not point.is_barrier}) == 1:
        value = calibration.value("hop_latency")
        if value.is_fitted:
            sentences.append(
                "latency per hop: all pairs of nodes were equally far apart, so that what the network costs at any "
                "distance counts as latency of hops. What tells: ping-pongs at a second distance (FILE@HOPS)."
            )
    return sentences


_MISFIT = 0.2


def what_does_not_fit(calibration: Calibration) -> list[str]:
    """Sentences: benchmarks whose simulated times are far off (root mean square)."""
    sentences = []
    for heading, rows in by_benchmark(calibration):
        rms = float(np.sqrt(np.mean([error**2 for _, _, error in rows])))
        if rms > _MISFIT:
            sentences.append(
                f"{heading}: simulated times are {rms:.0%} off. The file contradicts others, ran at "
                "another distance than stated (FILE@HOPS), or shows what no parameter describes."
            )
    return sentences
