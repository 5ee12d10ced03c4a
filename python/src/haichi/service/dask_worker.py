"""Runs attempts in the process of a Dask worker. The server calls these functions with `Client.run`. They run in the
event loop of the worker.

An attempt has a lease: its process runs only while the server polls in time. The supervisor enforces this. So the
server knows when an attempt that it cannot reach has no process left."""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

from haichi.base.program import find_program
from haichi.service.attempts import LocalAttempts
from haichi.service.data_folder import JobFolder
from haichi.service.limits import Limits
from haichi.service.program import Program
from haichi.service.queue import Job

_SECONDS_BETWEEN_LOOKS = 0.2
_SECONDS_BETWEEN_KEPT = 5
_MOST_NEWS = 20


class _Attempt:
    """An attempt on this worker. It starts at the first poll of the server, so an attempt that the server does not know
    never runs."""

    def __init__(
        self, name: str, job: Job, limits: Limits, files: dict[str, bytes], place: str, seconds: float
    ) -> None:
        self._folder = JobFolder(Path(tempfile.mkdtemp(prefix=f"haichi-{name}-", dir=place)))
        self._folder.work.mkdir(mode=0o700)
        for file, content in files.items():
            (self._folder.work / file).write_bytes(content)
        self._given = set(files) - {self._folder.checkpoint.name}
        self._sent_at = time.monotonic()
        self._job = job
        self._seconds = seconds
        self._ends = time.monotonic() + seconds
        self._attempts = LocalAttempts(Program(find_program()), limits, seconds)
        self._running: asyncio.Task[str] | None = None
        self._news: list[bytes] = []
        self.is_over = False
        self._watching = asyncio.create_task(self._watch())

    def news(self) -> list[bytes]:
        """Renews the lease and returns the progress lines since the last call. Raises LookupError if the lease has
        ended."""
        if self.is_over or time.monotonic() > self._ends:
            raise LookupError
        self._ends = time.monotonic() + self._seconds
        if self._running is None:
            self._running = asyncio.create_task(self._attempts.run(self._job, self._folder, self._hear))
        else:
            self._attempts.prolong(self._job.id)
        news, self._news = self._news, []
        return news

    async def _hear(self, line: bytes) -> None:
        if line:
            self._news = [*self._news, line][-_MOST_NEWS:]

    def has_ended(self) -> bool:
        return self._running is not None and self._running.done()

    def files(self) -> dict[str, bytes]:
        """The contents of the files that the attempt has made, by their paths in the job's directory."""
        paths = [path for path in self._folder.path.rglob("*") if path.is_file()]
        names = {path: str(path.relative_to(self._folder.path)) for path in paths}
        sent = {f"work/{name}" for name in self._given} | {self._folder.lock.name}
        return {name: path.read_bytes() for path, name in names.items() if name not in sent}

    def kept(self) -> dict[str, bytes]:
        """The files from which the next attempt would continue. They are returned only at intervals; otherwise the
        result is empty."""
        path = self._folder.checkpoint
        if time.monotonic() - self._sent_at < _SECONDS_BETWEEN_KEPT or not path.exists():
            return {}
        self._sent_at = time.monotonic()
        return {str(path.relative_to(self._folder.path)): path.read_bytes()}

    def stop(self) -> None:
        self._attempts.stop(self._job.id)

    async def end(self) -> None:
        """Ends the attempt. None of its processes runs after this."""
        self.is_over = True
        if self._running is not None:
            self._running.cancel()
            await asyncio.wait({self._running})
        shutil.rmtree(self._folder.path, ignore_errors=True)

    async def _watch(self) -> None:
        while not self.is_over:
            if time.monotonic() > self._ends:
                await self.end()
            await asyncio.sleep(_SECONDS_BETWEEN_LOOKS)


_ATTEMPTS: dict[str, _Attempt] = {}
"""All attempts in this worker process, by name."""


async def begin(
    name: str, job: Job, limits: Limits, files: dict[str, bytes], seconds: float, dask_worker: Any = None
) -> str:
    """Accepts an attempt and returns the version of haichi. `seconds`: the length of the lease."""
    place = str(dask_worker.local_directory)
    os.makedirs(place, exist_ok=True)
    for other in [other for other, attempt in _ATTEMPTS.items() if attempt.is_over]:
        del _ATTEMPTS[other]
    _ATTEMPTS[name] = _Attempt(name, job, limits, files, place, seconds)
    return version("haichi")


async def look(name: str) -> tuple[list[bytes], dict[str, bytes], bool] | None:
    """Returns progress lines, files, and whether the attempt has ended, in which case the files are complete. None if
    the attempt is no longer here."""
    attempt = _ATTEMPTS.get(name)
    try:
        if attempt is None:
            return None
        has_ended = attempt.has_ended()
        return attempt.news(), attempt.files() if has_ended else attempt.kept(), has_ended
    except LookupError:
        return None


async def stop(name: str) -> None:
    """Stops an attempt, for the `stop` of the server."""
    if name in _ATTEMPTS:
        _ATTEMPTS[name].stop()


async def forget(name: str) -> None:
    attempt = _ATTEMPTS.pop(name, None)
    if attempt is not None:
        await attempt.end()
