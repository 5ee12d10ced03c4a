"""Users cannot see, cancel or read the jobs of others. The tests read the routes from the schema, so new routes are
tested, too."""

import contextlib
import hashlib
import http.client
import http.server
import threading
import time
import urllib.parse
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import haichi

RING = {"kind": "map", "machine": "torus:4x4", "objective": "hop-bytes", "pattern": {"name": "ring", "ranks": 16}}
OPEN = {"/healthz", "/readyz"}
"""Routes that do not concern a job."""


@pytest.fixture(scope="module")
def tokens(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tokens of two users. A token is the user's name, written twice."""
    lines = [f"{user} {hashlib.sha256((user * 2).encode()).hexdigest()}" for user in ("ann", "ben")]
    path = tmp_path_factory.mktemp("users") / "tokens"
    path.write_text("\n".join(["# users", *lines]))
    return path


@pytest.fixture(scope="module")
def shared(start_for_file, tokens: Path):
    """A server with two users."""
    return start_for_file("--token-file", str(tokens))


def test_users_are_isolated_on_every_route(shared) -> None:
    before = [one.id for one in shared.client("annann").jobs()]
    bens = [one.id for one in shared.client("benben").jobs()]
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
        own = mine + ("?purge=false" if method == "delete" else "")
        assert shared.ask(method.upper(), own, Authorization="Bearer annann")[0] in (200, 404, 409), (path, method)
    assert [one.id for one in shared.client("annann").jobs()] == [job.id, *before]
    assert [one.id for one in shared.client("benben").jobs()] == bens


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
    assert (
        "requires tokens, because it accepts other computers" in ran.stderr and "hint: use --token-file" in ran.stderr
    )


def test_pages_of_other_sites_do_not_get_through(server) -> None:
    assert server.ask("GET", "/v1/jobs")[0] == 200
    assert server.ask("GET", "/v1/jobs", Host="evil.example:8080")[1]["error"]["code"] == "wrong_host"
    assert server.ask("POST", "/v1/jobs", RING, Origin="http://evil.example")[1]["error"]["code"] == "wrong_origin"


EVERYWHERE = ("/", "/docs", "/metrics", "/openapi.json", "/v1/jobs", "/nowhere", "/static-offline-docs/swagger-ui.css")


def test_every_route_looks_at_the_host_and_stays_out_of_frames(server) -> None:
    address = urllib.parse.urlsplit(server.url).netloc
    for path in (*EVERYWHERE, "/healthz", "/readyz"):
        is_free = path in ("/healthz", "/readyz")
        for headers in ({"Host": "evil.example:8080"}, {"Origin": "http://evil.example"}, {"Host": address}):
            connection = http.client.HTTPConnection(address, timeout=30)
            connection.request("GET", path, headers=headers)
            answer = connection.getresponse()
            content = answer.read()
            connection.close()
            if headers.get("Host") == address or is_free:
                assert answer.status == (404 if path == "/nowhere" else 200), path
            else:
                assert answer.status == 403 and b'"wrong_' in content, (path, headers)
            assert answer.headers["X-Frame-Options"] == "DENY"
            assert "frame-ancestors 'none'" in answer.headers["Content-Security-Policy"]


def test_wrong_tokens_are_logged_and_slowed(start, tokens: Path) -> None:
    shared = start("--token-file", str(tokens))  # wrong tokens of other clients count as well
    began = time.monotonic()
    for _ in range(23):
        assert shared.ask("GET", "/v1/jobs", Authorization="Bearer guessed-words")[0] == 401
    assert time.monotonic() - began > 1
    began = time.monotonic()
    for _ in range(20):
        assert shared.ask("GET", "/v1/jobs", Authorization="Bearer annann")[0] == 200
        assert shared.ask("GET", "/v1/jobs")[0] == 401  # a missing token is not treated as a guess
    assert time.monotonic() - began < 5
    logged = [line for line in shared.log() if line["message"] == "rejected a token"]
    assert [line["refused"] for line in logged] == [1, 2, 4, 8, 16]
    assert {line["address"] for line in logged} == {"127.0.0.1"}
    assert "guessed-words" not in str(shared.log())


def test_addresses_wait_for_themselves_only() -> None:
    from haichi.service.auth import WrongTokens
    from haichi.service.problems import Problem

    now = 0.0
    wrong = WrongTokens(lambda: now)
    waits = [wrong.wait_of("a") for _ in range(24)]
    assert waits[:21] == [0.0] * 21 and waits[21:] == [0.5, 1.0, 1.5]
    assert wrong.wait_of("b") == 0.0
    for _ in range(57):
        assert wrong.wait_of("a") <= 30
    for _ in range(1000):  # requests during the waiting time do not extend it
        with pytest.raises(Problem) as told:
            wrong.wait_of("a")
        assert told.value.status == 429
    now = 60.0
    assert wrong.wait_of("a") == 0.0
    for number in range(10_000):
        wrong.wait_of(f"address {number}")
    assert len(wrong._of_address) == 4096


@contextlib.contextmanager
def answering(answer: Callable[[http.server.BaseHTTPRequestHandler], None]) -> Iterator[str]:
    """Runs a server that is not haichi, and yields its address."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:  # noqa: N802 - the library's name
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            answer(self)

        do_POST = do_DELETE = do_GET  # noqa: N815

        def log_message(self, *_: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as found:
        threading.Thread(target=found.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{found.server_address[1]}"
        found.shutdown()


def test_a_client_sends_its_token_nowhere_else(monkeypatch) -> None:
    heard: list[str | None] = []

    def hear(handler: http.server.BaseHTTPRequestHandler) -> None:
        heard.append(handler.headers["Authorization"])
        handler.send_response(200)
        handler.end_headers()
        handler.wfile.write(b'{"jobs": [], "next": null}')

    with answering(hear) as other:
        place = other

        def redirect(handler: http.server.BaseHTTPRequestHandler) -> None:
            if handler.path.startswith("/here"):
                hear(handler)
                return
            handler.send_response(307 if handler.command == "GET" else 302)
            handler.send_header("Location", f"{place}/v1/jobs")
            handler.send_header("Content-Length", "0")
            handler.end_headers()

        with answering(redirect) as url:
            client = haichi.Client(url, token="annann")
            localhost = url.replace("127.0.0.1", "localhost")
            for place in (other, localhost, url.replace("http:", "https:")):  # noqa: B007
                asks = (lambda: list(client.jobs()), lambda: client.submit(**RING), client.job("x").status)
                for ask in (*asks, client.job("x").cancel, lambda: next(client.job("x").events())):
                    with pytest.raises(
                        haichi.ServiceError, match="redirects to .*, which haichi does not follow"
                    ) as told:
                        ask()
                    assert "annann" not in str(told.value)
            assert heard == []
            place = f"{url}/here"  # the same server
            assert list(client.jobs()) == [] and heard == ["Bearer annann"]
            with pytest.raises(haichi.ServiceError, match="redirects"):
                client.submit(**RING)  # a redirected request would arrive without its content
            place = other
            monkeypatch.delenv("HAICHI_TOKEN", raising=False)
            assert list(haichi.Client(url).jobs()) == [] and heard[1:] == [None]
