"""Finds values that the data does not determine: they can change, alone or together, without a change of any time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from haichi.calibration.eager_limit import SIGNIFICANT
from haichi.calibration.fit import Fitted, Problem
from haichi.calibration.simulated import Setting

UNKNOWN = 0.5
"""The relative standard error above which a value counts as unknown."""
_INVOLVED = 0.25
_GIVEN_UP_FIRST = (
    *("dma_bandwidth", "copies", "rendezvous_overhead", "hop_latency", "shared_memory_latency"),
    *("call_overhead", "shared_memory_bandwidth", "bandwidth", "barrier"),
)


@dataclass(frozen=True)
class Held:
    """A parameter that the data does not determine, and its substitute value."""

    name: str
    value: float
    is_preset: bool
    """False if the value has no effect: no time, or no limit."""
    together: tuple[str, ...]
    """Other parameters of which only a combination with this one is known; empty if times hardly depend on it."""


def hold_what_is_unknown(problem: Problem, fitted: Fitted, preset: dict[str, float]) -> tuple[Fitted, list[Held]]:
    """Holds one parameter after the other until all others are known, and fits the others again."""
    held: list[Held] = []
    kept: set[str] = set()  # unknown, but no other value fits better
    while True:
        found = _unknown_direction(problem, fitted, kept)
        if found is None:
            return fitted, held
        candidates, together = found
        for name in candidates:
            choice = _held(problem, fitted, name, preset[name])
            if choice is not None:
                fitted, value, is_preset = choice
                others = tuple(other for other in together if other != name)
                held.append(Held(name, value, is_preset, others))
                break
        else:
            kept.update(candidates)


def _unknown_direction(problem: Problem, fitted: Fitted, kept: set[str]) -> tuple[list[str], list[str]] | None:
    """The parameters to hold, in this order, and all that change together; None if all are known."""
    errors = relative_errors(problem, fitted)
    unknown = [name for name in fitted.free if errors[name] > UNKNOWN and name not in kept]
    if not unknown:
        return None
    norms = np.linalg.norm(fitted.jacobian, axis=0)
    idle = [name for name, norm in zip(fitted.free, norms.tolist(), strict=True) if norm < _idle(problem)]
    idle = [name for name in idle if name not in kept]
    if idle:
        return sorted(idle, key=_GIVEN_UP_FIRST.index)[:1], []
    _, vectors = np.linalg.eigh(fitted.jacobian.T @ fitted.jacobian)
    weakest = np.abs(vectors[:, 0]) * norms  # by their effects on the times, which cancel
    together = [
        name for name, part in zip(fitted.free, weakest.tolist(), strict=True) if part > _INVOLVED * weakest.max()
    ]
    candidates = [name for name in together if name not in kept] or unknown
    return sorted(candidates, key=_GIVEN_UP_FIRST.index), together


def _idle(problem: Problem) -> float:
    """The largest effect of a doubled value on all points together that counts as none."""
    return 1e-3 * float(np.sqrt(len(problem.points)))


def _held(problem: Problem, fitted: Fitted, name: str, preset: float) -> tuple[Fitted, float, bool] | None:
    """Holds a value at the preset, or without effect, if the rest then fits as well; None if neither does."""
    rest = [other for other in fitted.free if other != name]
    allowed = fitted.cost + SIGNIFICANT * problem.variance(fitted)
    for value, is_preset in ((preset, True), (0.0, False)):
        if name == "bandwidth" and value == 0:
            continue
        without = problem.fit(rest, _start(problem, fitted, name, value))
        if without.cost <= allowed:
            return without, value, is_preset
    return None


def _start(problem: Problem, fitted: Fitted, name: str, value: float) -> Setting:
    """Follows the direction in which times hardly change, until `name` has this value."""
    _, vectors = np.linalg.eigh(fitted.jacobian.T @ fitted.jacobian)
    values = fitted.setting.values
    parts = {
        other: part * problem.size_of(other, fitted.setting)
        for other, part in zip(fitted.free, vectors[:, 0].tolist(), strict=True)
    }
    way = (value - values[name]) / parts[name] if parts[name] != 0 else 0.0
    moved = {other: max(values[other] + way * part, 0.1 * values[other]) for other, part in parts.items()}
    return Setting({**values, **moved, name: value}, fitted.setting.eager_limit)


def relative_errors(problem: Problem, fitted: Fitted) -> dict[str, float]:
    """Standard errors, relative to the values; very large for values without effect."""
    if not fitted.free:
        return {}
    # Directions without effect get a huge error instead of a failing inverse.
    values, vectors = np.linalg.eigh(fitted.jacobian.T @ fitted.jacobian)
    variances = (vectors**2) @ (1 / np.maximum(values, 1e-18)) * problem.variance(fitted)
    return dict(zip(fitted.free, np.sqrt(variances).tolist(), strict=True))


def absolute_errors(problem: Problem, fitted: Fitted) -> dict[str, float]:
    """Standard errors in seconds or seconds per byte."""
    errors = relative_errors(problem, fitted)
    return {name: error * problem.size_of(name, fitted.setting) for name, error in errors.items()}
