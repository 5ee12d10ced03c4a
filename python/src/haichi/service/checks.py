"""Checks the options of a request before it becomes a job, with the error messages of the program."""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
from pathlib import Path

from haichi.errors import Error
from haichi.job.job import Job
from haichi.model.tables import list_machines, list_objectives
from haichi.model.workload import Workload
from haichi.service.limits import Limits
from haichi.service.problems import WrongRequest, told_by_program
from haichi.service.program import Program
from haichi.service.requests import JobRequest, near
from haichi.service.turns import Turns

_BAD_INPUT = 2
_PLAIN_NAME = re.compile(r"[a-z0-9-]+")
_SECONDS = 3
"""Most checks take about 20 ms. If a check takes longer, the job is accepted, and its own run finds errors."""
_MOST_KNOWN = 4096
_AT_A_TIME = 2
"""The number of checks that run at the same time. Further checks wait without a thread, because the queue needs
threads, too."""


class _NoAnswerError(Exception):
    """The program was killed, or the computer lacks memory, processes or file descriptors. The check must be
    repeated."""


class Checks:
    """Checks a request by running its command in an empty directory. The program checks all its options before it
    reports the first missing file. Results are cached, because job scripts repeat their requests."""

    def __init__(self, program: Program, empty: Path, limits: Limits) -> None:
        empty.mkdir(exist_ok=True)
        self._program = program
        self._empty = empty
        self._turns = Turns(_AT_A_TIME, limits.waiting_of_user, limits.waiting)
        self._known: dict[bytes, asyncio.Future[tuple[str, str] | None]] = {}
        """Results by the digest of the request, because a request may have thousands of words."""

    async def check(self, user: str, request: JobRequest) -> None:
        """Raises Problem or WrongRequest for invalid options. Files are not checked."""
        words = [user, request.kind.name, *request.arguments(), "", *request.pattern]
        question = hashlib.sha256(json.dumps(words).encode()).digest()
        if question not in self._known:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            self._known[question] = asyncio.ensure_future(self._answer(user, request))
        asked = self._known[question]
        try:
            complaint = await asyncio.shield(asked)  # other requests may wait for the same check
        except _NoAnswerError:
            complaint = None  # the job's own run finds errors
        finally:
            if asked.done() and (asked.cancelled() or asked.exception()) and self._known.get(question) is asked:
                del self._known[question]
        if complaint is not None:
            raise WrongRequest(*complaint)

    async def _answer(self, user: str, request: JobRequest) -> tuple[str, str] | None:
        async with self._turns.of(user):
            return await asyncio.to_thread(self._ask, request)

    def _ask(self, request: JobRequest) -> tuple[str, str] | None:
        """The message and the hint of an error; None without errors."""
        try:
            _check_names(request)
        except Error as error:
            return str(error), error.hint
        except WrongRequest as error:
            return error.message, error.hint
        row = request.kind
        complaint = None
        if preset := _preset(request):
            complaint = self._complaint(["list", "machines", f"--show={preset}"])
        if complaint is None:
            complaint = self._complaint([*row.command, *row.result_options, *request.arguments()])
        if complaint is None and request.pattern:
            complaint = self._complaint(["pattern", *request.pattern, "--output=no/folder"])
        return complaint

    def _complaint(self, arguments: list[str]) -> tuple[str, str] | None:
        """Runs the program and returns its error. Errors about files are ignored, because the files are missing in the
        empty directory."""
        try:
            code, _, said = self._program.said(arguments, self._empty, seconds=_SECONDS)
        except OSError as error:
            raise _NoAnswerError from error
        message, hint = told_by_program(said)
        if code == _BAD_INPUT and "No such file" in message:
            return None
        if code not in (0, _BAD_INPUT) or "cannot read" in message:
            raise _NoAnswerError
        return None if code == 0 else (message, hint)


def _check_names(request: JobRequest) -> None:
    """Checks the names that could refer to files of the server. Raises WrongRequest or Error."""
    if preset := _preset(request):
        # FORMAT:FILE would refer to a file of the server.
        known = {re.split(r"[:\[]", entry.name)[0] for entry in list_machines() if not entry.name.endswith("FILE")}
        if preset.partition(":")[0] not in known:  # the program would look for a file of this name
            raise WrongRequest(f"unknown machine {preset[:100]!r}", near(preset, known))
    objective = request.words.get("objective")
    if isinstance(objective, list):
        _check_objective(objective[0])


def _preset(request: JobRequest) -> str:
    """The machine, if the request names it by a word; else an empty text."""
    machine = request.words.get("machine")
    is_word = isinstance(machine, list) and machine[0] not in request.files and not machine[0].startswith("graph:")
    return machine[0] if isinstance(machine, list) and is_word else ""


def _check_objective(name: str) -> None:
    known = {entry.name for entry in list_objectives()} | {"auto"}
    if _PLAIN_NAME.fullmatch(name) and name not in known:
        Job(Workload.from_pattern("ring", ranks=2), "torus:2").optimize(name)
