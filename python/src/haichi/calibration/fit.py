"""Least squares on the simulator: residuals are logarithms of simulated over measured times."""

from __future__ import annotations

import copy
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from haichi.calibration.benchmarks import BENCHMARKS
from haichi.calibration.parameters import BY_NAME
from haichi.calibration.placed import PlacedPoint
from haichi.calibration.simulated import Setting, Simulator
from haichi.errors import UnsupportedError

Array = npt.NDArray[np.float64]
LEAST_ERROR = 0.01
"""The smallest relative error of a measured time. Without it exact input would make every value certain."""
_STEP = 1e-3
"""The step of differences. Times of the simulator are integer picoseconds and piecewise linear in the fitted values."""
_LEAST_TIME = 1e-12
"""A simulated time of 0 counts as this many seconds, the resolution of the simulator."""
_SMALL = 0.1
"""The errors of values below this fraction of the shortest measured time to which they contribute are relative to
it."""
_ROOM = 4.0
"""The upper limit of a value, as a multiple of the shortest measured time to which it contributes. No machine fits
all points, so the factor exceeds 1."""
_OUTLIER = 0.1
"""The residual at which a point that no parameter describes has half of its weight (Cauchy's weights)."""
_ANCHOR = 5.0
_MOST_CORRELATION = 0.6
"""The number of independent points is at least a quarter of all points."""
_MOST_STEPS = 12
_LEAST_STEP = 1e-3
_LEAST_GAIN = 1e-3


def scipy_optimize() -> Any:
    """The module scipy.optimize; raises UnsupportedError if SciPy is missing."""
    try:
        import scipy.optimize
    except ImportError as error:
        raise UnsupportedError("calibration requires SciPy", "install the package scipy") from error
    return scipy.optimize


@dataclass(frozen=True)
class Fitted:
    """A least-squares fit of some of the parameters."""

    free: tuple[str, ...]
    setting: Setting
    cost: float
    """The sum of squares."""
    jacobian: Array
    """Derivatives of the residuals by the free values, each relative to its `Problem.size_of`."""


@dataclass(frozen=True)
class _Tangent:
    """Times as linear functions of the free values, each in units of its scale."""

    free: tuple[str, ...]
    at: Setting
    scales: Array
    times: Array
    slopes: Array
    measured: Array
    """Logarithms of the measured times."""
    weights: Array
    most: Array
    """The largest values, in units of the scales."""

    def least(self) -> Array:
        """The change of the scaled values with the least squares; it keeps all values between 0 and their largest."""
        here = np.array([self.at.values[name] for name in self.free]) / self.scales
        least = np.array([1e-3 if name == "bandwidth" else 0.0 for name in self.free]) - here
        most = np.maximum(self.most - here, least + 2e-6)

        def times(change: Array) -> Array:
            return np.maximum(self.times + self.slopes @ change, 0.01 * self.times)

        found = scipy_optimize().least_squares(
            lambda change: self.weights * (np.log(times(change)) - self.measured),
            np.clip(0.0, least + 1e-6, most - 1e-6),
            jac=lambda change: (self.weights / times(change))[:, None] * self.slopes,
            bounds=(least, most),
        )
        return np.asarray(found.x)

    def towards(self, change: Array, step: float) -> Setting:
        values = {
            name: max(self.at.values[name] + step * part, 0.0)
            for name, part in zip(self.free, (change * self.scales).tolist(), strict=True)
        }
        return Setting({**self.at.values, **values}, self.at.eager_limit)


class Problem:
    """Measured points, and the simulator that reproduces them."""

    def __init__(self, points: Sequence[PlacedPoint], simulator: Simulator, tell: Callable[[str], None]) -> None:
        self.points = tuple(points)
        self.simulator = simulator
        self.tell = tell
        self._measured = np.log([entry.seconds for entry in points])
        # A time with two digits counts less than a time with four.
        printed = np.array([entry.resolution for entry in points])
        self._printed = 1 / np.sqrt(1 + (printed / LEAST_ERROR) ** 2)
        self._weights = self._printed
        self._share_memory = any(point.hops > 0 and point.size_bytes > 0 for point in points)

    def times(self, setting: Setting) -> Array:
        return np.array([max(self.simulator.seconds(point, setting), _LEAST_TIME) for point in self.points])

    def without_outliers(self, fitted: Fitted, anchors: Sequence[int]) -> Problem:
        """The same points with less weight for those that `fitted` misses by far, and more for the anchors."""
        missed = np.abs(np.log(self.times(fitted.setting)) - self._measured)
        other = copy.copy(self)
        other._weights = self._printed / np.sqrt(1 + (missed / _OUTLIER) ** 2)
        other._weights[list(anchors)] = _ANCHOR
        return other

    def residuals(self, setting: Setting) -> Array:
        return np.asarray(self._weights * (np.log(self.times(setting)) - self._measured))

    def smallest(self, name: str, eager_limit: int) -> float:
        """A value of this parameter that is small compared with the times that include it."""
        points = [entry for entry in self.points if BY_NAME[name].concerns(entry)]
        if name == "rendezvous_overhead":
            points = [point for point in points if point.size_bytes > eager_limit] or points
        if BY_NAME[name].unit == "seconds":
            return _SMALL * min(point.seconds for point in points)
        return _SMALL * min(point.seconds / point.size_bytes for point in points if point.size_bytes > 0)

    def largest(self, name: str, at: Setting) -> float:
        """A value of this parameter that the fastest point which includes it excludes."""
        parameter = BY_NAME[name]
        points = [entry for entry in self.points if parameter.concerns(entry)]
        if name == "rendezvous_overhead":
            points = [point for point in points if point.size_bytes > at.eager_limit] or points
        elif name == "copies":
            points = [point for point in points if 0 < point.size_bytes <= at.eager_limit] or points
        if parameter.unit == "seconds per byte":
            most = _ROOM * min(point.seconds / point.size_bytes for point in points if point.size_bytes > 0)
            return min(most, at.values["bandwidth"]) if name == "copies" and self._share_memory else most
        if name == "call_overhead":
            return _ROOM * min(point.seconds for point in points)
        # The messages of a stream have their latencies at the same time.
        return _ROOM * min(point.seconds * max(BENCHMARKS[point.benchmark].window, 1) for point in points)

    def possible(self, at: Setting) -> Setting:
        """The setting with a memory that is at least as fast as the network. Memory also limits NICs, so that a slower
        one would describe the times of the network, and the network none."""
        if not self._share_memory or at.values["copies"] <= at.values["bandwidth"]:
            return at
        return Setting({**at.values, "copies": at.values["bandwidth"]}, at.eager_limit)

    def size_of(self, name: str, at: Setting) -> float:
        """The reference for relative errors of a value."""
        return max(at.values[name], self.smallest(name, at.eager_limit))

    def fit(self, free: Sequence[str], start: Setting, most_steps: int = _MOST_STEPS) -> Fitted:
        """Fits the free values from `start` on, which also has the held values. Values stay at 0 or above.

        Times are piecewise linear in the values. Each of a few steps fits the tangent instead and follows it as far as
        the simulator agrees.
        """
        if not free:
            return Fitted((), start, self.cost(start), np.empty((len(self.points), 0)))
        within = {name: min(start.values[name], self.largest(name, start)) for name in free}
        at = self.possible(Setting({**start.values, **within}, start.eager_limit))
        cost = self.cost(at)
        for _ in range(most_steps):
            tangent = self._tangent(free, at)
            found, step = tangent.least(), 1.0
            while step > _LEAST_STEP and (there := self.cost(self.possible(tangent.towards(found, step)))) >= cost:
                step /= 4
            if step <= _LEAST_STEP:
                break
            gain, cost, at = cost - there, there, self.possible(tangent.towards(found, step))
            if gain < _LEAST_GAIN * cost + 1e-9:
                break
        self.tell(f"eager limit {at.eager_limit} bytes: error {self.typical(cost):.1%}")
        sizes = np.array([self.size_of(name, at) for name in free])
        tangent = self._tangent(free, at)
        jacobian = (self._weights / tangent.times)[:, None] * tangent.slopes * (sizes / tangent.scales)
        return Fitted(tuple(free), at, cost, jacobian)

    def rms(self, setting: Setting) -> float:
        """Root mean square of the logarithms of simulated over measured times, weighted by their digits only."""
        misses = self._printed * (np.log(self.times(setting)) - self._measured)
        return float(np.sqrt(np.mean(misses**2)))

    def cost(self, setting: Setting) -> float:
        """The sum of squares."""
        residuals = self.residuals(setting)
        return float(residuals @ residuals)

    def _tangent(self, free: Sequence[str], at: Setting) -> _Tangent:
        """The tangent, from differences."""
        scales = np.array([self.size_of(name, at) for name in free])
        times = self.times(at)
        slopes = np.empty((len(times), len(free)))
        most = np.array([self.largest(name, at) for name in free])
        for k, name in enumerate(free):
            is_largest = at.values[name] + _STEP * scales[k] > most[k] and at.values[name] > _STEP * scales[k]
            step = -_STEP if is_largest else _STEP
            there = Setting({**at.values, name: at.values[name] + step * scales[k]}, at.eager_limit)
            slopes[:, k] = (self.times(there) - times) / step
        return _Tangent(tuple(free), at, scales, times, slopes, self._measured, self._weights, most / scales)

    def typical(self, cost: float) -> float:
        """Root mean square of the residuals."""
        return float(np.sqrt(cost / len(self.points)))

    def variance(self, fitted: Fitted) -> float:
        """The variance of a residual."""
        reliability = np.minimum(self._weights / self._printed, 1)
        points = float(reliability @ reliability)
        return max(fitted.cost / max(points - len(fitted.free), 1), LEAST_ERROR**2)

    def variance_of_few(self, fitted: Fitted) -> float:
        """The variance of a residual, for standard errors. If no parameter describes an effect, neighbouring sizes have
        similar residuals. They count as fewer points, as in an autoregressive series of order 1."""
        correlation = self._correlation(fitted.setting)
        return self.variance(fitted) * (1 + correlation) / (1 - correlation)

    def _correlation(self, setting: Setting) -> float:
        """The correlation of the residuals of neighbouring sizes, between 0 and a maximum."""
        series: dict[tuple[str, str, int], list[int]] = defaultdict(list)
        for number, point in enumerate(self.points):
            series[point.file, point.benchmark, point.hops].append(number)
        residuals = self.residuals(setting)
        ordered = [residuals[sorted(of, key=lambda number: self.points[number].size_bytes)] for of in series.values()]
        products = sum(float(of[1:] @ of[:-1]) for of in ordered)
        squares = sum(float(of[1:] @ of[1:] + of[:-1] @ of[:-1]) / 2 for of in ordered)
        return min(max(products / squares, 0.0), _MOST_CORRELATION) if squares > 0 else 0.0
