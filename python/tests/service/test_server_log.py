"""Each line of the server's standard error is JSON. Requests without a token cause only a few lines."""

import json
import socket
import subprocess
import sys
import urllib.parse
from pathlib import Path
from typing import Any

import pytest

from haichi.service import supervisor

FAULTS = """
import gc, logging, threading, warnings
from haichi.service.server import _log_as_json

class Faulty:
    def __del__(self):
        raise ValueError("quoted")

def fail():
    raise ValueError("quoted")

_log_as_json()
warnings.warn("a warning")
thread = threading.Thread(target=fail)
thread.start()
thread.join()
del thread
Faulty()
gc.collect()
logging.getLogger("asyncio").error("a task failed")
fail()
"""


def send(server: Any, content: bytes, times: int) -> None:
    host, port = urllib.parse.urlsplit(server.url).netloc.split(":")
    for _ in range(times):
        with socket.create_connection((host, int(port)), timeout=20) as connection:
            connection.sendall(content)
            connection.shutdown(socket.SHUT_WR)
            while connection.recv(65536):
                pass


UPGRADE = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"GET / HTTP/1.1x\r\n\r\n", "Invalid HTTP request received."),
        (UPGRADE, "a client requested another protocol"),
    ],
)
def test_many_malformed_requests_make_few_lines(start, content: bytes, message: str) -> None:
    server = start()
    before = len(server.log())
    send(server, content, 20)
    assert server.ask("GET", "/healthz")[0] == 200
    lines = server.log()[before:]
    assert [(line["message"], line["count"]) for line in lines] == [(message, count) for count in (1, 2, 4, 8, 16)]


def test_faults_of_the_interpreter_are_lines_of_the_log() -> None:
    ran = subprocess.run([sys.executable, "-c", FAULTS], capture_output=True, text=True, check=False)
    lines = [json.loads(line) for line in ran.stderr.splitlines()]
    assert ran.returncode == 1 and "quoted" not in ran.stderr
    assert "a warning" in lines[0]["message"]
    assert ["ValueError" in line.get("exception", "") for line in lines] == [False, True, True, False, True]


def supervised(given: dict[str, Any]) -> tuple[int, str]:
    """Returns exit code and standard error of a supervisor. Its standard input stays open, as under a server."""
    command = [sys.executable, "-I", "-S", supervisor.__file__]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None and process.stderr is not None
        process.stdin.write(json.dumps(given) + "\n")
        process.stdin.flush()
        return process.wait(60), process.stderr.read()


@pytest.mark.parametrize("lost", ["work", "said", "program"])
def test_the_log_of_the_job_has_what_its_process_reports(tmp_path: Path, lost: str) -> None:
    work = tmp_path / "work"
    if lost != "work":
        work.mkdir()
    said = tmp_path / "lost" / "said" if lost == "said" else tmp_path / "said"
    given = {
        "folder": str(work),
        "temporary": str(tmp_path / "tmp"),
        "confinement": None,
        "environment": {},
        "limits": {"seconds": 60, "memory_bytes": 2**32, "file_bytes": 2**20, "disk_bytes": 2**20, "cpu_seconds": 60}
        | {"niceness": 0},
        "attempt": 1,
        "lease_seconds": 1e9,
        "said": str(said),
        **{name: str(tmp_path / name) for name in ("lock", "log", "outcome")},
        "steps": [{"arguments": ["/no/program"], "stdout": str(tmp_path / "result"), "good_codes": [0]}],
    }
    assert supervised(given)[1] == ""
    assert not said.exists() or said.read_text().startswith("error: [Errno 2] No such file or directory")
    assert said.exists() == (lost != "said")


def test_a_fault_of_a_supervisor_is_a_line_of_the_log() -> None:
    code, said = supervised({"quoted": 1})
    line = json.loads(said)
    assert code == 1 and line["level"] == "error" and line["exception"].endswith("KeyError")
    assert "quoted" not in said
