"""Changes of the database: one thread makes them all. Those that come while it writes share the next transaction, so
that many of them cost one write to the disk."""

from __future__ import annotations

import contextlib
import queue
import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

_T = TypeVar("_T")
_MOST_AT_ONCE = 256


def connect(path: Path, patience_seconds: float) -> sqlite3.Connection:
    """A connection for the thread that asks; it waits so long for others that lock the database."""
    connection = sqlite3.connect(path, timeout=patience_seconds, isolation_level=None)
    connection.row_factory = sqlite3.Row
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("PRAGMA foreign_keys=ON")
    return connection


@dataclass(frozen=True)
class _Change:
    work: Callable[[sqlite3.Connection], Any]
    made: Future[Any]


class Writer:
    """What a change gives, or raises, is known when it is on the disk."""

    def __init__(self, path: Path, patience_seconds: float) -> None:
        self._path = path
        self._patience = patience_seconds
        self._waiting: queue.SimpleQueue[_Change] = queue.SimpleQueue()
        threading.Thread(target=self._write, name="writer", daemon=True).start()

    def do(self, work: Callable[[sqlite3.Connection], _T]) -> Future[_T]:
        """Runs `work` in a transaction. It gets all of its changes made or, where it raises, none."""
        made: Future[_T] = Future()
        self._waiting.put(_Change(work, made))
        return made

    def _write(self) -> None:
        connection = connect(self._path, self._patience)
        while True:
            first = self._waiting.get()
            try:
                connection.execute("BEGIN IMMEDIATE")
            except sqlite3.Error as error:
                _fail(self._all_from(first), error)
                continue
            self._make(connection, self._all_from(first))

    def _all_from(self, first: _Change) -> list[_Change]:
        """With those that wait by now, but for those that nobody waits for any more."""
        changes = [first]
        with contextlib.suppress(queue.Empty):
            while len(changes) < _MOST_AT_ONCE:
                changes.append(self._waiting.get_nowait())
        return [change for change in changes if change.made.set_running_or_notify_cancel()]

    @staticmethod
    def _make(connection: sqlite3.Connection, changes: list[_Change]) -> None:
        answers: list[tuple[_Change, Any]] = []
        refused: list[tuple[_Change, Exception]] = []
        try:
            for change in changes:
                connection.execute("SAVEPOINT change")
                try:
                    answers.append((change, change.work(connection)))
                except sqlite3.OperationalError:
                    raise
                except Exception as error:
                    connection.execute("ROLLBACK TO change")
                    refused.append((change, error))
                connection.execute("RELEASE change")
            connection.execute("COMMIT")
        except sqlite3.Error as error:  # a full disk, say: the transaction is none
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            _fail(changes, error)
            return
        for change, answer in answers:
            change.made.set_result(answer)
        for change, refusal in refused:
            change.made.set_exception(refusal)


def _fail(changes: list[_Change], error: Exception) -> None:
    for change in changes:
        change.made.set_exception(error)
