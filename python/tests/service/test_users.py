"""Nobody sees, cancels or reads the jobs of others. The routes come from the schema: a new one is covered by itself."""

import hashlib
from pathlib import Path

import pytest

RING = {"kind": "map", "machine": "torus:4x4", "objective": "hop-bytes", "pattern": {"name": "ring", "ranks": 16}}
OPEN = {"/healthz", "/readyz", "/metrics"}
"""Routes that are about no job."""


@pytest.fixture
def shared(start, tmp_path: Path):
    """A server with two users; their tokens are their names, twice."""
    lines = [f"{user} {hashlib.sha256((user * 2).encode()).hexdigest()}" for user in ("ann", "ben")]
    (tmp_path / "tokens").write_text("\n".join(["# users", *lines]))
    return start("--token-file", str(tmp_path / "tokens"))


def test_users_are_isolated_on_every_route(shared) -> None:
    job = shared.client("annann").submit(**RING).wait()
    routes = shared.ask("GET", "/openapi.json")[1]["paths"]
    assert "/v1/jobs/{job_id}/events" in routes
    of_jobs = [(path, method) for path, methods in routes.items() for method in methods if "{job_id}" in path]
    assert len(of_jobs) >= 7
    for path, method in of_jobs:
        mine = path.replace("{job_id}", job.id)
        status, answer = shared.ask(method.upper(), mine, Authorization="Bearer benben")
        assert (status, answer["error"]["code"]) == (404, "no_job"), (path, method)
        unknown = shared.ask(method.upper(), path.replace("{job_id}", "0" * 32), Authorization="Bearer benben")
        assert unknown[1]["error"]["message"].replace("0" * 32, job.id) == answer["error"]["message"]
        assert shared.ask(method.upper(), mine, Authorization="Bearer annann")[0] in (200, 404, 409), (path, method)
    assert [one.id for one in shared.client("annann").jobs()] == [job.id]
    assert list(shared.client("benben").jobs()) == []


def test_keys_of_two_users_are_two(shared) -> None:
    ids = {shared.client(token).submit(**RING, idempotency_key="one").id for token in ("annann", "benben")}
    assert len(ids) == 2


def test_every_route_asks_for_a_token(shared) -> None:
    for path, methods in shared.ask("GET", "/openapi.json")[1]["paths"].items():
        for method in methods:
            for headers in ({}, {"Authorization": "Bearer x"}, {"Authorization": "Basic annann"}):
                status, answer = shared.ask(method.upper(), path, **headers)
                assert status == (200 if path in OPEN else 401), (path, method, answer)


def test_hosts_that_others_reach_need_tokens(tmp_path: Path, run_program) -> None:
    import subprocess
    import sys

    ran = subprocess.run(
        [sys.executable, "-P", "-m", "haichi", "serve", "--host", "0.0.0.0", "--data", str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 2
    assert "there are no tokens" in ran.stderr and "hint: --token-file" in ran.stderr


def test_pages_of_other_sites_do_not_get_through(start) -> None:
    server = start()
    assert server.ask("GET", "/v1/jobs")[0] == 200
    assert server.ask("GET", "/v1/jobs", Host="evil.example:8080")[1]["error"]["code"] == "wrong_host"
    assert server.ask("POST", "/v1/jobs", RING, Origin="http://evil.example")[1]["error"]["code"] == "wrong_origin"
