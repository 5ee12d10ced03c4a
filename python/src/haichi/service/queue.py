"""The durable queue of jobs and their events, in SQLite. Each change returns a future, which is done when the change is
on the disk."""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from asyncio import Future
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from haichi.base.database import check, complaints, connect
from haichi.service.limits import Limits
from haichi.service.writer import Writer

_SCHEMA = """
CREATE TABLE IF NOT EXISTS jobs(
    seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, user TEXT NOT NULL, kind TEXT NOT NULL,
    state TEXT NOT NULL, request TEXT NOT NULL, idempotency_key TEXT, fingerprint TEXT NOT NULL,
    created REAL NOT NULL, started REAL, ended REAL, attempts INTEGER NOT NULL DEFAULT 0,
    cut_off INTEGER NOT NULL DEFAULT 0, is_cancelled INTEGER NOT NULL DEFAULT 0,
    exit_code INTEGER, error TEXT NOT NULL DEFAULT '', UNIQUE(user, idempotency_key));
CREATE INDEX IF NOT EXISTS jobs_by_state ON jobs(state, user, seq);
CREATE INDEX IF NOT EXISTS jobs_by_user ON jobs(user, seq);
CREATE TABLE IF NOT EXISTS events(
    seq INTEGER PRIMARY KEY AUTOINCREMENT, job TEXT NOT NULL REFERENCES jobs(id) ON DELETE CASCADE,
    at REAL NOT NULL, name TEXT NOT NULL, data TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS events_by_job ON events(job, seq);
CREATE TABLE IF NOT EXISTS files(
    job TEXT NOT NULL REFERENCES jobs(id) ON DELETE CASCADE, name TEXT NOT NULL, content BLOB NOT NULL,
    PRIMARY KEY(job, name)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS uptime(seconds REAL NOT NULL);
INSERT INTO uptime SELECT 0 WHERE NOT EXISTS (SELECT * FROM uptime);
CREATE TABLE IF NOT EXISTS kept(
    job TEXT PRIMARY KEY REFERENCES jobs(id) ON DELETE CASCADE, since REAL) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS kept_since ON kept(since);
CREATE TRIGGER IF NOT EXISTS job_ended AFTER UPDATE OF ended ON jobs WHEN new.ended IS NOT NULL
    BEGIN INSERT OR IGNORE INTO kept VALUES (new.id, NULL); END;
INSERT OR IGNORE INTO kept SELECT id, NULL FROM jobs WHERE ended IS NOT NULL;
CREATE TABLE IF NOT EXISTS removed(job TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TRIGGER IF NOT EXISTS job_removed AFTER DELETE ON jobs
    BEGIN INSERT OR IGNORE INTO removed VALUES (old.id); END;
CREATE TABLE IF NOT EXISTS sizes(
    job TEXT PRIMARY KEY REFERENCES jobs(id) ON DELETE CASCADE, user TEXT NOT NULL, bytes INTEGER NOT NULL)
    WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS users(
    name TEXT PRIMARY KEY, bytes INTEGER NOT NULL DEFAULT 0, turn INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID;
CREATE TRIGGER IF NOT EXISTS size_is_added AFTER INSERT ON sizes BEGIN
    INSERT INTO users(name, bytes) VALUES (new.user, new.bytes)
    ON CONFLICT(name) DO UPDATE SET bytes = bytes + excluded.bytes; END;
CREATE TRIGGER IF NOT EXISTS size_is_changed AFTER UPDATE ON sizes BEGIN
    UPDATE users SET bytes = bytes - old.bytes + new.bytes WHERE name = new.user; END;
CREATE TRIGGER IF NOT EXISTS size_is_removed AFTER DELETE ON sizes BEGIN
    UPDATE users SET bytes = bytes - old.bytes WHERE name = old.user; END;
"""
"""`uptime` counts the seconds that servers ran on this queue. `kept.since` is its value when the end of a job was
first seen, so a jump of the clock makes no job old. `removed` has jobs whose directories may still exist."""

STATES = ("queued", "running", "done", "failed", "cancelled")
ENDED = ("done", "failed", "cancelled")
_MOST_PROGRESS = 401
_LONGEST_PAGE = 256 * 1024
"""The number of request characters after which a page of jobs ends. Pages are made in memory."""
_SECONDS_TO_READ = 0.2
"""The time that a reader waits for a locked database. Readers never wait for writers, and a longer wait for an
exclusive user would block the event loop."""


class Conflict(Exception):  # noqa: N818 - a response, not a fault
    """Another request has used the idempotency key."""


class TooManyJobs(Exception):  # noqa: N818
    """The user has reached the limit of queued and running jobs."""


class QueueFull(Exception):  # noqa: N818
    """All users together have reached the limit of queued and running jobs."""


class TooMuchData(Exception):  # noqa: N818
    """The files of the user's jobs have reached the size limit."""


@dataclass(frozen=True)
class Job:
    """A job in the queue."""

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
    """A job to add to the queue."""

    id: str
    user: str
    kind: str
    request: dict[str, Any]
    fingerprint: str
    """A digest that is equal for equal requests."""
    idempotency_key: str | None = None
    files: Mapping[str, bytes] = field(default_factory=dict)
    """Small files. The queue stores them until the job has ended."""
    size: int = 0
    """The size that counts against the user's limit, in bytes."""


@dataclass(frozen=True)
class Event:
    seq: int
    name: str
    data: dict[str, Any]


class Queue:
    """The queue. Each thread reads through its own connection, and the `Writer` makes all changes. Raises InputError
    for a file that is unreadable, not writable, or not a queue. Such a file stays unchanged."""

    def __init__(self, path: Path, patience_seconds: float = 5) -> None:
        self._path = path
        self._own = threading.local()
        with complaints(path, _IF_DAMAGED):
            if path.exists():
                check(path, _SCHEMA, "a queue of haichi", "name another directory with §data", patience_seconds)
            self._first = connect(path, patience_seconds)
            self._first.executescript(_SCHEMA)
            self._writer = Writer(path, patience_seconds)

    def _read(self, query: str, *values: Any) -> sqlite3.Cursor:
        found: sqlite3.Connection | None = getattr(self._own, "connection", None)
        if found is None:
            found = connect(self._path, _SECONDS_TO_READ)
            found.execute("PRAGMA query_only=ON")
            self._own.connection = found
        return found.execute(query, values)

    # ---- Jobs as users see them -------------------------------------------------------------------------------------

    def add(self, new: NewJob, limits: Limits) -> Future[tuple[Job, bool]]:
        """Adds a job. Returns the job and whether it is new: a job with its idempotency key may exist. Raises Conflict,
        TooManyJobs, QueueFull and TooMuchData."""
        return self._writer.do(lambda connection: _add(connection, new, limits))

    def bytes_of(self, user: str) -> int:
        """The total size of all jobs of a user, in bytes."""
        row = self._read("SELECT bytes FROM users WHERE name = ?", user).fetchone()
        return 0 if row is None else int(row["bytes"])

    def tell_size(self, job: str, size: int) -> Future[None]:
        """Stores the current size of a job in bytes."""

        def change(connection: sqlite3.Connection) -> None:
            connection.execute(
                "INSERT INTO sizes(job, user, bytes) SELECT id, user, ? FROM jobs WHERE id = ?"
                " ON CONFLICT(job) DO UPDATE SET bytes = excluded.bytes",
                (size, job),
            )

        return self._writer.do(change)

    def without_size(self) -> list[str]:
        """The jobs of an older server version, which did not store sizes."""
        return [row["id"] for row in self._read("SELECT id FROM jobs WHERE id NOT IN (SELECT job FROM sizes)")]

    def remove(self, job: str) -> Future[bool]:
        """Removes a finished job from the queue. Returns False if there was no such job."""

        def change(connection: sqlite3.Connection) -> bool:
            return connection.execute("DELETE FROM jobs WHERE id = ? AND ended IS NOT NULL", (job,)).rowcount > 0

        return self._writer.do(change)

    def of_key(self, new: NewJob) -> Job | None:
        """The job that was submitted with the idempotency key of `new`; None if there is none. Raises Conflict."""
        if new.idempotency_key is None:
            return None
        return _of_key(self._read(_WITH_KEY, new.user, new.idempotency_key), new)

    def get(self, user: str, job: str) -> Job | None:
        """The job, if it exists and belongs to the user."""
        row = self._read("SELECT * FROM jobs WHERE id = ? AND user = ?", job, user).fetchone()
        return None if row is None else _of_row(row)

    def page(self, user: str, before: int | None, most: int, state: str | None = None) -> tuple[list[Job], int | None]:
        """Jobs of a user, newest first, that come before the number `before` (`Job.seq`). Also returns `before` for the
        next page."""
        rows = self._read(
            "SELECT * FROM jobs WHERE user = ? AND seq < ? AND (? IS NULL OR state = ?) ORDER BY seq DESC LIMIT ?",
            *(user, 2**62 if before is None else before, state, state, most),
        )
        jobs: list[Job] = []
        size = 0
        for row in rows:
            jobs.append(_of_row(row))
            size += len(row["request"])
            if size > _LONGEST_PAGE:
                return jobs, jobs[-1].seq
        return jobs, jobs[-1].seq if len(jobs) == most else None

    def cancel(self, user: str, job: str) -> Future[Job | None]:
        """Cancels a queued job, or marks a running job as cancelled. The runner then ends a marked job."""

        def change(connection: sqlite3.Connection) -> Job | None:
            found = _job(connection, job)
            if found is None or found.user != user:
                return None
            if found.state == "queued":
                connection.execute(
                    "UPDATE jobs SET state = 'cancelled', is_cancelled = 1, ended = ? WHERE id = ?", (time.time(), job)
                )
                connection.execute("DELETE FROM files WHERE job = ?", (job,))
                _tell(connection, job, "state", {"state": "cancelled"})
            elif found.state == "running":
                connection.execute("UPDATE jobs SET is_cancelled = 1 WHERE id = ?", (job,))
            return _job(connection, job)

        return self._writer.do(change)

    def events(self, job: str, after: int) -> list[Event]:
        rows = self._read("SELECT seq, at, name, data FROM events WHERE job = ? AND seq > ? ORDER BY seq", job, after)
        return [Event(row["seq"], row["name"], {"at": row["at"]} | json.loads(row["data"])) for row in rows]

    # ---- Running jobs -----------------------------------------------------------------------------------------------

    def has_waiting(self) -> bool:
        return self._read("SELECT 1 FROM jobs WHERE state = 'queued' LIMIT 1").fetchone() is not None

    def claim(self) -> Future[Job | None]:
        """Starts the next job. The user is the one with the fewest running jobs; among several, the one whose last turn
        is the longest ago. The job is the user's oldest queued job."""
        return self._writer.do(_claim)

    def files(self, job: str) -> dict[str, bytes]:
        """The files of a job that the queue stores."""
        return {row["name"]: row["content"] for row in self._read("SELECT * FROM files WHERE job = ?", job)}

    def is_cancelled(self, job: str) -> bool:
        row = self._read("SELECT is_cancelled FROM jobs WHERE id = ?", job).fetchone()
        return row is not None and bool(row["is_cancelled"])

    def tell_progress(self, job: str, attempt: int, data: dict[str, Any]) -> Future[None]:
        """Adds a progress event. If there are too many, every second event is deleted, so that the rest covers the
        whole run."""

        def change(connection: sqlite3.Connection) -> None:
            _tell(connection, job, "progress", {"attempt": attempt} | data)
            (count,) = connection.execute(f"SELECT count(*) FROM ({_PROGRESS})", (job,)).fetchone()
            if count >= _MOST_PROGRESS:
                every_second = f"SELECT seq FROM ({_PROGRESS}) WHERE number % 2 = 0"
                connection.execute(f"DELETE FROM events WHERE seq IN ({every_second})", (job,))

        return self._writer.do(change)

    def finish(self, job: str, state: str, exit_code: int | None, error: dict[str, Any] | None) -> Future[None]:
        """Stores the end of a job. A job that has already ended stays unchanged."""

        def change(connection: sqlite3.Connection) -> None:
            changed = connection.execute(
                "UPDATE jobs SET state = ?, ended = ?, exit_code = ?, error = ?"
                " WHERE id = ? AND state IN ('queued', 'running')",
                (state, time.time(), exit_code, json.dumps(error) if error else "", job),
            )
            if changed.rowcount:
                connection.execute("DELETE FROM files WHERE job = ?", (job,))  # the job's directory has the files now
                _tell(connection, job, "state", {"state": state} | ({"error": error} if error else {}))

        return self._writer.do(change)

    def put_back(self, job: str, why: str, was_cut_off: bool) -> Future[None]:
        """Queues a job again. If `was_cut_off` is true, the attempt counts against the job."""

        def change(connection: sqlite3.Connection) -> None:
            connection.execute(
                "UPDATE jobs SET state = 'queued', cut_off = cut_off + ? WHERE id = ? AND state = 'running'",
                (int(was_cut_off), job),
            )
            _tell(connection, job, "state", {"state": "queued", "why": why})

        return self._writer.do(change)

    # ---- The whole queue --------------------------------------------------------------------------------------------

    def recover(self) -> int:
        """Queues running jobs again and returns their number. Call this at the start of the server, after the
        directories of removed jobs are deleted. Raises InputError."""
        with complaints(self._path, _IF_DAMAGED), self._first as connection:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("DELETE FROM removed")
            jobs = [row["id"] for row in connection.execute("SELECT id FROM jobs WHERE state = 'running'")]
            for job in jobs:
                connection.execute("UPDATE jobs SET state = 'queued' WHERE id = ?", (job,))
                _tell(connection, job, "state", {"state": "queued", "why": "the server restarted"})
        self._first.close()
        return len(jobs)

    def counts(self) -> dict[str, int]:
        rows = self._read("SELECT state, count(*) AS jobs FROM jobs GROUP BY state")
        return dict.fromkeys(STATES, 0) | {row["state"]: row["jobs"] for row in rows}

    def known(self) -> set[str]:
        return {row["id"] for row in self._read("SELECT id FROM jobs")}

    def removed(self) -> set[str]:
        """The removed jobs whose directories may still exist."""
        return {row["job"] for row in self._read("SELECT job FROM removed")}

    def forget(self, passed_seconds: float, kept_seconds: float) -> Future[list[str]]:
        """Removes jobs that ended at least `kept_seconds` ago, and returns their IDs. `passed_seconds`: the time since
        the last call."""

        def change(connection: sqlite3.Connection) -> list[str]:
            (now,) = connection.execute(
                "UPDATE uptime SET seconds = seconds + ? RETURNING seconds", (passed_seconds,)
            ).fetchone()
            connection.execute("UPDATE kept SET since = ? WHERE since IS NULL", (now,))
            rows = connection.execute("SELECT job FROM kept WHERE since <= ?", (now - kept_seconds,)).fetchall()
            connection.executemany("DELETE FROM jobs WHERE id = ?", [(row["job"],) for row in rows])
            return [row["job"] for row in rows]

        return self._writer.do(change)


_IF_DAMAGED = (
    "keep a copy; save the readable part with `sqlite3 queue.db .recover | sqlite3 new.db` (docs/howto/service.md)"
)
_WITH_KEY = "SELECT * FROM jobs WHERE user = ? AND idempotency_key = ?"
_PROGRESS = "SELECT seq, row_number() OVER (ORDER BY seq) AS number FROM events WHERE job = ? AND name = 'progress'"


def _add(connection: sqlite3.Connection, new: NewJob, limits: Limits) -> tuple[Job, bool]:
    if new.idempotency_key is not None:
        earlier = _of_key(connection.execute(_WITH_KEY, (new.user, new.idempotency_key)), new)
        if earlier is not None:
            return earlier, False
    of_all, of_user = connection.execute(
        "SELECT count(*), count(CASE WHEN user = ? THEN 1 END) FROM jobs WHERE state IN ('queued', 'running')",
        (new.user,),
    ).fetchone()
    if of_user >= limits.jobs_of_user:
        raise TooManyJobs
    if of_all >= limits.jobs:
        raise QueueFull
    held = connection.execute("SELECT bytes FROM users WHERE name = ?", (new.user,)).fetchone()
    if new.size + (held["bytes"] if held else 0) > limits.user_bytes:
        raise TooMuchData
    row = connection.execute(
        "INSERT INTO jobs(id, user, kind, state, request, idempotency_key, fingerprint, created)"
        " VALUES (?, ?, ?, 'queued', ?, ?, ?, ?) RETURNING *",
        (
            *(new.id, new.user, new.kind, json.dumps(new.request)),
            *(new.idempotency_key, new.fingerprint, time.time()),
        ),
    ).fetchone()
    connection.executemany(
        "INSERT INTO files(job, name, content) VALUES (?, ?, ?)",
        [(new.id, name, content) for name, content in new.files.items()],
    )
    connection.execute("INSERT INTO sizes(job, user, bytes) VALUES (?, ?, ?)", (new.id, new.user, new.size))
    _tell(connection, new.id, "state", {"state": "queued"})
    return _of_row(row), True


def _of_key(found: sqlite3.Cursor, new: NewJob) -> Job | None:
    row = found.fetchone()
    if row is not None and row["fingerprint"] != new.fingerprint:
        raise Conflict
    return None if row is None else _of_row(row)


def _claim(connection: sqlite3.Connection) -> Job | None:
    row = connection.execute(
        "SELECT id, user, min(seq) FROM jobs AS waiting WHERE state = 'queued' GROUP BY user ORDER BY"
        " (SELECT count(*) FROM jobs AS other WHERE other.state = 'running' AND other.user = waiting.user),"
        " (SELECT turn FROM users WHERE name = waiting.user), min(seq) LIMIT 1"
    ).fetchone()
    if row is None:
        return None
    connection.execute(
        "INSERT INTO users(name, turn) VALUES (?, (SELECT coalesce(max(turn), 0) + 1 FROM users))"
        " ON CONFLICT(name) DO UPDATE SET turn = excluded.turn",
        (row["user"],),
    )
    connection.execute(
        "UPDATE jobs SET state = 'running', attempts = attempts + 1, started = coalesce(started, ?) WHERE id = ?",
        (time.time(), row["id"]),
    )
    job = _job(connection, row["id"])
    assert job is not None
    _tell(connection, job.id, "state", {"state": "running", "attempt": job.attempts})
    return job


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
