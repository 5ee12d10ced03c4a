"""State that survives a crash: SQLite databases on local disks."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from haichi.errors import InputError

_HEADER_BYTES = 100


def connect(path: Path, patience_seconds: float, is_alone: bool = False) -> sqlite3.Connection:
    """Opens a database. `patience_seconds`: how long a call waits for other users of the database. `is_alone`: no other
    process can open the database. Only one thread at a time may use the connection."""
    connection = sqlite3.connect(path, timeout=patience_seconds, isolation_level=None, check_same_thread=False)
    connection.row_factory = sqlite3.Row
    with ExitStack() as opened:
        opened.callback(connection.close)
        if is_alone:
            connection.execute("PRAGMA locking_mode=EXCLUSIVE")
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute("PRAGMA foreign_keys=ON")
        connection.execute("PRAGMA trusted_schema=OFF")
        opened.pop_all()
    return connection


def check(
    path: Path,
    tables: set[str],
    foreign: str,
    hint: str,
    patience_seconds: float = 0,
    triggers: Collection[str] = (),
) -> None:
    """Checks an existing file before it is changed. `foreign` names the expected content in messages. Raises InputError
    for unexpected tables, triggers or views, and sqlite3.DatabaseError for a damaged file."""
    if 0 < path.stat().st_size < _HEADER_BYTES:  # SQLite would take it for an empty file
        raise sqlite3.DatabaseError("file is not a database")
    found = sqlite3.connect(path, timeout=patience_seconds)
    try:
        if found.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
            raise sqlite3.DatabaseError("database disk image is malformed")
        # A view or a trigger runs statements that the author of the file chose.
        programs = found.execute("SELECT type, name FROM sqlite_master WHERE type IN ('view', 'trigger')").fetchall()
        there = {name for (name,) in found.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    finally:
        found.close()
    for kind, name in programs:
        if kind == "view" or name not in triggers:
            raise InputError(f"{path}: not {foreign}: it has the {kind} {name!r}", hint)
    if there and not there >= tables:
        raise InputError(f"{path}: not {foreign}: it has the table {min(there)!r}", hint)


@contextmanager
def complaints(path: Path, if_damaged: str) -> Iterator[None]:
    """Converts SQLite errors to InputError. `if_damaged`: the hint for a damaged file."""
    try:
        yield
    except sqlite3.Error as error:
        text = str(error)
        if "full" in text:
            raise InputError(f"cannot write {path}: the disk is full", "free some space and start again") from error
        if "malformed" in text or "not a database" in text:
            raise InputError(f"{path}: damaged file: {text}", if_damaged) from error
        raise InputError(f"cannot use {path}: {text}", "check the free space and the permissions") from error
