"""Attempts at jobs: where their processes run. On this computer, here; `dask_attempts` is another way."""

from __future__ import annotations

import asyncio
import json
import sys
from asyncio.subprocess import Process
from collections.abc import Awaitable, Callable
from typing import Any, Protocol

from haichi.service import steps, supervisor
from haichi.service.data_folder import JobFolder
from haichi.service.limits import Limits
from haichi.service.program import Program
from haichi.service.queue import Job

Hear = Callable[[bytes], Awaitable[None]]
"""Takes a line of what the program tells of its progress."""


class Attempts(Protocol):
    """One at a time of each job. What becomes of an attempt is in the job's folder."""

    async def open(self) -> None:
        """Before the first."""

    async def run(self, job: Job, folder: JobFolder, hear: Hear) -> str:
        """Until nothing of the attempt runs any more. Empty, or why it is lost through no fault of the job.
        Raises OSError."""

    def stop(self, job: str) -> None:
        """Ends the attempt that runs, if there is one."""

    async def close(self) -> None:
        """After the last."""


def supervisor_command() -> list[str]:
    """Alone, without site packages: it starts in a few milliseconds."""
    return [sys.executable, "-I", "-S", supervisor.__file__]


def told_of(told: dict[str, Any]) -> bytes:
    """What a supervisor reads first."""
    return json.dumps(told).encode() + b"\n"


class LocalAttempts:
    """In processes of this computer, which end with the server."""

    def __init__(self, program: Program, limits: Limits) -> None:
        self._program = program
        self._limits = limits
        self._processes: dict[str, Process] = {}

    async def open(self) -> None:
        pass

    async def close(self) -> None:
        pass

    async def run(self, job: Job, folder: JobFolder, hear: Hear) -> str:
        process = await asyncio.create_subprocess_exec(
            *supervisor_command(),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            start_new_session=True,  # Ctrl-C in a terminal is the server's
        )
        assert process.stdin is not None and process.stdout is not None
        self._processes[job.id] = process
        try:
            process.stdin.write(told_of(steps.specification(self._program, folder, job, self._limits)))
            await hear(b"")
            async for line in process.stdout:
                await hear(line)
            await process.wait()
        finally:
            del self._processes[job.id]
        return ""

    def stop(self, job: str) -> None:
        process = self._processes.get(job)
        if process is not None and process.stdin is not None and not process.stdin.is_closing():
            process.stdin.write(b"stop\n")
