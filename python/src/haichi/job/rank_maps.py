"""Rank maps without a workload: checks and conversions."""

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
    hint: str  #: empty if there is none


@dataclass(frozen=True)
class MapCheck:
    """The result of `haichi.check`; true if the scheduler accepts the map."""

    accepted: bool
    format: str
    """Empty if it was not recognised."""
    ranks: int
    problems: int
    checks: tuple[CheckLine, ...]
    """In the order of ``haichi check``; only the first problems if there are very many."""

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
    job_script: str | os.PathLike[str] | None = None,
    **options: Unpack[JobOptions],
) -> MapCheck:
    """Checks whether the scheduler accepts a rank map, as ``haichi check`` does.

    Parameters
    ----------
    placement: the rank map, a file.
    machine: as in `haichi.Job`.
    format: a name from `haichi.list_formats`; empty: from the content.
    job_script: a PJM script that uses the map. Without `shape` or `nodes`, its request defines the job.
    {options}

    Problems of the map and the script are in the result. Raises InputError for files that cannot be read, OptionError
    and UnsupportedError for a wrong machine or shape.
    """
    given = given_options("check", JobOptions, options)
    spec = core_spec(as_machine(machine), job_options(given))
    script = b"" if job_script is None else encoded("job_script", job_script)
    found, ranks, problems, lines = _core.check_map(
        spec, encoded("placement", placement), encoded("format", format), script, "ppn" in given
    )
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
    """Writes a rank map in another format, as ``haichi convert`` does. Returns its text.

    Parameters
    ----------
    placement: a rank-map file in `format` (empty: from its content), the node of each rank, or a placement.
    machine: as in `haichi.Job`.
    to: a name from `haichi.list_formats`.
    output: a file for the text, which is written whole or not at all.
    {options}

    A warning about the format goes to the logger ``haichi``. Raises InputError and OptionError for maps that do not fit
    the job, UnsupportedError if the format cannot express the map.
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
