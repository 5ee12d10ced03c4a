"""A job accesses only its own files, even if an upload names others. These tests rely on Landlock alone. They give the
program files that name other files, or replace it by a program that attempts such accesses."""

import asyncio
import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from haichi.base.program import find_program
from haichi.service import landlock, seccomp, steps
from haichi.service.limits import Limits
from haichi.service.program import UNCONFINED, Program
from haichi.service.queue import Job
from haichi.service.short_runs import ShortRuns

pytestmark = pytest.mark.skipif(landlock.version() < 1, reason="the kernel has no Landlock")

RING = {"name": "ring", "ranks": 4}
SECRET = "0f3c-secret-words"


def named(path: object) -> dict[str, Any]:
    """Returns a machine whose graph is in the file at `path`."""
    machine: dict[str, Any] = json.loads((Path(__file__).parents[3] / "machines" / "fattree.json").read_text())
    return machine | {"topology": {"kind": "graph", "file": str(path)}}


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    path = tmp_path / "secret.txt"
    path.write_text(f"{SECRET}\n")
    return path


@pytest.fixture
def listener(tmp_path: Path) -> Iterator[None]:
    """Opens a Unix socket, as another server of the computer would."""
    with socket.socket(socket.AF_UNIX) as opened:
        opened.bind(str(tmp_path / "socket"))
        opened.listen()
        yield


def told(server: Any, job: str) -> str:
    """Returns everything that the service shows of a job."""
    answers = [server.ask("GET", f"/v1/jobs/{job}{route}") for route in ("", "/log", "/result", "/rankmap", "/events")]
    return json.dumps(answers)


def test_a_machine_file_does_not_name_files_of_the_server(server, secret: Path) -> None:
    for kind in ("map", "evaluate", "simulate", "compare", "advise-shape", "advise-spread"):
        status, answer = server.ask("POST", "/v1/jobs", {"kind": kind, "machine": named(secret), "pattern": RING})
        assert status in (201, 422), answer
        if status == 201:
            states = [
                event.data["state"] for event in server.client().job(answer["id"]).events() if event.name == "state"
            ]
            assert states[-1] == "failed"
            assert SECRET not in told(server, answer["id"])


def test_a_job_does_not_get_what_another_uploaded(server) -> None:
    first = server.client().submit("map", workload=f"{SECRET} 1 2\n", machine="torus:4")
    list(first.events())
    other = server.data / "jobs" / first.id / "work" / "workload"
    assert SECRET in other.read_text()
    for path in (other, f"../../{first.id}/work/workload", server.data / "queue.db"):
        asked = {"kind": "map", "machine": named(path), "pattern": RING, "objective": "hop-bytes"}
        job = server.client().job(server.ask("POST", "/v1/jobs", asked)[1]["id"])
        assert [event.data["state"] for event in job.events() if event.name == "state"][-1] == "failed"
        assert SECRET not in told(server, job.id) and "SQLite" not in told(server, job.id)


def test_an_index_of_traces_does_not_name_files_of_the_server(server, secret: Path) -> None:
    for index in (f"{secret}\n", f"{secret}\n{secret}\n", f"../../../../{secret.name}\n"):
        status, answer = server.ask("POST", "/v1/jobs", {"kind": "ccs", "log": index, "log_format": "tit"})
        assert status == 201, answer
        states = [event.data["state"] for event in server.client().job(answer["id"]).events() if event.name == "state"]
        assert states[-1] == "failed" and SECRET not in told(server, answer["id"])


def test_the_switch_for_tests_is_told(start, monkeypatch, secret: Path) -> None:
    assert not any("not confined" in line["message"] for line in start(name="first").log())
    monkeypatch.setenv(UNCONFINED, "1")
    assert any("jobs are not confined" in line["message"] for line in start(name="second").log())


PROBE = """#!/usr/bin/python3 -IS
import ctypes, json, os, resource, signal, socket, sys, tempfile
libc = ctypes.CDLL(None, use_errno=True)
def tried(work):
    try:
        work()
    except OSError as error:
        return type(error).__name__
    return "done"
def listen(kind, address):
    socket.socket(kind).bind(address)
def called(name, *arguments):
    if getattr(libc, name)(*arguments) == -1:
        raise OSError(ctypes.get_errno(), name)
def privileged():
    if "CapEff:\\t0000000000000000" not in open("/proc/self/status").read():
        return
    raise PermissionError("no capabilities")
outside = {outside!r}
server = {server}
answers = {{
    "read": tried(lambda: open(outside + "/secret.txt").read()),
    "list": tried(lambda: os.listdir(outside)),
    "passwd": tried(lambda: open("/etc/passwd").read()),
    "home": tried(lambda: os.listdir("/root")),
    "write": tried(lambda: open(outside + "/new", "w")),
    "remove": tried(lambda: os.unlink(outside + "/secret.txt")),
    "temporary of others": tried(lambda: open("/tmp/haichi-probe", "w")),
    "parent": tried(lambda: os.listdir("..")),
    "environment of the server": tried(lambda: open(f"/proc/{{os.getppid()}}/environ").read()),
    "link": tried(lambda: os.symlink("/etc/passwd", "link")),
    "pipe": tried(lambda: os.mkfifo("pipe")),
    "signal": tried(lambda: os.kill({server}, 0)),
    "tcp": tried(lambda: listen(socket.AF_INET, ("127.0.0.1", 0))),
    "unix socket": tried(lambda: socket.socket(socket.AF_UNIX).connect(outside + "/socket")),
    "pair of sockets": tried(lambda: socket.socketpair(type=socket.SOCK_DGRAM)),
    "udp": tried(lambda: listen(socket.AF_INET, ("127.0.0.1", 0))),
    "limits of the server": tried(lambda: resource.prlimit(server, resource.RLIMIT_CPU)),
    "priority of the server": tried(lambda: os.setpriority(os.PRIO_PROCESS, server, 19)),
    "priority of the user": tried(lambda: os.setpriority(os.PRIO_USER, os.getuid(), 19)),
    "processors of the server": tried(lambda: os.sched_setaffinity(server, {{0}})),
    "schedule of the server": tried(lambda: os.sched_setscheduler(server, os.SCHED_IDLE, os.sched_param(0))),
    "shared memory": tried(lambda: called("shmget", 0x68616963, 4096, 0o1600)),
    "message queue": tried(lambda: called("msgget", 0x68616963, 0o1600)),
    "semaphores": tried(lambda: called("semget", 0x68616963, 1, 0o1600)),
    "namespace": tried(lambda: called("unshare", 0x10000000)),
    "capabilities": tried(privileged),
    "mode": tried(lambda: os.chmod(outside + "/secret.txt", 0o600)),
    "owner": tried(lambda: os.chown(outside + "/secret.txt", os.getuid(), -1)),
    "time": tried(lambda: os.utime(outside + "/secret.txt")),
    "attribute": tried(lambda: os.setxattr(outside + "/secret.txt", "user.x", b"1")),
    "watch": tried(lambda: called("inotify_init")),
    "own limits": tried(lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0))),
    "own": tried(lambda: open("own", "w").write("x")),
    "own temporary": tried(lambda: tempfile.NamedTemporaryFile().write(b"x")),
    "nothing": tried(lambda: open("/dev/null", "w").write("x")),
    "itself": tried(lambda: open("/proc/self/status").read()),
}}
print(json.dumps(answers))
"""


def probe(tmp_path: Path) -> Path:
    """Writes a program that attempts everything that is forbidden to jobs."""
    path = tmp_path / "bin" / "probe"
    path.parent.mkdir()
    path.write_text(PROBE.format(outside=str(tmp_path), server=os.getpid()))
    path.chmod(0o755)
    return path


def answers_of(program: Program, tmp_path: Path) -> Any:
    """Runs the program as a job. Returns what it printed."""
    from haichi.service import supervisor

    work = tmp_path / "job" / "work"
    work.mkdir(parents=True)
    folder = work.parent
    given = {
        "folder": str(work),
        "temporary": str(folder / "tmp"),
        "confinement": program.confinement([], [work]),
        "environment": program.environment(work),
        "limits": {"seconds": 60, "memory_bytes": 2**32, "file_bytes": 2**20, "disk_bytes": 2**20, "cpu_seconds": 60}
        | {"niceness": 0},
        "attempt": 1,
        "lease_seconds": 1e9,
        **{name: str(folder / name) for name in ("lock", "log", "outcome", "said")},
        "steps": [{"arguments": [str(program.path)], "stdout": str(folder / "result"), "good_codes": [0]}],
    }
    with subprocess.Popen([sys.executable, "-I", "-S", supervisor.__file__], stdin=subprocess.PIPE) as process:
        assert process.stdin is not None
        process.stdin.write(json.dumps(given).encode() + b"\n")
        process.stdin.flush()
        assert process.wait(60) == 0
    assert json.loads((folder / "outcome").read_text())["exit_code"] == 0, (folder / "said").read_text()
    answers = json.loads((folder / "result").read_text())
    assert not (folder / "tmp").exists()
    return answers


@pytest.mark.usefixtures("listener")
def test_a_program_that_tries_gets_nowhere(tmp_path: Path, secret: Path) -> None:
    answers = answers_of(Program(probe(tmp_path)), tmp_path)
    allowed = {"own", "own temporary", "own limits", "nothing", "itself"}
    assert {name: answer for name, answer in answers.items() if name in allowed} == dict.fromkeys(allowed, "done")
    may = allowed | ({"tcp"} if landlock.version() < 4 else set()) | ({"signal"} if landlock.version() < 6 else set())
    assert [name for name, answer in answers.items() if answer == "done" and name not in may] == []
    assert secret.exists() and not (tmp_path / "new").exists()
    assert {path.name for path in (tmp_path / "job" / "work").iterdir()} == {"own"}


ESCAPE = """#!/usr/bin/python3 -IS
import os, time
told, telling = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.setsid()
        os.write(telling, str(os.getpid()).encode())
        time.sleep(600)
    time.sleep(600)
print(os.read(told, 20).decode())
"""


def test_processes_that_leave_the_group_end_with_the_job(tmp_path: Path) -> None:
    path = tmp_path / "bin" / "escape"
    path.parent.mkdir()
    path.write_text(ESCAPE)
    path.chmod(0o755)
    assert not Path(f"/proc/{answers_of(Program(path), tmp_path)}").exists()


def test_the_filter_of_calls_needs_no_landlock() -> None:
    code = """
import os, sys
sys.path.insert(0, sys.argv[1])
import seccomp
assert seccomp.exists()
seccomp.refuse_calls()
assert os.fork() or os._exit(0) is None
try:
    os.setpriority(os.PRIO_PROCESS, 0, 0)
except PermissionError:
    print("refused")
"""
    command = [sys.executable, "-I", "-S", "-c", code, str(Path(seccomp.__file__).parent)]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "refused\n"


def test_other_processors_have_no_filter_of_calls(monkeypatch) -> None:
    monkeypatch.setattr(os, "uname", lambda: SimpleNamespace(machine="riscv64"))
    assert not seccomp.exists()
    seccomp.refuse_calls()
    os.nice(0)


@pytest.mark.usefixtures("listener")
def test_checks_of_words_are_confined_and_the_server_is_not(tmp_path: Path, secret: Path) -> None:
    program = Program(probe(tmp_path))
    empty = tmp_path / "empty"
    empty.mkdir()
    code, text, error = program.said([], empty)
    assert code == 0, error
    answers = json.loads(text)
    assert answers["nothing"] == "done" and "done" not in (answers["read"], answers["passwd"], answers["own"])
    assert "done" not in (answers["unix socket"], answers["limits of the server"], answers["mode"])
    assert secret.read_text() and (tmp_path / "new").write_text("the server still writes")


def test_rank_maps_and_comparisons_are_confined(tmp_path: Path, secret: Path) -> None:
    """A wrapper tries to read a secret and then runs the program."""
    wrapper = tmp_path / "bin" / "haichi"
    wrapper.parent.mkdir()
    wrapper.write_text(f'#!/bin/sh\ncat {secret} >&2\nexec {find_program()} "$@"\n')
    wrapper.chmod(0o755)
    program = Program(wrapper)
    program.own_files.extend(Program(find_program()).own_files)
    runs = ShortRuns(program, Limits(), lambda: False, lambda user: None)
    work = tmp_path / "job" / "work"
    work.mkdir(parents=True)
    (work / "workload").write_text("0 1 5\n1 2 5\n2 3 5\n3 0 5\n")
    mapping = json.dumps({"schema": "haichi-mapping/1", "ranks": 4, "node_of_rank": [0, 1, 3, 2]})
    request = {"arguments": ["--machine=torus:2x2", "--workload=workload"], "pattern": [], "files": ["workload"]}
    job = Job(1, "j", "local", "map", "done", request, 0, 0, 0, 1, 0, False, 0, None)

    found = tmp_path / "asked" / "mapping.json"
    found.parent.mkdir()
    found.write_text(mapping)
    output = found.with_name("map")
    outcome = asyncio.run(
        runs.outcome(steps.conversion(program, job, work, found, output, {"to": "fujitsu"}, Limits()))
    )
    assert outcome["exit_code"] == 0 and output.read_text().startswith("(")
    assert "Permission denied" in outcome["said"] and SECRET not in outcome["said"]

    (work / "found").write_text(mapping)
    outcome = asyncio.run(runs.outcome(steps.comparison(program, job, work, None, Limits())))
    assert outcome["exit_code"] == 0 and (work / "report.html").exists()
    assert "Permission denied" in outcome["said"] and SECRET not in outcome["said"]
    assert not (work / "tmp").exists()
