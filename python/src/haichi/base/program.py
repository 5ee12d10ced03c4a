"""Starts processes, runs the program `haichi`, and finds both it and this package."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from haichi.errors import UnsupportedError

PACKAGE = Path(__file__).parents[1]
_KEPT_BYTES = 1 << 16
"""The bytes kept of an output whose lines are passed on: its end."""


def find_program() -> Path:
    """The program that was installed with the package, or the file named by HAICHI_BIN. Raises UnsupportedError if it
    is missing."""
    named = os.environ.get("HAICHI_BIN")
    beside = Path(sys.executable).with_name("haichi")
    found = named or (str(beside) if os.access(beside, os.X_OK) else shutil.which("haichi"))
    if not found or not os.access(found, os.X_OK):
        raise UnsupportedError("cannot find the program haichi", "install it with pip, or set HAICHI_BIN")
    return Path(found).absolute()


def started(command: Sequence[str], **how: Any) -> subprocess.Popen[bytes]:
    """Starts a process in its own session, so that Ctrl-C in a terminal reaches only this process. Standard input and
    output of the new process are pipes. `how`: other arguments of Popen."""
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    return subprocess.Popen(command, start_new_session=True, **(pipes | how))


@dataclass(frozen=True)
class FinishedProcess:
    """A process that has ended."""

    code: int
    output: str
    errors: str


def run_program(
    command: Sequence[str],
    *,
    input: bytes | None = None,
    on_event: Callable[[dict[str, Any]], object] | None = None,
    output: Callable[[str], object] | None = None,
    errors: Callable[[str], object] | None = None,
    seconds: float | None = None,
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> FinishedProcess:
    """Runs haichi and returns its exit code and its output.

    on_event: receives each line of ``--progress-fd``, an option that is added to the command. If `on_event` raises, the
        process is killed.
    output, errors: receive each line when it arrives. The result then contains only the end of the text.

    Ctrl-C is forwarded; a second Ctrl-C raises KeyboardInterrupt. Raises OSError, and TimeoutError after `seconds`."""
    read_end, write_end = os.pipe() if on_event else (-1, -1)
    words = [*command[:2], "--progress-fd", str(write_end), *command[2:]] if on_event else list(command)
    try:
        process = started(
            words,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL if input is None else subprocess.PIPE,
            stderr=subprocess.PIPE,
            pass_fds=(write_end,) if on_event else (),
        )
    except BaseException:
        if on_event:
            os.close(read_end)
        raise
    finally:
        if on_event:
            os.close(write_end)
    with ThreadPoolExecutor(4) as threads:
        events = threads.submit(_read_events, read_end, process, on_event) if on_event else None
        texts = [threads.submit(_read_text, process.stdout, output), threads.submit(_read_text, process.stderr, errors)]
        if input is not None:
            threads.submit(_write_input, process.stdin, input)
        _wait(process, seconds)
        if events:
            events.result()  # raises the exception of the caller's function
        return FinishedProcess(process.returncode, *(text.result() for text in texts))


def _wait(process: subprocess.Popen[bytes], seconds: float | None) -> None:
    interrupts = 0
    while True:
        try:
            process.wait(seconds)
            return
        except subprocess.TimeoutExpired as error:
            process.kill()
            process.wait()
            raise TimeoutError(str(error)) from error
        except KeyboardInterrupt:
            interrupts += 1
            process.send_signal(signal.SIGINT)
            if interrupts > 1:
                process.wait()
                raise


def _write_input(pipe: Any, text: bytes) -> None:
    with contextlib.suppress(OSError), pipe:  # the process may close the pipe without reading
        pipe.write(text)


def _read_events(read_end: int, process: subprocess.Popen[bytes], on_event: Callable[[dict[str, Any]], object]) -> None:
    with open(read_end, encoding="utf-8") as lines:
        for line in lines:
            try:
                on_event(json.loads(line))
            except BaseException:
                process.kill()
                raise


def _read_text(pipe: Any, on_line: Callable[[str], object] | None) -> str:
    """Reads all text of a pipe. If `on_line` takes the lines, only the end of the text is returned."""
    parts: list[bytes] = []
    with pipe:
        for line in pipe:  # whole lines, so that no multi-byte character is split
            parts.append(line)
            if on_line is not None:
                on_line(line.decode(errors="replace"))
                parts = [b"".join(parts)[-_KEPT_BYTES:]]
    return b"".join(parts).decode(errors="replace")
