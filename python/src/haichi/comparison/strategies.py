"""Strategies by name: a start, a search, an objective to anneal, or a rank map from elsewhere."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from haichi import _core
from haichi.base.file_names import encoded
from haichi.errors import OptionError

_MAP_PREFIX = "map:"

# A comparison omits those that require axes if its machine has none.
DEFAULT_STRATEGIES = ("default", "no-ring", "random", "hop-bytes", "rmatt", "rmatt-3d", "tac3")
BASELINE = "default"
AUTO = "auto"
"""The search of `haichi map` without options."""


@dataclass(frozen=True)
class Strategy:
    """A way to place a job."""

    name: str
    search: str
    """``"anneal"``, another search, the name of a start, or ``"map"``."""
    objective: str | None = None
    """The objective of the search; None without a search."""
    map_file: str | None = None

    @property
    def takes_effort(self) -> bool:
        """True if the length of the search is configurable. An exhaustive search has no such setting."""
        return self.map_file is None and _rows()[self.search].is_tuned

    @property
    def uses_seed(self) -> bool:
        return self.map_file is None and _rows()[self.search].uses_seed


def _rows() -> dict[str, _core.StrategyRow]:
    return {row.name: row for row in _core.strategies()}


def parse_strategy(name: str) -> Strategy:
    """Reads ``"default"``, ``"tac3"``, ``"anneal"``, ``"weighted(hop-bytes=0.7,tac3=0.3)"``, ``"map:FILE"``.

    Raises OptionError with a suggestion for unknown names.
    """
    if not isinstance(name, str):
        raise TypeError(f"a strategy must be a name, not {name!r}")
    if name.startswith(_MAP_PREFIX):
        path = name.removeprefix(_MAP_PREFIX)
        if not Path(path).is_file():
            raise OptionError(f"strategy {name!r}: no file {path!r}")
        return Strategy(name, "map", map_file=path)
    rows = _rows()
    if name in rows:
        return Strategy(name, name, objective=rows[name].objective or None)
    objectives = [row.name for row in _core.objectives()]
    is_composed = name.startswith("weighted(") or plugin_library(name) is not None
    if is_composed or name in objectives:
        return Strategy(name, "anneal", objective=name)
    near = _core.did_you_mean(encoded("a strategy", name), [*rows, *objectives])
    raise OptionError(f"unknown strategy {name!r}", near or "see `haichi list strategies` and `haichi list objectives`")


def default_strategies(has_axes: bool) -> list[str]:
    """The strategies for jobs on a machine with axes, or without."""
    needs_axes = {row.name for row in _core.objectives() if row.needs_logical_torus}
    return [name for name in DEFAULT_STRATEGIES if has_axes or name not in needs_axes]


def plugin_library(objective: str) -> str | None:
    """The shared library of an objective ``"./libx.so:name"``."""
    library, colon, _ = objective.rpartition(":")
    return library if colon and ".so" in os.path.basename(library) else None
