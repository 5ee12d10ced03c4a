"""Runs queued jobs. Each running job has a supervisor process, and at most `workers` jobs run at the same time."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import sqlite3
import time
from asyncio import Future
from collections.abc import Callable
from typing import Any

from haichi.service.attempts import Attempts
from haichi.service.data_folder import DataFolder
from haichi.service.events import QUEUE, Bell
from haichi.service.limits import Limits
from haichi.service.metrics import Metrics
from haichi.service.problems import told_by_program
from haichi.service.queue import Job, Queue

_LOG = logging.getLogger("haichi.service")
_SECONDS_TO_RETRY = 1.0
_MOST_LINES_OF_PROGRAM = 200
_DECISION = "info: "
"""The prefix of log lines in which the program states its decisions. Warnings and errors may quote files of the user,
so they do not go to the server's log."""


class Runner:
    """Runs the jobs of the queue. Belongs to the event loop of the server."""

    def __init__(
        self, queue: Queue, data: DataFolder, attempts: Attempts, limits: Limits, bell: Bell, metrics: Metrics
    ) -> None:
        self._queue = queue
        self._data = data
        self._attempts = attempts
        self._limits = limits
        self._bell = bell
        self._metrics = metrics
        self._running: dict[str, asyncio.Task[None]] = {}
        self._stopping = False
        self.is_waiting_for_disk = False

    async def run(self) -> None:
        """Starts jobs until the task is cancelled."""
        while True:
            waiting = asyncio.ensure_future(self._bell.wait(QUEUE, _SECONDS_TO_RETRY))
            await asyncio.sleep(0)  # start to listen before the queue is read
            try:
                while not self._stopping and len(self._running) < self._limits.workers and await self._start_next():
                    pass
            except (sqlite3.Error, OSError) as error:
                _LOG.error("cannot start jobs: %s", error)
            await waiting

    async def _start_next(self) -> bool:
        self.is_waiting_for_disk = self._data.free_bytes() < self._limits.reserve_bytes
        if self.is_waiting_for_disk:
            return False
        job = await self._queue.claim() if self._queue.has_waiting() else None
        if job is None:
            return False
        self._bell.ring(job.id)
        task = asyncio.create_task(self._attempt(job))
        self._running[job.id] = task
        task.add_done_callback(lambda _: self._forget(job.id))
        return True

    def _forget(self, job: str) -> None:
        del self._running[job]
        self._bell.ring(QUEUE)

    async def _attempt(self, job: Job) -> None:
        began = time.monotonic()
        _LOG.info("attempt %d begins", job.attempts, extra={"job": job.id, "user": job.user, "kind": job.kind})
        lost = ""
        try:
            lost = await self._run(job)
        except (sqlite3.Error, OSError) as error:
            _LOG.error("cannot start the job's process: %s", error, extra={"job": job.id})
        seconds = time.monotonic() - began
        self._metrics.job_seconds.labels(job.kind).observe(seconds)
        await self._persist(lambda: self._settle(job, lost))
        await self.tell_size(job.id)
        self._bell.ring(job.id)
        _log_what_the_program_said(job, self._data.job(job.id).read_outcome())
        _LOG.info("attempt %d ended", job.attempts, extra={"job": job.id, "seconds": round(seconds, 3)})

    async def _run(self, job: Job) -> str:
        folder = await asyncio.to_thread(self._data.unpack, job.id, self._queue.files(job.id))
        is_first = True

        async def hear(line: bytes) -> None:
            nonlocal is_first
            if is_first and (
                self._stopping or self._queue.is_cancelled(job.id)
            ):  # requested before the process existed
                self.stop(job.id)
            is_first = False
            with contextlib.suppress(ValueError, sqlite3.Error):  # more lines will follow
                if line:
                    await self._queue.tell_progress(job.id, job.attempts, json.loads(line))
                    self._bell.ring(job.id)

        return await self._attempts.run(job, folder, hear)

    async def tell_size(self, job: str) -> None:
        """Stores the size of the job's files, which counts against the limit of its user."""
        size = await asyncio.to_thread(self._data.bytes_of, job)
        with contextlib.suppress(sqlite3.Error):  # on a full disk, the size stored at the request remains
            await self._queue.tell_size(job, size + self._limits.job_overhead_bytes)

    async def has_ended(self, job: str, seconds: float) -> bool:
        """Waits for at most this time. Returns True when no process of the job runs any more."""
        running = self._running.get(job)
        return running is None or bool((await asyncio.wait({running}, timeout=seconds))[0])

    def stop(self, job: str) -> None:
        """Ends the process of a job, if there is one."""
        self._attempts.stop(job)

    def _settle(self, job: Job, lost: str) -> Future[None]:
        """Stores the outcome of the attempt in the queue."""
        outcome = self._data.job(job.id).read_outcome()
        if self._queue.is_cancelled(job.id):
            return self._end(job, "cancelled", None, None)
        if outcome is not None:
            state, error = _verdict(outcome)
            return self._end(job, state, outcome["exit_code"], error)
        if self._stopping:
            return self._queue.put_back(job.id, "the server was stopped", was_cut_off=False)
        if self._data.free_bytes() < self._limits.reserve_bytes:
            return self._queue.put_back(job.id, "the disk is full", was_cut_off=False)
        if lost:
            return self._queue.put_back(job.id, lost, was_cut_off=False)
        if job.cut_off + 1 >= self._limits.most_cut_off:
            message = f"internal error: the job's process was killed {job.cut_off + 1} times"
            hint = "check the free memory of the computer"
            return self._end(job, "failed", None, {"code": "killed", "message": message, "hint": hint})
        self._metrics.cut_off.inc()
        return self._queue.put_back(job.id, "the job's process was killed", was_cut_off=True)

    def _end(self, job: Job, state: str, exit_code: int | None, error: dict[str, Any] | None) -> Future[None]:
        finished = self._queue.finish(job.id, state, exit_code, error)
        finished.add_done_callback(lambda _: self._metrics.ended.labels(job.kind, state).inc())
        return finished

    async def _persist(self, change: Callable[[], Future[None]]) -> None:
        """Retries until the change is on the disk. Until then, a separate file holds the outcome."""
        while True:
            try:
                return await change()
            except (sqlite3.Error, OSError) as error:
                _LOG.error("cannot write the queue; the next attempt follows in %g s: %s", _SECONDS_TO_RETRY, error)
                await asyncio.sleep(_SECONDS_TO_RETRY)

    async def shut_down(self) -> None:
        """Lets short jobs end, and stops the others. These run again after a restart."""
        self._stopping = True
        tasks = list(self._running.values())
        if tasks:
            await asyncio.wait(tasks, timeout=self._limits.grace_seconds)
        for job in list(self._running):
            self.stop(job)
        if tasks:
            await asyncio.wait(tasks, timeout=self._limits.grace_seconds)


def _log_what_the_program_said(job: Job, outcome: dict[str, Any] | None) -> None:
    for line in ("" if outcome is None else outcome["said"]).splitlines()[:_MOST_LINES_OF_PROGRAM]:
        if line.startswith(_DECISION):
            _LOG.info("%s", line.removeprefix(_DECISION), extra={"job": job.id, "by": "program"})


def _verdict(outcome: dict[str, Any]) -> tuple[str, dict[str, Any] | None]:
    """The state of an ended job, and the error with the message of the program."""
    exit_code: int = outcome["exit_code"]
    if outcome["code"] == "program" and exit_code == 0:
        return "done", None
    message, hint = told_by_program(outcome["said"])
    if outcome["code"] == "program" and exit_code == 3:
        return "done", {"code": "requirement", "message": message, "hint": hint}
    words = {2: "bad_input", 70: "internal"}
    code = words.get(exit_code, "internal") if outcome["code"] == "program" else outcome["code"]
    text = outcome["message"] or message or f"the program ended with exit code {exit_code}"
    return "failed", {"code": code, "message": text, "hint": "" if outcome["message"] else hint}
