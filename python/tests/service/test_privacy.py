"""Only the server and the user can read a user's data."""

import json
import logging
import stat
import sys
from pathlib import Path

import pytest

import haichi
from haichi.service.data_folder import DataFolder
from haichi.service.server import _JsonLines

RING = {"kind": "map", "machine": "torus:4x4", "objective": "hop-bytes", "pattern": {"name": "ring", "ranks": 16}}


def test_files_are_the_servers_alone(start) -> None:
    server = start()
    server.client().submit(**RING).wait().rank_map("csv")
    files = [server.data, *server.data.rglob("*")]
    assert {"queue.db", "queue.db-wal", "queue.db-shm", "result"} <= {path.name for path in files}
    assert [path for path in files if path.stat().st_mode & 0o077] == []


def test_a_data_folder_that_others_may_enter_is_closed(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    data.chmod(0o755)
    (data / "queue.db").touch(0o644)
    DataFolder(data).close()
    assert stat.S_IMODE(data.stat().st_mode) == 0o700
    assert stat.S_IMODE((data / "queue.db").stat().st_mode) == 0o600


def test_a_data_folder_of_somebody_else_is_refused(tmp_path: Path, monkeypatch) -> None:
    tmp_path.chmod(0o755)
    monkeypatch.setattr("os.geteuid", lambda: 12345)
    with pytest.raises(haichi.InputError, match=r"the data directory is open to other users \(mode 0755\)"):
        DataFolder(tmp_path)
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o755


def test_exceptions_are_logged_without_their_text() -> None:
    quoted = "SECRET"
    try:
        try:
            raise OSError(28, "No space left on device")
        except OSError as error:
            raise ValueError(quoted) from error
    except ValueError:
        record = logging.LogRecord("asyncio", 40, "", 1, "never retrieved\nfuture: SECRET", (), sys.exc_info())
    line = _JsonLines().format(record)
    assert "SECRET" not in line and "ValueError" in line and "No space left on device" in line


def test_logs_do_not_quote_what_users_send(start) -> None:
    server = start()
    client = server.client()
    for workload in ("0 1 SECRET\n", '{"schema": "SECRET"}', '{"SECRET": 1}'):
        with pytest.raises(haichi.Error):
            client.submit("map", workload=workload, machine="torus:4").wait()
    server.ask("POST", "/v1/jobs", b'{"SECRET": SECRET}')
    server.ask("POST", "/v1/jobs", RING | {"SECRET": 1, "seed": "SECRET"})
    server.ask("GET", "/v1/jobs?state=SECRET&token=SECRET")
    server.ask("SECRET", "/v1/jobs")
    server.stop()
    assert "SECRET" not in json.dumps(server.log())
