"""Searches for placements."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from haichi import _core
from haichi.base.file_names import encoded
from haichi.model.placement import ObjectiveCallable, as_map


class SearchProgress(NamedTuple):
    """The progress of a search."""

    fraction_done: float  #: 0 to 1
    best_value: float  #: in the unit of the objective
    restarts_done: int
    restarts: int
    lower_bound: float | None  #: in the unit of the objective; None if there is no bound
    evaluations: int  #: so far, over all restarts
    objective: str  #: the objective of the current search, if there are several searches


SearchCallback = Callable[[SearchProgress], object]


def search_callback(progress: SearchCallback | None) -> Callable[..., object] | None:
    if progress is None:
        return None
    if not callable(progress):
        raise TypeError(f"progress must be a function, not {progress!r}")
    return lambda *values: progress(SearchProgress(*values))


def core_objective(objective: str | ObjectiveCallable) -> _core.Objective:
    """The objective for `_core`, from a name (also of a weighted objective) or from a callable."""
    if callable(objective):
        return _core.Objective(encoded("objective", getattr(objective, "__name__", "function")), objective)
    return _core.Objective(encoded("objective", objective), None)


def core_options(objective: str | ObjectiveCallable, given: Mapping[str, Any]) -> _core.MapOptions:
    start = given.get("start")
    return _core.MapOptions(
        {name: value for name, value in given.items() if name != "start"},
        objective=core_objective(objective),
        start=None if start is None else as_map("start", start),
    )
