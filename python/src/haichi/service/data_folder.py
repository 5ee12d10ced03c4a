"""The data directory of the server: the paths of its files, and a lock that admits one server at a time."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import logging
import os
import re
import shutil
import stat
from pathlib import Path
from typing import Any

from haichi.errors import InputError, UnsupportedError
from haichi.service import supervisor

_LOG = logging.getLogger("haichi.service")
_NETWORK = re.compile(
    r"nfs\d?|lustre|gpfs|fefs|cifs|smb\d?|beegfs|ceph|afs|pvfs2|orangefs|panfs|wekafs|9p|ncpfs|fuse\.(?!overlay).*"
)
"""Types of file systems on which the shared memory and locks of SQLite are unreliable."""


_NAME_OF_JOB = re.compile(r"[0-9a-f]{32}")
_REMOVED, _UNANSWERED = ".removed", "unanswered"
_SPARE_BYTES = 2 * 2**20
"""Space for many changes of the queue."""
_MOST_SYNCS = 50
"""Above this number of files, one os.sync() takes less time than an os.fsync() for each file."""
UNFINISHED = ("map-", "splitting-", "comparing-")
"""Name prefixes of directories in a job's directory whose content is incomplete."""


class DataGoneError(OSError):
    """The data directory was removed or replaced."""


class JobFolder:
    """The paths of the files of one job."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.work = path / "work"
        """The working directory of the program. It contains the uploads."""
        self.checkpoint = self.work / "checkpoint.json"
        """The state of a search with a time limit, from which the next attempt continues."""
        self.temporary = path / "tmp"
        """The value of TMPDIR while the program runs."""
        self.result = path / "result"
        self.outcome = path / "outcome.json"
        self.said = path / "said.txt"
        """Standard error of the program."""
        self.lock = path / "lock"
        self.attempts = path / "attempts.log"
        self.unanswered = path / _UNANSWERED
        """A file that exists until the queue has the job."""

    def read_outcome(self) -> dict[str, Any] | None:
        try:
            outcome: dict[str, Any] = json.loads(self.outcome.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        return outcome


class DataFolder:
    """The data directory. Raises InputError if another server uses it, and UnsupportedError on network file systems."""

    _LOCK = "server.lock"

    def __init__(self, path: Path) -> None:
        try:
            path.mkdir(parents=True, exist_ok=True, mode=0o700)
            self.path = path.resolve()
            self._refuse_network()
            self._tighten(path)
            self.jobs = self.path / "jobs"
            self.jobs.mkdir(exist_ok=True, mode=0o700)
            self.arriving = self.path / "arriving"
            """Holds the data of requests that are not jobs yet, in files without names."""
            self.arriving.mkdir(exist_ok=True, mode=0o700)
            self._lock = os.open(self.path / self._LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise InputError(
                f"cannot use the data directory {path}: {error.strerror}", "name another directory with §data"
            ) from error
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise InputError(
                f"{path}: another server uses this data directory", "name another directory with §data"
            ) from error
        self._spare = self.path / "spare"
        self.database = self.path / "queue.db"
        for name in ("queue.db", "queue.db-wal", "queue.db-shm"):
            with contextlib.suppress(FileNotFoundError):
                (self.path / name).chmod(0o600)

    def close(self) -> None:
        os.close(self._lock)

    def _tighten(self, path: Path) -> None:
        """Restricts the directory to the server's user, because it contains uploads and results. Raises InputError and
        OSError."""
        status = self.path.stat()
        if not status.st_mode & 0o077:
            return
        if status.st_uid != os.geteuid():
            raise InputError(
                f"{path}: the data directory is open to other users (mode {stat.S_IMODE(status.st_mode):04o}),"
                f" and belongs to user {status.st_uid}, but user {os.geteuid()} runs the server",
                f"run chmod 700, or use a directory inside, as in §data {path / 'haichi'}",
            )
        self.path.chmod(0o700)
        _LOG.warning("closed the data directory to other users (its mode was %04o)", stat.S_IMODE(status.st_mode))

    def _refuse_network(self) -> None:
        kind = file_system_of(self.path)
        if _NETWORK.fullmatch(kind):
            raise UnsupportedError(
                f"{self.path}: the queue requires file locks that the network file system {kind} does not have",
                "use a local disk, as in §data /var/lib/haichi",
            )

    def job(self, name: str) -> JobFolder:
        return JobFolder(self.jobs / name)

    def new_job(self, name: str) -> JobFolder:
        """Makes the directory of a job. Until `answered` is called, the next start of the server removes it."""
        folder = JobFolder(self.jobs / name)
        folder.path.mkdir(mode=0o700)
        folder.unanswered.touch()
        folder.work.mkdir(mode=0o700)
        return folder

    def answered(self, name: str) -> None:
        """Marks the directory as valid, because the queue has the job."""
        self.job(name).unanswered.unlink(missing_ok=True)

    def keep(self, folder: JobFolder) -> None:
        """Waits until the uploads are on the disk."""
        paths = (*folder.work.iterdir(), folder.work, folder.path, self.jobs)
        if len(paths) > _MOST_SYNCS:
            return os.sync()
        for path in paths:
            descriptor = os.open(path, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)

    def unpack(self, name: str, files: dict[str, bytes]) -> JobFolder:
        """Makes the directory of a job that is about to run. The files come from the queue, and are on the disk when
        this returns."""
        folder = JobFolder(self.jobs / name)
        folder.work.mkdir(parents=True, exist_ok=True, mode=0o700)
        for file, content in files.items():
            (folder.work / file).write_bytes(content)
        if files:
            self.keep(folder)
        return folder

    def bytes_of(self, name: str) -> int:
        """The size of all files of a job in bytes."""
        return supervisor.bytes_in(str(self.jobs / name))

    def remove_unfinished(self) -> None:
        """Removes rank maps and comparisons that an earlier server did not finish."""
        for kind in UNFINISHED:
            for path in self.jobs.glob(f"*/{kind}*"):
                shutil.rmtree(path, ignore_errors=True)

    def remove(self, name: str) -> None:
        """Removes a job atomically: after a crash, the job is either gone or complete."""
        path = self.jobs / name
        with contextlib.suppress(OSError):
            path = path.replace(path.with_name(f"{name}{_REMOVED}"))
        shutil.rmtree(path, ignore_errors=True)

    def check_database(self) -> None:
        """Raises InputError if the database is missing although the directory has jobs. Call this before the database
        is opened, because a new database requires a new directory."""
        if not self.database.exists() or not self.database.stat().st_size:
            self._refuse([path for path in self._folders() if not _is_unanswered(path)])

    def remove_unknown(self, known: set[str], removed: set[str]) -> None:
        """Removes the directories of requests that were never answered and of removed jobs. If there are others, the
        database belongs to other data. In this case it raises InputError and removes nothing. Raises OSError."""
        unknown = []
        for path in self._folders():
            if path.name in known:
                self.answered(path.name)
            else:
                unknown.append(path)
        self._refuse([path for path in unknown if path.name not in removed and not _is_unanswered(path)])
        for path in unknown:
            self.remove(path.name)
            if path.exists():
                raise PermissionError(errno.EACCES, "cannot be removed", str(path))
        for path in self.jobs.glob(f"*{_REMOVED}"):
            shutil.rmtree(path, ignore_errors=True)

    def _folders(self) -> list[Path]:
        return sorted(path for path in self.jobs.iterdir() if _NAME_OF_JOB.fullmatch(path.name))

    def _refuse(self, strangers: list[Path]) -> None:
        if strangers:
            raise InputError(
                f"{self.database}: {len(strangers)} of the jobs in {self.jobs} are not in the database, such as"
                f" {strangers[0].name}. It is empty, outdated or of another server; nothing was removed",
                "restore queue.db and queue.db-wal, or move the directories of these jobs elsewhere",
            )

    def keep_spare(self) -> None:
        """Reserves disk space that `give_up_spare` can free. On a full disk it reserves less."""
        with contextlib.suppress(OSError), self._spare.open("ab") as file:
            os.posix_fallocate(file.fileno(), 0, _SPARE_BYTES)

    def give_up_spare(self) -> None:
        """Frees the reserved space, so that a full disk has room for changes that free more."""
        self._spare.unlink(missing_ok=True)

    def free_bytes(self) -> int:
        """The free disk space. Raises DataGoneError, because writes to a removed directory would be lost."""
        try:
            is_ours = os.path.samestat(os.stat(self.path / self._LOCK), os.fstat(self._lock))
        except FileNotFoundError:
            is_ours = False
        if not is_ours:
            raise DataGoneError(f"the data directory {self.path} was removed while the server ran")
        return supervisor.free_bytes(str(self.path))


def _is_unanswered(folder: Path) -> bool:
    """True if no client knows of the job. A directory without files can also be removed."""
    return (folder / _UNANSWERED).exists() or all(path.is_dir() for path in folder.rglob("*"))


def file_system_of(path: Path) -> str:
    """The type of the file system that contains `path`, from /proc/self/mountinfo."""
    found, longest = "", -1
    for line in Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="surrogateescape").splitlines():
        before, _, after = line.partition(" - ")
        mounted = re.sub(r"\\([0-7]{3})", lambda octal: chr(int(octal[1], 8)), before.split()[4])
        if path.is_relative_to(mounted) and len(mounted) >= longest:
            found, longest = after.split()[0], len(mounted)
    return found
