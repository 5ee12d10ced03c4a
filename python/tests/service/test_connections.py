"""Protection of the server against clients that misuse connections."""

import asyncio
import hashlib
import json
import re
import socket
import urllib.parse
from pathlib import Path
from typing import Any

import pytest
import uvicorn

from haichi.service.connections import PatientProtocol
from haichi.service.limits import Limits

CHUNKED = (
    b"POST /v1/jobs HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
)


def answer_to(server: Any, *parts: bytes) -> bytes:
    """Returns everything that the server sends until it closes the connection."""
    host, port = urllib.parse.urlsplit(server.url).netloc.split(":")
    with socket.create_connection((host, int(port)), timeout=20) as connection:
        for part in parts:
            connection.sendall(part)
        with connection.makefile("rb") as answer:
            return answer.read()


@pytest.mark.parametrize(
    "parts",
    [
        [b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nA: " + b"a" * 70_000],
        [b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nA: ", *[b"a" * 1000] * 70],
        [b"GET /healthz?" + b"a" * 70_000],
        [b"GET /healthz HTTP/1.1\r\n" + b"a:\r\n" * 130 + b"\r\n"],
        [b"\r\n" * 40_000],
        [b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", b"GET /healthz HTTP/1.1\r\nA: " + b"a" * 80_000],
    ],
)
def test_heads_are_limited_while_they_arrive(server, parts: list[bytes]) -> None:
    status, _, rest = answer_to(server, *parts).rpartition(b"HTTP/1.1 ")[2].partition(b"\r\n")
    assert status.startswith(b"431 ") and b"Connection: close" in rest
    assert json.loads(rest.partition(b"\r\n\r\n")[2])["error"]["message"].startswith("the head of the request has more")


def test_a_head_within_the_limits_is_read(server) -> None:
    head = (
        b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nA: "
        + b"a" * 65_000
        + b"\r\n"
        + b"b:c\r\n" * 90
    )
    assert answer_to(server, head, b"\r\n").startswith(b"HTTP/1.1 200 ")


@pytest.mark.parametrize("rest", [b"2;" + b"a" * 90_000, b"2\r\n{}\r\n0\r\nA: " + b"a" * 90_000])
def test_what_is_around_a_body_is_limited(server, rest: bytes) -> None:
    assert b" 200 " not in answer_to(server, CHUNKED, rest)


def test_trailers_are_no_fields_of_the_head(start, tmp_path: Path) -> None:
    (tmp_path / "tokens").write_text(f"ann {hashlib.sha256(b'annann').hexdigest()}\n")
    server = start("--token-file", str(tmp_path / "tokens"))
    trailer = b"2\r\n{}\r\n0\r\nAuthorization: Bearer annann\r\nConnection: close\r\n\r\n"
    head = CHUNKED.replace(b"Host:", b"Connection: close\r\nHost:")
    assert answer_to(server, head + trailer).startswith(b"HTTP/1.1 401 ")


def test_pipelined_requests_are_answered_in_order(server) -> None:
    head = b"GET /v1/jobs/%d HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: %s\r\n\r\n"
    asked = [head % (number, b"close" if number == 4 else b"keep-alive") for number in range(5)]
    unknown = re.findall(rb"unknown job '(\d)'", answer_to(server, b"".join(asked)))
    assert unknown == [b"0", b"1", b"2", b"3", b"4"]


def test_an_answer_ends_with_its_connection_though_a_request_follows() -> None:
    """Otherwise a stream of events would continue until its job ends, and count as an unfinished request."""

    async def run() -> None:
        has_ended = asyncio.Event()

        async def endless(scope: Any, receive: Any, send: Any) -> None:
            await send({"type": "http.response.start", "status": 200, "headers": []})
            await receive()
            end = asyncio.ensure_future(receive())
            while not end.done():
                await send({"type": "http.response.body", "body": b"a", "more_body": True})
                await asyncio.wait({end}, timeout=0.01)
            has_ended.set()

        bound = socket.create_server(("127.0.0.1", 0))
        config = uvicorn.Config(endless, http=PatientProtocol, ws="none", lifespan="off", log_config=None)
        server = uvicorn.Server(config)
        serving = asyncio.create_task(server.serve(sockets=[bound]))
        _, writer = await asyncio.open_connection(*bound.getsockname())
        writer.write(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n" * 2)
        await writer.drain()
        await asyncio.sleep(0.1)
        writer.close()
        await asyncio.wait_for(has_ended.wait(), 20)
        server.should_exit = True
        await serving

    asyncio.run(run())


def test_an_answer_that_nobody_receives_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise the file of the response would stay open, and keep its disk space after its job is removed."""
    monkeypatch.setattr(Limits, "answer_seconds", 0.2)

    async def run() -> None:
        has_ended = asyncio.Event()

        async def long_answer(scope: Any, receive: Any, send: Any) -> None:
            await send({"type": "http.response.start", "status": 200, "headers": []})
            for _ in range(2000):
                await send({"type": "http.response.body", "body": bytes(2**16), "more_body": True})
            await asyncio.wait_for(receive(), 20)  # the request
            while (await receive())["type"] != "http.disconnect":
                pass
            has_ended.set()

        bound = socket.create_server(("127.0.0.1", 0))
        config = uvicorn.Config(long_answer, http=PatientProtocol, ws="none", lifespan="off", log_config=None)
        server = uvicorn.Server(config)
        serving = asyncio.create_task(server.serve(sockets=[bound]))
        with socket.create_connection(bound.getsockname()) as client:
            client.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            await asyncio.wait_for(has_ended.wait(), 20)
        server.should_exit = True
        await serving

    asyncio.run(run())


def test_only_so_many_requests_wait_on_a_connection(server) -> None:
    answers = answer_to(server, b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" * 2000)
    assert answers.count(b" 200 OK") < 100
