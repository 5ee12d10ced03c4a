"""What is wrong with the words of a request, in the program's own words, before a job is made of it."""

from __future__ import annotations

import re
import subprocess
from functools import lru_cache
from pathlib import Path

import haichi
from haichi.service.kinds import JOB_KINDS
from haichi.service.problems import WrongRequest, told_by_program
from haichi.service.program import Program
from haichi.service.requests import JobRequest

_BAD_INPUT = 2
_PLAIN_NAME = re.compile(r"[a-z0-9-]+")
_SECONDS = 10


class Checks:
    """Runs the command in an empty folder: it looks at all its words before it misses the first file. Answers are
    kept: job scripts ask for the same again and again."""

    def __init__(self, program: Program, empty: Path) -> None:
        empty.mkdir(exist_ok=True)
        self._program = program
        self._empty = empty
        self._complaint = lru_cache(maxsize=4096)(self._ask)

    def check(self, request: JobRequest) -> None:
        """Raises WrongRequest. Files are not looked at."""
        machine = request.words.get("machine")
        if isinstance(machine, list) and machine[0] not in request.files and not machine[0].startswith("graph:"):
            _check_machine(machine[0])
        objective = request.words.get("objective")
        if isinstance(objective, list):
            _check_objective(objective[0])
        complaint = self._complaint(request.kind.name, tuple(request.arguments()))
        if complaint is not None:
            raise WrongRequest(*complaint)

    def _ask(self, kind: str, arguments: tuple[str, ...]) -> tuple[str, str] | None:
        row = JOB_KINDS[kind]
        try:
            code, _, error = self._program.said(
                [*row.command, *row.result_options, *arguments], self._empty, seconds=_SECONDS
            )
        except subprocess.TimeoutExpired:
            return None
        message, hint = told_by_program(error)
        is_about_files = "cannot be read" in message or "No such file" in message
        return None if code != _BAD_INPUT or is_about_files else (message, hint)


def _check_machine(name: str) -> None:
    presets = {re.split(r"[:\[]", entry.name)[0] for entry in haichi.list_machines()} - {"graph", "FILE"}
    if name.partition(":")[0] not in presets and Path(name).exists():
        raise WrongRequest(f"unknown machine {name[:100]!r}")  # not a file of the server's
    try:
        haichi.Machine(name)
    except haichi.Error as error:
        raise WrongRequest(str(error), error.hint) from error


def _check_objective(name: str) -> None:
    known = {entry.name for entry in haichi.list_objectives()} | {"auto"}
    if _PLAIN_NAME.fullmatch(name) and name not in known:
        job = haichi.Job(haichi.Workload.from_pattern("ring", ranks=2), "torus:2")
        try:
            job.optimize(name)
        except haichi.Error as error:
            raise WrongRequest(str(error), error.hint) from error
