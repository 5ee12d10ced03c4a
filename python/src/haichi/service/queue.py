"""The durable queue: jobs and their events in SQLite. A call is one transaction, on the disk when it returns."""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_SCHEMA = """
CREATE TABLE IF NOT EXISTS jobs(
    seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, user TEXT NOT NULL, kind TEXT NOT NULL,
    state TEXT NOT NULL, request TEXT NOT NULL, idempotency_key TEXT, fingerprint TEXT NOT NULL,
    created REAL NOT NULL, started REAL, ended REAL, attempts INTEGER NOT NULL DEFAULT 0,
    cut_off INTEGER NOT NULL DEFAULT 0, is_cancelled INTEGER NOT NULL DEFAULT 0,
    exit_code INTEGER, error TEXT NOT NULL DEFAULT '', UNIQUE(user, idempotency_key));
CREATE INDEX IF NOT EXISTS jobs_by_state ON jobs(state, seq);
CREATE INDEX IF NOT EXISTS jobs_by_user ON jobs(user, seq);
CREATE TABLE IF NOT EXISTS events(
    seq INTEGER PRIMARY KEY AUTOINCREMENT, job TEXT NOT NULL REFERENCES jobs(id) ON DELETE CASCADE,
    at REAL NOT NULL, name TEXT NOT NULL, data TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS events_by_job ON events(job, seq);
"""

STATES = ("queued", "running", "done", "failed", "cancelled")
ENDED = ("done", "failed", "cancelled")
_MOST_PROGRESS = 401


class Conflict(Exception):  # noqa: N818 - an answer, not a fault
    """The idempotency key is that of another request."""


class TooManyJobs(Exception):  # noqa: N818
    """The user has as many as may wait or run."""


@dataclass(frozen=True)
class Job:
    """A row."""

    seq: int
    id: str
    user: str
    kind: str
    state: str
    request: dict[str, Any]
    created: float
    started: float | None
    ended: float | None
    attempts: int
    cut_off: int
    is_cancelled: bool
    exit_code: int | None
    error: dict[str, Any] | None

    def has_ended(self) -> bool:
        return self.state in ENDED


@dataclass(frozen=True)
class NewJob:
    """What is asked for."""

    id: str
    user: str
    kind: str
    request: dict[str, Any]
    fingerprint: str
    """Equal for equal requests."""
    idempotency_key: str | None = None


@dataclass(frozen=True)
class Event:
    seq: int
    name: str
    data: dict[str, Any]


class Queue:
    """One connection for each thread; writers of this process wait for each other here, others in SQLite."""

    def __init__(self, path: Path, patience_seconds: float = 5) -> None:
        self._path = path
        self._patience = patience_seconds
        self._own = threading.local()
        self._writing = threading.Lock()
        self._connection().executescript(_SCHEMA)

    def _connection(self) -> sqlite3.Connection:
        found: sqlite3.Connection | None = getattr(self._own, "connection", None)
        if found is None:
            found = sqlite3.connect(self._path, timeout=self._patience, isolation_level=None)
            found.row_factory = sqlite3.Row
            found.execute("PRAGMA journal_mode=WAL")
            found.execute("PRAGMA synchronous=FULL")
            found.execute("PRAGMA foreign_keys=ON")
            self._own.connection = found
        return found

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        connection = self._connection()
        with self._writing:
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    def add(self, new: NewJob, most_of_user: int) -> tuple[Job, bool]:
        """The job, and whether it is new: one with its idempotency key may be there. Raises Conflict, TooManyJobs."""
        with self._transaction() as connection:
            earlier = self._of_key(connection, new)
            if earlier is not None:
                return earlier, False
            (waiting,) = connection.execute(
                "SELECT count(*) FROM jobs WHERE user = ? AND state IN ('queued', 'running')", (new.user,)
            ).fetchone()
            if waiting >= most_of_user:
                raise TooManyJobs
            connection.execute(
                "INSERT INTO jobs(id, user, kind, state, request, idempotency_key, fingerprint, created)"
                " VALUES (?, ?, ?, 'queued', ?, ?, ?, ?)",
                (
                    *(new.id, new.user, new.kind, json.dumps(new.request)),
                    *(new.idempotency_key, new.fingerprint, time.time()),
                ),
            )
            _tell(connection, new.id, "state", {"state": "queued"})
            job = _job(connection, new.id)
            assert job is not None
            return job, True

    def of_key(self, new: NewJob) -> Job | None:
        """The job that was submitted with this key. Raises Conflict."""
        return self._of_key(self._connection(), new)

    @staticmethod
    def _of_key(connection: sqlite3.Connection, new: NewJob) -> Job | None:
        if new.idempotency_key is None:
            return None
        row = connection.execute(
            "SELECT * FROM jobs WHERE user = ? AND idempotency_key = ?", (new.user, new.idempotency_key)
        ).fetchone()
        if row is not None and row["fingerprint"] != new.fingerprint:
            raise Conflict
        return None if row is None else _of_row(row)

    def get(self, user: str, job: str) -> Job | None:
        """Only where it is the user's."""
        row = self._connection().execute("SELECT * FROM jobs WHERE id = ? AND user = ?", (job, user)).fetchone()
        return None if row is None else _of_row(row)

    def page(self, user: str, before: int | None, most: int, state: str | None = None) -> list[Job]:
        """The newest first; those before a number (`Job.seq`)."""
        rows = self._connection().execute(
            "SELECT * FROM jobs WHERE user = ? AND seq < ? AND (? IS NULL OR state = ?) ORDER BY seq DESC LIMIT ?",
            (user, 2**62 if before is None else before, state, state, most),
        )
        return [_of_row(row) for row in rows]

    def claim(self) -> Job | None:
        """The next to run: of the user with fewest running jobs the first that came."""
        if self._connection().execute("SELECT 1 FROM jobs WHERE state = 'queued' LIMIT 1").fetchone() is None:
            return None
        with self._transaction() as connection:
            row = connection.execute(
                "SELECT id, min(seq) FROM jobs AS waiting WHERE state = 'queued' GROUP BY user ORDER BY"
                " (SELECT count(*) FROM jobs AS other WHERE other.state = 'running' AND other.user = waiting.user),"
                " min(seq) LIMIT 1"
            ).fetchone()
            if row is None:
                return None
            connection.execute(
                "UPDATE jobs SET state = 'running', attempts = attempts + 1, started = coalesce(started, ?)"
                " WHERE id = ?",
                (time.time(), row["id"]),
            )
            job = _job(connection, row["id"])
            assert job is not None
            _tell(connection, job.id, "state", {"state": "running", "attempt": job.attempts})
            return job

    def finish(self, job: str, state: str, exit_code: int | None, error: dict[str, Any] | None) -> None:
        """Once: a job that has ended stays as it is."""
        with self._transaction() as connection:
            changed = connection.execute(
                "UPDATE jobs SET state = ?, ended = ?, exit_code = ?, error = ?"
                " WHERE id = ? AND state IN ('queued', 'running')",
                (state, time.time(), exit_code, json.dumps(error) if error else "", job),
            )
            if changed.rowcount:
                _tell(connection, job, "state", {"state": state} | ({"error": error} if error else {}))

    def put_back(self, job: str, why: str, was_cut_off: bool) -> None:
        """It is to run again; `was_cut_off`: it is counted against the job."""
        with self._transaction() as connection:
            connection.execute(
                "UPDATE jobs SET state = 'queued', cut_off = cut_off + ? WHERE id = ? AND state = 'running'",
                (int(was_cut_off), job),
            )
            _tell(connection, job, "state", {"state": "queued", "why": why})

    def recover(self) -> int:
        """At the start: what was running runs again; how many."""
        with self._transaction() as connection:
            jobs = [row["id"] for row in connection.execute("SELECT id FROM jobs WHERE state = 'running'")]
            for job in jobs:
                connection.execute("UPDATE jobs SET state = 'queued' WHERE id = ?", (job,))
                _tell(connection, job, "state", {"state": "queued", "why": "the server was started again"})
            return len(jobs)

    def cancel(self, user: str, job: str) -> Job | None:
        """Ends a job that waits, and marks one that runs."""
        with self._transaction() as connection:
            found = _job(connection, job)
            if found is None or found.user != user:
                return None
            if found.state == "queued":
                connection.execute(
                    "UPDATE jobs SET state = 'cancelled', is_cancelled = 1, ended = ? WHERE id = ?", (time.time(), job)
                )
                _tell(connection, job, "state", {"state": "cancelled"})
            elif found.state == "running":
                connection.execute("UPDATE jobs SET is_cancelled = 1 WHERE id = ?", (job,))
            return _job(connection, job)

    def is_cancelled(self, job: str) -> bool:
        row = self._connection().execute("SELECT is_cancelled FROM jobs WHERE id = ?", (job,)).fetchone()
        return row is not None and bool(row["is_cancelled"])

    def tell_progress(self, job: str, attempt: int, data: dict[str, Any]) -> None:
        """When there are too many every second one goes, so that those kept go back to the beginning."""
        with self._transaction() as connection:
            _tell(connection, job, "progress", {"attempt": attempt} | data)
            of_job = "SELECT seq, row_number() OVER (ORDER BY seq) AS number FROM events WHERE job = ? AND name = 'progress'"
            (count,) = connection.execute(f"SELECT count(*) FROM ({of_job})", (job,)).fetchone()
            if count >= _MOST_PROGRESS:
                connection.execute(
                    f"DELETE FROM events WHERE seq IN (SELECT seq FROM ({of_job}) WHERE number % 2 = 0)", (job,)
                )

    def events(self, job: str, after: int) -> list[Event]:
        rows = self._connection().execute(
            "SELECT seq, at, name, data FROM events WHERE job = ? AND seq > ? ORDER BY seq", (job, after)
        )
        return [Event(row["seq"], row["name"], {"at": row["at"]} | json.loads(row["data"])) for row in rows]

    def counts(self) -> dict[str, int]:
        rows = self._connection().execute("SELECT state, count(*) AS jobs FROM jobs GROUP BY state")
        return dict.fromkeys(STATES, 0) | {row["state"]: row["jobs"] for row in rows}

    def known(self) -> set[str]:
        return {row["id"] for row in self._connection().execute("SELECT id FROM jobs")}

    def forget(self, ended_before: float) -> list[str]:
        """Removes jobs that ended earlier; which."""
        with self._transaction() as connection:
            rows = connection.execute("SELECT id FROM jobs WHERE ended < ?", (ended_before,)).fetchall()
            connection.execute("DELETE FROM jobs WHERE ended < ?", (ended_before,))
            return [row["id"] for row in rows]


def _tell(connection: sqlite3.Connection, job: str, name: str, data: dict[str, Any]) -> None:
    connection.execute(
        "INSERT INTO events(job, at, name, data) VALUES (?, ?, ?, ?)", (job, time.time(), name, json.dumps(data))
    )


def _job(connection: sqlite3.Connection, job: str) -> Job | None:
    row = connection.execute("SELECT * FROM jobs WHERE id = ?", (job,)).fetchone()
    return None if row is None else _of_row(row)


def _of_row(row: sqlite3.Row) -> Job:
    taken = {name: row[name] for name in row.keys() if name in Job.__dataclass_fields__}  # noqa: SIM118 - a Row
    changed = {
        "request": json.loads(row["request"]),
        "is_cancelled": bool(row["is_cancelled"]),
        "error": json.loads(row["error"]) if row["error"] else None,
    }
    return Job(**(taken | changed))
