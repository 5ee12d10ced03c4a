"""Tables of the available choices, as ``haichi list`` prints them."""

from typing import NamedTuple

from haichi import _core


class Entry(NamedTuple):
    name: str
    description: str


def _entries(rows: list[tuple[str, str]]) -> list[Entry]:
    return [Entry(*row) for row in rows]


def list_machines() -> list[Entry]:
    """The machine presets."""
    return _entries(_core.machines())


def list_objectives() -> list[Entry]:
    """The objectives, with their formulas and units."""
    return [Entry(row.name, f"{row.sentence} [{row.unit}]") for row in _core.objectives()]


def list_strategies() -> list[Entry]:
    """The start placements and the searches."""
    return [Entry(row.name, row.sentence) for row in _core.strategies()]


def list_folds() -> list[Entry]:
    """The built-in logical coordinates and rank orders. Files with coordinate tables can be used, too."""
    return _entries(_core.folds())


def list_formats() -> list[Entry]:
    """The rank-map formats."""
    return _entries(_core.formats())


def list_workload_formats() -> list[Entry]:
    """The file formats of workloads."""
    return _entries(_core.workload_formats())


def list_patterns() -> list[Entry]:
    """The built-in patterns, and the programs for `write_nas_log`."""
    return _entries([*_core.patterns(), *_core.nas_programs()])
