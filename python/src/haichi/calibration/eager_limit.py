"""Finds the eager limit, the message size at which times jump. It compares a fit for each size with a jump."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from haichi.calibration.fit import Fitted, Problem
from haichi.calibration.placed import PlacedPoint
from haichi.calibration.simulated import Setting

_LEAST_LIMIT = 256
"""The smallest eager limit in bytes. No MPI library has a smaller one: jumps at smaller sizes come from inline
messages. The 4-byte acknowledgements of streams are therefore always eager."""
_TRIED = 2
_FEW_STEPS = 2
"""The steps of a coarse fit. A coarse fit suffices to compare limits, because the errors of wrong limits are much
larger."""
_FEWEST_ON_A_SIDE = 3
SIGNIFICANT = 9.0
"""The least significant difference of two sums of squares, in units of the variance of a residual: three standard
errors."""

_LEAST_STEP_LIMIT = 1024
"""Jumps at smaller sizes come from inline messages, not from a handshake."""
_LEAST_STEP = 1.25
_CLEAR = 1.5
_REPRODUCED = 0.15
_POOR = 0.1
"""Above this root mean square of the residuals, points that no parameter describes get less weight."""
_NEAR = 4
"""The largest ratio of the two sizes on both sides of a jump."""
_ROUNDS = 2


@dataclass(frozen=True)
class Step:
    """A jump in the times of a ping-pong, between two neighbouring sizes."""

    last: int
    """The index of the last point before the jump."""
    first: int
    size: float
    """The size of the jump as a ratio of times. It compares the time after the jump with an extrapolation from smaller
    sizes. It also compares an extrapolation from larger sizes with the time before the jump. The smaller ratio
    counts."""


@dataclass(frozen=True)
class Profile:
    """The best fit over the tried limits."""

    problem: Problem
    """The problem with the weights that the fit used."""
    fitted: Fitted
    is_told: bool
    """True if one limit is better than all others, including its neighbours and no limit at all. Measured times must
    also jump at this limit as simulated times do."""
    rivals: tuple[int, ...]
    """Limits that fit nearly as well."""
    first_rendezvous: int | None
    """The smallest measured size above the limit; None if there is none."""


def profile(
    problem: Problem, free: Sequence[str], preset_limit: int, start: Callable[[int], Mapping[str, float]]
) -> Profile:
    """Fits the parameters for several eager limits and returns the best fit. `start` returns the start values for a
    limit. The limit is known only up to the gap between two measured sizes."""
    sizes = sorted({point.size_bytes for point in problem.points if not point.is_barrier})
    if not sizes:
        return Profile(problem, problem.fit(free, Setting(start(preset_limit), preset_limit)), False, (), None)

    def side(limit: int) -> int:
        """The number of measured sizes that are eager. Limits with an equal number cannot be distinguished."""
        return sum(size <= limit for size in sizes)

    def limit_of(count: int) -> int:
        return preset_limit if count == side(preset_limit) else max(sizes[count - 1] if count else 0, 0)

    fits: dict[int, Fitted] = {}

    def add(counts: Sequence[int], near: Fitted | None = None) -> None:
        for count in counts:
            is_possible = 0 <= count <= len(sizes) and (
                count == len(sizes) or sizes[max(count - 1, 0)] >= _LEAST_LIMIT or limit_of(count) == preset_limit
            )
            if is_possible and count not in fits:
                values = start(limit_of(count)) if near is None else near.setting.values
                fits[count] = problem.fit(free, Setting(values, limit_of(count)), _FEW_STEPS)

    add([side(preset_limit), len(sizes), *(side(limit) for limit in jumps(problem.points))])
    step = clear_step(problem.points)
    if step is not None:
        count = side(problem.points[step.last].size_bytes)
        add([count])
        fitted = problem.fit(free, fits[count].setting)
        worst = min(fit.cost for fit in fits.values()) + SIGNIFICANT * problem.variance(fitted)
        if fitted.cost > worst or _missed(problem, fitted, step.last, step.first) > _REPRODUCED:
            # Outliers that no parameter describes would hide the jump, so they get less weight.
            for _ in range(_ROUNDS):
                problem = problem.without_outliers(fitted, (step.last, step.first))
                fitted = problem.fit(free, fitted.setting)
        return Profile(problem, fitted, True, (), sizes[count])
    best = -1
    while (better := min(fits, key=lambda count: (fits[count].cost, count))) != best:
        best = better
        fits[best] = problem.fit(free, fits[best].setting)
        add([best - 1, best + 1], fits[best])
    margin = SIGNIFICANT * problem.variance(fits[best])
    rivals = [count for count in fits if count != best and fits[count].cost - fits[best].cost < margin]
    before = best
    if side(preset_limit) in rivals and fits[side(preset_limit)].cost - fits[best].cost < margin / SIGNIFICANT:
        best = side(preset_limit)
    elif best < len(sizes):
        best = min([best, *rivals], key=lambda count: _missed_jump(problem, fits[count]))
    if best != before:
        fits[best] = problem.fit(free, fits[best].setting)
    following = sizes[best] if best < len(sizes) else None
    others = tuple(limit_of(count) for count in sorted({*rivals, before}) if count != best)
    fitted = fits[best]
    is_told = not rivals and _missed_jump(problem, fitted) < _REPRODUCED
    if problem.rms(fitted.setting) > _POOR:
        for _ in range(_ROUNDS):
            problem = problem.without_outliers(fitted, ())
            fitted = problem.fit(free, fitted.setting)
    return Profile(problem, fitted, is_told, others if rivals else (), following)


def clear_step(points: Sequence[PlacedPoint]) -> Step | None:
    """Finds the jump of a ping-pong that only the handshake of rendezvous messages explains. The jump is at least the
    time of the shortest message and much larger than all other jumps. Ping-pongs between nodes take precedence."""
    alone = [number for number, point in enumerate(points) if point.benchmark == "latency"]
    remote = [number for number in alone if points[number].hops > 0]
    series: dict[tuple[str, int], list[int]] = defaultdict(list)
    for number in remote or alone:
        series[points[number].file, points[number].hops].append(number)
    found = [step for numbers in series.values() for step in _steps(points, numbers)]
    if not found:
        return None
    largest = max(found, key=lambda step: step.size)
    others = [step.size for step in found if points[step.last].size_bytes != points[largest.last].size_bytes]
    return largest if all(largest.size - 1 >= _CLEAR * (size - 1) for size in others) else None


def _steps(points: Sequence[PlacedPoint], numbers: Sequence[int]) -> Iterator[Step]:
    """Yields the jumps between two lines, each through two neighbouring points of a series."""
    order = sorted(numbers, key=lambda number: points[number].size_bytes)
    sizes = [points[number].size_bytes for number in order]
    times = [points[number].seconds for number in order]
    for k in range(1, len(order) - 2):
        if not (
            sizes[k - 1] < sizes[k] < sizes[k + 1] < sizes[k + 2]
            and _LEAST_STEP_LIMIT <= sizes[k] >= sizes[k + 1] / _NEAR
        ):
            continue
        below = max(times[k] - times[k - 1], 0) / (sizes[k] - sizes[k - 1])
        above = max(times[k + 2] - times[k + 1], 0) / (sizes[k + 2] - sizes[k + 1])
        gap = sizes[k + 1] - sizes[k]
        expected_above, expected_below = times[k] + below * gap, times[k + 1] - above * gap
        size = min(times[k + 1] / expected_above, expected_below / times[k])
        rise = min(times[k + 1] - expected_above, expected_below - times[k])
        if size >= _LEAST_STEP and rise >= min(times):
            yield Step(order[k], order[k + 1], size)


def _missed(problem: Problem, fitted: Fitted, last: int, first: int) -> float:
    times = problem.times(fitted.setting)
    simulated, measured = times[first] / times[last], problem.points[first].seconds / problem.points[last].seconds
    return float(abs(np.log(simulated / measured)))


def _missed_jump(problem: Problem, fitted: Fitted) -> float:
    """The error of the simulated jump at the eager limit: the logarithm of its ratio to the measured jump. The smallest
    error of any ping-pong counts, or of any other benchmark if there is no ping-pong. Infinite if no series has similar
    sizes on both sides of the limit."""
    points, limit = problem.points, fitted.setting.eager_limit
    messages = [number for number, point in enumerate(points) if not point.is_barrier]
    alone = [number for number in messages if points[number].benchmark == "latency"]
    series: dict[tuple[str, str, int], list[int]] = defaultdict(list)
    for number in sorted(alone or messages, key=lambda number: points[number].size_bytes):
        series[points[number].file, points[number].benchmark, points[number].hops].append(number)
    pairs = [pair for numbers in series.values() for pair in pairwise(numbers)]
    at_limit = [
        (last, first)
        for last, first in pairs
        if points[last].size_bytes <= limit < points[first].size_bytes <= _NEAR * points[last].size_bytes
    ]
    return min((_missed(problem, fitted, last, first) for last, first in at_limit), default=float("inf"))


def jumps(points: Sequence[PlacedPoint]) -> list[int]:
    """The sizes where the times jump. Two straight lines, one up to the size and one above it, fit the times best
    there."""
    series: dict[tuple[str, str, int], list[PlacedPoint]] = defaultdict(list)
    for point in points:
        if not point.is_barrier:
            series[point.file, point.benchmark, point.hops].append(point)
    gains: dict[int, float] = defaultdict(float)
    for of_series in series.values():
        of_series.sort(key=lambda point: point.size_bytes)
        sizes = [point.size_bytes for point in of_series]
        times = [point.seconds for point in of_series]
        below = _misfits(sizes, times)
        above = _misfits(sizes[::-1], times[::-1])[::-1]
        for count in range(_FEWEST_ON_A_SIDE, len(sizes) - _FEWEST_ON_A_SIDE + 1):
            if sizes[count - 1] < sizes[count] and sizes[count - 1] >= _LEAST_LIMIT:
                gains[sizes[count - 1]] += below[-1] - (below[count - 1] + above[count])
    return sorted(gains, key=lambda limit: (-gains[limit], limit))[:_TRIED]


def _misfits(sizes: Sequence[float], times: Sequence[float]) -> list[float]:
    """Fits a straight line through the first k points, for each k, and returns the sums of the squared relative errors.
    Takes linear time: each point updates the weighted means and the sums of squared differences from the means (West
    1979). These sums lose fewer digits to cancellation than sums of the values."""
    weight = mean_size = mean_time = of_sizes = of_both = of_times = 0.0
    found = []
    for size, time in zip(sizes, times, strict=True):
        own = 1 / time**2
        weight += own
        by_size, by_time = size - mean_size, time - mean_time
        mean_size += by_size * own / weight
        mean_time += by_time * own / weight
        of_sizes += own * by_size * (size - mean_size)
        of_both += own * by_size * (time - mean_time)
        of_times += own * by_time * (time - mean_time)
        found.append(of_times - (of_both**2 / of_sizes if of_sizes else 0.0))
    return found
