"""Checks and conversions of rank maps. They need no workload."""

from __future__ import annotations

import logging
import os
from dataclasses import dataclass
from typing import Literal, NamedTuple, Unpack

from haichi import _core
from haichi.base.file_names import encoded
from haichi.base.option_types import JobOptions
from haichi.base.options import given_options, takes
from haichi.base.outputs import write_files
from haichi.model.job_spec import core_spec, job_options
from haichi.model.machine import MachineLike, as_machine
from haichi.model.placement import PlacementLike, as_map


class CheckLine(NamedTuple):
    """The result of one check."""

    result: Literal["ok", "note", "problem"]
    text: str
    file: str  #: empty if unknown
    line: int  #: from 1; 0 if unknown
    hint: str  #: may be empty


@dataclass(frozen=True)
class MapCheck:
    """The result of `haichi.check`. Its truth value is True if the scheduler accepts the map."""

    accepted: bool
    format: str
    """The format of the map; empty if it was not recognised."""
    ranks: int
    problems: int
    checks: tuple[CheckLine, ...]
    """The checks in the order of ``haichi check``. If there are very many problems, only the first ones are
    included."""

    def __bool__(self) -> bool:
        return self.accepted

    def __str__(self) -> str:
        rows = [
            f"{check.result:8} {check.text}" + f"\n{'':9}hint: {check.hint}" * bool(check.hint) for check in self.checks
        ]
        return "\n".join(rows)


@takes(JobOptions)
def check(
    placement: str | os.PathLike[str],
    machine: MachineLike,
    *,
    format: str = "",
    **options: Unpack[JobOptions],
) -> MapCheck:
    """Checks whether the scheduler accepts the rank map in the file `placement`, as ``haichi check`` does.

    The map is in `format` (`haichi.list_formats`), which is detected from the content by default. The file `job` is a
    PJM script that uses the map. Without `shape` or `nodes`, the script defines the size of the job. For `machine`, see
    `haichi.Job`.

    Parameters
    ----------
    {options}

    Problems of the map and the script are part of the result. Raises InputError for files that cannot be read, and
    OptionError or UnsupportedError for a wrong machine or shape.
    """
    spec = core_spec(as_machine(machine), job_options(given_options("check", JobOptions, options)))
    found, ranks, problems, lines = _core.check_map(spec, encoded("placement", placement), encoded("format", format))
    return MapCheck(problems == 0, found, ranks, problems, tuple(CheckLine(*line) for line in lines))


@takes(JobOptions)
def convert(
    placement: PlacementLike,
    machine: MachineLike,
    *,
    to: str,
    output: str | os.PathLike[str] | None = None,
    format: str = "",
    **options: Unpack[JobOptions],
) -> str:
    """Converts a rank map to the format `to` (`haichi.list_formats`), as ``haichi convert`` does. Returns the text of
    the map.

    `placement` is a rank-map file, an array with the node of each rank, or a `Placement`. A file is in `format`, which
    is detected from the content by default. If `output` is given, the text is also written to this file, whole or not
    at all. For `machine`, see `haichi.Job`.

    Parameters
    ----------
    {options}

    A warning about the format goes to the logger ``haichi``. Raises InputError and OptionError for maps that do not fit
    the job, and UnsupportedError if the format cannot express the map.
    """
    spec = core_spec(as_machine(machine), job_options(given_options("convert", JobOptions, options)))
    content, warning = _core.convert_map(
        spec, as_map("placement", placement), encoded("format", format), encoded("to", to)
    )
    if output is not None:
        write_files([(output, content)])
    if warning:
        logging.getLogger("haichi").warning("%s", warning)
    return os.fsdecode(content)
