"""Attempts at jobs. This module runs their processes locally, and `dask_attempts` runs them on a Dask cluster."""

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
"""A function that receives a progress line of the program."""


class Attempts(Protocol):
    """Runs at most one attempt per job at a time. An attempt writes its results to the job's directory."""

    async def open(self) -> None:
        """Prepares for attempts. Call this before the first one."""

    async def run(self, job: Job, folder: JobFolder, hear: Hear) -> str:
        """Runs an attempt until none of its processes is left. Returns an empty text. If the attempt was lost through
        no fault of the job, returns the reason. Raises OSError."""

    def stop(self, job: str) -> None:
        """Ends the running attempt of a job, if there is one."""

    async def close(self) -> None:
        """Releases the resources. Call this after the last attempt."""


@asynccontextmanager
async def supervised(told: dict[str, Any]) -> AsyncIterator[Process]:
    """Starts a supervisor process and sends its specification. The process has ended when the context is left."""
    # The process gets its own session, because Ctrl-C in a terminal is meant for the server.
    process = await started(supervisor.__file__, stdin=PIPE, start_new_session=True)
    assert process.stdin is not None
    try:
        process.stdin.write(json.dumps(told).encode() + b"\n")
        yield process
    finally:
        process.stdin.close()  # the supervisor ends when its standard input closes, even if the server dies
        await process.wait()


class LocalAttempts:
    """Runs attempts in local processes. The processes end with this process, or if this process sends no message for
    `lease_seconds`."""

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
        """Prolongs the lease of the job's process."""
        self._say(job, b"on\n")

    def stop(self, job: str) -> None:
        self._say(job, b"stop\n")

    def _say(self, job: str, line: bytes) -> None:
        process = self._processes.get(job)
        if process is not None and process.stdin is not None and not process.stdin.is_closing():
            process.stdin.write(line)
