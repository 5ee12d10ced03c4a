"""Least squares on the simulator. The residuals are log(simulated / measured time)."""

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
"""The lower limit of the relative error that is assumed for measured times. Without this limit, exact input would make
every value certain."""
_STEP = 1e-3
"""The relative step for numerical derivatives. Simulated times are integer picoseconds and piecewise linear in the
fitted values."""
_LEAST_TIME = 1e-12
"""A simulated time of 0 is replaced by this time in seconds, the resolution of the simulator."""
_SMALL = 0.1
"""A value is small below this fraction of the shortest measured time to which it contributes. The error of a small
value is stated relative to this fraction."""
_ROOM = 4.0
"""The upper limit of a value, as a multiple of the shortest measured time to which it contributes. The multiple exceeds
1, because no machine fits all points."""
_OUTLIER = 0.1
"""The residual at which a point that no parameter describes gets half of its weight (Cauchy weights)."""
_ANCHOR = 5.0
_MOST_CORRELATION = 0.6
"""The upper limit of the correlation. At this limit, a quarter of all points count as independent."""
_MOST_STEPS = 12
_LEAST_STEP = 1e-3
_LEAST_GAIN = 1e-3


def scipy_optimize() -> Any:
    """Imports scipy.optimize. Raises UnsupportedError if SciPy is missing."""
    try:
        import scipy.optimize
    except ImportError as error:
        raise UnsupportedError("calibration requires SciPy", "install the package scipy") from error
    return scipy.optimize


@dataclass(frozen=True)
class Fitted:
    """A least-squares fit of the parameters in `free`."""

    free: tuple[str, ...]
    setting: Setting
    cost: float
    """The sum of the squared residuals."""
    jacobian: Array
    """Derivatives of the residuals with respect to the free values, each multiplied by its `Problem.size_of`."""


@dataclass(frozen=True)
class _Tangent:
    """The times as linear functions of the free values around `at`. Values are in units of `scales`."""

    free: tuple[str, ...]
    at: Setting
    scales: Array
    times: Array
    slopes: Array
    measured: Array
    """Logarithms of the measured times."""
    weights: Array
    most: Array
    """The upper limits of the values, in units of `scales`."""

    def least(self) -> Array:
        """The change of the scaled values that minimizes the sum of squares. All values stay between 0 and their upper
        limits."""
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
    """The measured points, and the simulator that must reproduce them."""

    def __init__(self, points: Sequence[PlacedPoint], simulator: Simulator, tell: Callable[[str], None]) -> None:
        self.points = tuple(points)
        self.simulator = simulator
        self.tell = tell
        self._measured = np.log([entry.seconds for entry in points])
        # A time printed with two digits gets less weight than one with four digits.
        printed = np.array([entry.resolution for entry in points])
        self._printed = 1 / np.sqrt(1 + (printed / LEAST_ERROR) ** 2)
        self._weights = self._printed
        self._share_memory = any(point.hops > 0 and point.size_bytes > 0 for point in points)

    def times(self, setting: Setting) -> Array:
        return np.array([max(self.simulator.seconds(point, setting), _LEAST_TIME) for point in self.points])

    def without_outliers(self, fitted: Fitted, anchors: Sequence[int]) -> Problem:
        """The problem with less weight for points that `fitted` misses by far, and more weight for the points
        `anchors`."""
        missed = np.abs(np.log(self.times(fitted.setting)) - self._measured)
        other = copy.copy(self)
        other._weights = self._printed / np.sqrt(1 + (missed / _OUTLIER) ** 2)
        other._weights[list(anchors)] = _ANCHOR
        return other

    def residuals(self, setting: Setting) -> Array:
        return np.asarray(self._weights * (np.log(self.times(setting)) - self._measured))

    def smallest(self, name: str, eager_limit: int) -> float:
        """A value of the parameter that is small compared with the times to which the parameter contributes."""
        points = [entry for entry in self.points if BY_NAME[name].concerns(entry)]
        if name == "rendezvous_overhead":
            points = [point for point in points if point.size_bytes > eager_limit] or points
        if BY_NAME[name].unit == "seconds":
            return _SMALL * min(point.seconds for point in points)
        return _SMALL * min(point.seconds / point.size_bytes for point in points if point.size_bytes > 0)

    def largest(self, name: str, at: Setting) -> float:
        """An upper limit of the parameter, from the shortest time to which the parameter contributes."""
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
        # The latencies of the messages in a stream overlap.
        return _ROOM * min(point.seconds * max(BENCHMARKS[point.benchmark].window, 1) for point in points)

    def possible(self, at: Setting) -> Setting:
        """Raises the memory bandwidth to the network bandwidth if it is lower. The memory bandwidth also limits NICs. A
        lower value would explain the times of network messages in place of the network bandwidth."""
        if not self._share_memory or at.values["copies"] <= at.values["bandwidth"]:
            return at
        return Setting({**at.values, "copies": at.values["bandwidth"]}, at.eager_limit)

    def size_of(self, name: str, at: Setting) -> float:
        """The value to which errors of the parameter are relative."""
        return max(at.values[name], self.smallest(name, at.eager_limit))

    def fit(self, free: Sequence[str], start: Setting, most_steps: int = _MOST_STEPS) -> Fitted:
        """Fits the values in `free`, beginning with `start`, which also has the held values. Fitted values are never
        negative.

        Times are piecewise linear in the values. Each step goes towards the minimum of the linearized problem. It is
        shortened until the simulated error decreases.
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
        """The root mean square of log(simulated / measured time), weighted only by the printed digits of each time."""
        misses = self._printed * (np.log(self.times(setting)) - self._measured)
        return float(np.sqrt(np.mean(misses**2)))

    def cost(self, setting: Setting) -> float:
        """The sum of the squared residuals."""
        residuals = self.residuals(setting)
        return float(residuals @ residuals)

    def _tangent(self, free: Sequence[str], at: Setting) -> _Tangent:
        """The tangent at `at`, from numerical derivatives."""
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
        """The root mean square of the residuals, from their sum of squares."""
        return float(np.sqrt(cost / len(self.points)))

    def variance(self, fitted: Fitted) -> float:
        """The variance of a residual, estimated from the fit."""
        reliability = np.minimum(self._weights / self._printed, 1)
        points = float(reliability @ reliability)
        return max(fitted.cost / max(points - len(fitted.free), 1), LEAST_ERROR**2)

    def variance_of_few(self, fitted: Fitted) -> float:
        """The variance of a residual, for standard errors. Neighbouring sizes have similar residuals if no parameter
        describes an effect. Such points count as fewer, as in an autoregressive series of order 1."""
        correlation = self._correlation(fitted.setting)
        return self.variance(fitted) * (1 + correlation) / (1 - correlation)

    def _correlation(self, setting: Setting) -> float:
        """The correlation of the residuals of neighbouring sizes, limited to 0 to _MOST_CORRELATION."""
        series: dict[tuple[str, str, int], list[int]] = defaultdict(list)
        for number, point in enumerate(self.points):
            series[point.file, point.benchmark, point.hops].append(number)
        residuals = self.residuals(setting)
        ordered = [residuals[sorted(of, key=lambda number: self.points[number].size_bytes)] for of in series.values()]
        products = sum(float(of[1:] @ of[:-1]) for of in ordered)
        squares = sum(float(of[1:] @ of[1:] + of[:-1] @ of[:-1]) / 2 for of in ordered)
        return min(max(products / squares, 0.0), _MOST_CORRELATION) if squares > 0 else 0.0
