"""Runs one attempt at a job. It runs the program under limits, and ends when the server ends.

This file runs as a script (`python -I -S supervisor.py`), and imports the standard library, `landlock` and `seccomp`
only. A line of JSON on standard input is its specification. The server keeps standard input open. When it ends, the
server is gone, and so are the processes here. Progress of the program goes to standard output, as lines of JSON.
Attempts of one job exclude each other by a lock on a file, which this process and the program both hold. Only the
holder writes the outcome, once.

The exit code is 0 if there is an outcome, and 75 if the attempt was cut off without one.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import json
import os
import resource
import select
import signal
import sys
import time
import traceback
from importlib.util import module_from_spec, spec_from_file_location
from types import TracebackType
from typing import Any

CUT_OFF = 75
_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36  # <linux/prctl.h>
_PR_SET_NO_NEW_PRIVS, _PR_CAPBSET_DROP = 38, 24
_MOST_CAPABILITIES = 64
_CLONE_NEWUSER, _CLONE_NEWNET, _CLONE_NEWIPC = 0x10000000, 0x40000000, 0x08000000  # <linux/sched.h>
_LONGEST_MESSAGE = 64 * 1024
_PROGRAMS_OWN = 64
"""Descriptors from this number on, such as the lock, are inherited by the program."""
_SECONDS_BETWEEN_LOOKS = 1.0
"""The interval between checks of the job's disk usage."""
_SECONDS_BETWEEN_NEWS = 0.25
_LONGEST_NEWS = select.PIPE_BUF
_SPARE_BYTES = 4 * 2**20
"""A disk with less free space counts as full. Failures of the program are then not the fault of the job."""
_SPARE_FILES = 1000
LEAST_BYTES = 4096
"""Every file counts as at least this many bytes."""


def _beside(name: str) -> Any:
    """Loads a module of this directory. The directory must not be in the import path, because it has a module
    `queue`."""
    found = spec_from_file_location(name, os.path.join(os.path.dirname(__file__), f"{name}.py"))
    assert found is not None and found.loader is not None
    module = module_from_spec(found)
    found.loader.exec_module(module)
    return module


landlock, seccomp = _beside("landlock"), _beside("seccomp")


class ServerGoneError(Exception):
    """The server has ended, so nobody would read the outcome."""


class StoppedError(Exception):
    """The server requested a stop."""


class Lifeline:
    """Standard input. It ends when the server ends, and a line on it requests a stop. The end of a remote server may
    not be visible, so a remote server also sends lines at intervals. Without these lines, the server counts as gone."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._lease = float("inf")
        self._ends = float("inf")

    def needs_a_line_every(self, seconds: float) -> None:
        self._lease = seconds
        self._ends = time.monotonic() + seconds

    def specification(self) -> dict[str, Any]:
        text = b""
        while not text.endswith(b"\n"):
            part = os.read(self._descriptor, 1)
            if not part:
                raise ServerGoneError
            text += part
        specification: dict[str, Any] = json.loads(text)
        return specification

    def wait(self, seconds: float, *others: int) -> None:
        """Waits until one of `others` is readable, or until the time has passed."""
        left = min(seconds, self._ends - time.monotonic())
        readable, _, _ = select.select([self._descriptor, *others], [], [], max(left, 0))
        if self._descriptor in readable:
            text = os.read(self._descriptor, 4096)
            if b"stop" in text or not text:
                raise StoppedError if text else ServerGoneError
            self._ends = time.monotonic() + self._lease
        elif time.monotonic() >= self._ends:
            raise ServerGoneError


class News:
    """Forwards the progress of the program, which arrives in a pipe. Only the newest line is sent to the server, at
    intervals."""

    def __init__(self, output: int) -> None:
        self._output = output
        self.reader, self.writer = os.pipe()
        os.set_blocking(self.reader, False)
        self._rest = b""
        self._newest = b""
        self._told = -_SECONDS_BETWEEN_NEWS

    def hand_on(self, is_last: bool = False) -> None:
        self._take()
        now = time.monotonic()
        if not self._newest or (now - self._told < _SECONDS_BETWEEN_NEWS and not is_last):
            return
        room = select.poll()
        room.register(self._output, select.POLLOUT)
        if any(
            event & select.POLLOUT for _, event in room.poll(0)
        ):  # otherwise the server is busy, and gets a later line
            with contextlib.suppress(OSError):
                os.write(self._output, self._newest + b"\n")
        self._newest = b""
        self._told = now

    def pause(self) -> float:
        """The seconds until the next check."""
        return max(0.0, self._told + _SECONDS_BETWEEN_NEWS - time.monotonic())

    def _take(self) -> None:
        with contextlib.suppress(BlockingIOError):
            while part := os.read(self.reader, 65536):
                *lines, self._rest = (self._rest + part).split(b"\n")
                self._rest = self._rest[:_LONGEST_NEWS]
                self._newest = next((line for line in reversed(lines) if 0 < len(line) < _LONGEST_NEWS), self._newest)

    def close(self) -> None:
        os.close(self.reader)
        os.close(self.writer)


class AttemptLog:
    """Appends lines to the log of the job's attempts. Only the holder of the lock writes to this log."""

    def __init__(self, path: str, attempt: int) -> None:
        self._path = path
        self._attempt = attempt

    def tell(self, what: str, **more: Any) -> None:
        line = {"at": time.time(), "attempt": self._attempt, "pid": os.getpid(), "event": what} | more
        with contextlib.suppress(OSError), open(self._path, "a", encoding="utf-8") as file:  # the disk may be full
            file.write(json.dumps(line) + "\n")


def main() -> int:
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    lifeline = Lifeline(sys.stdin.fileno())
    try:
        given = lifeline.specification()
        lifeline.needs_a_line_every(given["lease_seconds"])
        lock = _locked(given["lock"], lifeline)
    except (ServerGoneError, StoppedError, OSError):  # if the job was removed, its directory with the lock is missing
        return CUT_OFF
    if os.path.exists(given["outcome"]):  # an attempt that outlived an earlier server has written it
        return 0
    log = AttemptLog(given["log"], given["attempt"])
    is_confined = given["confinement"] is not None
    log.tell("start", landlock=landlock.version() if is_confined else None, seccomp=is_confined and seccomp.exists())
    try:
        _remove(given["temporary"])  # a killed attempt may have left it
        os.mkdir(given["temporary"], 0o700)
        outcome = _run_steps(given, lifeline, lock)
        _remove(given["temporary"])
    except (ServerGoneError, StoppedError) as error:
        log.tell("end", cut_off=type(error).__name__)
        return CUT_OFF
    except OSError as error:
        log.tell("end", cut_off=str(error))
        return CUT_OFF
    if outcome is not None:
        try:
            _write_whole(given["outcome"], json.dumps(outcome).encode())
        except OSError as error:
            log.tell("end", cut_off=str(error))
            return CUT_OFF
    log.tell("end", outcome=outcome)
    return CUT_OFF if outcome is None else 0


def _locked(path: str, lifeline: Lifeline) -> int:
    """Waits until the process of the previous attempt has released the lock. It ends with its server, too."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return descriptor
        except BlockingIOError:
            lifeline.wait(0.02)


def _remove(folder: str) -> None:
    """Removes a directory with its content. Most of these directories are empty."""
    try:
        os.rmdir(folder)
    except FileNotFoundError:
        pass
    except OSError:
        import shutil  # importing it takes longer than using it

        shutil.rmtree(folder, ignore_errors=True)


def _run_steps(given: dict[str, Any], lifeline: Lifeline, lock: int) -> dict[str, Any] | None:
    """Runs the steps and returns the outcome of the job; None if the attempt was cut off."""
    deadline = time.monotonic() + given["limits"]["seconds"]
    with contextlib.suppress(FileNotFoundError):
        os.unlink(given["said"])
    outcome: dict[str, Any] = {}
    for step in given["steps"]:
        code, exceeded = _run(step, given, lifeline, lock, deadline)
        outcome = _outcome(code, exceeded, given)
        if outcome["code"] == "cut_off" or (code != 0 and is_full(given["folder"])):
            return None
        if code not in step["good_codes"]:
            return outcome
        _finish_output(step)
    return outcome


def _run(
    step: dict[str, Any], given: dict[str, Any], lifeline: Lifeline, lock: int, deadline: float
) -> tuple[int, str]:
    """Runs one step. Returns the exit code of the program, or its signal as a negative number. Also returns the limit
    that it exceeded."""
    news = News(sys.stdout.fileno())
    process = os.fork()
    if process == 0:
        _become_program(step, given, (news.writer, lock), os.getppid())
    watched = os.pidfd_open(process)
    exceeded = ""
    try:
        while not _has_ended(watched):
            pause = news.pause()
            heard = (news.reader,) if pause == 0 else ()
            left = min(deadline - time.monotonic(), _SECONDS_BETWEEN_LOOKS)
            lifeline.wait(min(left, pause) if pause else left, watched, *heard)
            news.hand_on()
            if time.monotonic() >= deadline:
                exceeded = "time_limit"
            elif not _has_ended(watched) and bytes_in(os.path.dirname(given["lock"])) > given["limits"]["disk_bytes"]:
                exceeded = "disk_limit"
            if exceeded:
                break
    finally:
        os.close(watched)
        code = _ended(process)
        news.hand_on(is_last=True)
        news.close()
    return code, exceeded


def bytes_in(folder: str) -> int:
    """The disk space of all files in bytes. A file with two names counts once, and a file that disappears does not
    count."""
    found: dict[int, int] = {}
    for place, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                status = os.lstat(os.path.join(place, name))
                found[status.st_ino] = max(status.st_size, 512 * status.st_blocks, LEAST_BYTES)
    return sum(found.values())


def _has_ended(watched: int) -> bool:
    return bool(select.select([watched], [], [], 0)[0])


def _ended(process: int) -> int:
    """Kills the process with its children, if it still runs. Returns its exit code, or its signal as a negative
    number."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process, signal.SIGKILL)
    with contextlib.suppress(ProcessLookupError):
        os.kill(process, signal.SIGKILL)
    _, status = os.waitpid(process, 0)
    while orphans := _children():
        for orphan in orphans:
            os.kill(orphan, signal.SIGKILL)
            os.waitpid(orphan, 0)
    return os.waitstatus_to_exitcode(status)


def _children() -> list[int]:
    """Processes that left the program's group become children of this process, the subreaper, when their parents end.
    Empty if the kernel does not list children."""
    try:
        with open(f"/proc/self/task/{os.getpid()}/children") as file:
            return [int(child) for child in file.read().split()]
    except FileNotFoundError:
        return []


def _become_program(step: dict[str, Any], given: dict[str, Any], kept: tuple[int, int], parent: int) -> None:
    """Does not return. `kept`: the descriptor for news, which becomes descriptor 3 (`steps`), and the lock."""
    said = -1
    try:
        # Errors below are part of the job's log. The server's log has JSON only.
        said = os.dup2(os.open(given["said"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), 2)
        os.setpgid(0, 0)
        _end_with(parent)
        os.chdir(given["folder"])
        _leave_namespaces()
        _limit(given["limits"])
        nothing = os.open(os.devnull, os.O_RDONLY)
        kinds = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        output = os.open(step["stdout"] + ".part", kinds, 0o600)
        news, _ = (fcntl.fcntl(descriptor, fcntl.F_DUPFD, _PROGRAMS_OWN) for descriptor in kept)
        for number, descriptor in ((0, nothing), (1, output), (3, news)):
            os.dup2(descriptor, number)
        os.closerange(4, _PROGRAMS_OWN)
        os.close(news)
        for number in (signal.SIGPIPE, signal.SIGXFSZ):  # Python ignores these signals
            signal.signal(number, signal.SIG_DFL)
        if confinement := given["confinement"]:
            landlock.confine(confinement["readable"], [*confinement["writable"], given["temporary"]])
            seccomp.refuse_calls()
        environment = given["environment"] | {"TMPDIR": given["temporary"]}
        os.execve(step["arguments"][0], step["arguments"], environment)
    except BaseException as error:
        if said >= 0:
            os.write(said, f"error: {error}\n".encode())
    finally:
        os._exit(CUT_OFF)


def _end_with(parent: int) -> None:
    libc = ctypes.CDLL(None)
    libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(CUT_OFF)


def _leave_namespaces() -> None:
    """Leaves the network and shared memory if users may create namespaces. Gives up all capabilities, which root has,
    and everyone in a new namespace."""
    user, group = os.getuid(), os.getgid()
    libc = ctypes.CDLL(None)
    if libc.unshare(_CLONE_NEWUSER | _CLONE_NEWNET | _CLONE_NEWIPC) == 0:
        for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
            with contextlib.suppress(OSError), open(f"/proc/self/{name}", "w", encoding="ascii") as file:
                file.write(text)
    for capability in range(_MOST_CAPABILITIES):  # they end with execve
        libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0)


def _limit(limits: dict[str, Any]) -> None:
    os.nice(limits["niceness"])
    for kind, value in (
        (resource.RLIMIT_AS, limits["memory_bytes"]),
        (resource.RLIMIT_FSIZE, limits["file_bytes"]),
        (resource.RLIMIT_CORE, 0),
    ):
        _, most = resource.getrlimit(kind)
        least = value if most == resource.RLIM_INFINITY else min(value, most)
        resource.setrlimit(kind, (least, least))
    # The soft limit sends its own signal, which distinguishes it from other terminations.
    resource.setrlimit(resource.RLIMIT_CPU, (limits["cpu_seconds"], limits["cpu_seconds"] + 5))


def _outcome(code: int, exceeded: str, given: dict[str, Any]) -> dict[str, Any]:
    """The outcome. `code` states why the job ended, and `exit_code` how the program ended."""
    limits = given["limits"]
    word, message = "program", ""
    if exceeded == "time_limit":
        word, message = exceeded, f"the job exceeded the time limit of {limits['seconds']:g} s"
    elif exceeded == "disk_limit":
        word, message = exceeded, f"the job's files exceeded the limit of {limits['disk_bytes']} bytes"
    elif code == -signal.SIGXCPU:
        word, message = "cpu_limit", f"the job exceeded the CPU time limit of {limits['cpu_seconds']} s"
    elif code == -signal.SIGXFSZ:
        word, message = "disk_limit", f"the job wrote a file of more than {limits['file_bytes']} bytes"
    elif code in (-signal.SIGKILL, -signal.SIGTERM, -signal.SIGINT, -signal.SIGHUP, 130, CUT_OFF):
        word = "cut_off"  # another process ended the program
    elif code < 0:
        word, message = "internal", f"internal error: the program ended with {signal.Signals(-code).name}"
    return {"code": word, "exit_code": code, "message": message, "said": _last_words(given["said"])}


def _last_words(path: str) -> str:
    try:
        with open(path, "rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - _LONGEST_MESSAGE))
            return file.read().decode(errors="replace")
    except OSError:
        return ""


def free_bytes(folder: str) -> int:
    """The free disk space; 0 if the file system cannot hold further files."""
    free = os.statvfs(folder)
    has_room = free.f_files == 0 or free.f_favail > _SPARE_FILES  # some file systems do not limit the files
    return free.f_bavail * free.f_frsize if has_room else 0


def is_full(folder: str) -> bool:
    return free_bytes(folder) < _SPARE_BYTES


def _finish_output(step: dict[str, Any]) -> None:
    """Completes the output file, so that the output is on the disk before the outcome."""
    part = step["stdout"] + ".part"
    descriptor = os.open(part, os.O_RDONLY)
    os.fsync(descriptor)
    os.close(descriptor)
    os.replace(part, step["stdout"])


def _write_whole(path: str, content: bytes) -> None:
    with open(path + ".part", "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    os.replace(path + ".part", path)
    folder = os.open(os.path.dirname(path), os.O_RDONLY)
    os.fsync(folder)
    os.close(folder)


def _report(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """A fault of this process as a line of the server's log. The text of an error may quote users' files."""
    where = "".join(traceback.format_tb(trace)) + kind.__name__
    line = {"at": time.time(), "level": "error", "message": "internal error of a supervisor", "exception": where}
    sys.stderr.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    sys.excepthook = _report
    sys.exit(main())
