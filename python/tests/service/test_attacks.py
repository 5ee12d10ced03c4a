"""Vulnerabilities that were found by attacking a server with two users."""

import asyncio
import hashlib
import json
import resource
import socket
import sqlite3
import sys
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import haichi
from haichi.base.program import find_program
from haichi.service import json_bodies, limits, supervisor
from haichi.service.auth import WrongTokens
from haichi.service.data_folder import JobFolder
from haichi.service.problems import Problem
from haichi.service.program import Program
from haichi.service.rank_maps import placement_of

RING = {"kind": "map", "machine": "torus:4x4", "objective": "hop-bytes", "pattern": {"name": "ring", "ranks": 16}}
FORM = b'--X\r\nContent-Disposition: form-data; name="kind"\r\n\r\n%b\r\n--X--\r\n'


@pytest.mark.parametrize("charset", ["punycode", "undefined", "idna", "utf-7", '"PunyCode"', "latin-1"])
def test_a_form_is_in_utf_8(server, charset: str) -> None:
    """Some of Python's codecs take quadratic time or fail."""
    began = time.monotonic()
    status, answer = server.ask(
        "POST",
        "/v1/jobs",
        FORM % (b"-" + b"9" * 300_000),
        Content_Type=f"multipart/form-data; boundary=X; charset={charset}",
    )
    assert status == 415 and "UTF-8" in answer["error"]["hint"], answer
    assert time.monotonic() - began < 2


@pytest.mark.parametrize("charset", ["utf-8", "UTF8", "us-ascii"])
def test_a_form_may_say_so(server, charset: str) -> None:
    kind = {"Content_Type": f"multipart/form-data; boundary=X; charset={charset}"}
    status, answer = server.ask("POST", "/v1/jobs", FORM % b"nothing", **kind)
    assert status == 422 and "unknown kind" in answer["error"]["message"]


@pytest.mark.parametrize(
    "body",
    [
        {"kind": "map", "workload": [[[]] * 1000] * 2000},
        {f"field {number}": [1] * 1000 for number in range(1000)},
        {f"field {number}": "a" * 4000 for number in range(4000)},
        {f"field {number}": ["a" * 1000] * 1000 for number in range(10)},
    ],
)
def test_the_server_parses_little_of_large_json(tmp_path: Path, body: dict[str, Any]) -> None:
    with (tmp_path / "kept").open("wb") as output:
        told = json_bodies.taken_apart(json.dumps(body).encode(), output)
    assert len(json.dumps(told)) < 3 * 2**20


def test_words_of_large_json_stay_words(tmp_path: Path) -> None:
    body = {"log": ["a" * 1000] * 9000, "kind": "ccs", "sizes": ["1KiB", "2KiB"], "eager_limit": 8}
    with (tmp_path / "kept").open("wb") as output:
        told = json_bodies.taken_apart(json.dumps(body).encode(), output)["fields"]
    assert told["kind"] == {"is": "ccs"} and told["eager_limit"] == {"is": 8}
    assert told["sizes"] == {"list": [{"is": "1KiB"}, {"is": "2KiB"}]}
    assert len(told["log"]["list"]) == 9000


def memory_of(server: Any) -> int:
    """Returns the peak memory of the server process in KiB."""
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0])


def test_what_the_program_said_is_sent_in_pieces(start) -> None:
    server = start()
    job = server.client().submit(**RING).wait()
    with (server.data / "jobs" / job.id / "said.txt").open("ab") as said:
        said.truncate(400 * 2**20)
    before = memory_of(server)
    with urllib.request.urlopen(f"{server.url}/v1/jobs/{job.id}/log") as answer:
        assert answer.headers["Content-Type"].startswith("text/plain")
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert sum(iter(lambda: len(answer.read(2**20)), 0)) == 400 * 2**20
    assert memory_of(server) - before < 50 * 1024


def test_pages_of_jobs_end_where_they_get_long(start) -> None:
    server = start()
    made = [server.ask("POST", "/v1/jobs", RING | {"seed": seed})[1]["id"] for seed in range(12)]
    with sqlite3.connect(server.data / "queue.db", timeout=20) as queue:
        (text,) = queue.execute("SELECT request FROM jobs WHERE id = ?", (made[0],)).fetchone()
        long = json.dumps(json.loads(text) | {"names": {"map": "a" * 100_000}})
        queue.execute("UPDATE jobs SET request = ?", (long,))
    status, answer = server.ask("GET", "/v1/jobs?limit=1000")
    assert status == 200 and len(answer["jobs"]) == 3 and answer["next"] is not None
    assert [job.id for job in server.client().jobs()] == made[::-1]


def test_events_after_the_last_one_end_at_once(server) -> None:
    job = server.client().submit(**RING).wait()
    _, text = server.ask("GET", f"/v1/jobs/{job.id}/events")
    last = text.rpartition("id: ")[2].partition("\n")[0]
    for after in (last, "4611686018427387904"):
        status, text = server.ask("GET", f"/v1/jobs/{job.id}/events", Last_Event_ID=after)
        assert status == 200 and "event:" not in text


def test_the_addresses_of_wrong_tokens_take_little_memory() -> None:
    """The addresses come from the header X-Forwarded-For, which may have any length."""
    wrong = WrongTokens()
    for number in range(10):
        wrong.wait_of("a" * 60_000 + str(number))
    assert sum(map(len, wrong._of_address)) < 1000


@pytest.mark.parametrize("place", [Path(haichi.__file__).parent, Path(sys.prefix) / "lib", Path("/usr/local")])
def test_data_are_not_where_jobs_may_read(place: Path) -> None:
    with pytest.raises(haichi.InputError, match="jobs may read all files below"):
        Program(find_program()).check_apart(place / "data")


def test_jobs_do_not_read_all_of_a_prefix(monkeypatch, tmp_path: Path) -> None:
    """The prefix can be a home directory, for example after `python3 -m venv ~`."""
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    program = Program(find_program())
    assert str(tmp_path) not in program.own_files and str(tmp_path / "lib") in program.own_files
    program.check_apart(tmp_path / "data")


def test_many_connections_keep_nobody_out(start, tmp_path: Path) -> None:
    """Each of the connections has sent almost all of its request headers."""
    server = start()
    host, port = server.url.removeprefix("http://").split(":")
    soft, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    silent = []
    try:
        for _ in range(limits.Limits.connections + 500):
            silent.append(socket.create_connection((host, int(port)), timeout=10))
            silent[-1].sendall(b"GET /healthz HTTP/1.1\r\nX: " + b"x" * 2000)
        assert server.ask("GET", "/healthz") == (200, "ok\n")
        open_files = len(list(Path(f"/proc/{server.process.pid}/fd").iterdir()))
        assert open_files < limits.Limits.connections + 100
        assert silent[0].recv(1) == b""
    finally:
        for connection in silent:
            connection.close()
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, most))


def test_a_user_leaves_connections_to_others(start, tmp_path: Path) -> None:
    tokens = tmp_path / "tokens"
    tokens.write_text("".join(f"{user} {hashlib.sha256(user.encode()).hexdigest()}\n" for user in ("ann", "ben")))
    server = start("--token-file", str(tokens))
    long = RING | {"machine": "torus:8x8x8", "time": "300s", "pattern": {"name": "cg", "ranks": 512}}
    ann = {"Authorization": "Bearer ann"}
    job = server.ask("POST", "/v1/jobs", long, **ann)[1]["id"]
    host, port = server.url.removeprefix("http://").split(":")
    streams = []
    for _ in range(limits.Limits.requests_of_user):
        streams.append(socket.create_connection((host, int(port)), timeout=20))
        streams[-1].sendall(
            f"GET /v1/jobs/{job}/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ann\r\n\r\n".encode()
        )
    assert all(stream.recv(12) == b"HTTP/1.1 200" for stream in streams)
    status, answer = server.ask("GET", f"/v1/jobs/{job}", **ann)
    assert (status, answer["error"]["code"]) == (429, "too_many_requests")
    assert server.ask("GET", "/v1/jobs", Authorization="Bearer ben")[0] == 200
    for stream in streams:
        stream.close()
    for _ in range(100):
        status, answer = server.ask("GET", f"/v1/jobs/{job}", **ann)
        if status == 200:
            break
        time.sleep(0.1)
    assert status == 200


def test_the_systemd_unit_lets_landlock_through() -> None:
    """@system-service of Debian 12 (systemd 252) lacks the Landlock calls."""
    unit = Path(__file__).parents[3] / "examples" / "service" / "haichi-serve.service"
    allowed = [line for line in unit.read_text().splitlines() if line.startswith("SystemCallFilter=")]
    assert "SystemCallFilter=landlock_create_ruleset landlock_add_rule landlock_restrict_self" in allowed


def test_who_reads_what_is_removed_gets_all_of_it_or_a_404(server) -> None:
    client, logged = server.client(), len(server.log())
    told: set[int] = set()

    def read(job: str, route: str) -> None:
        for _ in range(12):
            told.add(server.ask("GET", f"/v1/jobs/{job}/{route}")[0])  # fails if a response is truncated

    for _ in range(8):
        job = client.submit(**RING).wait()
        routes = ("result", "result", "rankmap?format=csv", "jobscript", "comparison")
        with ThreadPoolExecutor(len(routes)) as readers:
            reading = [readers.submit(read, job.id, route) for route in routes]
            time.sleep(0.02)
            assert server.ask("DELETE", f"/v1/jobs/{job.id}")[0] == 200
            for one in reading:
                one.result()
    assert told <= {200, 404} and not any("exception" in line for line in server.log()[logged:])


def test_wrong_words_of_machines_take_no_time_of_the_server(server) -> None:
    """A machine with thousands of bridges between millions of nodes once took minutes to check."""
    for machine in ("9" * 4000, "nothing", "two-clusters:99999"):
        status, answer = server.ask("POST", "/v1/jobs", RING | {"machine": machine})
        assert status == 422, answer
    began = time.monotonic()
    with ThreadPoolExecutor(4) as users:
        asked = [RING | {"machine": f"two-clusters:4096,2ms,{2**21 - number}"} for number in range(4)]
        answers = list(users.map(lambda body: server.ask("POST", "/v1/jobs", body), asked))
    assert {status for status, _ in answers} <= {201, 422} and time.monotonic() - began < 20
    for status, answer in answers:
        if status == 201:
            server.client().job(answer["id"]).cancel()


def test_a_full_disk_is_told_where_a_placement_is_looked_for(tmp_path: Path, monkeypatch) -> None:
    folder = JobFolder(tmp_path)
    folder.result.write_text("{")
    for is_full, status in ((False, 500), (True, 507)):
        monkeypatch.setattr(supervisor, "is_full", lambda _, full=is_full: full)
        with pytest.raises(Problem) as told:
            asyncio.run(placement_of(folder, None))
        assert told.value.status == status
