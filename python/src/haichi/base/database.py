"""State that survives a crash: SQLite databases on local disks."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
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


def check(path: Path, schema: str, foreign: str, hint: str, patience_seconds: float = 0) -> None:
    """Checks an existing file before it is changed. `schema` makes all tables, indices and triggers that it may have.
    Raises InputError if the file has other entries. A trigger or a view, for example, would run SQL of whoever made the
    file. `foreign` names the expected content. Raises sqlite3.DatabaseError if the file is damaged."""
    if 0 < path.stat().st_size < _HEADER_BYTES:  # SQLite would take it for an empty file
        raise sqlite3.DatabaseError("file is not a database")
    with closing(sqlite3.connect(":memory:")) as own:
        own.executescript(schema)
        expected = _entries(own)
    with closing(sqlite3.connect(path, timeout=patience_seconds)) as found:
        found.execute("PRAGMA trusted_schema=OFF")
        entries = _entries(found)
        for (kind, name), statement in entries.items():
            if statement != expected.get((kind, name)):
                how = "another" if (kind, name) in expected else "the"
                raise InputError(f"{path}: not {foreign}: it has {how} {kind} {name!r}", hint)
        if found.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
            raise sqlite3.DatabaseError("database disk image is malformed")


def _entries(database: sqlite3.Connection) -> dict[tuple[str, str], str]:
    """Statements of the schema by kind and name; "" for what SQLite makes itself."""
    rows = database.execute("SELECT type, name, sql FROM sqlite_master")
    return {(kind, name): " ".join((statement or "").split()) for kind, name, statement in rows}


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
