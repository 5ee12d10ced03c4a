"""Compares a job's placement with the default placement, as `haichi compare` does, for the pictures. The comparison is
made on the first request, under the limits of jobs, and is stored with the job."""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
from pathlib import Path

from haichi.service import steps
from haichi.service.data_folder import JobFolder
from haichi.service.kinds import JOB_KINDS
from haichi.service.problems import Problem, told_by_program
from haichi.service.queue import Job
from haichi.service.rank_maps import Placement, placement_of
from haichi.service.short_runs import ShortRuns

FILES = {"comparison": "comparison.json", "report": "report.html"}


async def comparison_file(runs: ShortRuns, job: Job, folder: JobFolder, what: str, shape: str | None) -> Path:
    """The file for a finished job. `what`: a key of FILES. `shape`: for jobs with several shapes. Raises Problem."""
    kind = JOB_KINDS[job.kind]
    if kind.files:  # the job is a comparison itself
        return folder.result if what == "comparison" else folder.work / FILES[what]
    if not kind.is_placed:
        hint = "only map, evaluate and compare have it"
        raise Problem(404, f"no_{what}", f"a {job.kind} job has no {what}", hint)
    async with runs.comparisons.of(job.user):
        found = await placement_of(folder, shape)
        kept = folder.path / f"comparison-{found.number}"
        if not kept.exists():
            runs.check_room(job.user)
            await _compare(runs, job, folder, found, kept)
    return kept / FILES[what]


async def _compare(runs: ShortRuns, job: Job, folder: JobFolder, found: Placement, kept: Path) -> None:
    is_shaped = any(word.startswith(("--shape=", "--shapes=")) for word in job.request["arguments"])
    with tempfile.TemporaryDirectory(dir=folder.path, prefix="comparing-") as place:
        work = Path(place) / "work"
        work.mkdir(mode=0o700)
        for path in folder.work.iterdir():
            if path.is_file():
                os.link(path, work / path.name)
        # This is a copy, because the program may write in this directory.
        await asyncio.to_thread(shutil.copyfile, found.mapping, work / "found")
        told = steps.comparison(runs.program, job, work, found.shape if is_shaped else None, runs.limits)
        outcome = await runs.outcome(told)
        if outcome["exit_code"] != 0:
            message, hint = told_by_program(outcome["said"])
            raise Problem(409, "not_compared", outcome["message"] or message, "" if outcome["message"] else hint)
        os.replace(work, kept)
