"""Jobs survive terminated processes, a full queue and a stop of the server."""

import importlib.util
import json
import os
import random
import signal
import sqlite3
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

RING = {"kind": "map", "machine": "torus:4x4", "objective": "hop-bytes", "pattern": {"name": "ring", "ranks": 16}}
LONG = {
    **{"kind": "map", "machine": "torus:8x8x8", "objective": "tac3", "time": "300s"},
    "pattern": {"name": "cg", "ranks": 512},
}


@pytest.fixture(scope="module")
def faults():
    path = Path(__file__).with_name("kill_processes.py")
    found = importlib.util.spec_from_file_location("kill_processes", path)
    assert found is not None and found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


def until(condition: Callable[[], Any], seconds: float = 300) -> Any:
    """Waits until the condition is true, and returns its value."""
    end = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < end
        time.sleep(0.02)
    return found


def starts_of(server, job) -> list[dict[str, Any]]:
    return [line for line in server.attempts(job.id) if line["event"] == "start"]


def wait_until_it_runs(server, job) -> None:
    for event in job.events():
        if event.data["state"] == "running":
            break
    until(lambda: starts_of(server, job))


@pytest.mark.slow
def test_no_job_is_lost_when_the_server_is_killed(start, faults) -> None:
    seeds = range(6)
    results = faults.undisturbed(start("--workers", "2", name="calm"), seeds)
    server = start("--workers", "2")
    jobs = {seed: server.client().submit(**faults.fields_of(seed)).id for seed in seeds}
    faults.kill_at_random(server, 4, random.Random(1), pause=1.5)
    faults.check(server, jobs, results)


@pytest.mark.slow
@pytest.mark.parametrize("what", ["worker", "scheduler", "server"])
def test_no_job_is_lost_on_a_dask_cluster(tmp_path: Path, faults, monkeypatch, what: str) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    faults.run_on_dask(tmp_path / "run", what, jobs=4, kills=3, draw=random.Random(2), pause=6)


@pytest.mark.slow
def test_jobs_on_dask_are_those_of_this_computer(start, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    from dask_cluster import Cluster, Watch

    from haichi.service import landlock

    cluster = Cluster(tmp_path / "cluster", workers=1)
    watch = Watch(tmp_path / "cluster")
    try:
        cluster.wait()
        server, here = start("--dask", cluster.address), start(name="here")
        compare = {"machine": "torus:4x4", "strategies": "default,random", "seeds": 1, "pattern": RING["pattern"]}
        jobs = [[one.client().submit(**RING), one.client().submit("compare", **compare)] for one in (server, here)]
        for far, near in zip(*jobs, strict=True):
            assert far.wait().result_text() == near.wait().result_text()
        assert jobs[0][0].rank_map("csv") == jobs[1][0].rank_map("csv")
        assert jobs[0][1].report() == jobs[1][1].report()
        for one, (job, _) in zip((server, here), jobs, strict=True):
            assert one.attempts(job.id)[0]["landlock"] == landlock.version()
        wrong = server.client().submit("map", workload="{}", machine="torus:4")
        assert [event.data["state"] for event in wrong.events()][-1] == "failed"
        long = server.client().submit(**LONG)
        assert "progress" in {event.name for event, _ in zip(long.events(), range(4), strict=False)}
        long.cancel()
        assert [event.data["state"] for event in long.events() if event.name == "state"][-1] == "cancelled"
        watch.end()
    finally:
        cluster.close()


@pytest.mark.slow
def test_a_scheduler_that_is_not_there_is_told(tmp_path: Path) -> None:
    import subprocess

    command = [
        sys.executable,
        "-P",
        "-m",
        "haichi",
        "serve",
        "--port=0",
        f"--data={tmp_path}",
        "--dask=tcp://127.0.0.1:9",
    ]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 2 and "cannot reach a Dask scheduler" in ran.stderr


def test_a_killed_process_of_a_job_runs_again(start, faults) -> None:
    server = start()
    job = server.client().submit(**LONG)
    wait_until_it_runs(server, job)
    (supervisor,) = {line["pid"] for line in server.attempts(job.id)}
    os.kill(supervisor, signal.SIGKILL)
    until(lambda: len(starts_of(server, job)) >= 2)
    assert [line["attempt"] for line in starts_of(server, job)] == [1, 2]
    running = [pid for pid in faults.processes_in(server.data)]
    assert len(running) <= 1
    job.cancel()
    assert [event.data["state"] for event in job.events()][-1] == "cancelled"
    assert faults.processes_in(server.data) == {}


@pytest.mark.parametrize("what", ["process", "server"])
def test_a_job_limited_by_time_goes_on_from_its_best(start, faults, what: str) -> None:
    server = start()
    limit, asked = 6.0, LONG | {"objective": "hop-bytes", "threads": 1}
    job = server.client().submit(**asked | {"time": f"{limit}s"})
    kept = server.data / "jobs" / job.id / "work" / "checkpoint.json"

    def has_begun() -> bool:
        # Before the first placement, the checkpoint contains no search. A timed search is planned from the speed at
        # its start. If other processes slow the start, the search may end long before its limit. The test therefore
        # does not wait longer than necessary.
        if not kept.exists():
            return False
        found = json.loads(kept.read_text())
        return found["seconds"] >= 1 and bool(found["searches"])

    until(has_begun)
    if what == "server":
        server.kill()
        before = json.loads(kept.read_text())
        server.start()
        job = server.client().job(job.id)
    else:
        for pid in faults.processes_in(server.data):
            os.kill(pid, signal.SIGKILL)
        before = json.loads(kept.read_text())
    result = job.wait().result()
    assert result["value"] <= before["searches"][0]["value"]
    assert result["seconds_of_earlier_runs"] >= before["seconds"] >= 1
    assert result["time_limit_seconds"] == limit and result["reproducible"] is False
    *_, begin, end = server.attempts(job.id)
    assert (begin["attempt"], end["attempt"]) == (2, 2)
    assert end["at"] - begin["at"] < limit - before["seconds"] + 5  # the whole search does not run again
    assert not kept.exists()


@pytest.mark.slow
def test_a_program_that_is_killed_again_and_again_fails_its_job(start, faults) -> None:
    server = start()
    job = server.client().submit(**LONG)
    killed = set()

    def has_failed() -> bool:
        for pid in faults.processes_in(server.data).keys() - killed:
            killed.add(pid)
            os.kill(pid, signal.SIGKILL)
        return bool(job.status()["state"] == "failed")

    until(has_failed)
    assert "was killed 3 times" in job.status()["error"]["message"]


def test_nothing_runs_without_the_server(start, faults) -> None:
    server = start()
    job = server.client().submit(**LONG)
    wait_until_it_runs(server, job)
    until(lambda: faults.processes_in(server.data))
    server.kill()
    until(lambda: not faults.processes_in(server.data), seconds=10)


@pytest.mark.slow
def test_a_stop_lets_short_jobs_end_and_puts_long_ones_back(start) -> None:
    server = start("--workers", "2", "--grace", "4s")
    short, long = server.client().submit(**RING), server.client().submit(**LONG)
    wait_until_it_runs(server, long)
    assert server.stop() == 0
    with sqlite3.connect(server.data / "queue.db") as queue:
        states = dict(queue.execute("SELECT id, state FROM jobs"))
    assert states == {short.id: "done", long.id: "queued"}
    server.start()
    job = server.client().job(long.id)
    wait_until_it_runs(server, job)
    job.cancel()


def test_a_stop_ends_what_requests_wait_for(start) -> None:
    server = start()
    fields = {"machine": "torus:10x10x10", "strategy": "random", "objective": "hop-bytes"}
    job = server.client().submit("map", pattern={"name": "alltoall-pairwise", "ranks": 1000}, **fields).wait()
    answers: list[tuple[int, object]] = []
    path = f"/v1/jobs/{job.id}/comparison"
    asking = threading.Thread(target=lambda: answers.append(server.ask("GET", path)))
    asking.start()
    until(lambda: list((server.data / "jobs" / job.id).glob("comparing-*/work/said.txt")))
    begin = time.monotonic()
    assert server.stop() == 0
    assert time.monotonic() - begin < 8  # the stop ends the comparison and does not wait for it
    asking.join()
    assert answers[0][0] == 503


def test_comparisons_are_made_side_by_side(start) -> None:
    workers = min(2, len(os.sched_getaffinity(0)))
    server = start("--workers", str(workers))
    fields = {"machine": "torus:10x10x10", "strategy": "random", "objective": "hop-bytes"}
    pattern = {"name": "alltoall-pairwise", "ranks": 1000}
    jobs = [server.client().submit("map", pattern=pattern, **fields, seed=seed) for seed in range(workers + 1)]
    for job in jobs:
        job.wait()
    asked = [job.id for job in jobs for _ in range(2)]
    asking = [
        threading.Thread(target=server.ask, args=("GET", f"/v1/jobs/{name}/comparison"), daemon=True) for name in asked
    ]
    for thread in asking:
        thread.start()
    end = time.monotonic() + 60
    seen: set[Path] = set()
    while len(seen) < workers:
        assert time.monotonic() < end
        seen = set((server.data / "jobs").glob("*/comparing-*"))
        time.sleep(0.02)
    time.sleep(0.5)
    seen = set((server.data / "jobs").glob("*/comparing-*"))
    assert len(seen) == len({path.parent for path in seen}) == workers  # one per job
    assert server.stop() == 0
    for thread in asking:
        thread.join()


def test_a_queue_that_is_locked_is_told(start) -> None:
    server = start()
    other = sqlite3.connect(server.data / "queue.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    status, answer = server.ask("POST", "/v1/jobs", RING)
    assert (status, answer["error"]["code"]) == (503, "busy")
    assert server.ask("GET", "/v1/jobs")[0] == 200
    other.execute("ROLLBACK")
    assert server.client().submit(**RING).wait().result()["objective"] == "hop-bytes"


def test_one_server_at_a_time_has_the_data(start, tmp_path: Path) -> None:
    import subprocess

    server = start()
    command = [sys.executable, "-P", "-m", "haichi", "serve", "--port", "0", "--data", str(server.data)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 2 and "another server uses this data directory" in ran.stderr


def test_network_file_systems_are_refused(monkeypatch, tmp_path: Path) -> None:
    import haichi
    from haichi.service import data_folder

    monkeypatch.setattr(data_folder, "file_system_of", lambda _: "nfs4")
    with pytest.raises(haichi.UnsupportedError, match="network file system") as told:
        data_folder.DataFolder(tmp_path / "data")
    assert "data /var/lib/haichi" in told.value.hint
