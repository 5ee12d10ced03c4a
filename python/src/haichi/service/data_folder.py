"""The server's data on the disk: which file is where, and that one server at a time has them."""

from __future__ import annotations

import fcntl
import json
import os
import re
import shutil
from pathlib import Path
from typing import Any

from haichi.errors import InputError, UnsupportedError

_NETWORK = re.compile(
    r"nfs\d?|lustre|gpfs|fefs|cifs|smb\d?|beegfs|ceph|afs|pvfs2|orangefs|panfs|wekafs|9p|ncpfs|fuse\.(?!overlay).*"
)
"""Types of file systems on which SQLite's shared memory and locks cannot be relied on."""


class DataGoneError(OSError):
    """Somebody has removed the data folder, or put another in its place."""


class JobFolder:
    """The files of one job."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.work = path / "work"
        """Where the program runs; holds what was uploaded."""
        self.checkpoint = self.work / "checkpoint.json"
        """What a search limited by time has found so far, for the next attempt."""
        self.temporary = path / "tmp"
        """TMPDIR of the program, while it runs."""
        self.result = path / "result"
        self.outcome = path / "outcome.json"
        self.said = path / "said.txt"
        """What the program wrote to standard error."""
        self.lock = path / "lock"
        self.attempts = path / "attempts.log"

    def read_outcome(self) -> dict[str, Any] | None:
        try:
            outcome: dict[str, Any] = json.loads(self.outcome.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        return outcome


class DataFolder:
    """Raises InputError when another server has it, UnsupportedError on network file systems."""

    _LOCK = "server.lock"

    def __init__(self, path: Path) -> None:
        try:
            path.mkdir(parents=True, exist_ok=True, mode=0o700)
            self.path = path.resolve()
            self._refuse_network()
            self.jobs = self.path / "jobs"
            self.jobs.mkdir(exist_ok=True, mode=0o700)
            self._lock = os.open(self.path / self._LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise InputError(f"{path}: cannot be the data folder: {error.strerror}", "--data names another") from error
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise InputError(f"{path}: another server has this data folder", "--data names another") from error
        self.database = self.path / "queue.db"

    def close(self) -> None:
        os.close(self._lock)

    def _refuse_network(self) -> None:
        kind = file_system_of(self.path)
        if _NETWORK.fullmatch(kind):
            raise UnsupportedError(
                f"{self.path} is on a network file system ({kind}), which does not lock as the queue needs it",
                "--data on a disk of this computer, as in --data /var/lib/haichi",
            )

    def job(self, name: str) -> JobFolder:
        return JobFolder(self.jobs / name)

    def new_job(self, name: str) -> JobFolder:
        """It counts from `keep` on; until then a start of the server removes it."""
        folder = JobFolder(self.jobs / name)
        folder.work.mkdir(parents=True, mode=0o700)
        return folder

    def keep(self, folder: JobFolder) -> None:
        """What was uploaded has reached the disk."""
        for path in (*folder.work.iterdir(), folder.work, folder.path, self.jobs):
            descriptor = os.open(path, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)

    def unpack(self, name: str, files: dict[str, bytes]) -> JobFolder:
        """The folder of a job that is to run; the files come from the queue, and are on the disk after this."""
        folder = JobFolder(self.jobs / name)
        folder.work.mkdir(parents=True, exist_ok=True, mode=0o700)
        for file, content in files.items():
            (folder.work / file).write_bytes(content)
        if files:
            self.keep(folder)
        return folder

    def remove(self, name: str) -> None:
        shutil.rmtree(self.jobs / name, ignore_errors=True)

    def remove_unknown(self, known: set[str]) -> None:
        """Folders of requests that were never answered."""
        for path in self.jobs.iterdir():
            if path.name not in known:
                shutil.rmtree(path, ignore_errors=True)

    def free_bytes(self) -> int:
        """Raises DataGoneError: what is written goes nowhere then."""
        try:
            is_ours = os.path.samestat(os.stat(self.path / self._LOCK), os.fstat(self._lock))
        except FileNotFoundError:
            is_ours = False
        if not is_ours:
            raise DataGoneError(f"the data folder {self.path} was removed while the server ran")
        free = os.statvfs(self.path)
        return free.f_bavail * free.f_frsize


def file_system_of(path: Path) -> str:
    """The type of the file system, as in /proc/self/mountinfo."""
    found, longest = "", -1
    for line in Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="surrogateescape").splitlines():
        before, _, after = line.partition(" - ")
        mounted = re.sub(r"\\([0-7]{3})", lambda octal: chr(int(octal[1], 8)), before.split()[4])
        if path.is_relative_to(mounted) and len(mounted) >= longest:
            found, longest = after.split()[0], len(mounted)
    return found
