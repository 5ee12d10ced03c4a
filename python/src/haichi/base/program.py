"""The program `haichi`: its location, and how it is run. The location of this package."""

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
"""The number of last characters that are kept of a text that is passed on."""


def find_program() -> Path:
    """The program that was installed with the package, or HAICHI_BIN. Raises UnsupportedError."""
    named = os.environ.get("HAICHI_BIN")
    beside = Path(sys.executable).with_name("haichi")
    found = named or (str(beside) if os.access(beside, os.X_OK) else shutil.which("haichi"))
    if not found or not os.access(found, os.X_OK):
        raise UnsupportedError("cannot find the program haichi", "install it with pip, or set HAICHI_BIN")
    return Path(found).absolute()


@dataclass(frozen=True)
class Ended:
    """A process that has ended."""

    code: int
    output: str
    errors: str


def run_program(
    command: Sequence[str],
    *,
    input: bytes | None = None,
    news: Callable[[dict[str, Any]], object] | None = None,
    output: Callable[[str], object] | None = None,
    errors: Callable[[str], object] | None = None,
    seconds: float | None = None,
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> Ended:
    """Runs haichi and returns what it wrote.

    news: takes the lines of ``--progress-fd``, which is added to the command. If it raises, the process is killed.
    output, errors: take the lines as they arrive; only the end of the text is returned then.

    Ctrl-C is forwarded; a second Ctrl-C raises KeyboardInterrupt. Raises OSError, and subprocess.TimeoutExpired after
    `seconds`."""
    told, tells = os.pipe() if news else (-1, -1)
    words = [*command[:2], "--progress-fd", str(tells), *command[2:]] if news else list(command)
    try:
        # In a separate session, so that Ctrl-C arrives here and is forwarded.
        process = subprocess.Popen(
            words,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL if input is None else subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            pass_fds=(tells,) if news else (),
            start_new_session=True,
        )
    except BaseException:
        if news:
            os.close(told)
        raise
    finally:
        if news:
            os.close(tells)
    with ThreadPoolExecutor(4) as threads:
        heard = threads.submit(_hear, told, process, news) if news else None
        written = [threads.submit(_text, process.stdout, output), threads.submit(_text, process.stderr, errors)]
        if input is not None:
            threads.submit(_give, process.stdin, input)
        _wait(process, seconds)
        if heard:
            heard.result()  # raises the exception of the caller's function
        return Ended(process.returncode, *(text.result() for text in written))


def _wait(process: subprocess.Popen[bytes], seconds: float | None) -> None:
    interrupts = 0
    while True:
        try:
            process.wait(seconds)
            return
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise
        except KeyboardInterrupt:
            interrupts += 1
            process.send_signal(signal.SIGINT)
            if interrupts > 1:
                process.wait()
                raise


def _give(pipe: Any, text: bytes) -> None:
    with contextlib.suppress(OSError), pipe:  # the pipe has no reader
        pipe.write(text)


def _hear(told: int, process: subprocess.Popen[bytes], news: Callable[[dict[str, Any]], object]) -> None:
    with open(told, encoding="utf-8") as lines:
        for line in lines:
            try:
                news(json.loads(line))
            except BaseException:
                process.kill()
                raise


def _text(pipe: Any, take: Callable[[str], object] | None) -> str:
    """The text from a pipe; only its end if lines are passed on as they arrive."""
    parts: list[bytes] = []
    with pipe:
        for line in pipe:  # whole lines, so that characters stay whole
            parts.append(line)
            if take is not None:
                take(line.decode(errors="replace"))
                parts = [b"".join(parts)[-_KEPT_BYTES:]]
    return b"".join(parts).decode(errors="replace")
