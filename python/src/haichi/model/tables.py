"""Tables of available choices, as printed by ``haichi list``."""

from typing import NamedTuple

from haichi import _core


class Entry(NamedTuple):
    name: str
    description: str


def _entries(rows: list[tuple[str, str]]) -> list[Entry]:
    return [Entry(*row) for row in rows]


def list_machines() -> list[Entry]:
    """Machine presets."""
    return _entries(_core.machines())


def list_objectives() -> list[Entry]:
    """Objectives: formula and unit."""
    return [Entry(row.name, f"{row.sentence} [{row.unit}]") for row in _core.objectives()]


def list_strategies() -> list[Entry]:
    """Start placements and searches."""
    return [Entry(row.name, row.sentence) for row in _core.strategies()]


def list_folds() -> list[Entry]:
    """Logical coordinates and rank orders, in addition to coordinate tables."""
    return _entries(_core.folds())


def list_formats() -> list[Entry]:
    """Rank-map formats."""
    return _entries(_core.formats())


def list_workload_formats() -> list[Entry]:
    """File formats of workloads."""
    return _entries(_core.workload_formats())


def list_patterns() -> list[Entry]:
    """Built-in workloads, and programs for `write_nas_log`."""
    return _entries([*_core.patterns(), *_core.nas_programs()])
