"""Limits on bodies, rank maps, disk space and turns keep one client from blocking the others."""

import asyncio
import http.client
import json
import os
import threading
import time
import urllib.parse
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import haichi
from haichi.base.program import find_program
from haichi.service import json_bodies, limits, supervisor
from haichi.service.bodies import Bodies
from haichi.service.limits import Limits
from haichi.service.problems import Problem, WrongRequest
from haichi.service.program import Program
from haichi.service.queue import NewJob, Queue
from haichi.service.requests import job_request
from haichi.service.turns import Turns

RING = {"kind": "map", "machine": "torus:4x4", "objective": "hop-bytes", "pattern": {"name": "ring", "ranks": 16}}
FORM = "multipart/form-data; boundary=XX"
LONG = RING | {"machine": "torus:8x8x8", "time": "300s", "pattern": {"name": "cg", "ranks": 512}}


def test_large_json_is_taken_apart_by_a_process(server, cg_file: Path) -> None:
    options = {"machine": "torus:4x4x4", "objective": "hop-bytes", "evaluations": 2000}
    wanted = server.client().submit("map", workload=cg_file, **options).wait().result_text()
    for workload in (json.loads(cg_file.read_text()), cg_file.read_text() + " " * 300_000):
        body = {"kind": "map", "workload": workload, **options}
        status, job = server.ask("POST", "/v1/jobs", (json.dumps(body) + " " * 100_000).encode())
        assert status == 201, job
        assert server.client().job(job["id"]).wait().result_text() == wanted


@pytest.mark.parametrize(
    ("body", "status", "message"),
    [
        (b'{"kind": "map", "%s": 1}' % (b"a" * 1_000_000), 422, "unknown option 'aaaa"),
        (b'{"kind": "%s"}' % (b"a" * 1_000_000), 422, "kind must be a single word"),
        (b'{"kind": "map", "machine": "%s"}' % (b"a" * 1_000_000), 422, "machine must be a string or a number"),
        (
            b'{"kind": "map", "kind": 1, "a": "%s"}' % (b"a" * 1_000_000),
            400,
            "invalid JSON in the body: duplicate key 'kind'",
        ),
        (b'{"kind": "map", "a": %s' % (b"[" * 1_000_000), 400, "invalid JSON in the body: the nesting is too deep"),
        (b"[1]" + b" " * 1_000_000, 400, "invalid JSON in the body: expected an object"),
        (
            b'{"kind": "map", "workload": [[], "%s"]}' % (b"a" * 1_000_000),
            422,
            "workload must be the content of a file",
        ),
    ],
)
def test_large_json_is_refused_as_small_one_is(server, body: bytes, status: int, message: str) -> None:
    found, answer = server.ask("POST", "/v1/jobs", body)
    assert found == status and answer["error"]["message"].startswith(message), answer


def test_json_is_taken_apart(tmp_path: Path) -> None:
    large = {"a": ["b" * 5000]}
    body = json.dumps({"kind": "map", "workload": large, "log": ["c" * 5000, "d"], "n" * 2000: 1}).encode()
    with (tmp_path / "kept").open("wb") as output:
        told = json_bodies.taken_apart(body, output)["fields"]
    content = (tmp_path / "kept").read_bytes()
    assert told["kind"] == {"is": "map"} and told["n" * 1000] == {"is": 1}
    whole = told["workload"]
    assert content[whole["from"] :][: whole["size"]] == json.dumps(large).encode() and not whole["is_text"]
    first, second = told["log"]["list"]
    assert content[first["from"] :][: first["size"]] == b"c" * 5000 and first["is_text"] and second == {"is": "d"}


def test_names_are_cut_before_they_are_compared() -> None:
    began = time.monotonic()
    for fields in ({"kind": ["map"], "machine" * 1_000_000: ["x"]}, {"kind": ["map" * 2_000_000]}):
        with pytest.raises(WrongRequest):
            job_request(Program(find_program()), fields)
    assert time.monotonic() - began < 2


def test_bodies_have_so_much_together() -> None:
    bodies = Bodies(Limits(bodies_of_user_bytes=100, bodies_bytes=150))
    with bodies.account("ann") as first, bodies.account("ann") as second, bodies.account("ben") as third:
        first.charge(80)
        with pytest.raises(Problem) as too_much:
            second.charge(30)
        assert (too_much.value.status, too_much.value.code) == (429, "too_much_at_once")
        with pytest.raises(Problem) as full:
            third.charge(80)
        assert (full.value.status, full.value.code) == (503, "busy")
        third.charge(70)
    with bodies.account("ben") as account:
        account.charge(100)


@pytest.mark.parametrize("count", [2, 10_000])
def test_a_form_of_many_parts_leaves_room_for_others(server, count: int) -> None:
    part = b"--XX\r\nContent-Disposition: form-data; name=a; filename=b\r\n\r\n\r\n"
    connections = [http.client.HTTPConnection(urllib.parse.urlsplit(server.url).netloc, timeout=60) for _ in range(4)]
    for connection in connections:
        headers = {"Content-Type": "multipart/form-data; boundary=XX"}
        connection.request("POST", "/v1/jobs", part * count + b"--XX--\r\n", headers)

    def read_all() -> None:
        for connection in connections:
            connection.getresponse().read()
            connection.close()

    assert slowest_answer(server, read_all) < 1


def slowest_answer(server: Any, work: Any) -> float:
    """Returns the slowest response time of /healthz, in seconds, while `work` runs."""
    slowest = 0.0
    thread = threading.Thread(target=work)
    thread.start()
    while thread.is_alive():
        began = time.monotonic()
        assert server.ask("GET", "/healthz")[0] == 200
        slowest = max(slowest, time.monotonic() - began)
        time.sleep(0.05)
    return slowest


def test_rank_maps_wait_for_their_turn_without_a_thread(server) -> None:
    job = server.client().submit(**RING).wait()
    found = []

    def ask(number: int) -> None:
        found.append(job.rank_map("slurm", hosts=f"n{number}-[00-15]"))

    def ask_all() -> None:
        threads = [threading.Thread(target=ask, args=(number,)) for number in range(60)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    assert slowest_answer(server, ask_all) < 1
    assert len(set(found)) == 60
    folder = server.data / "jobs" / job.id
    assert len(list((folder / "maps").iterdir())) == Limits().kept_maps
    deadline = time.monotonic() + 60
    while list(folder.glob("map-*")):  # the service removes a map after the client has received it
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_turns_go_around() -> None:
    async def run() -> list[str]:
        turns = Turns(1, most_of_user=3, most=4)
        order = []
        begin = asyncio.Event()

        async def work(user: str, name: str) -> None:
            async with turns.of(user):
                await begin.wait()
                order.append(name)

        tasks = []
        for name in ("a1", "a2", "a3", "b1", "b2"):
            tasks.append(asyncio.create_task(work(name[0], name)))
            await asyncio.sleep(0)
        tasks[2].cancel()
        begin.set()
        await asyncio.gather(*tasks, return_exceptions=True)
        return order

    assert asyncio.run(run()) == ["a1", "a2", "b1", "b2"]


def test_so_many_wait_for_their_turn() -> None:
    async def status_of_next(user: str) -> tuple[int, str]:
        turns = Turns(1, most_of_user=2, most=3)
        async with turns.of("ann"):
            waiting = [asyncio.create_task(turns.of(name).__aenter__()) for name in ("ann", "ann", "ben")]
            await asyncio.sleep(0)
            with pytest.raises(Problem) as refused:
                await turns.of(user).__aenter__()
        for task in waiting:
            task.cancel()
        return refused.value.status, refused.value.code

    assert asyncio.run(status_of_next("ann")) == (429, "too_many_requests")
    assert asyncio.run(status_of_next("cid")) == (503, "busy")


def test_users_take_turns(tmp_path: Path) -> None:
    async def run() -> list[str]:
        queue = Queue(tmp_path / "queue.db")
        for name in ("a1", "a2", "a3", "b1", "c1", "b2"):
            await queue.add(NewJob(name, name[0], "map", {}, name), Limits())
        order = []
        for _ in range(6):
            job = await queue.claim()
            assert job is not None
            order.append(job.id)
            await queue.finish(job.id, "done", 0, None)
            await queue.remove(job.id)  # removing a job does not give its user an earlier turn
        return order

    assert asyncio.run(run()) == ["a1", "b1", "c1", "a2", "b2", "a3"]


def test_all_users_together_have_so_many_jobs(start) -> None:
    server = start("--max-jobs-total", "1")
    server.client().submit(**LONG)
    status, answer = server.ask("POST", "/v1/jobs", RING)
    assert (status, answer["error"]["code"]) == (503, "too_many_jobs")


def test_a_user_has_so_much_disk(start) -> None:
    server = start("--max-data", "300KiB")
    edges = b"0 1 5\n1 2 5\n" + b"#" * 150_000
    first = server.client().submit("map", workload=edges.decode(), machine="torus:4", objective="hop-bytes").wait()
    with pytest.raises(haichi.Error, match="would exceed the limit of 307200 bytes") as refused:
        server.client().submit("map", workload=edges.decode(), machine="torus:4")
    assert refused.value.status == 507 and "DELETE" in refused.value.hint  # type: ignore[attr-defined]
    server.kill()
    (server.data / "jobs" / first.id / "map-x").mkdir()
    server.start()
    assert not (server.data / "jobs" / first.id / "map-x").exists()
    assert server.ask("POST", "/v1/jobs", {"kind": "map", "machine": "torus:4", "workload": edges.decode()})[0] == 507
    first.remove()
    assert not (server.data / "jobs" / first.id).exists()
    server.client().submit("map", workload=edges.decode(), machine="torus:4", objective="hop-bytes").wait()


def test_small_files_count_as_what_they_take_on_the_disk(start, tmp_path: Path) -> None:
    for number in range(100):
        (tmp_path / str(number)).write_bytes(b"x")
    (tmp_path / "same").hardlink_to(tmp_path / "0")
    assert supervisor.bytes_in(str(tmp_path)) == 100 * 4096
    server = start("--max-data", "1MiB")
    status, answer = server.ask("POST", "/v1/jobs", many_logs(300), Content_Type=FORM)
    assert (status, answer["error"]["code"]) == (507, "too_much_data")
    assert server.ask("POST", "/v1/jobs", many_logs(100), Content_Type=FORM)[0] == 201


def many_logs(count: int) -> bytes:
    """Returns a form with `count` files of one byte."""
    files = "".join(
        f'--XX\r\nContent-Disposition: form-data; name="log"; filename="a-{number:04}.txt"\r\n\r\nx\r\n'
        for number in range(count)
    )
    kind = '--XX\r\nContent-Disposition: form-data; name="kind"\r\n\r\nccs\r\n'
    return (kind + files + "--XX--\r\n").encode()


@pytest.mark.parametrize(("files", "favail", "free"), [(0, 0, 8192), (5000, 0, 0), (5000, 2000, 8192)])
def test_a_disk_without_room_for_files_is_full(monkeypatch, files: int, favail: int, free: int) -> None:
    """Some file systems do not limit the number of files."""
    status = SimpleNamespace(f_bavail=2, f_frsize=4096, f_files=files, f_favail=favail)
    monkeypatch.setattr(os, "statvfs", lambda _: status)
    assert supervisor.free_bytes("/") == free


def test_a_job_has_its_share_of_the_processors(start) -> None:
    """4,096 threads would not fit the address space of the job."""
    search = {"restarts": 5000, "evaluations": 1, "objective": "tac3", "threads": 4096}
    start().client().submit("map", machine="torus:2x2x2", pattern={"name": "ring", "ranks": 8}, **search).wait()


def test_a_result_counts_as_well(start) -> None:
    server = start("--max-data", "100KiB")
    job = server.client().submit("map", machine="torus:16x16x16", strategy="default", objective="hop-bytes",
                                 pattern={"name": "ring", "ranks": 4096}).wait()  # fmt: skip
    assert (server.data / "jobs" / job.id / "result").stat().st_size > 20_000
    end = time.monotonic() + 10
    while server.ask("POST", "/v1/jobs", RING)[0] != 507:  # the size is recorded just after the job's end
        assert time.monotonic() < end
    assert job.rank_map("csv")
    assert not (server.data / "jobs" / job.id / "maps").exists() or not any(
        (server.data / "jobs" / job.id / "maps").iterdir()
    )
    assert server.ask("GET", f"/v1/jobs/{job.id}/comparison")[1]["error"]["code"] == "too_much_data"


def test_only_a_job_that_runs_is_told_to_be_ending(start) -> None:
    server = start()
    for _ in range(8):
        job = server.client().submit(**RING)
        job.wait()
        with ThreadPoolExecutor(6) as pool:
            statuses = list(pool.map(lambda path: server.ask("DELETE", path)[0], [f"/v1/jobs/{job.id}"] * 6))
        assert statuses.count(200) == 1 and set(statuses) <= {200, 404}


def test_delete_cancels_what_runs_and_removes_what_has_ended(start) -> None:
    server = start()
    running, waiting, other = (server.client().submit(**LONG) for _ in range(3))
    next(event for event in running.events() if event.data["state"] == "running")
    assert server.ask("DELETE", f"/v1/jobs/{waiting.id}")[1]["state"] == "cancelled"
    assert server.ask("GET", f"/v1/jobs/{waiting.id}")[0] == 200
    status, last = server.ask("DELETE", f"/v1/jobs/{waiting.id}")
    assert (status, last["state"], last["links"]) == (200, "cancelled", {})
    other.remove()
    running.remove()
    for job in (running, waiting, other):
        assert server.ask("GET", f"/v1/jobs/{job.id}")[0] == 404
        assert server.ask("DELETE", f"/v1/jobs/{job.id}")[0] == 404
    assert list((server.data / "jobs").iterdir()) == []
    done = server.client().submit(**RING).wait()
    with pytest.raises(haichi.OptionError, match="the job has already ended \\(done\\)"):
        done.cancel()
    assert done.result()["objective"] == "hop-bytes"
    assert server.ask("DELETE", f"/v1/jobs/{done.id}")[0] == 200
    for rest in ("", "/result", "/rankmap", "/events", "/log", "/comparison"):
        assert server.ask("GET", f"/v1/jobs/{done.id}{rest}")[0] == 404


def test_the_table_of_limits_is_in_the_docs() -> None:
    docs = Path(__file__).parents[3] / "docs" / "reference" / "http.md"
    assert limits.table() in docs.read_text(), f"docs/reference/http.md requires this table:\n{limits.table()}"


def test_options_of_serve_are_those_of_the_limits() -> None:
    from haichi import _core
    from haichi.service.command import _DEFAULTS, limits_of

    assert limits_of({}) == _DEFAULTS
    shown = _core.read_words([b"serve", b"--help"])
    for row in limits.rows():
        if row.option:
            assert f" --{row.option} " in shown
