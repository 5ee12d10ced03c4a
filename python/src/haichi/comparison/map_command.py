"""The command line that reproduces the placement of a cell."""

from __future__ import annotations

import shlex

from haichi import _core
from haichi.comparison.cell import SearchEffort
from haichi.comparison.strategies import AUTO, Strategy
from haichi.model.job_spec import JobSpec

MAP_FILE = "rankmap.txt"
"""The name of the rank-map file in commands and job scripts."""

_FLAGS = ("count_nic",)


def map_command(job: JobSpec, strategy: Strategy, seed: int, effort: SearchEffort) -> str | None:
    """The command `haichi map` with the inputs, seed and effort of a cell. None if no command can reproduce the
    placement: a given map, a search with a Python function, or a job without files."""
    rows = {row.name: row for row in _core.strategies()}
    machine = job.machine._core.source[0]
    is_named = strategy.search in rows and isinstance(machine, str) and bool(machine)
    if not is_named or not job.traffic.files or any(isinstance(value, list) for value in job.options.values()):
        return None
    words = ["haichi", "map", "-m", machine, "-w", job.traffic.files[0]]
    for name, value in job.options.items():
        if name in _FLAGS and not value:
            continue
        words += [f"--{name.replace('_', '-')}", *([] if name in _FLAGS else [str(value)])]
    if strategy.search != AUTO:
        words += ["--strategy", strategy.search] if strategy.name == strategy.search else []
        words += ["--objective", strategy.objective] if strategy.objective else []
    if strategy.uses_seed:
        words += ["--seed", str(seed)]
    if strategy.takes_effort:
        words += ["--evaluations", str(effort.evaluations)] if effort.evaluations else []
        words += ["--time", f"{effort.time_limit:g}s"] if effort.time_limit else []
        words += ["--schedule", effort.schedule] if effort.schedule != SearchEffort().schedule else []
        words += ["--restarts", str(effort.restarts)] if effort.restarts else []
    return shlex.join([*words, "-o", MAP_FILE])
