"""Attempts at jobs: where their processes run. On this computer, here; `dask_attempts` is another way."""

from __future__ import annotations

import json
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, Protocol

from haichi.service import steps, supervisor
from haichi.service.children import started
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


@asynccontextmanager
async def supervised(told: dict[str, Any]) -> AsyncIterator[Process]:
    """The process of a supervisor, which is told what to run. It has ended when this is left."""
    # In a session of its own: Ctrl-C in a terminal is the server's.
    process = await started(supervisor.__file__, stdin=PIPE, start_new_session=True)
    assert process.stdin is not None
    try:
        process.stdin.write(json.dumps(told).encode() + b"\n")
        yield process
    finally:
        process.stdin.close()  # which ends it, as the end of the server does
        await process.wait()


class LocalAttempts:
    """In processes of this computer, which end with this one, or without a word from it for `lease_seconds`."""

    def __init__(self, program: Program, limits: Limits, lease_seconds: float = steps.NO_LEASE) -> None:
        self._program = program
        self._limits = limits
        self._lease_seconds = lease_seconds
        self._processes: dict[str, Process] = {}

    async def open(self) -> None:
        pass

    async def close(self) -> None:
        pass

    async def run(self, job: Job, folder: JobFolder, hear: Hear) -> str:
        told = steps.specification(self._program, folder, job, self._limits, self._lease_seconds)
        async with supervised(told) as process:
            assert process.stdout is not None
            self._processes[job.id] = process
            try:
                await hear(b"")
                async for line in process.stdout:
                    await hear(line)
                await process.wait()
            finally:
                del self._processes[job.id]
        return ""

    def prolong(self, job: str) -> None:
        """The lease of its process."""
        self._say(job, b"on\n")

    def stop(self, job: str) -> None:
        self._say(job, b"stop\n")

    def _say(self, job: str, line: bytes) -> None:
        process = self._processes.get(job)
        if process is not None and process.stdin is not None and not process.stdin.is_closing():
            process.stdin.write(line)
