"""Runs attempts on the workers of a Dask cluster. `dask_worker` describes the guarantees."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

from haichi.comparison.executors import check_dask_address
from haichi.errors import InputError, UnsupportedError
from haichi.service import dask_worker
from haichi.service.attempts import Hear
from haichi.service.data_folder import JobFolder
from haichi.service.limits import Limits
from haichi.service.queue import Job

_LOG = logging.getLogger("haichi.service")
_SECONDS_OF_LEASE = 6.0
_SECONDS_BETWEEN_LOOKS = 0.5
_SECONDS_TO_ANSWER = 30.0
_SECONDS_OF_DISTRUST = 60.0
"""For this time after a worker did not answer, other workers are preferred."""
_SECONDS_TO_BE_SURE = 2 * _SECONDS_OF_LEASE + 3
"""This many seconds after the last answer, all processes of an attempt have certainly ended. A request that is already
sent may renew the lease once, and ending the process takes time."""


class _LostError(Exception):
    """The worker or the scheduler does not answer, or does not know the attempt."""


class DaskAttempts:
    """Runs attempts on Dask workers. Belongs to the event loop of the server."""

    def __init__(self, address: str, limits: Limits) -> None:
        self._address = address
        self._limits = limits
        self._client: Any = None
        self._connecting = asyncio.Lock()
        self._workers: dict[str, str] = {}
        """The worker of each job with a running attempt."""
        self._lost_at: dict[str, float] = {}
        self._stopped: set[str] = set()
        self._free_from: dict[str, float] = {}
        """For each job with a lost attempt, the time at which all its processes have certainly ended."""
        self._opened = 0.0

    async def check(self) -> None:
        """Connects to the scheduler. Raises InputError if there is none, and UnsupportedError if the package
        distributed is missing."""
        try:
            import distributed  # noqa: F401 - only checks whether it is installed
        except ImportError as error:
            raise UnsupportedError("§dask requires the package distributed", "run `pip install distributed`") from error
        _quieten()
        await asyncio.to_thread(check_dask_address, self._address)
        try:
            await self._connected()
        except _LostError as error:
            raise InputError(
                f"{error} (address {self._address!r})",
                "use an address such as tcp://HOST:8786",
            ) from error
        finally:
            await self.close()

    async def open(self) -> None:
        self._opened = time.monotonic()

    async def close(self) -> None:
        if self._client is not None:
            with contextlib.suppress(Exception):
                await asyncio.wait_for(self._client.close(), 5)

    def stop(self, job: str) -> None:
        self._stopped.add(job)

    async def run(self, job: Job, folder: JobFolder, hear: Hear) -> str:
        if folder.outcome.exists():  # an attempt that outlived an earlier server has written it
            return ""
        self._stopped.discard(job.id)
        await self._nothing_runs(job)
        await hear(b"")
        try:
            return await self._run_on(await self._free_worker(job.id), job, folder, hear)
        finally:
            self._workers.pop(job.id, None)
            self._stopped.discard(job.id)

    async def _nothing_runs(self, job: Job) -> None:
        """Waits until no earlier attempt of the job can be running. An attempt of the previous server got its last
        answer before this server started."""
        free_from = self._opened + _SECONDS_TO_BE_SURE if job.attempts > 1 else 0.0
        free_from = max(free_from, self._free_from.pop(job.id, 0.0))
        await asyncio.sleep(max(0.0, free_from - time.monotonic()))

    async def _free_worker(self, job: str) -> str:
        """Chooses the worker with the fewest attempts per thread. Empty if the job must not run any more."""
        while job not in self._stopped:
            with contextlib.suppress(_LostError):
                loads = {address: self._load(address, count) for address, count in (await self._threads()).items()}
                if loads:
                    self._workers[job] = min(loads, key=loads.__getitem__)
                    return self._workers[job]
            await asyncio.sleep(1)
        return ""

    def _load(self, worker: str, threads: int) -> tuple[bool, float, str]:
        """The sort key that ranks workers: not lately lost, then the fewest attempts per thread."""
        was_lost = time.monotonic() < self._lost_at.get(worker, -_SECONDS_OF_DISTRUST) + _SECONDS_OF_DISTRUST
        return was_lost, list(self._workers.values()).count(worker) / max(threads, 1), worker

    async def _threads(self) -> dict[str, int]:
        """The number of threads of each worker. Raises _LostError."""
        client = await self._connected()
        try:
            found: dict[str, int] = await asyncio.wait_for(client.nthreads(), _SECONDS_TO_ANSWER)
        except Exception as error:
            raise _LostError(str(error)) from error
        return found

    async def _run_on(self, worker: str, job: Job, folder: JobFolder, hear: Hear) -> str:
        name = f"{job.id}-{job.attempts}"
        if not worker:
            return "the job was stopped"
        content = await asyncio.to_thread(_files_in, folder.work)
        last_answer = time.monotonic()
        try:
            found = await self._ask(
                worker, dask_worker.begin, name, job, self._limits, content, _SECONDS_OF_LEASE, seconds=60
            )
            if found != version("haichi"):
                _LOG.error("the Dask worker %s has haichi %s, expected %s", worker, found, version("haichi"))
                await asyncio.sleep(5)
                return f"the Dask worker {worker} has another version of haichi"
            last_answer = time.monotonic()
            has_ended = False
            while not has_ended:
                if job.id in self._stopped:
                    await self._ask(worker, dask_worker.stop, name)
                answer = await self._ask(worker, dask_worker.look, name)
                if answer is None:
                    raise _LostError("the Dask worker ended it")
                last_answer = time.monotonic()
                news, files, has_ended = answer
                for line in news:
                    await hear(line)
                if files:
                    await asyncio.to_thread(_take, files, folder)
                if not has_ended:
                    await asyncio.sleep(_SECONDS_BETWEEN_LOOKS)
        except _LostError as error:
            _LOG.warning("lost attempt %d: %s", job.attempts, error, extra={"job": job.id, "worker": worker})
            self._free_from[job.id] = last_answer + _SECONDS_TO_BE_SURE
            self._lost_at[worker] = time.monotonic()
            return f"lost the Dask worker: {error}"
        with contextlib.suppress(_LostError):
            await self._ask(worker, dask_worker.forget, name)
        return ""

    async def _ask(
        self, worker: str, function: Callable[..., Any], *values: Any, seconds: float = _SECONDS_TO_ANSWER
    ) -> Any:
        """Calls a function on a worker. Raises _LostError."""
        client = await self._connected()
        try:
            return (await asyncio.wait_for(client.run(function, *values, workers=[worker]), seconds))[worker]
        except Exception as error:  # Distributed raises many kinds of exceptions
            raise _LostError(str(error) or type(error).__name__) from error

    async def _connected(self) -> Any:
        """A client that is connected to the scheduler. Raises _LostError."""
        async with self._connecting:
            if self._client is not None and self._client.status == "running":
                return self._client
            await self.close()
            self._client = None
            import distributed

            connect: Any = distributed.Client  # the class has incomplete types
            try:
                self._client = await asyncio.wait_for(
                    connect(self._address, asynchronous=True, set_as_default=False, timeout=5), 10
                )
            except Exception as error:
                raise _LostError(f"cannot reach the Dask scheduler: {error}") from error
            return self._client


def _quieten() -> None:
    """Dask's loggers have handlers of their own, whose lines are not JSON. Affected jobs report Dask's problems."""
    for name, logger in logging.root.manager.loggerDict.items():
        if isinstance(logger, logging.Logger) and name.partition(".")[0] in ("distributed", "tornado", "bokeh"):
            logger.handlers.clear()
            logger.propagate = True
            if name.startswith("distributed"):
                logger.setLevel(logging.CRITICAL)


def _files_in(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def _take(files: dict[str, bytes], folder: JobFolder) -> None:
    """Stores files in the job's directory. The outcome declares the other files valid, so it is stored last."""
    attempts = files.pop(folder.attempts.name, b"")
    if attempts:
        with folder.attempts.open("ab") as log:
            log.write(attempts)
    last = folder.outcome.name
    for name in sorted(files, key=lambda name: name == last):
        path = folder.path / name
        path.parent.mkdir(exist_ok=True)
        part = path.with_name(path.name + ".part")
        with part.open("wb") as file:
            file.write(files[name])
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    descriptor = os.open(folder.path, os.O_RDONLY)
    os.fsync(descriptor)
    os.close(descriptor)
