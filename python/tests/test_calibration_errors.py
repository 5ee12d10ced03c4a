"""Standard errors of a calibration, with a stub instead of the simulator."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import pytest

from haichi.calibration.fit import Fitted, Problem
from haichi.calibration.identify import hold_what_is_unknown
from haichi.calibration.placed import PlacedPoint
from haichi.calibration.simulated import Setting


@dataclass
class Stub:
    """Simulates the time of a message as a latency and a time per byte."""

    def seconds(self, point: PlacedPoint, setting: Setting) -> float:
        return setting.values["call_overhead"] + setting.values["bandwidth"] * point.size_bytes


def problem(factors: list[float]) -> tuple[Problem, Fitted]:
    """Returns a problem whose measured times are simulated times divided by these factors."""
    setting = Setting({"call_overhead": 1e-6, "bandwidth": 1e-9, "copies": 0.0}, 16384)
    points = [
        PlacedPoint("a", 1, "latency", 2, 1 << k, (1e-6 + 1e-9 * (1 << k)) / factor, 1e-6, 2)
        for k, factor in enumerate(factors)
    ]
    posed = Problem(points, cast(Any, Stub()), lambda line: None)
    free = ("call_overhead", "bandwidth")
    return posed, Fitted(free, setting, posed.cost(setting), np.ones((len(points), len(free))))


def test_misses_of_neighbouring_sizes_that_are_alike_count_as_fewer_points() -> None:
    random, fitted = problem([1.1 if k in (0, 3, 4, 6, 9, 10, 12, 15, 17, 18) else 1 / 1.1 for k in range(20)])
    assert random.variance_of_few(fitted) == pytest.approx(random.variance(fitted))
    smooth, fitted = problem([1.1] * 10 + [1 / 1.1] * 10)
    assert smooth.variance(fitted) == pytest.approx(np.log(1.1) ** 2 * 20 / 18)
    assert smooth.variance_of_few(fitted) == pytest.approx(4 * smooth.variance(fitted), rel=0.2)


def test_points_with_less_weight_count_less() -> None:
    posed, fitted = problem([1.0] * 16 + [3.0] * 4)
    fewer = posed.without_outliers(fitted, ())
    cost = fewer.cost(fitted.setting)
    assert cost < 0.05 < posed.cost(fitted.setting)
    again = Fitted(fitted.free, fitted.setting, cost, fitted.jacobian)
    assert fewer.variance(again) == pytest.approx(cost / (16 - 2), rel=0.05)


def test_memory_is_not_slower_than_the_network() -> None:
    posed, fitted = problem([1.0] * 20)
    slow = Setting({**fitted.setting.values, "copies": 3e-9}, 16384)
    assert posed.possible(slow).values["copies"] == fitted.setting.values["bandwidth"]
    assert posed.possible(fitted.setting) == fitted.setting


@pytest.mark.parametrize(("factor", "fitted_names"), [(1.1, ["call_overhead", "bandwidth"]), (3.0, [])])
def test_times_that_contradict_each_other_fit_nothing(factor: float, fitted_names: list[str]) -> None:
    posed, fitted = problem([factor if k in (0, 3, 4, 6, 9, 10, 12, 15, 17, 18) else 1 / factor for k in range(20)])
    times = posed.times(fitted.setting)
    parts = np.column_stack([1e-6 / times, 1 - 1e-6 / times])
    known = hold_what_is_unknown(posed, Fitted(fitted.free, fitted.setting, fitted.cost, parts), {}, [])
    assert list(known.errors) == fitted_names
    assert [held.kind for held in known.held] == ["contradiction"] * (2 - len(fitted_names))
