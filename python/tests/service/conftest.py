"""A server of its own for each test that asks for one."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import haichi

pytest.importorskip("fastapi", reason="needs haichi[service]")


class Server:
    """The process of `haichi serve` on a data folder."""

    def __init__(self, data: Path, *options: str) -> None:
        self.data = data
        self._options = options
        self._log = data.parent / f"{data.name}.log"
        self._port = "0"
        self.start()

    def start(self) -> None:
        with self._log.open("a") as log:
            begin = log.tell()
            self.process = subprocess.Popen(
                [
                    *(sys.executable, "-P", "-m", "haichi", "serve", "--port", self._port, "--data", str(self.data)),
                    *self._options,
                ],
                stderr=log,
                stdin=subprocess.DEVNULL,
            )
        self.url = self._announced(begin)
        self._port = self.url.rpartition(":")[2]  # once more at the same address

    def _announced(self, begin: int) -> str:
        for _ in range(600):
            lines = self._log.read_text()[begin:].splitlines()
            told = [json.loads(line) for line in lines if line.startswith("{")]
            if any("startup complete" in line["message"] for line in told):
                return next(str(line["url"]) for line in told if "url" in line)
            assert self.process.poll() is None, lines
            time.sleep(0.05)
        raise AssertionError(f"no start: {self._log.read_text()}")

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self) -> int:
        self.process.terminate()
        return self.process.wait(timeout=60)

    def log(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self._log.read_text().splitlines()]

    def client(self, token: str | None = None) -> haichi.Client:
        return haichi.Client(self.url, token)

    def ask(
        self, method: str, path: str, body: bytes | dict[str, Any] | None = None, **headers: str
    ) -> tuple[int, Any]:
        """Status and content of an answer."""
        content = json.dumps(body).encode() if isinstance(body, dict) else body
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        asked = urllib.request.Request(
            self.url + path, content, {"Content-Type": "application/json", **names}, method=method
        )
        try:
            with urllib.request.urlopen(asked, timeout=60) as answer:
                return answer.status, _decoded(answer.read())
        except urllib.error.HTTPError as error:
            return error.code, _decoded(error.read())

    def attempts(self, job: str) -> list[dict[str, Any]]:
        """What the processes of a job told of themselves."""
        log = self.data / "jobs" / job / "attempts.log"
        return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []


def _decoded(content: bytes) -> Any:
    with contextlib.suppress(ValueError):
        return json.loads(content)
    return content.decode()


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Server]]:
    """Starts servers, which end with the test."""
    started: list[Server] = []

    def one(*options: str, name: str = "data") -> Server:
        started.append(Server(tmp_path / name, *options))
        return started[-1]

    yield one
    for server in started:
        if server.process.poll() is None:
            server.kill()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One for all tests of a file."""
    started = Server(tmp_path_factory.mktemp("service") / "data", "--workers", "2")
    yield started
    started.kill()


@pytest.fixture(scope="session")
def run_program(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., bytes]:
    """What the program prints in a folder."""
    from haichi.service.program import find_program

    def run(folder: Path, *arguments: str) -> bytes:
        environment = os.environ | {"HAICHI_PYTHON": sys.executable}
        return subprocess.run(
            [find_program(), *arguments], cwd=folder, env=environment, check=True, stdout=subprocess.PIPE
        ).stdout

    return run
