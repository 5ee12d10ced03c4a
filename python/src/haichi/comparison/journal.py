"""What a comparison has computed so far, on disk, so that a killed one goes on where it stopped."""

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
_START_ANEW = "remove the file to start anew"


class Journal:
    """A SQLite database with a row for each cell that is done, by the cell's key; it is on the disk after `add`.

    A comparison takes what it finds under its cells' keys and ignores the rest, so asking for more seeds or strategies
    computes only these. Failed cells are not written: they are tried again.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Raises InputError for files that cannot be written, and when another comparison is writing this one."""
        self.path = Path(path)
        try:
            with contextlib.suppress(FileExistsError):
                os.close(os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666))
            # Its name follows from another's: through a link it could be any file, and a pipe would wait.
            kind = os.lstat(self.path).st_mode
        except OSError as error:
            raise InputError(f"{self.path}: cannot be written: {error.strerror}") from error
        if not stat.S_ISREG(kind):
            what = "is a symbolic link" if stat.S_ISLNK(kind) else "is not a regular file"
            raise InputError(f"{self.path}: cannot be written: it {what}")
        with complaints(self.path, _START_ANEW), contextlib.ExitStack() as opened:
            try:
                check(self.path, {"cells"}, _WHAT, _ANOTHER_NAME)
                self._database = connect(self.path, 0, is_alone=True)
                opened.callback(self._database.close)
                self._database.execute(_SCHEMA)
            except sqlite3.DatabaseError as error:
                if "not a database" in str(error):
                    raise InputError(f"{self.path}: is not {_WHAT}", _ANOTHER_NAME) from error
                if "locked" in str(error):
                    message = f"{self.path}: another comparison is writing it"
                    raise InputError(message, "wait for it, or choose another output") from error
                raise
            rows = self._database.execute("SELECT key, outcome FROM cells").fetchall()
            try:
                self.outcomes = {key: checked_outcome(json.loads(outcome)) for key, outcome in rows}
            except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
                raise InputError(f"{self.path}: has a row that is not a cell of a comparison", _START_ANEW) from error
            opened.pop_all()

    def add(self, key: str, outcome: Outcome) -> None:
        """Raises InputError when the disk is full; what was there stays."""
        if outcome["status"] != "done":
            return
        self.outcomes[key] = outcome
        with complaints(self.path, _START_ANEW):
            self._database.execute("INSERT OR REPLACE INTO cells VALUES (?, ?)", (key, one_line(outcome)))

    def close(self) -> None:
        """A file that holds nothing is removed."""
        self._database.close()
        if not self.outcomes:
            self.path.unlink(missing_ok=True)
