"""Converts the placements of finished jobs to the formats of schedulers. The program makes each rank map, under the
limits of jobs. A limited number of maps is stored with the job."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import os
import re
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from haichi.service import placements, steps, supervisor
from haichi.service.children import ChildFailedError, child_output
from haichi.service.data_folder import JobFolder
from haichi.service.kinds import JOB_KINDS
from haichi.service.problems import Problem, WrongRequest, disk_is_full, told_by_program
from haichi.service.queue import Job
from haichi.service.requests import word
from haichi.service.short_runs import ShortRuns

_FILE_NAME = re.compile(r"(?!-|\.\.?\Z)[A-Za-z0-9._-]{1,255}")
"""Matches a plain file name, which can never act as an option in the line that contains it."""


@dataclass(frozen=True)
class RankMap:
    """A rank-map file, and the lines of the program for a job script."""

    path: Path
    is_kept: bool
    """True if the file stays with the job. Otherwise the caller removes its directory."""
    said: str

    def remove_unless_kept(self) -> None:
        if not self.is_kept:
            shutil.rmtree(self.path.parent, ignore_errors=True)


async def rank_map(runs: ShortRuns, job: Job, folder: JobFolder, asked: dict[str, str | None]) -> RankMap:
    """Makes the rank map in the requested `format`. `shape`: for jobs with several shapes. `hosts`: the names of the
    nodes. Raises Problem."""
    words = {name: word(name, value) for name, value in asked.items() if value is not None}
    words["to"] = words.pop("format")
    _check_has_map(job)
    async with runs.maps.of(job.user):
        return await _converted(runs, job, folder, {**words})


async def script_lines(runs: ShortRuns, job: Job, folder: JobFolder, asked: dict[str, str | None]) -> str:
    """The lines of a job script that use the placement. `shape`: for jobs with several shapes. `file`: the name of the
    rank map. `scheduler`: `pjm` or a rank-map format. The lines do not depend on the host names in the request. Raises
    Problem."""
    words = {name: word(name, value) for name, value in asked.items() if value is not None}
    scheduler, file = words.pop("scheduler"), words.pop("file")
    if not _FILE_NAME.fullmatch(file):
        raise WrongRequest(f"invalid file: {file[:100]!r} (not a plain file name)", "use letters, digits and ._-")
    _check_has_map(job)
    words["launcher"] = "fujitsu" if scheduler == "pjm" else scheduler
    async with runs.maps.of(job.user):
        made = await _converted(runs, job, folder, {**words}, without=("hosts",))
    made.remove_unless_kept()
    lines = made.said.partition("for the job script:\n")[2]
    return re.sub(r"\bFILE\b", file, lines)  # the program calls a map on standard output FILE


def _check_has_map(job: Job) -> None:
    if not JOB_KINDS[job.kind].has_map:
        raise Problem(404, "no_rankmap", f"a {job.kind} job has no rank map")


@dataclass(frozen=True)
class Placement:
    """A placement that a job has found."""

    number: int
    """The index of its shape among the shapes of the job."""
    shape: str
    """The shape; empty if the machine has no shapes."""
    is_one_of_several: bool
    mapping: Path
    """The file with the placement, in the program's format."""
    ranks: int
    nodes: int
    is_strict: bool
    """True if PJM must not rotate the request of the job."""


async def placement_of(folder: JobFolder, shape: str | None) -> Placement:
    """The placement for a shape, given in the machine's axes or as the request for PJM. None selects the only
    placement. Raises WrongRequest."""
    place = folder.path / "placements"
    if not place.exists():
        await _split(folder, place)
    told: dict[str, Any] = json.loads((place / "index.json").read_bytes())
    rows = told["placements"]
    shapes = [row["shape"] for row in rows]
    meant = [number for number, row in enumerate(rows) if shape in (row["shape"], row.get("request") or None)]
    if told["is_one_of_several"] and len(meant) != 1:
        raise WrongRequest(f"shape must be one of {', '.join(shapes)}", f"add ?shape={shapes[0]}")
    if shape is not None and not meant:
        raise WrongRequest(f"invalid shape: {shape} (the job has one shape)")
    number = meant[0] if meant else 0
    row, mapping, is_one = rows[number], place / f"{number}.json", told["is_one_of_several"]
    return Placement(number, row["shape"], is_one, mapping, row["ranks"], row["nodes"], row.get("strict", False))


async def _split(folder: JobFolder, place: Path) -> None:
    made = Path(tempfile.mkdtemp(dir=folder.path, prefix="splitting-"))
    try:
        await child_output(placements.__file__, [str(folder.result), str(made)])
        with contextlib.suppress(OSError):  # another request was faster
            os.rename(made, place)
    except ChildFailedError:
        if not folder.result.exists():
            raise FileNotFoundError(folder.result) from None  # the job has been removed
        if supervisor.is_full(str(folder.path)):
            raise disk_is_full(507) from None
        raise Problem(500, "internal", "internal error: cannot read the placements of the result") from None
    finally:
        shutil.rmtree(made, ignore_errors=True)


async def _converted(
    runs: ShortRuns, job: Job, folder: JobFolder, words: dict[str, str | None], without: tuple[str, ...] = ()
) -> RankMap:
    """The placement as the program converts it. `words`: the options of the conversion. `without`: options of the job
    to leave out."""
    found = await placement_of(folder, words.pop("shape", None))
    if found.is_one_of_several:
        words["shape"] = found.shape
    if found.is_strict:
        words["strict"] = None
    kept = folder.path / "maps" / hashlib.sha256(json.dumps(words, sort_keys=True).encode()).hexdigest()
    if kept.exists():
        return _of_folder(kept, is_kept=True)
    place = Path(tempfile.mkdtemp(dir=folder.path, prefix="map-"))
    is_made = False
    try:
        mapping = place / "mapping.json"
        os.link(found.mapping, mapping)
        told = steps.conversion(runs.program, job, folder.work, mapping, place / "map", words, runs.limits, without)
        outcome = await runs.outcome(told)
        if outcome["exit_code"] != 0:
            message, hint = told_by_program(outcome["said"])
            raise WrongRequest(outcome["message"] or message, hint, code="bad_input")
        mapping.unlink()
        is_made = True
    finally:
        if not is_made:
            await asyncio.to_thread(shutil.rmtree, place, ignore_errors=True)
    kept.parent.mkdir(exist_ok=True, mode=0o700)
    if len(os.listdir(kept.parent)) < runs.limits.kept_maps:
        with contextlib.suppress(OSError, Problem):  # another request was faster, or the disk is full
            runs.check_room(job.user)
            os.rename(place, kept)
            return _of_folder(kept, is_kept=True)
    return _of_folder(place, is_kept=False)


def _of_folder(place: Path, is_kept: bool) -> RankMap:
    said: str = json.loads((place / "map.outcome").read_bytes())["said"]
    return RankMap(place / "map", is_kept, said)
