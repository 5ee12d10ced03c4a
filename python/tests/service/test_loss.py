"""Databases of other jobs, full disks, clock changes and crashes do not lose jobs silently."""

import asyncio
import contextlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from haichi.base.program import find_program
from haichi.service.checks import Checks
from haichi.service.data_folder import DataFolder
from haichi.service.kinds import JOB_KINDS
from haichi.service.limits import Limits
from haichi.service.problems import WrongRequest
from haichi.service.program import Program
from haichi.service.queue import NewJob, Queue
from haichi.service.requests import JobRequest

RING = {"kind": "map", "machine": "torus:4x4", "objective": "hop-bytes", "pattern": {"name": "ring", "ranks": 16}}


def start_that_fails(data: Path, *before: str) -> tuple[int, str]:
    """Starts a server. Returns the exit code, and the lines on standard error that are not log lines."""
    command = [sys.executable, "-P", "-m", "haichi", "serve", "--port", "0", "--data", str(data)]
    ran = subprocess.run([*before, *command], capture_output=True, text=True, check=False, timeout=60)
    lines = [line for line in ran.stderr.splitlines() if not line.startswith('{"at"')]
    return ran.returncode, "\n".join(lines)


def _empty(database: Path) -> None:
    database.write_bytes(b"")


def _of_another_server(database: Path) -> None:
    database.unlink()
    Queue(database).recover()


def _with_more(statement: str) -> Callable[[Path], None]:
    def change(database: Path) -> None:
        with contextlib.closing(sqlite3.connect(database)) as connection:
            connection.execute(statement)
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    return change


def _of_another_program(database: Path) -> None:
    database.unlink()
    with sqlite3.connect(database) as other:
        other.execute("CREATE TABLE notes(text TEXT)")
    other.close()


def _text(database: Path) -> None:
    database.write_text("this is no database at all\n" * 100)


def _damaged(database: Path) -> None:
    content = bytearray(database.read_bytes())
    content[4096:] = os.urandom(len(content) - 4096)
    database.write_bytes(content)


@pytest.fixture(scope="module")
def stopped(start_for_file) -> tuple[Any, str]:
    """A server that has stopped after one job, and the ID of the job."""
    server = start_for_file()
    job = server.client().submit(**RING).wait()
    assert server.stop() == 0
    sqlite3.connect(server.data / "queue.db").execute("PRAGMA wal_checkpoint(TRUNCATE)").connection.close()
    return server, job.id


def contents(folder: Path) -> dict[Path, bytes]:
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    ("change", "message", "hint"),
    [
        (Path.unlink, "1 of the jobs in ", "restore queue.db and queue.db-wal, or move"),
        (_empty, "1 of the jobs in ", "restore queue.db and queue.db-wal, or move"),
        (
            _of_another_server,
            "1 of the jobs in ",
            "restore queue.db and queue.db-wal, or move the directories of these jobs elsewhere",
        ),
        (_of_another_program, "not a queue of haichi: it has the table 'notes'", "name another directory with --data"),
        (
            _with_more("CREATE TRIGGER t AFTER INSERT ON events BEGIN DELETE FROM jobs; END"),
            "not a queue of haichi: it has the trigger 't'",
            "name another directory with --data",
        ),
        (
            _with_more("ALTER TABLE uptime ADD COLUMN more AS (hex(zeroblob(100000000)))"),
            "not a queue of haichi: it has another table 'uptime'",
            "name another directory with --data",
        ),
        (
            _text,
            "damaged file: file is not a database",
            "keep a copy; save the readable part with `sqlite3 queue.db .recover",
        ),
        (_damaged, "damaged file: ", "keep a copy; save the readable part with `sqlite3 queue.db .recover"),
    ],
)
def test_a_database_that_is_not_the_jobs_removes_none(
    stopped: tuple[Any, str], tmp_path: Path, change: Callable[[Path], None], message: str, hint: str
) -> None:
    server, job = stopped
    data = shutil.copytree(server.data, tmp_path / "data")
    database = data / "queue.db"
    change(database)
    content = database.read_bytes() if database.exists() else b""
    code, said = start_that_fails(data)
    assert code == 2 and said.startswith(f"error: {database}: {message}"), said
    assert f"hint: {hint}" in said and "Traceback" not in said
    assert len(said.splitlines()) == 2
    if change != _of_another_server:
        assert (database.read_bytes() if database.exists() else b"") == content
    # As documented, a copy of queue.db repairs the data directory, and the server starts again.
    shutil.copy(server.data / "queue.db", database)
    assert (data / "jobs" / job / "result").exists() and contents(data) == contents(server.data)


def test_a_server_starts_with_a_restored_database(stopped: tuple[Any, str], tmp_path: Path) -> None:
    server, job = stopped
    kept = shutil.copy(server.data / "queue.db", tmp_path / "queue.db")
    _damaged(server.data / "queue.db")
    assert start_that_fails(server.data)[0] == 2
    shutil.copy(kept, server.data / "queue.db")
    server.start()
    assert server.client().job(job).result()["objective"] == "hop-bytes"


def test_a_start_removes_what_nobody_was_answered_about(tmp_path: Path) -> None:
    data = DataFolder(tmp_path / "data")
    names = [uuid.UUID(int=number).hex for number in range(5)]
    for name in names[:3]:
        (data.new_job(name).work / "workload").write_text("0 1 5\n")
    for name in names[1:3]:
        data.answered(name)
    (data.jobs / names[3] / "work").mkdir(parents=True)  # killed before the first file
    (data.jobs / f"{names[4]}.removed" / "work").mkdir(parents=True)  # killed during the removal
    (data.jobs / "lost+found").mkdir()
    data.remove_unknown({names[1]}, {names[2]})
    assert {path.name for path in data.jobs.iterdir()} == {names[1], "lost+found"}
    data.close()


def test_a_job_that_was_removed_is_known_to_be(tmp_path: Path) -> None:
    """The server may be killed after it removes the job from the queue and before it removes the directory."""

    async def run() -> None:
        queue = Queue(tmp_path / "queue.db")
        assert queue.recover() == 0
        await queue.add(NewJob("a", "ann", "map", {}, "f"), Limits())
        await queue.cancel("ann", "a")
        assert await queue.forget(0, 10) == []
        assert await queue.forget(10, 10) == ["a"]
        assert (queue.known(), queue.removed()) == (set(), {"a"})
        again = Queue(tmp_path / "queue.db")
        again.recover()
        assert again.removed() == set()

    asyncio.run(run())


def test_a_clock_that_jumps_removes_no_job(start) -> None:
    """A clock jump of 31 days makes all ended jobs 31 days older."""
    server = start()
    job = server.client().submit(**RING).wait()
    assert server.stop() == 0
    with sqlite3.connect(server.data / "queue.db") as database:
        database.execute("UPDATE jobs SET created = created - 2678400, ended = ended - 2678400")
    database.close()
    server.start()
    server.client().submit(**RING).wait()
    assert server.client().job(job.id).result()["objective"] == "hop-bytes"


def test_jobs_are_kept_for_the_time_that_servers_ran(tmp_path: Path) -> None:
    async def run() -> None:
        for _ in range(3):
            queue = Queue(tmp_path / "queue.db")
            queue.recover()
            await queue.add(NewJob("a", "ann", "map", {}, "f"), Limits()) if "a" not in queue.known() else None
            await queue.cancel("ann", "a")
            assert await queue.forget(600, 1800) == []
        assert await queue.forget(600, 1800) == ["a"]

    asyncio.run(run())


class _Stumbling(Program):
    """A program whose runs end with given exit codes."""

    def __init__(self, *ends: Any) -> None:
        super().__init__(find_program())
        self.ends = list(ends)

    def said(self, arguments: list[str], folder: Path, seconds: float = 30) -> tuple[int, str, str]:
        if not self.ends:
            return super().said(arguments, folder, seconds)
        end = self.ends.pop(0)
        if isinstance(end, Exception):
            raise end
        return int(end), "", ""


@pytest.mark.parametrize("end", [TimeoutError("haichi"), OSError(11, "Resource temporarily unavailable"), -9, 70, 127])
def test_a_check_that_fails_is_made_again(tmp_path: Path, end: Any) -> None:
    program = _Stumbling(end)
    checks = Checks(program, tmp_path / "empty", Limits())
    request = JobRequest(JOB_KINDS["map"], {"machine": ["torus:4"], "seed": ["x"], "workload": ["workload"]})

    async def run() -> None:
        await checks.check("ann", request)
        assert program.ends == []
        for _ in range(2):
            with pytest.raises(WrongRequest, match="--seed"):
                await checks.check("ann", request)
        program.ends = [-9]  # the program is not run again, because the result is cached
        with pytest.raises(WrongRequest):
            await checks.check("ann", request)
        assert program.ends == [-9]

    asyncio.run(run())


def _on_a_small_disk(place: Path, room: str, then: str = "true") -> list[str]:
    """Returns a command prefix. The prefixed command runs where `place` is a disk of this size. Before this command,
    the shell runs the command in `then`."""
    place.mkdir()
    mount = f'mount -t tmpfs -o size={room},mode=700 none {place} && {{ {then}; }} && exec "$@"'
    private = ["unshare", "-Urm", "sh", "-c", mount, "sh"]
    if subprocess.run([*private, "true"], capture_output=True, check=False).returncode != 0:
        pytest.skip("user namespaces with private mounts are not available")
    return private


@pytest.mark.parametrize("room", ["16k", "64k"])
def test_a_full_disk_at_the_start_is_told(tmp_path: Path, room: str) -> None:
    place = tmp_path / "small"
    private = _on_a_small_disk(place, room, f"cat /dev/zero 2>/dev/null >{place}/much || true")
    code, said = start_that_fails(place / "data", *private)
    assert code == 2 and "Traceback" not in said and len(said.splitlines()) == 2, said
    assert "room" in said or "full" in said or "No space left" in said


def test_jobs_of_a_full_disk_can_be_deleted(tmp_path: Path) -> None:
    private = _on_a_small_disk(tmp_path / "data", "100m")
    script = Path(__file__).with_name("full_disk.py")
    statuses = subprocess.run(
        [*private, sys.executable, "-P", str(script), str(tmp_path / "data")],
        env=os.environ | {"PYTHONPATH": f"{script.parent}:{script.parents[1]}"},
        capture_output=True,
        check=True,
        timeout=120,
    ).stdout
    assert json.loads(statuses) == [200, 200, 200]


def test_a_queue_of_an_earlier_version_is_completed(tmp_path: Path) -> None:
    path = tmp_path / "queue.db"
    Queue(path)
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.executescript("DROP TABLE kept; DROP TABLE sizes; DROP TABLE removed; DROP TRIGGER job_removed")
    Queue(path)
    with contextlib.closing(sqlite3.connect(path)) as connection:
        names = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
    assert {"kept", "sizes", "removed", "job_removed", "size_is_added"} <= names
