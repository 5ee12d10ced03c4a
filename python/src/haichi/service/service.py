"""The parts of a running service, and its start and stop."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import sqlite3
import time
import uuid
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from typing import TypeVar

import anyio.to_thread

from haichi.service.attempts import Attempts, LocalAttempts
from haichi.service.auth import Users
from haichi.service.bodies import Bodies
from haichi.service.checks import Checks
from haichi.service.dask_attempts import DaskAttempts
from haichi.service.data_folder import DataFolder
from haichi.service.events import QUEUE, Bell
from haichi.service.limits import Limits
from haichi.service.metrics import Metrics
from haichi.service.problems import Problem
from haichi.service.program import Program
from haichi.service.queue import Conflict, Event, Job, NewJob, Queue, QueueFull, TooManyJobs, TooMuchData
from haichi.service.requests import JobRequest
from haichi.service.runner import Runner
from haichi.service.short_runs import ShortRuns

_T = TypeVar("_T")
_LOG = logging.getLogger("haichi.service")
_SECONDS_BETWEEN_CLEANINGS = 600
_THREADS = 4
"""The number of threads for short work: files, and routes that read the queue. With more threads, the event loop waits
longer for the interpreter."""
_SECONDS_TO_END = 10
"""The time that a request waits for the end of the job that it has cancelled."""
_SECONDS_TO_JOIN = 0.02
_SMALL_BYTES = 256 * 1024
"""Files up to this total size are stored in the queue with their job, in the same write to the disk."""


class Service:
    """The service. `dask`: the address of a scheduler whose workers run the jobs; None runs jobs locally."""

    def __init__(
        self, data: DataFolder, program: Program, limits: Limits, users: Users, dask: str | None = None
    ) -> None:
        self.data = data
        self.program = program
        self.limits = limits
        self.users = users
        data.check_database()
        self.queue = Queue(data.database)
        data.remove_unknown(self.queue.known(), self.queue.removed())
        self._recovered = self.queue.recover()
        self.bell = Bell()
        self.metrics = Metrics(self.queue.counts, data.free_bytes)
        self.checks = Checks(program, data.path / "empty", limits)
        self._attempts: Attempts = LocalAttempts(program, limits) if dask is None else DaskAttempts(dask, limits)
        self.runner = Runner(self.queue, data, self._attempts, limits, self.bell, self.metrics)
        self.short_runs = ShortRuns(program, limits, lambda: self.bell.is_closed, self.check_room)
        self.bodies = Bodies(limits)
        self._reads: dict[tuple[str, int], asyncio.Future[list[Event] | None]] = {}
        self._requests: Counter[str] = Counter()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """The time in which the service accepts requests."""
        self.bell.open()
        anyio.to_thread.current_default_thread_limiter().total_tokens = _THREADS
        await self._attempts.open()
        if not self.program.is_confined():
            _LOG.warning(
                "jobs are not confined and may read all files of the server, because the kernel has no Landlock"
            )
        _LOG.info("started; %d interrupted jobs run again", self._recovered)
        await asyncio.to_thread(self.data.remove_unfinished)
        for job in self.queue.without_size():
            await self.runner.tell_size(job)
        tasks = [asyncio.create_task(self.runner.run()), asyncio.create_task(self._clean())]
        try:
            yield
        finally:
            await self.runner.shut_down()
            for task in tasks:
                task.cancel()
            await self._attempts.close()
            _LOG.info("stopped")
            self.data.close()

    async def _clean(self) -> None:
        looked = time.monotonic()
        while True:
            with contextlib.suppress(sqlite3.Error, OSError):
                now = time.monotonic()
                ended = await self._free(partial(self.queue.forget, now - looked, self.limits.kept_seconds))
                looked = now
                for job in ended:
                    await asyncio.to_thread(self.data.remove, job)
            await asyncio.to_thread(self.data.keep_spare)
            await asyncio.sleep(min(_SECONDS_BETWEEN_CLEANINGS, self.limits.kept_seconds))

    async def submit(self, user: str, request: JobRequest, idempotency_key: str | None) -> tuple[Job, bool]:
        """Submits a job. Returns the job and whether it is new. When this returns, the job survives a crash. Raises
        Problem."""
        await self.checks.check(user, request)
        try:
            if request.size() <= _SMALL_BYTES:
                return await self._add(self._new_job(user, request, idempotency_key, request.contents()))
            return await self._add_large(user, request, idempotency_key)
        except Conflict:
            raise Problem(409, "other_request", "another request used this idempotency key") from None
        except TooManyJobs:
            message = f"this user has reached the limit of {self.limits.jobs_of_user} queued and running jobs"
            raise Problem(429, "too_many_jobs", message, "wait, or cancel some jobs") from None
        except QueueFull:
            message = f"the service has reached the limit of {self.limits.jobs} queued and running jobs"
            raise Problem(503, "too_many_jobs", message, "send the request later") from None
        except TooMuchData:
            raise self._too_much_data() from None

    def _too_much_data(self) -> Problem:
        message = f"the files of this user's jobs would exceed the limit of {self.limits.user_bytes} bytes"
        return Problem(507, "too_much_data", message, "remove finished jobs with DELETE /v1/jobs/ID")

    async def _add(self, new: NewJob) -> tuple[Job, bool]:
        job, is_new = await self.queue.add(new, self.limits)
        self.bell.ring(QUEUE)
        return job, is_new

    async def _add_large(self, user: str, request: JobRequest, idempotency_key: str | None) -> tuple[Job, bool]:
        """Adds a job with large files. The files are in a directory before the queue has the job."""
        new = await asyncio.to_thread(self._new_job, user, request, idempotency_key, {})
        earlier = self.queue.of_key(new)
        if earlier is not None:
            return earlier, False
        if self.queue.bytes_of(user) + new.size > self.limits.user_bytes:
            raise TooMuchData
        is_new = False
        try:
            await asyncio.to_thread(self._keep_files, new.id, request)
            job, is_new = await self._add(new)
        finally:
            settle = self.data.answered if is_new else self.data.remove
            await asyncio.to_thread(settle, new.id)
        return job, is_new

    def _new_job(self, user: str, request: JobRequest, idempotency_key: str | None, files: dict[str, bytes]) -> NewJob:
        return NewJob(
            *(uuid.uuid4().hex, user, request.kind.name, request.stored(), request.fingerprint(), idempotency_key),
            *(files, request.size() + self.limits.job_overhead_bytes),
        )

    def _keep_files(self, job: str, request: JobRequest) -> None:
        folder = self.data.new_job(job)
        request.write_files(folder.work)
        self.data.keep(folder)

    @contextmanager
    def request_of(self, user: str) -> Iterator[None]:
        """Counts an open request of a user. Raises Problem if the user has too many."""
        if self._requests[user] >= self.limits.requests_of_user:
            message = f"this user has reached the limit of {self.limits.requests_of_user} unanswered requests"
            raise Problem(429, "too_many_requests", message, "wait for their answers, or close them")
        self._requests[user] += 1
        try:
            yield
        finally:
            self._requests[user] -= 1

    def job(self, user: str, name: str) -> Job:
        """The job of this name. Raises the same Problem for unknown jobs and for jobs of other users."""
        found = self.queue.get(user, name)
        if found is None:
            raise self._no_job(name)
        return found

    async def events(self, user: str, job: str, after: int) -> list[Event] | None:
        """The events after `after`; None if no more follow. Thousands of readers may follow a job, so all readers that
        an event wakes share one database read. No reader joins a read that has begun, because it may miss the event."""
        if (job, after) not in self._reads:
            self._reads[job, after] = asyncio.ensure_future(self._read_events(user, job, after))
        return await asyncio.shield(self._reads[job, after])

    async def _read_events(self, user: str, job: str, after: int) -> list[Event] | None:
        await asyncio.sleep(_SECONDS_TO_JOIN)
        del self._reads[job, after]
        now = self.queue.get(user, job)  # read before the events: a job that ends meanwhile adds one
        found = await asyncio.to_thread(self.queue.events, job, after)
        return found if found or (now is not None and not now.has_ended()) else None

    async def delete(self, user: str, name: str, purge: bool | None) -> tuple[Job, bool]:
        """Cancels a queued or running job, or removes an ended job. `purge`: True does both, and False never removes.
        Returns the last state of the job, and whether it is removed. Raises Problem."""
        found = self.job(user, name)
        if found.has_ended() and purge is False:
            if found.state == "cancelled":
                return found, False
            raise Problem(
                409,
                "has_ended",
                f"the job has already ended ({found.state})",
                "remove it and its files with ?purge=true",
            )
        if not found.has_ended():
            found = await self._cancel(user, name)
            if not purge:
                return found, False
        if await self.runner.has_ended(found.id, _SECONDS_TO_END) and await self._free(
            partial(self.queue.remove, found.id)
        ):
            await asyncio.to_thread(self.data.remove, found.id)
            await asyncio.to_thread(self.data.keep_spare)
            self.bell.ring(found.id)
            return found, True
        self.job(user, name)  # another request may have removed the job
        raise Problem(409, "is_ending", "the job was cancelled, but has not ended yet", "send the DELETE again")

    async def _cancel(self, user: str, name: str) -> Job:
        found = await self._free(partial(self.queue.cancel, user, name))
        if found is None:
            raise self._no_job(name)
        self.runner.stop(found.id)
        self.bell.ring(found.id)
        return found

    async def _free(self, change: Callable[[], asyncio.Future[_T]]) -> _T:
        """Makes a change that frees disk space. It works even on a full disk."""
        try:
            return await change()
        except sqlite3.OperationalError as error:
            if "full" not in str(error):
                raise
            self.data.give_up_spare()
            return await change()

    def _no_job(self, name: str) -> Problem:
        return Problem(404, "no_job", f"unknown job {name[:64]!r}")

    @asynccontextmanager
    async def files_of(self, job: Job) -> AsyncIterator[None]:
        """Encloses work on a job, which another request may remove during the work. New files count against the job's
        user. Raises Problem."""
        before = self.short_runs.made
        try:
            yield
        except FileNotFoundError:
            self.job(job.user, job.id)
            raise
        if self.short_runs.made != before:
            await self.runner.tell_size(job.id)

    def check_room(self, user: str) -> None:
        """Checks whether the user may store further files of finished jobs. Raises Problem."""
        if self.queue.bytes_of(user) > self.limits.user_bytes:
            raise self._too_much_data()
