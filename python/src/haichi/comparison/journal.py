"""Stores the finished cells of a comparison on disk, so that a killed comparison can continue."""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import stat
from pathlib import Path

from haichi.base.database import check, complaints, connect
from haichi.base.json_text import one_line
from haichi.comparison.cell import Outcome
from haichi.comparison.files import checked_outcome
from haichi.errors import InputError

_SCHEMA = "CREATE TABLE IF NOT EXISTS cells(key TEXT PRIMARY KEY, outcome TEXT NOT NULL) WITHOUT ROWID"
_WHAT, _ANOTHER_NAME = "the journal of a comparison", "choose another name"
_START_ANEW = "remove the file and start again"


class Journal:
    """A SQLite database with the outcome of each finished cell, by cell key. When `add` returns, the outcome is on the
    disk.

    A comparison uses the outcomes of its own cells and ignores all others. Further seeds or strategies therefore cost
    only their own cells. Failed cells are not stored, so that the next run tries them again.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Opens or creates the file. Raises InputError if it cannot be written, or if another comparison is writing
        it."""
        self.path = Path(path)
        try:
            with contextlib.suppress(FileExistsError):
                os.close(os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666))
            # The caller derived this name from another one, so the file may be unexpected. A link could lead to any
            # file, and a pipe would block.
            kind = os.lstat(self.path).st_mode
        except OSError as error:
            raise InputError(f"cannot write {self.path}: {error.strerror}") from error
        if not stat.S_ISREG(kind):
            what = "is a symbolic link" if stat.S_ISLNK(kind) else "is not a regular file"
            raise InputError(f"cannot write {self.path}: it {what}")
        with complaints(self.path, _START_ANEW), contextlib.ExitStack() as opened:
            try:
                check(self.path, _SCHEMA, _WHAT, _ANOTHER_NAME)
                self._database = connect(self.path, 0, is_alone=True)
                opened.callback(self._database.close)
                self._database.execute(_SCHEMA)
            except sqlite3.DatabaseError as error:
                if "not a database" in str(error):
                    raise InputError(f"{self.path}: not {_WHAT}", _ANOTHER_NAME) from error
                if "locked" in str(error):
                    message = f"{self.path}: another comparison is writing this file"
                    raise InputError(message, "wait for its end, or choose another output") from error
                raise
            rows = self._database.execute("SELECT key, outcome FROM cells").fetchall()
            try:
                self.outcomes = {key: checked_outcome(json.loads(outcome)) for key, outcome in rows}
            except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
                raise InputError(f"{self.path}: an entry is not a cell of a comparison", _START_ANEW) from error
            opened.pop_all()

    def add(self, key: str, outcome: Outcome) -> None:
        """Stores an outcome. Raises InputError if the disk is full; earlier outcomes stay."""
        if outcome["status"] != "done":
            return
        self.outcomes[key] = outcome
        with complaints(self.path, _START_ANEW):
            self._database.execute("INSERT OR REPLACE INTO cells VALUES (?, ?)", (key, one_line(outcome)))

    def close(self) -> None:
        """Ends the journal. Removes its file if no outcome was stored."""
        self._database.close()
        if not self.outcomes:
            self.path.unlink(missing_ok=True)
