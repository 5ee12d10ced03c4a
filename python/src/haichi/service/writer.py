"""Makes the changes of the database. Changes that arrive during a write share the next transaction, so that many
changes cost one write to the disk."""

from __future__ import annotations

import asyncio
import sqlite3
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from haichi.base.database import connect

_T = TypeVar("_T")
_MOST_AT_ONCE = 100


@dataclass(frozen=True)
class _Change:
    work: Callable[[sqlite3.Connection], Any]
    made: asyncio.Future[Any]


class Writer:
    """Makes the changes of the database. Belongs to one event loop. The loop itself makes the changes, which take
    microseconds each. A thread waits for other writers and for the disk."""

    def __init__(self, path: Path, patience_seconds: float) -> None:
        self._connection = connect(path, 0)
        self._patience = patience_seconds
        self._waiting: deque[_Change] = deque()
        self._writing: asyncio.Task[None] | None = None

    def do(self, work: Callable[[sqlite3.Connection], _T]) -> asyncio.Future[_T]:
        """Runs `work` in a transaction. When the future has its result, the changes are on the disk. `work` must raise
        its errors before it changes anything, because other changes share the transaction."""
        made: asyncio.Future[_T] = asyncio.get_running_loop().create_future()
        self._waiting.append(_Change(work, made))
        if self._writing is None:
            self._writing = asyncio.create_task(self._write())
        return made

    async def _write(self) -> None:
        try:
            while self._waiting:
                try:
                    await self._begin()
                except sqlite3.Error as error:
                    _fail(self._taken(len(self._waiting)), error)
                else:
                    await self._make(self._taken(_MOST_AT_ONCE))
        finally:
            self._writing = None

    async def _begin(self) -> None:
        try:
            self._connection.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError:  # another process is writing
            await asyncio.to_thread(self._begin_patiently)

    def _begin_patiently(self) -> None:
        self._connection.execute(f"PRAGMA busy_timeout={int(self._patience * 1000)}")
        try:
            self._connection.execute("BEGIN IMMEDIATE")
        finally:
            self._connection.execute("PRAGMA busy_timeout=0")

    def _taken(self, most: int) -> list[_Change]:
        """Takes at most `most` changes from the waiting ones. Changes whose requests have been cancelled are
        skipped."""
        taken = [self._waiting.popleft() for _ in range(min(most, len(self._waiting)))]
        return [change for change in taken if not change.made.cancelled()]

    async def _make(self, changes: list[_Change]) -> None:
        answers: list[Any] = []
        try:
            for change in changes:
                answers.append(self._answer_of(change))
            await asyncio.to_thread(self._connection.execute, "COMMIT")
        except sqlite3.Error as error:  # for example on a full disk: nothing is changed
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            _fail(changes, error)
            return
        for change, answer in zip(changes, answers, strict=True):
            if change.made.cancelled():
                continue
            if isinstance(answer, _Refusal):
                change.made.set_exception(answer.error)
            else:
                change.made.set_result(answer)

    def _answer_of(self, change: _Change) -> Any:
        try:
            return change.work(self._connection)
        except sqlite3.Error:
            raise
        except Exception as error:
            return _Refusal(error)


@dataclass(frozen=True)
class _Refusal:
    error: Exception


def _fail(changes: list[_Change], error: Exception) -> None:
    for change in changes:
        if not change.made.cancelled():
            change.made.set_exception(error)
