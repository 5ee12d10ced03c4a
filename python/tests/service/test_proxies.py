"""The client and proxies: requests to this computer are direct, and errors name the proxy."""

import socket
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import pytest

import haichi

DEAD = "http://user:secret@127.0.0.1:9"


class Refusing(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_error(403, "Forbidden")

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def refusing() -> Iterator[str]:
    """A proxy that refuses everything."""
    with HTTPServer(("127.0.0.1", 0), Refusing) as server:
        Thread(target=server.serve_forever).start()
        yield f"127.0.0.1:{server.server_port}"
        server.shutdown()


def failure(url: str) -> haichi.ServiceError:
    with pytest.raises(haichi.ServiceError) as error:
        list(haichi.Client(url, timeout=5).jobs())
    return error.value


@pytest.mark.parametrize("variable", ["http_proxy", "HTTP_PROXY"])
def test_this_computer_is_asked_directly(server, monkeypatch: pytest.MonkeyPatch, variable: str) -> None:
    monkeypatch.setenv(variable, DEAD)
    port = server.url.rpartition(":")[2]
    for host in ("127.0.0.1", "localhost"):
        assert isinstance(list(haichi.Client(f"http://{host}:{port}").jobs()), list)
    for host in ("[::1]", "127.9.9.9", "[::ffff:127.0.0.1]", "x.localhost", socket.gethostname()):
        assert "proxy" not in str(failure(f"http://{host}:1"))


def test_errors_name_the_proxy_without_its_password(monkeypatch: pytest.MonkeyPatch, refusing: str) -> None:
    monkeypatch.setenv("http_proxy", DEAD)
    error = failure("http://haichi.example:8080")
    through = "http://haichi.example:8080 through the proxy http://127.0.0.1:9 of http_proxy: "
    assert f"cannot reach {through}" in str(error) and "Connection refused" in str(error)
    assert error.hint.endswith("set no_proxy=haichi.example to reach it without the proxy")
    monkeypatch.delenv("http_proxy")
    monkeypatch.setenv("HTTP_PROXY", refusing)
    error = failure("http://haichi.example")
    assert str(error) == f"the answer through the proxy {refusing} of HTTP_PROXY is 403 Forbidden"
    assert error.status == 403 and "no_proxy=haichi.example" in error.hint


def test_no_proxy_is_respected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", DEAD)
    monkeypatch.setenv("no_proxy", "haichi.invalid")
    assert "proxy" not in str(failure("http://haichi.invalid"))
