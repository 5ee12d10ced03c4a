"""What a comparison has computed so far, on disk, so that a killed one goes on where it stopped."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import stat
from pathlib import Path
from typing import Any

from haichi.base.json_text import one_line
from haichi.comparison.cell import Outcome
from haichi.comparison.files import checked_outcome
from haichi.errors import InputError

_HEAD = b'{"haichi-journal": 1}\n'


class Journal:
    """A line of JSON per cell that is done, by the cell's key; appended and flushed, cell by cell.

    A comparison takes what it finds under its cells' keys and ignores the rest, so asking for more seeds or strategies
    computes only these. Failed cells are not written: they are tried again.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Raises InputError for files that cannot be written, and when another comparison is writing this one."""
        self.path = Path(path)
        # Its name follows from another's: through a link it could be any file, and a pipe would wait.
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        try:
            self._file = open(os.open(self.path, flags, 0o666), "a+b", buffering=0)  # noqa: SIM115 - as long as this
        except OSError as error:
            reason = "it is a symbolic link" if error.errno == errno.ELOOP else error.strerror
            raise InputError(f"{self.path}: cannot be written: {reason}") from error
        if not stat.S_ISREG(os.fstat(self._file.fileno()).st_mode):
            self._file.close()
            raise InputError(f"{self.path}: is not a regular file")
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            self._file.close()
            raise InputError(
                f"{self.path}: another comparison is writing it", "wait for it, or choose another output"
            ) from error
        try:
            self.outcomes = self._read()
        except InputError:
            self._file.close()
            raise

    def _read(self) -> dict[str, Outcome]:
        """All whole lines behind the first, which says that it is a journal. A last one that is torn (a kill, a full
        disk) is cut off."""
        self._file.seek(0)
        head = self._file.read(len(_HEAD))
        if not _HEAD.startswith(head):
            raise InputError(f"{self.path}:1: is not the journal of a comparison", "choose another name")
        if head != _HEAD:
            self._file.truncate(0)
            self._append(_HEAD)
            return {}
        outcomes: dict[str, Outcome] = {}
        good = len(_HEAD)
        for number, line in enumerate(self._file, start=2):
            if not line.endswith(b"\n"):
                break
            try:
                entry: dict[str, Any] = json.loads(line)
                outcomes[entry["key"]] = checked_outcome(entry["outcome"])
            except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
                raise InputError(
                    f"{self.path}:{number}: is not a line of a comparison's journal", "remove the file to start anew"
                ) from error
            good += len(line)
        self._file.truncate(good)
        return outcomes

    def add(self, key: str, outcome: Outcome) -> None:
        """Raises InputError when the disk is full; what was there stays."""
        if outcome["status"] != "done":
            return
        self.outcomes[key] = outcome
        self._append(one_line({"key": key, "outcome": outcome}).encode() + b"\n")

    def _append(self, line: bytes) -> None:
        size = os.fstat(self._file.fileno()).st_size
        try:
            while line:
                line = line[self._file.write(line) :]
        except OSError as error:
            self._file.truncate(size)
            raise InputError(f"{self.path}: cannot be written: {error.strerror}") from error

    def close(self, *, remove: bool) -> None:
        """`remove` when the results are in their own file; one that holds nothing is removed in any case."""
        if remove or not self.outcomes:
            self.path.unlink(missing_ok=True)
        self._file.close()
