"""Finds values that the data does not determine. Such values can change, alone or together, without a change of any
time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from haichi.calibration.eager_limit import SIGNIFICANT
from haichi.calibration.fit import Fitted, Problem
from haichi.calibration.parameters import EAGER_LIMIT
from haichi.calibration.simulated import Setting

UNKNOWN = 0.5
"""The relative standard error above which a value counts as unknown."""
_INVOLVED = 0.25
_TOLERANCE = 0.02
"""The typical residual of a fit that counts as good, even if another fit is better."""
_CONTRADICTORY = 0.7
"""Times contradict each other if the root mean square of the residuals reaches this value, a factor of two."""
_HALVINGS = 8
_SEVERAL = 2
"""The least ratio of two sizes that count as different. NetPIPE measures each size also with a few bytes more or
less."""
_FEW_STEPS = 2
_NO_EFFECT = 1e-6
_WEAK = 0.05
"""The largest relative effect of a doubled value on a time that counts as no effect. No model is more accurate than
this."""
_WEAK_BANDWIDTH = 0.5
"""The same limit for bandwidths. Times of small messages also grow for other reasons."""
GIVEN_UP_FIRST = (
    *("dma_bandwidth", "copies", "rendezvous_overhead", "hop_latency", "shared_memory_latency"),
    *("call_overhead", "shared_memory_bandwidth", "bandwidth", "barrier"),
)


_Kind = Literal["preset", "no effect", "nearest", "best fit", "contradiction"]


@dataclass(frozen=True)
class Held:
    """A parameter that the data does not determine, and its substitute value."""

    name: str
    value: float
    kind: _Kind
    """The origin of the value. `no effect` is a time of 0 or an unlimited bandwidth. `nearest` is the value nearest to
    the preset, if neither the preset nor `no effect` fits. `best fit` is kept if only another eager limit changes the
    value. It is also kept for a `contradiction` between the times."""
    together: tuple[str, ...]
    """Other parameters for which only a combination with this one is known; empty if times hardly depend on this
    one."""


@dataclass(frozen=True)
class Known:
    """The values that the data determines, and the held values."""

    fitted: Fitted
    errors: dict[str, float]
    """Standard errors of the fitted values, in seconds or seconds per byte. Each is less than half of its value."""
    held: list[Held]


def hold_what_is_unknown(problem: Problem, fitted: Fitted, preset: dict[str, float], limits: Sequence[int]) -> Known:
    """Holds one parameter after the other, and fits the others again, until the data determines all others. The
    standard errors include the differences between fits with the eager limits `limits`, which the data does not
    exclude."""
    held: list[Held] = []
    # The limits come from the first fit, so that many small losses do not add up.
    variance = max(problem.variance(fitted), _TOLERANCE**2)
    allowed, near_best = fitted.cost + SIGNIFICANT * variance, fitted.cost + variance
    while (found := _unknown_direction(problem, fitted)) is not None:
        candidates, together = found
        choices = (_held(problem, fitted, name, preset[name], allowed) for name in candidates)
        choice = next((choice for choice in choices if choice is not None), None)
        name, fitted, kind = choice or _nearest(problem, fitted, candidates[0], preset[candidates[0]], near_best)
        held.append(Held(name, fitted.setting.values[name], kind, tuple(other for other in together if other != name)))
    if problem.rms(fitted.setting) > _CONTRADICTORY:
        return Known(fitted, {}, held + [Held(n, fitted.setting.values[n], "contradiction", ()) for n in fitted.free])
    errors = _errors_over(problem, fitted, limits, allowed)
    unknown = [name for name, error in errors.items() if error > UNKNOWN * fitted.setting.values[name]]
    held += [Held(name, fitted.setting.values[name], "best fit", (EAGER_LIMIT[1],)) for name in unknown]
    return Known(fitted, {name: error for name, error in errors.items() if name not in unknown}, held)


def _errors_over(problem: Problem, fitted: Fitted, limits: Sequence[int], allowed: float) -> dict[str, float]:
    """Standard errors of the fitted values. Each error includes the largest change of its value under other eager
    limits that also fit."""
    errors = absolute_errors(problem, fitted)
    changes = dict.fromkeys(errors, 0.0)
    for limit in limits:
        other = problem.fit(fitted.free, Setting(fitted.setting.values, limit), _FEW_STEPS)
        if other.cost <= allowed:
            for name in changes:
                change = abs(other.setting.values[name] - fitted.setting.values[name])
                changes[name] = max(changes[name], change)
    return {name: math.hypot(error, changes[name]) for name, error in errors.items()}


def _unknown_direction(problem: Problem, fitted: Fitted) -> tuple[list[str], list[str]] | None:
    """Finds parameters that the data does not determine. Returns those that can be held, in order of preference, and
    those that only change together. Returns None if the data determines all parameters."""
    values = fitted.setting.values
    norms = np.linalg.norm(fitted.jacobian, axis=0)
    without_effect = [name for name, norm in zip(fitted.free, norms.tolist(), strict=True) if norm < _NO_EFFECT]
    if without_effect:
        return sorted(without_effect, key=GIVEN_UP_FIRST.index)[:1], []
    if "rendezvous_overhead" in fitted.free and not _has_rendezvous_sizes(problem, fitted.setting.eager_limit):
        bandwidths = [name for name in ("bandwidth", "shared_memory_bandwidth") if name in fitted.free]
        return ["rendezvous_overhead"], ["rendezvous_overhead", *bandwidths]
    if any(error > UNKNOWN for error in relative_errors(problem, fitted).values()):
        _, vectors = np.linalg.eigh(fitted.jacobian.T @ fitted.jacobian)
        weakest = np.abs(vectors[:, 0]) * norms  # effects on the times; together they cancel
        together = [
            name for name, part in zip(fitted.free, weakest.tolist(), strict=True) if part > _INVOLVED * weakest.max()
        ]
        return sorted(together, key=GIVEN_UP_FIRST.index), together
    effects = np.abs(fitted.jacobian).max(axis=0, initial=0.0).tolist()
    weak = [
        name
        for name, effect in zip(fitted.free, effects, strict=True)
        if effect * values[name] < _weak(name) * problem.size_of(name, fitted.setting)
    ]
    about_0 = [name for name, error in absolute_errors(problem, fitted).items() if error > UNKNOWN * values[name]]
    return (sorted(weak or about_0, key=GIVEN_UP_FIRST.index)[:1], []) if weak or about_0 else None


def _has_rendezvous_sizes(problem: Problem, eager_limit: int) -> bool:
    """True if the rendezvous messages have several sizes. With a single size, any part of their time may come from the
    bandwidth."""
    sizes = [point.size_bytes for point in problem.points if point.size_bytes > eager_limit]
    return bool(sizes) and max(sizes) >= _SEVERAL * min(sizes)


def _weak(name: str) -> float:
    return _WEAK_BANDWIDTH if name.endswith("bandwidth") else _WEAK


def _nearest(problem: Problem, fitted: Fitted, name: str, preset: float, allowed: float) -> tuple[str, Fitted, _Kind]:
    """Holds the value as near to the preset as the times allow. All other values stay as they are."""
    near, far = fitted.setting.values[name], preset
    for _ in range(_HALVINGS):
        middle = (near + far) / 2
        if problem.cost(problem.possible(_with(fitted, name, middle))) <= allowed:
            near = middle
        else:
            far = middle
    setting = problem.possible(_with(fitted, name, near))
    rest = [k for k, other in enumerate(fitted.free) if other != name]
    free = tuple(fitted.free[k] for k in rest)
    return name, Fitted(free, setting, problem.cost(setting), fitted.jacobian[:, rest]), "nearest"


def _with(fitted: Fitted, name: str, value: float) -> Setting:
    return Setting({**fitted.setting.values, name: value}, fitted.setting.eager_limit)


def _held(
    problem: Problem, fitted: Fitted, name: str, preset: float, allowed: float
) -> tuple[str, Fitted, _Kind] | None:
    """Holds the value at the preset, or at a value without effect, if the other values then fit as well. Returns None
    if neither fits."""
    rest = [other for other in fitted.free if other != name]
    tried: tuple[tuple[float, _Kind], ...] = ((preset, "preset"), (0.0, "no effect"))
    for value, kind in tried:
        if name == "bandwidth" and value == 0:
            continue
        without = problem.fit(rest, _start(problem, fitted, name, value))
        if without.cost <= allowed:
            return name, without, kind
    return None


def _start(problem: Problem, fitted: Fitted, name: str, value: float) -> Setting:
    """Changes `name` to this value, and the other values so that times hardly change."""
    values = fitted.setting.values
    held = fitted.free.index(name)
    rest = [k for k in range(len(fitted.free)) if k != held]
    change = (value - values[name]) / problem.size_of(name, fitted.setting)
    others, *_ = np.linalg.lstsq(fitted.jacobian[:, rest], -change * fitted.jacobian[:, held], rcond=1e-9)
    moved = {
        fitted.free[k]: max(
            values[fitted.free[k]] + part * problem.size_of(fitted.free[k], fitted.setting),
            0.1 * values[fitted.free[k]],
        )
        for k, part in zip(rest, others.tolist(), strict=True)
    }
    return Setting({**values, **moved, name: value}, fitted.setting.eager_limit)


def relative_errors(problem: Problem, fitted: Fitted) -> dict[str, float]:
    """Standard errors, relative to the values. They are very large for values without effect."""
    if not fitted.free:
        return {}
    # Directions without effect get a very large error, because the inverse does not exist.
    values, vectors = np.linalg.eigh(fitted.jacobian.T @ fitted.jacobian)
    variances = (vectors**2) @ (1 / np.maximum(values, 1e-18)) * problem.variance_of_few(fitted)
    return dict(zip(fitted.free, np.sqrt(variances).tolist(), strict=True))


def absolute_errors(problem: Problem, fitted: Fitted) -> dict[str, float]:
    """Standard errors in seconds or seconds per byte."""
    errors = relative_errors(problem, fitted)
    return {name: error * problem.size_of(name, fitted.setting) for name, error in errors.items()}
