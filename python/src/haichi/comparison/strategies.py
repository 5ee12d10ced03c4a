"""Placement strategies: a start, a search, or annealing of an objective. Placements can also come from a rank map, an
array or a function."""

from __future__ import annotations

import hashlib
import inspect
import os
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, SupportsFloat, cast

import numpy as np
import numpy.typing as npt

from haichi import _core
from haichi.base.file_names import encoded
from haichi.errors import Error, OptionError
from haichi.job.job import Job
from haichi.model.placement import Placement, as_map

_MAP_PREFIX = "map:"
_GIVEN = "map"
"""The value of `search` for strategies with a given placement."""

# On a machine without axes, a comparison omits the strategies that require axes.
DEFAULT_STRATEGIES = ("default", "no-ring", "random", "hop-bytes", "rmatt", "rmatt-3d", "tac3")
BASELINE = "default"
AUTO = "auto"
"""The search that `haichi map` uses without options."""


@dataclass(frozen=True)
class Strategy:
    """A way to place a job."""

    name: str
    search: str
    """``"anneal"``, another search, the name of a start, or ``"map"``."""
    objective: str | None = None
    """The objective of the search; None if the strategy does not search."""
    map_file: str | None = None
    nodes: npt.NDArray[Any] | None = field(default=None, compare=False)
    """The node of each rank, for a strategy with a given placement."""
    function: Callable[..., Any] | None = field(default=None, compare=False)
    """A function of the job, and perhaps of a seed, that returns a placement. It may also be an objective. haichi calls
    it only in this process."""
    is_objective: bool = field(default=False, compare=False)
    """True if `function` is an objective, which returns a number for the node of each rank."""

    @property
    def takes_effort(self) -> bool:
        """True if the length of the search can be set. An exhaustive search has no such setting."""
        return self.search != _GIVEN and _rows()[self.search].is_tuned

    @property
    def uses_seed(self) -> bool:
        if self.function is not None:
            return self.is_objective or _takes_seed(self.function)
        return self.search != _GIVEN and _rows()[self.search].uses_seed

    def recognised(self, job: Job) -> Strategy:
        """Finds out whether the function is an objective, and returns the strategy with the answer. An objective
        returns a number for the node of each rank."""
        if self.function is None or _takes_seed(self.function):
            return self
        try:
            value: Any = self.function(job.place().node_of_rank.copy())
            return replace(self, is_objective=isinstance(value, SupportsFloat) and getattr(value, "ndim", 0) == 0)
        except Exception:  # the function expects a job
            return self

    def placed(self, job: Job, seed: int, search: Mapping[str, Any]) -> Strategy:
        """Calls the function and returns the strategy with the resulting placement. For an objective, `search` has the
        options of the search. Raises the function's exceptions, and OptionError for results that do not fit the job."""
        if self.function is None:
            return self
        if self.is_objective:
            found: Any = job.optimize(self.function, seed=seed, **search)
        else:
            found = self.function(job, seed=seed) if self.uses_seed else self.function(job)
        try:
            nodes = job.place(found).node_of_rank
        except Error as error:
            raise OptionError(f"strategy {self.name!r}: {error}", error.hint) from error
        return replace(self, nodes=nodes, function=None)

    def identity(self) -> dict[str, Any]:
        """All values that determine the placements of the strategy, for cell keys."""
        entry = {"name": self.name, "search": self.search, "objective": self.objective, "map_file": self.map_file}
        if self.nodes is not None:
            entry["nodes"] = hashlib.sha256(self.nodes.astype("<i8").tobytes()).hexdigest()
        return entry


def _takes_seed(function: Callable[..., Any]) -> bool:
    try:
        return "seed" in inspect.signature(function).parameters
    except ValueError:  # from signature(), for some built-in functions
        return False


def _rows() -> dict[str, _core.StrategyRow]:
    return {row.name: row for row in _core.strategies()}


def parse_strategy(name: str) -> Strategy:
    """Parses a strategy such as ``"default"``, ``"tac3"``, ``"anneal"``, ``"weighted(hop-bytes=0.7,tac3=0.3)"`` or
    ``"map:FILE"``.

    Raises OptionError with a suggestion for unknown names.
    """
    if not isinstance(name, str):
        raise TypeError(f"a strategy must be a name, not {name!r}")
    if name.startswith(_MAP_PREFIX):
        path = name.removeprefix(_MAP_PREFIX)
        if not Path(path).is_file():
            raise OptionError(f"strategy {name!r}: no file {path!r}")
        return Strategy(name, _GIVEN, map_file=path)
    rows = _rows()
    if name in rows:
        return Strategy(name, name, objective=rows[name].objective or None)
    objectives = [row.name for row in _core.objectives()]
    is_composed = name.startswith("weighted(") or plugin_library(name) is not None
    if is_composed or name in objectives:
        return Strategy(name, "anneal", objective=name)
    near = _core.did_you_mean(encoded("a strategy", name), [*rows, *objectives])
    raise OptionError(f"unknown strategy {name!r}", near or "see `haichi list strategies` and `haichi list objectives`")


def parse_strategies(given: Any) -> list[Strategy]:
    """Parses one strategy, a list of strategies, or a dict of strategies by name. A strategy is a name for
    `parse_strategy`, the node of each rank, a placement, or a function of a job that returns a placement.

    Raises OptionError for unknown, empty and duplicate names, and TypeError for other values.
    """
    if isinstance(given, Mapping):
        named = [_named_strategy(name, value) for name, value in given.items()]
    else:
        values = [given] if _is_one(given) else list(given)
        named = []
        for value in values:
            name = value if isinstance(value, str) else free_name(_stem(value), [one.name for one in named], "{} {}")
            named.append(_named_strategy(name, value))
    names = [strategy.name for strategy in named]
    if not names:
        raise OptionError("compare requires at least one strategy")
    for name in names:
        if names.count(name) > 1:
            raise OptionError(f"duplicate strategy: {name!r}")
    return named


def _is_one(given: Any) -> bool:
    """True for a single strategy: a name, a function, a placement, or a list of node numbers."""
    if isinstance(given, str | Placement) or callable(given) or getattr(given, "ndim", None) == 1:
        return True
    return isinstance(given, list | tuple) and bool(given) and all(isinstance(one, int | np.integer) for one in given)


def _named_strategy(name: Any, value: Any) -> Strategy:
    if not isinstance(name, str):
        raise TypeError(f"the name of a strategy must be a str, not {name!r}")
    if not name:
        raise OptionError("a strategy is empty")
    if isinstance(value, str):
        strategy = replace(parse_strategy(value), name=name)
    elif isinstance(value, Placement):
        strategy = Strategy(name, _GIVEN, function=lambda _: value)
    elif callable(value):
        strategy = Strategy(name, _GIVEN, function=value)
    elif hasattr(value, "__array__") or isinstance(value, list | tuple):
        nodes = as_map(f"strategy {name!r}", value)
        strategy = Strategy(name, _GIVEN, nodes=cast("npt.NDArray[Any]", nodes))
    else:
        raise TypeError(f"a strategy must be a name, a placement, the node of each rank, or a function, not {value!r}")
    if name == BASELINE and strategy != parse_strategy(BASELINE):
        raise OptionError(f"the name {BASELINE!r} belongs to the default placement", "use another name")
    return strategy


def _stem(value: Any) -> str:
    """A name for a strategy that the user did not name."""
    name = getattr(value, "__name__", "") if callable(value) else "placement"
    return name if name.isidentifier() else "function"


def free_name(stem: str, taken: Container[str], numbered: str = "{} ({})") -> str:
    """Returns `stem`, with a number appended if the name is taken."""
    name, again = stem, 1
    while name in taken:
        again += 1
        name = numbered.format(stem, again)
    return name


def default_strategies(has_axes: bool) -> list[str]:
    """The default strategies, for jobs on a machine with or without axes."""
    needs_axes = {row.name for row in _core.objectives() if row.needs_logical_torus}
    return [name for name in DEFAULT_STRATEGIES if has_axes or name not in needs_axes]


def plugin_library(objective: str) -> str | None:
    """The path of the shared library in an objective such as ``"./libx.so:name"``; None for other objectives."""
    library, colon, _ = objective.rpartition(":")
    return library if colon and ".so" in os.path.basename(library) else None
