"""What the server does with attempts in the process of a Dask worker. All functions here run there, by `Client.run`.

An attempt has a lease: its process runs only as long as the server asks for news in time, which the supervisor looks
after. So the server knows when nothing runs any more of an attempt that it cannot reach."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import tempfile
import threading
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

from haichi.base.program import find_program
from haichi.service import steps
from haichi.service.attempts import supervisor_command, told_of
from haichi.service.data_folder import JobFolder
from haichi.service.limits import Limits
from haichi.service.program import Program
from haichi.service.queue import Job

_SECONDS_BETWEEN_LOOKS = 0.2
_SECONDS_BETWEEN_KEPT = 5
_MOST_NEWS = 20


class _Attempt:
    """It begins to run when the server asks for news the first time: one that it does not know of never runs."""

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
        self._limits = limits
        self._seconds = seconds
        self._ends = time.monotonic() + seconds
        self._process: subprocess.Popen[bytes] | None = None
        self._news: list[bytes] = []
        self._lock = threading.Lock()
        self.is_over = False
        threading.Thread(target=self._watch, daemon=True).start()

    def news(self) -> list[bytes]:
        """The lease is as long as at the beginning. Raises LookupError when it is over."""
        with self._lock:
            if self.is_over or time.monotonic() > self._ends:
                raise LookupError
            self._ends = time.monotonic() + self._seconds
            if self._process is None:
                self._start()
            else:
                self._say(b"on\n")
            news, self._news = self._news, []
        return news

    def _start(self) -> None:
        told = steps.specification(Program(find_program()), self._folder, self._job, self._limits, self._seconds)
        self._process = subprocess.Popen(
            supervisor_command(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
        )
        assert self._process.stdin is not None
        self._process.stdin.write(told_of(told))
        self._process.stdin.flush()
        self._hearing = threading.Thread(target=self._hear, daemon=True)
        self._hearing.start()

    def _hear(self) -> None:
        assert self._process is not None and self._process.stdout is not None
        for line in self._process.stdout:
            with self._lock:
                self._news = [*self._news, line][-_MOST_NEWS:]

    def has_ended(self) -> bool:
        if self._process is None or self._process.poll() is None:
            return False
        self._hearing.join(1)  # the last news
        return True

    def files(self) -> dict[str, bytes]:
        """That there are now, by their place in the job's folder."""
        paths = [path for path in self._folder.path.rglob("*") if path.is_file()]
        names = {path: str(path.relative_to(self._folder.path)) for path in paths}
        sent = {f"work/{name}" for name in self._given} | {self._folder.lock.name}
        return {name: path.read_bytes() for path, name in names.items() if name not in sent}

    def kept(self) -> dict[str, bytes]:
        """As `files`: what a next attempt would go on from, now and then."""
        path = self._folder.checkpoint
        if time.monotonic() - self._sent_at < _SECONDS_BETWEEN_KEPT or not path.exists():
            return {}
        self._sent_at = time.monotonic()
        return {str(path.relative_to(self._folder.path)): path.read_bytes()}

    def stop(self) -> None:
        with self._lock:
            self._say(b"stop\n")

    def _say(self, line: bytes) -> None:
        if self._process is not None and self._process.stdin is not None:
            with contextlib.suppress(OSError, ValueError):  # it has ended
                self._process.stdin.write(line)
                self._process.stdin.flush()

    def end(self) -> None:
        """Nothing of it runs after this."""
        with self._lock:
            self.is_over = True
            process = self._process
        if process is not None:
            assert process.stdin is not None
            with contextlib.suppress(OSError):
                process.stdin.close()  # by which the supervisor ends the program
            process.wait()
        shutil.rmtree(self._folder.path, ignore_errors=True)

    def _watch(self) -> None:
        while not self.is_over:
            if time.monotonic() > self._ends:
                self.end()
            time.sleep(_SECONDS_BETWEEN_LOOKS)


_ATTEMPTS: dict[str, _Attempt] = {}
"""Of this process."""


def begin(name: str, job: Job, limits: Limits, files: dict[str, bytes], seconds: float, dask_worker: Any = None) -> str:
    """Takes the attempt; which haichi this is. `seconds`: of the lease."""
    place = str(dask_worker.local_directory)
    os.makedirs(place, exist_ok=True)
    for other in [other for other, attempt in _ATTEMPTS.items() if attempt.is_over]:
        del _ATTEMPTS[other]
    _ATTEMPTS[name] = _Attempt(name, job, limits, files, place, seconds)
    return version("haichi")


def look(name: str) -> tuple[list[bytes], dict[str, bytes], bool] | None:
    """News, and files: all of them once the attempt has ended, which is the third; None: the attempt is not here any
    more."""
    attempt = _ATTEMPTS.get(name)
    try:
        if attempt is None:
            return None
        has_ended = attempt.has_ended()
        return attempt.news(), attempt.files() if has_ended else attempt.kept(), has_ended
    except LookupError:
        return None


def stop(name: str) -> None:
    """As the server's `stop`."""
    if name in _ATTEMPTS:
        _ATTEMPTS[name].stop()


def forget(name: str) -> None:
    attempt = _ATTEMPTS.pop(name, None)
    if attempt is not None:
        attempt.end()
