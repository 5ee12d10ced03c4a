"""Placements of ended jobs in the formats of schedulers. The program converts them, under the limits of jobs."""

from __future__ import annotations

import json
import subprocess
import tempfile
import threading
from pathlib import Path
from typing import Any

from haichi.service import steps
from haichi.service.data_folder import JobFolder
from haichi.service.kinds import JOB_KINDS
from haichi.service.limits import Limits
from haichi.service.problems import Problem, WrongRequest, told_by_program
from haichi.service.program import Program
from haichi.service.queue import Job
from haichi.service.requests import word
from haichi.service.runner import supervisor_command

_AT_A_TIME = threading.Semaphore(2)


def rank_map(program: Program, limits: Limits, job: Job, folder: JobFolder, asked: dict[str, str | None]) -> bytes:
    """In the asked `format`; `shape`: for jobs that have several; `hosts`: names of the nodes. Raises Problem."""
    if not JOB_KINDS[job.kind].has_map:
        raise Problem(404, "no_rankmap", f"a {job.kind} job has no rank map")
    words = {name: word(name, value) for name, value in asked.items() if value is not None}
    words["to"] = words.pop("format")
    with tempfile.TemporaryDirectory(dir=folder.path, prefix="map-") as place:
        mapping = _mapping(folder.result, Path(place), words)
        output = Path(place) / "map"
        told = steps.conversion(program, job, folder.work, mapping, output, words, limits)
        with _AT_A_TIME:
            return _converted(told, output)


def _mapping(result: Path, place: Path, words: dict[str, str]) -> Path:
    """A file with the one placement that is asked for."""
    report: dict[str, Any] = json.loads(result.read_bytes())
    if "shapes" not in report:
        if "shape" in words and words["shape"] != "x".join(map(str, report.get("shape", []))):
            raise WrongRequest(f"shape: the job has one shape, not {words['shape']}")
        words.pop("shape", None)
        return result
    entries = {"x".join(map(str, entry["shape"])): entry for entry in report["shapes"]}
    shape = words.get("shape")
    if shape not in entries:
        raise WrongRequest(f"shape: the job has the shapes {', '.join(entries)}", f"?shape={next(iter(entries))}")
    nodes = entries[shape]["node_of_rank"]
    path = place / "mapping.json"
    path.write_text(json.dumps({"schema": "haichi-mapping/1", "ranks": len(nodes), "node_of_rank": nodes}))
    return path


def _converted(told: dict[str, Any], output: Path) -> bytes:
    with subprocess.Popen(supervisor_command(), stdin=subprocess.PIPE, start_new_session=True) as process:
        assert process.stdin is not None
        process.stdin.write(json.dumps(told).encode() + b"\n")
        process.stdin.flush()
        process.wait()
    try:
        outcome = json.loads(Path(told["outcome"]).read_bytes())
    except FileNotFoundError:
        raise Problem(503, "cut_off", "the conversion was cut off", "ask again") from None
    if outcome["exit_code"] == 0:
        return output.read_bytes()
    message, hint = told_by_program(outcome["said"])
    raise WrongRequest(outcome["message"] or message, hint, code="bad_input")
