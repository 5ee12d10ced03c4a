"""Processes of the server's own code: what would keep the interpreter, and so all answers, for too long."""

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
    """It took too much memory or time."""


async def started(script: str, *arguments: str, **how: Any) -> Process:
    """A file of the server's code, run alone and without site packages: it starts in a few milliseconds."""
    return await asyncio.create_subprocess_exec(sys.executable, "-I", "-S", script, *arguments, stdout=PIPE, **how)


async def child_output(script: str, arguments: Sequence[str], given: IO[bytes] | None = None, kept: int = -1) -> bytes:
    """What a file of the server's code prints. `given`: its standard input; `kept`: a descriptor that it gets, too.
    Raises ChildFailedError."""
    process = await started(
        script,
        *arguments,
        stdin=asyncio.subprocess.DEVNULL if given is None else given,
        stderr=asyncio.subprocess.DEVNULL,  # a traceback shows what it was given
        pass_fds=(kept,) if kept >= 0 else (),
    )
    most = Limits.child_bytes
    with contextlib.suppress(ProcessLookupError):  # it has ended already
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
