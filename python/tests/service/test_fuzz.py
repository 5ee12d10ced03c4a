"""Requests and jobs with hostile content in every part. HAICHI_FUZZ_SECONDS sets the duration of each test."""

import http.client
import json
import os
import random
import socket
import threading
import time
import urllib.parse
from collections import Counter
from typing import Any

from hostile_jobs import Jobs

SECONDS = float(os.environ.get("HAICHI_FUZZ_SECONDS", "8"))
SEED = int(os.environ.get("HAICHI_FUZZ_SEED", "34"))
HEALTH_SECONDS = float(os.environ.get("HAICHI_FUZZ_HEALTH_SECONDS", "5"))
"""Limit for the response time of /healthz. It is generous, because the tests share their processors."""
JOB_SECONDS = os.environ.get("HAICHI_FUZZ_JOB_SECONDS", "10s")
JOB_MEMORY = os.environ.get("HAICHI_FUZZ_JOB_MEMORY", "8GiB")
"""A program with sanitizers needs a higher limit, because it reserves terabytes of address space."""
JOB = {"kind": "map", "machine": "torus:4x4", "objective": "hop-bytes", "evaluations": "100"}
LINES = (b"GET /v1/jobs HTTP/1.1", b"GET /v1/jobs?limit=5&state=done HTTP/1.1", b"GET /v1/machines HTTP/1.1")
LINES += tuple(
    f"{method} /v1/jobs/{path} HTTP/1.1".encode()
    for method, path in (
        ("GET", "abc"),
        ("DELETE", "abc"),
        ("GET", "abc/events"),
        ("GET", "abc/rankmap?format=slurm&shape=2x2&hosts=n%25d"),
        ("GET", "abc/jobscript?scheduler=pjm&file=x"),
    )
)
PIECES = (b"\x00", b"\xff\xfe", b"%00", b"%", b"..%2f", b"\r\n", b"\n", b"{", b"[[[[", b'"', b"1e999", b"-1", b"NaN")
PIECES += (b"99999999999999999999", b"A" * 5000, "\u202e\u0000\ud7ff".encode(), b"Transfer-Encoding: chunked\r\n")
PIECES += (b"Content-Length: 7\r\n", b"Host: example.org\r\n", b"Expect: 100-continue\r\n", b"Last-Event-ID: -1\r\n")


def request(chosen: random.Random) -> bytes:
    """Returns a random request that the server accepts."""
    kind = chosen.randrange(4)
    if kind == 0:
        return chosen.choice(LINES) + b"\r\nHost: 127.0.0.1\r\n\r\n"
    if kind == 1:
        fields = {**{f'"{name}"': text for name, text in JOB.items()}, '"workload"; filename="e"': "0 1 5\n1 2 5\n"}
        parts = [
            f"--XX\r\nContent-Disposition: form-data; name={name}\r\n\r\n{text}\r\n" for name, text in fields.items()
        ]
        body = ("".join(parts) + "--XX--\r\n").encode()
        said = b"multipart/form-data; boundary=XX"
    elif kind == 2:
        body = json.dumps(JOB | {"pattern": {"name": "ring", "ranks": 16}}).encode()
        said = b"application/json"
    else:
        body = urllib.parse.urlencode(JOB | {"pattern": '{"name": "ring", "ranks": 16}'}).encode()
        said = b"application/x-www-form-urlencoded"
    head = b"POST /v1/jobs HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: " + said
    return head + b"\r\nContent-Length: %d\r\n\r\n" % len(body) + body


def changed(text: bytes, chosen: random.Random) -> bytes:
    for _ in range(chosen.randint(1, 4)):
        at, end = sorted(chosen.randrange(len(text) + 1) for _ in range(2))
        end = min(end, at + chosen.choice((1, 4, 40)))
        how = chosen.randrange(4)
        if how == 0:
            text = text[:at] + chosen.choice(PIECES) + text[at:]
        elif how == 1:
            text = text[:at] + chosen.randbytes(end - at) + text[end:]
        elif how == 2:
            text = text[:at] + text[end:]
        else:
            text = text[:end] + text[at:end] * chosen.choice((1, 3, 50)) + text[end:]
    return text


def answers(server: Any, text: bytes) -> list[int]:
    """Sends data, disconnects, and returns the status of each response."""
    address = urllib.parse.urlsplit(server.url)
    content = b""
    with socket.create_connection((address.hostname, address.port), timeout=20) as client:
        try:
            client.sendall(text)
            client.shutdown(socket.SHUT_WR)
            while part := client.recv(65536):
                content += part
        except ConnectionError:
            pass
    return [int(part[:3]) for part in content.split(b"HTTP/1.1 ")[1:] if part[:3].isdigit()]


def test_no_request_is_a_fault_of_the_server(start) -> None:
    server = start("--workers", "1", "--max-memory", JOB_MEMORY)
    chosen = random.Random(SEED)
    ends = time.monotonic() + SECONDS
    asked = 0
    while time.monotonic() < ends:
        text = changed(request(chosen), chosen)
        statuses = answers(server, text)
        asked += 1
        assert all(status < 500 for status in statuses), text
        if asked % 100 == 0:
            assert server.ask("GET", "/healthz") == (200, "ok\n")
    assert asked > 20
    assert server.ask("GET", "/healthz") == (200, "ok\n")
    assert not [line for line in server.log() if line["level"] == "error"]
    print(f"{asked} requests")


class Health:
    """Requests /healthz continuously and records the slowest response time."""

    def __init__(self, server: Any) -> None:
        self._netloc = urllib.parse.urlsplit(server.url).netloc
        self._over = threading.Event()
        self.slowest = 0.0
        self.failure = ""
        self._thread = threading.Thread(target=self._ask)

    def __enter__(self) -> "Health":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _ask(self) -> None:
        while not self._over.wait(0.1):
            begin = time.monotonic()
            try:
                connection = http.client.HTTPConnection(self._netloc, timeout=30)
                connection.request("GET", "/healthz")
                status = connection.getresponse().status
                connection.close()
                self.failure = self.failure or ("" if status == 200 else f"status {status}")
            except OSError as error:
                self.failure = self.failure or repr(error)
            self.slowest = max(self.slowest, time.monotonic() - begin)


def end_of(server: Any, job: str) -> dict[str, Any]:
    """Waits until a job has ended and returns its state from the server."""
    end = time.monotonic() + 120
    while True:
        status, told = server.ask("GET", f"/v1/jobs/{job}")
        assert status == 200 and time.monotonic() < end, told
        if told["state"] not in ("queued", "running"):
            return dict(told)
        time.sleep(0.02)


def test_no_job_is_a_fault_of_the_program(start) -> None:
    server = start("--workers", "1", "--max-time", JOB_SECONDS, "--max-memory", JOB_MEMORY)
    chosen = random.Random(SEED)
    jobs = Jobs(chosen)
    ends = time.monotonic() + SECONDS
    counts: Counter[str] = Counter()
    with Health(server) as health:
        # Few of these jobs are valid, so a busy machine may need longer to complete the first one.
        while time.monotonic() < ends or (not counts["done"] and time.monotonic() < ends + 60):
            job = jobs.next()
            content_type, body = job.form() if chosen.random() < 0.5 else job.json()
            status, answer = server.ask("POST", "/v1/jobs", body, Content_Type=content_type)
            counts[str(status)] += 1
            assert status < 500, (job, answer)
            if status != 201:
                continue
            ended = end_of(server, answer["id"])
            code = (ended["error"] or {}).get("code", "")
            counts[f"{ended['state']} {code}".strip()] += 1
            assert code in ("", "bad_input", "requirement", "time_limit", "cpu_limit", "disk_limit"), (job, ended)
            for what in ("result", "log", "rankmap?format=json", "jobscript?scheduler=pjm", "comparison"):
                if chosen.random() < 0.1:
                    status, answer = server.ask("GET", f"/v1/jobs/{ended['id']}/{what}")
                    assert status < 500, (job, what, answer)
    print(dict(counts), f"slowest /healthz: {health.slowest:.3f} s")
    assert not health.failure
    assert health.slowest < HEALTH_SECONDS
    assert counts["done"] > 0
    assert not [line for line in server.log() if line["level"] == "error"]
