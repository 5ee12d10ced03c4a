"""Runs code of the server in child processes. This is for work that would block the interpreter, and thus all
responses, for too long."""

from __future__ import annotations

import asyncio
import contextlib
import os
import resource
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Sequence
from typing import IO, Any

from haichi.service.limits import Limits

_NICENESS = 5


class ChildFailedError(Exception):
    """The child process took too much memory or time."""


async def started(script: str, *arguments: str, **how: Any) -> Process:
    """Starts a source file of the server without site packages, so that the start takes only a few milliseconds."""
    return await asyncio.create_subprocess_exec(sys.executable, "-I", "-S", script, *arguments, stdout=PIPE, **how)


async def child_output(script: str, arguments: Sequence[str], given: IO[bytes] | None = None, kept: int = -1) -> bytes:
    """Runs a source file of the server in a child process and returns its output.

    `given` is the standard input of the child process. `kept` is a file descriptor that the child process inherits.
    Raises ChildFailedError."""
    process = await started(
        script,
        *arguments,
        stdin=asyncio.subprocess.DEVNULL if given is None else given,
        stderr=asyncio.subprocess.DEVNULL,  # a traceback could reveal the input
        pass_fds=(kept,) if kept >= 0 else (),
    )
    most = Limits.child_bytes
    with contextlib.suppress(ProcessLookupError):  # the process may have ended already
        resource.prlimit(process.pid, resource.RLIMIT_AS, (most, most))
        os.setpriority(os.PRIO_PROCESS, process.pid, _NICENESS)
    try:
        output, _ = await asyncio.wait_for(process.communicate(), Limits.child_seconds)
    except TimeoutError:
        raise ChildFailedError from None
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode != 0:
        raise ChildFailedError
    return output
