"""Strategies by their names: a start, a search, an objective to anneal on, or a map that somebody else made."""

from __future__ import annotations

import difflib
import os
from dataclasses import dataclass
from pathlib import Path

from haichi import _core
from haichi.errors import OptionError

_SEARCHES = ("auto", "anneal", "tabu", "exhaustive")
_MAP_PREFIX = "map:"

DEFAULT_STRATEGIES = ("default", "no-ring", "random", "hop-bytes", "rmatt", "rmatt-3d", "tac3")
BASELINE = "default"


@dataclass(frozen=True)
class Strategy:
    """One way to place a job."""

    name: str
    search: str
    """``"anneal"``, another search, the name of a start, or ``"map"``."""
    objective: str | None = None
    """What is searched for; None without search."""
    map_file: str | None = None

    @property
    def takes_effort(self) -> bool:
        """Whether it can be told how long to search; looking at every placement cannot."""
        return self.is_search and self.search != "exhaustive"

    @property
    def is_search(self) -> bool:
        return self.objective is not None


def parse_strategy(name: str) -> Strategy:
    """Reads ``"default"``, ``"tac3"``, ``"anneal"``, ``"weighted(hop-bytes=0.7,tac3=0.3)"``, ``"map:FILE"``.

    Raises OptionError with did-you-mean for names that are neither.
    """
    if name.startswith(_MAP_PREFIX):
        path = name.removeprefix(_MAP_PREFIX)
        if not Path(path).is_file():
            raise OptionError(f"strategy {name!r}: there is no file {path!r}")
        return Strategy(name, "map", map_file=path)
    if name in _SEARCHES:
        return Strategy(name, name, objective="hop-bytes" if name == "tabu" else "tac3")
    starts = [entry for entry, _ in _core.strategies() if entry not in _SEARCHES]
    if name in starts:
        return Strategy(name, name)
    objectives = [entry for entry, _ in _core.objectives()]
    is_composed = name.startswith("weighted(") or plugin_library(name) is not None
    if is_composed or name in objectives:
        return Strategy(name, "anneal", objective=name)
    near = difflib.get_close_matches(name, [*starts, *_SEARCHES, *objectives], n=1)
    raise OptionError(
        f"unknown strategy {name!r}",
        f"did you mean {near[0]!r}?" if near else "`haichi list strategies` and `haichi list objectives` name them",
    )


def plugin_library(objective: str) -> str | None:
    """The shared library of an objective ``"./libx.so:name"``."""
    library, colon, _ = objective.rpartition(":")
    return library if colon and ".so" in os.path.basename(library) else None


def split_strategies(text: str) -> list[str]:
    """Names between commas, not those inside brackets."""
    names = [""]
    depth = 0
    for character in text:
        depth += {"(": 1, ")": -1}.get(character, 0)
        if character == "," and depth == 0:
            names.append("")
        else:
            names[-1] += character
    return [name.strip() for name in names]
