"""Runs of the program that a request waits for, under the limits of jobs."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from haichi.service.attempts import supervisor_command
from haichi.service.limits import Limits
from haichi.service.problems import Problem
from haichi.service.program import Program

_SECONDS_BETWEEN_LOOKS = 0.2


@dataclass(frozen=True)
class ShortRuns:
    program: Program
    limits: Limits
    is_stopping: Callable[[], bool]
    """The server is told to stop, and waits for its threads."""

    def outcome(self, told: dict[str, Any]) -> dict[str, Any]:
        """What became of the process that a supervisor is told to run. Raises Problem where it was cut off."""
        with subprocess.Popen(supervisor_command(), stdin=subprocess.PIPE, start_new_session=True) as process:
            assert process.stdin is not None
            process.stdin.write(json.dumps(told).encode() + b"\n")
            process.stdin.flush()
            while not _has_ended(process):
                if self.is_stopping():
                    process.stdin.close()  # which ends it, as the end of the server does
                    process.wait()
        try:
            outcome: dict[str, Any] = json.loads(Path(told["outcome"]).read_bytes())
        except FileNotFoundError:
            raise Problem(503, "cut_off", "the program was cut off", "ask again") from None
        return outcome


def _has_ended(process: subprocess.Popen[bytes]) -> bool:
    try:
        process.wait(_SECONDS_BETWEEN_LOOKS)
    except subprocess.TimeoutExpired:
        return False
    return True
