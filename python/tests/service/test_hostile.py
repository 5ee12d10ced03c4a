"""The service handles unexpected behaviour of clients, disks and other users."""

import http.client
import json
import shutil
import signal
import socket
import time
import urllib.parse
from typing import Any

import pytest

RING = {"kind": "map", "machine": "torus:4x4", "objective": "hop-bytes", "pattern": {"name": "ring", "ranks": 16}}


def ask(server: Any, method: str, path: str, body: bytes = b"", **headers: str) -> tuple[int, Any, bytes]:
    """Sends a request and returns status, headers and content of the response."""
    connection = http.client.HTTPConnection(urllib.parse.urlsplit(server.url).netloc, timeout=30)
    connection.request(method, path, body or None, {name.replace("_", "-"): text for name, text in headers.items()})
    answer = connection.getresponse()
    content = answer.read()
    connection.close()
    return answer.status, answer.headers, content


def form(*fields: tuple[str, bytes], ends: bool = True) -> bytes:
    """Returns a multipart form. Each field is the text after `form-data; ` and the content."""
    parts = [f"--XX\r\nContent-Disposition: form-data; {head}\r\n\r\n".encode() + text for head, text in fields]
    return b"\r\n".join(parts) + (b"\r\n--XX--\r\n" if ends else b"\r\n")


FORM = {"Content_Type": "multipart/form-data; boundary=XX"}
JSON = {"Content_Type": "application/json"}
URLENCODED = {"Content_Type": "application/x-www-form-urlencoded"}
AS_JSON = "-H 'Content-Type: application/json'"
WORDS = [('name="kind"', b"map"), ('name="machine"', b"torus:4x4"), ('name="objective"', b"hop-bytes")]
EDGES = ('name="workload"; filename="e"', b"0 1 5\n1 2 5\n")


@pytest.mark.parametrize("path", ["/", "/v1/jobs", "/healthz", "/metrics", "/docs", "/openapi.json", "/v1/machines"])
def test_head_is_get_without_the_content(server, path: str) -> None:
    status, headers, content = ask(server, "HEAD", path)
    assert (status, content) == (200, b"")
    assert headers["Content-Type"] == ask(server, "GET", path)[1]["Content-Type"]


def test_head_of_events_does_not_wait_for_them(server) -> None:
    job = server.client().submit(**RING).wait()
    status, headers, _ = ask(server, "HEAD", f"/v1/jobs/{job.id}/events")
    assert status == 200 and headers["Content-Type"].startswith("text/event-stream")
    assert int(ask(server, "HEAD", f"/v1/jobs/{job.id}/result")[1]["Content-Length"]) == len(job.result_text())


@pytest.mark.parametrize(
    ("method", "path", "status", "message", "hint"),
    [
        ("GET", "/nowhere", 404, "unknown path /nowhere", "see /docs for all paths"),
        ("GET", "/v1/jobs/", 404, "unknown path /v1/jobs/", "see /docs for all paths"),
        ("GET", "/v1/jobs/..%2f..%2fetc%2fpasswd", 404, "unknown path /v1/jobs/../../etc/passwd", "see /docs for all"),
        ("PUT", "/v1/jobs", 405, "/v1/jobs does not support PUT", "use GET, HEAD, POST"),
        ("OPTIONS", "/v1/jobs/x", 405, "/v1/jobs/x does not support OPTIONS", "use DELETE, GET, HEAD"),
    ],
)
def test_what_is_not_there_is_told(server, method: str, path: str, status: int, message: str, hint: str) -> None:
    found, headers, content = ask(server, method, path)
    error = json.loads(content)["error"]
    assert (found, error["message"], error["hint"][: len(hint)]) == (status, message, hint)
    assert headers["Allow"] == (hint.removeprefix("use ") if status == 405 else None)


@pytest.mark.parametrize(
    ("body", "headers", "status", "message"),
    [
        (form(*WORDS, EDGES, ('name="kind"', b"ccs")), FORM, 422, "kind must be a single word"),
        (form(*WORDS, EDGES, WORDS[1]), FORM, 422, "machine must have a single value"),
        (form(*WORDS, EDGES, ('name="time"', b"5s"), ends=False), FORM, 400, "the end boundary is missing"),
        (form(*WORDS, EDGES), {"Content_Type": "multipart/form-data; boundary=YY"}, 400, "cannot read the form: "),
        (form(*WORDS, EDGES), {"Content_Type": "multipart/form-data"}, 400, "Missing boundary"),
        (form(*WORDS, ('name="workload"', b"x" * 2_000_000)), FORM, 400, "Part exceeded maximum size"),
        (form(*[(f'name="a{k}"', b"1") for k in range(10_001)]), FORM, 400, "Too many fields"),
        (form(("filename=x", b"1")), FORM, 400, "cannot read the form: "),
        (b"{}", {"Content_Type": "text/plain"}, 415, "the body must be application/json or multipart/form-data"),
        (b"{}", {**JSON, "Content_Encoding": "gzip"}, 415, "unsupported content encoding 'gzip'"),
        (b"{}", {**JSON, "Content_Length": "99999999999"}, 413, "more than 33554432 bytes"),
        (b"{}", {**FORM, "Content_Length": "99999999999"}, 413, "more than 268435456 bytes"),
        (b'{"kind": "map", "kind": "ccs"}', JSON, 400, "duplicate key 'kind'"),
        (b'{"kind": "map", "seed": %s}' % (b"9" * 5000), JSON, 400, "a number has too many digits"),
        (b'{"kind": 5}', JSON, 422, "kind must be a single word"),
    ],
)
def test_bodies_that_nobody_means_are_refused(
    server, body: bytes, headers: dict[str, str], status: int, message: str
) -> None:
    found, _, content = ask(server, "POST", "/v1/jobs", body, **headers)
    assert found == status and message in json.loads(content)["error"]["message"]


@pytest.mark.parametrize(
    ("body", "headers", "message", "hint"),
    [
        (b'{"kind": "map"}', URLENCODED, "is JSON, but its header states application/x-www-form-urlencoded", AS_JSON),
        (b'\xef\xbb\xbf\n [{"kind": "map"}]', URLENCODED, "is JSON, but its header states", AS_JSON),
        (b'{"kind": "map"}', FORM, "is JSON, but its header states multipart/form-data", AS_JSON),
        (form(*WORDS, EDGES), JSON, "is a form, but its header states application/json", "omit the header; use curl"),
        (b"kind=map&machine=torus:4x4", JSON, "is a form, but its header states application/json", "omit the header"),
        (b'{"kind": "map"}', {"Content_Type": "text/plain"}, "must be application/json", AS_JSON),
    ],
)
def test_bodies_of_another_type_than_their_header(
    server, body: bytes, headers: dict[str, str], message: str, hint: str
) -> None:
    status, _, content = ask(server, "POST", "/v1/jobs", body, **headers)
    error = json.loads(content)["error"]
    assert status == 415 and message in error["message"] and hint in error["hint"]


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ({"name": "nope", "ranks": 4}, "unknown pattern 'nope'"),
        ({"name": "ring", "ranks": -1}, "--ranks: must not be negative, found '-1'"),
        ({"name": "ring", "ranks": 10**12}, "--ranks: '1000000000000' is too large"),
        ({"name": "ring", "ranks": 4, "output": "x"}, "pattern: unknown option 'output'"),
        ({"name": "ring", "ranks": 4, "bytes": "x"}, "--bytes: expected a size such as '64KiB', found 'x'"),
    ],
)
def test_wrong_patterns_are_refused_at_once(server, pattern: dict[str, Any], message: str) -> None:
    status, answer = server.ask("POST", "/v1/jobs", RING | {"pattern": pattern})
    assert status == 422 and answer["error"]["message"].startswith(message)
    assert "output" not in answer["error"]["hint"]


def test_names_of_files_are_for_reading_only(server) -> None:
    for name in ("../../文件😀.json", "/etc/passwd", "a%0d%0ab", "\u202eevil"):
        body = form(*WORDS, (f'name="workload"; filename="{name}"', EDGES[1]))
        status, _, content = ask(server, "POST", "/v1/jobs", body, **FORM)
        job = json.loads(content)
        assert status == 201 and job["arguments"][-1] == "--workload=workload"
        assert all(letter.isprintable() for letter in job["inputs"]["workload"])
        server.client().job(job["id"]).wait()
        assert {path.name for path in (server.data / "jobs" / job["id"] / "work").iterdir()} <= {"workload"}


def test_a_failed_job_has_no_result_to_wait_for(server) -> None:
    job = server.client().submit("map", workload="{", machine="torus:4")
    assert [event.data["state"] for event in job.events()][-1] == "failed"
    status, answer = server.ask("GET", f"/v1/jobs/{job.id}/result")
    assert (status, answer["error"]["hint"]) == (409, "see its status")


def test_many_who_say_nothing_keep_nobody_out(server) -> None:
    host, port = urllib.parse.urlsplit(server.url).netloc.split(":")
    silent = []
    for index in range(600):
        silent.append(socket.create_connection((host, int(port)), timeout=10))
        silent[-1].sendall((b"", b"GET /heal", b"POST /v1/jobs HTTP/1.1\r\nContent-Length: 9\r\n\r\n{")[index % 3])
    assert server.ask("GET", "/healthz") == (200, "ok\n")
    assert server.client().submit(**RING).wait().result()["objective"] == "hop-bytes"
    for connection in silent:
        connection.close()


@pytest.mark.slow
def test_who_does_not_go_on_is_left(server) -> None:
    """A silent client gets a response after a minute."""
    host, port = urllib.parse.urlsplit(server.url).netloc.split(":")
    told = []
    connections = [socket.create_connection((host, int(port)), timeout=90) for _ in range(3)]
    head = b"POST /v1/jobs HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{"
    for connection, text in zip(connections, (b"", b"GET /heal", head), strict=True):
        connection.sendall(text)
    for connection in connections:
        with connection, connection.makefile("rb") as answer:
            told.append(answer.read())
    assert told[:2] == [b"", b""]
    assert told[2].startswith(b"HTTP/1.1 408 ") and b"the rest of the request did not arrive for 60 s" in told[2]


@pytest.mark.parametrize("replaced", [False, True])
def test_a_data_folder_that_is_removed_takes_no_jobs(start, replaced: bool) -> None:
    server = start()
    server.client().submit(**RING).wait()
    shutil.rmtree(server.data)
    if replaced:
        start(name=server.data.name)  # another server with the same data directory
    for method, path in (("POST", "/v1/jobs"), ("GET", "/readyz")):
        status, answer = server.ask(method, path, RING if method == "POST" else None)
        assert (status, answer["error"]["code"]) == (503, "data_gone"), answer
        assert f"the data directory {server.data} was removed while the server ran" in answer["error"]["message"]
    assert server.ask("GET", "/healthz")[0] == 200
    assert server.stop() == 0


def test_ctrl_c_is_a_stop(start) -> None:
    server = start()
    server.client().submit(**RING).wait()
    server.process.send_signal(signal.SIGINT)
    time.sleep(0.05)
    server.process.send_signal(signal.SIGINT)
    assert server.process.wait(timeout=30) in (0, 130)
    assert not any("exception" in line for line in server.log())


@pytest.mark.slow
def test_a_thousand_jobs_wait_and_one_more_does_not(start) -> None:
    server = start()
    long = RING | {"machine": "torus:8x8x8", "time": "300s", "pattern": {"name": "cg", "ranks": 512}}
    first = server.client().submit(**long)
    waiting = [server.ask("POST", "/v1/jobs", RING | {"seed": 1})[1]["id"] for _ in range(999)]
    status, answer = server.ask("POST", "/v1/jobs", RING)
    assert (status, answer["error"]["code"]) == (429, "too_many_jobs")
    assert [job.id for job in server.client().jobs()] == [*waiting[::-1], first.id]
    first.cancel()
    for name in waiting[5:]:
        server.client().job(name).cancel()
    for name in waiting[:5]:
        assert server.client().job(name).wait().result()["objective"] == "hop-bytes"
