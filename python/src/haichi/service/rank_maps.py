"""Placements of ended jobs in the formats of schedulers. The program converts them, under the limits of jobs."""

from __future__ import annotations

import json
import re
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from haichi.service import steps
from haichi.service.data_folder import JobFolder
from haichi.service.kinds import JOB_KINDS
from haichi.service.problems import Problem, WrongRequest, told_by_program
from haichi.service.queue import Job
from haichi.service.requests import word
from haichi.service.short_runs import ShortRuns

_AT_A_TIME = threading.Semaphore(2)
_FILE_NAME = re.compile(r"[A-Za-z0-9._-]{1,255}")


def rank_map(runs: ShortRuns, job: Job, folder: JobFolder, asked: dict[str, str | None]) -> bytes:
    """In the asked `format`; `shape`: for jobs that have several; `hosts`: names of the nodes. Raises Problem."""
    words = {name: word(name, value) for name, value in asked.items() if value is not None}
    words["to"] = words.pop("format")
    return _converted(runs, job, folder, words).content


def script_lines(runs: ShortRuns, job: Job, folder: JobFolder, asked: dict[str, str | None]) -> str:
    """Lines of a job script for a `scheduler` that use the placement for a `shape`; `file` has its map.
    Raises Problem."""
    words = {name: word(name, value) for name, value in asked.items() if value is not None}
    scheduler, file = words.pop("scheduler"), words.pop("file")
    if not _FILE_NAME.fullmatch(file):
        raise WrongRequest(f"file: {file[:100]!r} is no plain file name", "letters, digits and ._-")
    if scheduler == "slurm":
        _check_has_map(job)
        nodes = json.loads(placement_of(folder.result, words.get("shape")).mapping)["node_of_rank"]
        return (
            f"#SBATCH --nodes={len(set(nodes))}\n#SBATCH --ntasks={len(nodes)}\n"
            f"export SLURM_HOSTFILE={file}\nsrun --distribution=arbitrary ...\n"
        )
    said = _converted(runs, job, folder, words | {"to": "fujitsu"}).said
    lines = [line for line in said.splitlines() if line.startswith("#PJM ")]
    return "".join(f"{line}\n" for line in lines).replace("rank-map-hostfile=FILE", f"rank-map-hostfile={file}")


@dataclass(frozen=True)
class Placement:
    """One that a job has found."""

    number: int
    """Among those of the job's shapes."""
    shape: str
    """Empty where the machine has none."""
    is_one_of_several: bool
    mapping: bytes
    """As the program reads it."""


def placement_of(result: Path, shape: str | None) -> Placement:
    """The one for a shape; None: the only one. Raises WrongRequest."""
    content = result.read_bytes()
    report: dict[str, Any] = json.loads(content)
    if "shapes" not in report:
        own = "x".join(map(str, report.get("shape", [])))
        if shape is not None and shape != own:
            raise WrongRequest(f"shape: the job has one shape, not {shape}")
        return Placement(0, own, False, content)
    entries = {"x".join(map(str, entry["shape"])): entry for entry in report["shapes"]}
    if shape not in entries:
        raise WrongRequest(f"shape: the job has the shapes {', '.join(entries)}", f"?shape={next(iter(entries))}")
    nodes = entries[shape]["node_of_rank"]
    mapping = {"schema": "haichi-mapping/1", "ranks": len(nodes), "node_of_rank": nodes}
    return Placement(list(entries).index(shape), shape, True, json.dumps(mapping).encode())


@dataclass(frozen=True)
class _Conversion:
    content: bytes
    said: str


def _check_has_map(job: Job) -> None:
    if not JOB_KINDS[job.kind].has_map:
        raise Problem(404, "no_rankmap", f"a {job.kind} job has no rank map")


def _converted(runs: ShortRuns, job: Job, folder: JobFolder, words: dict[str, str]) -> _Conversion:
    """As the program converts the placement with these options."""
    _check_has_map(job)
    found = placement_of(folder.result, words.pop("shape", None))
    if found.is_one_of_several:
        words["shape"] = found.shape
    with tempfile.TemporaryDirectory(dir=folder.path, prefix="map-") as place:
        mapping, output = Path(place) / "mapping.json", Path(place) / "map"
        mapping.write_bytes(found.mapping)
        told = steps.conversion(runs.program, job, folder.work, mapping, output, words, runs.limits)
        with _AT_A_TIME:
            outcome = runs.outcome(told)
        if outcome["exit_code"] == 0:
            return _Conversion(output.read_bytes(), outcome["said"])
    message, hint = told_by_program(outcome["said"])
    raise WrongRequest(outcome["message"] or message, hint, code="bad_input")
