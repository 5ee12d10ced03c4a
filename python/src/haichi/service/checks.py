"""What is wrong with the words of a request, in the program's own words, before a job is made of it."""

from __future__ import annotations

import asyncio
import re
import subprocess
from pathlib import Path

from haichi.errors import Error
from haichi.job.job import Job
from haichi.model.machine import Machine
from haichi.model.tables import list_machines, list_objectives
from haichi.model.workload import Workload
from haichi.service.problems import WrongRequest, told_by_program
from haichi.service.program import Program
from haichi.service.requests import JobRequest

_BAD_INPUT = 2
_PLAIN_NAME = re.compile(r"[a-z0-9-]+")
_SECONDS = 10
_MOST_KNOWN = 4096
_AT_A_TIME = 2
"""The others wait without a thread: the queue needs some, too."""


class _NoAnswerError(Exception):
    """The program was killed, or the computer is short of memory, processes or descriptors: to be asked again."""


class Checks:
    """Runs the command in an empty folder: it looks at all its words before it misses the first file. Answers are
    kept: job scripts ask for the same again and again."""

    def __init__(self, program: Program, empty: Path) -> None:
        empty.mkdir(exist_ok=True)
        self._program = program
        self._empty = empty
        self._turns = asyncio.Semaphore(_AT_A_TIME)
        self._known: dict[tuple[str, ...], asyncio.Future[tuple[str, str] | None]] = {}

    async def check(self, request: JobRequest) -> None:
        """Raises WrongRequest. Files are not looked at."""
        question = (request.kind.name, *request.arguments(), "", *request.pattern)
        if question not in self._known:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            self._known[question] = asyncio.ensure_future(self._answer(request))
        asked = self._known[question]
        try:
            complaint = await asyncio.shield(asked)  # which others may wait for, too
        except _NoAnswerError:
            complaint = None  # the job's own process finds what is wrong
        finally:
            if asked.done() and (asked.cancelled() or asked.exception()) and self._known.get(question) is asked:
                del self._known[question]
        if complaint is not None:
            raise WrongRequest(*complaint)

    async def _answer(self, request: JobRequest) -> tuple[str, str] | None:
        async with self._turns:
            return await asyncio.to_thread(self._ask, request)

    def _ask(self, request: JobRequest) -> tuple[str, str] | None:
        """Message and hint."""
        try:
            _check_names(request)
        except Error as error:
            return str(error), error.hint
        except WrongRequest as error:
            return error.message, error.hint
        row = request.kind
        complaint = self._complaint([*row.command, *row.result_options, *request.arguments()])
        if complaint is None and request.pattern:
            complaint = self._complaint(["pattern", *request.pattern, "--output=no/folder"])
        return complaint

    def _complaint(self, arguments: list[str]) -> tuple[str, str] | None:
        """Other than of files, which are not there."""
        try:
            code, _, said = self._program.said(arguments, self._empty, seconds=_SECONDS)
        except (subprocess.TimeoutExpired, OSError) as error:
            raise _NoAnswerError from error
        message, hint = told_by_program(said)
        if code == _BAD_INPUT and "No such file" in message:
            return None
        if code not in (0, _BAD_INPUT) or "cannot be read" in message:
            raise _NoAnswerError
        return None if code == 0 else (message, hint)


def _check_names(request: JobRequest) -> None:
    """Raises WrongRequest or Error."""
    machine = request.words.get("machine")
    if isinstance(machine, list) and machine[0] not in request.files and not machine[0].startswith("graph:"):
        _check_machine(machine[0])
    objective = request.words.get("objective")
    if isinstance(objective, list):
        _check_objective(objective[0])


def _check_machine(name: str) -> None:
    presets = {re.split(r"[:\[]", entry.name)[0] for entry in list_machines()} - {"graph", "FILE"}
    if name.partition(":")[0] not in presets and Path(name).exists():
        raise WrongRequest(f"unknown machine {name[:100]!r}")  # not a file of the server's
    Machine(name)


def _check_objective(name: str) -> None:
    known = {entry.name for entry in list_objectives()} | {"auto"}
    if _PLAIN_NAME.fullmatch(name) and name not in known:
        Job(Workload.from_pattern("ring", ranks=2), "torus:2").optimize(name)
