"""State that outlives a crash: SQLite databases on disks of this computer."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from haichi.errors import InputError

_HEADER_BYTES = 100


def connect(path: Path, patience_seconds: float, is_alone: bool = False) -> sqlite3.Connection:
    """It waits so long for others that lock the database; `is_alone`: it keeps all others out. One thread at a time may
    use it."""
    connection = sqlite3.connect(path, timeout=patience_seconds, isolation_level=None, check_same_thread=False)
    connection.row_factory = sqlite3.Row
    with ExitStack() as opened:
        opened.callback(connection.close)
        if is_alone:
            connection.execute("PRAGMA locking_mode=EXCLUSIVE")
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute("PRAGMA foreign_keys=ON")
        opened.pop_all()
    return connection


def check(path: Path, tables: set[str], foreign: str, hint: str, patience_seconds: float = 0) -> None:
    """Before a file that exists is changed. Raises InputError where it has other tables than these: `foreign` says what
    it is not; sqlite3.DatabaseError where it is damaged."""
    if 0 < path.stat().st_size < _HEADER_BYTES:  # which SQLite would take for an empty one
        raise sqlite3.DatabaseError("file is not a database")
    found = sqlite3.connect(path, timeout=patience_seconds)
    try:
        if found.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
            raise sqlite3.DatabaseError("database disk image is malformed")
        there = {name for (name,) in found.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    finally:
        found.close()
    if there and not there >= tables:
        raise InputError(f"{path}: is not {foreign}, but has {min(there)!r}", hint)


@contextmanager
def complaints(path: Path, if_damaged: str) -> Iterator[None]:
    """What a database complains of, as InputError; `if_damaged` is a hint."""
    try:
        yield
    except sqlite3.Error as error:
        text = str(error)
        if "full" in text:
            raise InputError(f"{path}: cannot be written: the disk is full", "make room, and start again") from error
        if "malformed" in text or "not a database" in text:
            raise InputError(f"{path}: is damaged: {text}", if_damaged) from error
        raise InputError(f"{path}: cannot be used: {text}", "is the disk full, or does it belong to others?") from error
