"""Sentences on the results of a calibration, for the report and for the notes in the machine file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np

from haichi.calibration.calibrate import Calibration, Value, by_benchmark
from haichi.calibration.parameters import BY_NAME, EAGER_LIMIT
from haichi.calibration.placed import PlacedPoint


def quantity(value: Value) -> str:
    """The value with its unit."""
    if value.parameter.unit == "seconds":
        return time_words(value.value)
    return "no limit" if value.value == 0 else f"{1e-9 / value.value:.4g} GB/s"


def time_words(seconds: float) -> str:
    """The time with a suitable unit, rounded to picoseconds, the resolution of the simulator."""
    for unit, size in (("ns", 1e-6), ("us", 1e-3), ("ms", 1.0)):
        if seconds < size:
            return f"{round(seconds * 1e9, 3) / (size * 1e6):.4g} {unit}"
    return f"{seconds:.4g} s"


def error_words(value: Value) -> str:
    """The standard error of a fitted value; an empty text for other values."""
    return f"± {value.error / value.value:.1%}" if value.is_fitted and value.error is not None else ""


def origin(calibration: Calibration, value: Value) -> str:
    """A sentence that states the origin of a value."""
    if value.is_fitted:
        points = [point for point in calibration.points if value.parameter.concerns(point)]
        given = [other.parameter.title for other in calibration.values if other.is_held_with(value)]
        condition = f", given the value of {' and '.join(given)}" if given else ""
        return f"fitted to {_points_of(calibration, points)}{condition}"
    if value.held is None:
        return f"value of {calibration.like} (no measurement depends on it)"
    if value.held.kind == "contradiction":
        return "best fit (measured times contradict each other)"
    kept = {
        "preset": f"value of {calibration.like}",
        "no effect": "no effect",
        "best fit": "best fit",
        "nearest": f"the nearest to the value of {calibration.like} that fits",
    }[value.held.kind]
    if not value.held.together:
        return f"{kept} (measured times hardly depend on it)"
    others = " and ".join(
        "eager limit" if name == EAGER_LIMIT[1] else BY_NAME[name].title for name in value.held.together
    )
    return f"{kept} (the data cannot separate it from {others})"


def _points_of(calibration: Calibration, points: Iterable[PlacedPoint]) -> str:
    """The names of the files, each with its number of points."""
    counts: dict[str, int] = {}
    for point in points:
        name = calibration.labels[point.file]
        counts[name] = counts.get(name, 0) + 1
    return ", ".join(f"{counted(count, 'point')} of {name}" for name, count in counts.items())


def counted(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def limit_origin(calibration: Calibration) -> str:
    """A sentence that states the origin of the eager limit."""
    eager = calibration.eager
    sizes = [point.size_bytes for point in calibration.points if not point.is_barrier]
    if not sizes:
        return f"value of {calibration.like} (no measurement depends on it)"
    if not eager.is_told:
        if eager.first_rendezvous is None:
            return f"{limit_source(calibration)} (all messages up to {max(sizes)} bytes are eager)"
        if not eager.rivals:
            return f"{limit_source(calibration)} (measured times do not jump there as simulated times do)"
        return f"{limit_source(calibration)} (the data cannot separate it from {', '.join(map(str, eager.rivals))})"
    assert eager.first_rendezvous is not None
    last = max((size for size in sizes if size < eager.first_rendezvous), default=0)
    return f"fitted: times jump between {last} and {eager.first_rendezvous} bytes"


def limit_source(calibration: Calibration) -> str:
    is_preset = calibration.eager_limit == calibration.preset_limit
    return f"value of {calibration.like}" if is_preset else "best fit"


def what_is_unknown(calibration: Calibration) -> list[str]:
    """Sentences on values that the data does not determine. Each names suitable measurements."""
    sentences = []
    for value in calibration.values:
        parameter = value.parameter
        if value.is_fitted:
            continue
        what = f"{parameter.title} ({parameter.pointer[1:].replace('/', '.')}): {quantity(value)}, "
        sentences.append(f"{what}{origin(calibration, value)}. Measure {parameter.tells}.")
    if not calibration.eager.is_told:
        limit = f"eager limit (node.eager_limit): {calibration.eager_limit} bytes, {limit_origin(calibration)}. "
        sentences.append(limit + "Measure ping-pongs of many sizes below and above it.")
    if len({point.hops for point in calibration.points if point.hops > 0 and not point.is_barrier}) == 1:
        value = calibration.value("hop_latency")
        if value.is_fitted:
            sentences.append(
                "latency per hop (router.switch_latency): all pairs of nodes had one distance, so the value includes "
                "fixed costs of the network. Measure ping-pongs at a second distance (FILE@HOPS)."
            )
    return sentences


_MISFIT = 0.2
_FAR_OFF = 0.25
_MISSED_STEP = 1.3


def what_does_not_fit(calibration: Calibration) -> list[str]:
    """Sentences on benchmarks and sizes whose simulated times have large errors."""
    sentences = []
    for heading, rows in by_benchmark(calibration):
        rms = float(np.sqrt(np.mean([error**2 for _, _, error in rows])))
        far = [(point.size_bytes, error) for point, _, error in rows if abs(error) > _FAR_OFF]
        if rms > _MISFIT:
            sentences.append(
                f"{heading}: the error of simulated times is {rms:.0%}. The file contradicts other files, has another "
                "distance than stated (FILE@HOPS), or shows an effect that no parameter describes."
            )
        elif far:
            size, worst = max(far, key=lambda entry: abs(entry[1]))
            is_largest = size == max(point.size_bytes for point, _, _ in rows)
            hint = " The parameter largest omits larger messages." if is_largest else ""
            sentences.append(
                f"{heading}: {counted(len(far), 'simulated time')} of {len(rows)} {'is' if len(far) == 1 else 'are'} "
                f"off by more than {_FAR_OFF:.0%} "
                f"({worst:+.0%} at {size} bytes).{hint}"
            )
        sentences += _missed_step(heading, rows)
    return sentences


def _missed_step(heading: str, rows: Sequence[tuple[PlacedPoint, float, float]]) -> list[str]:
    """A sentence on the two neighbouring sizes between which the measured jump differs most from the simulated one."""
    pairs = [(first, second) for first, second in pairwise(rows) if first[0].size_bytes < second[0].size_bytes]
    if not pairs:
        return []

    def missed(pair: tuple[tuple[PlacedPoint, float, float], tuple[PlacedPoint, float, float]]) -> float:
        return float(abs(np.log((1 + pair[0][2]) / (1 + pair[1][2]))))

    (before, simulated_before, _), (after, simulated_after, _) = worst = max(pairs, key=missed)
    if missed(worst) < np.log(_MISSED_STEP):
        return []
    return [
        f"{heading}: measured times change by a factor of {after.seconds / before.seconds:.2g} from "
        f"{before.size_bytes} to {after.size_bytes} bytes, simulated times by {simulated_after / simulated_before:.2g}."
    ]
