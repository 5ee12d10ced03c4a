"""Short runs of the program that requests wait for, under the limits of jobs. A waiting request occupies no thread."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from haichi.service import supervisor
from haichi.service.attempts import supervised
from haichi.service.limits import Limits
from haichi.service.problems import Problem, disk_is_full
from haichi.service.program import Program
from haichi.service.turns import Turns

_SECONDS_BETWEEN_LOOKS = 0.2


class ShortRuns:
    """Starts short runs. `is_stopping`: true while the server stops and waits for its requests. `check_room`: raises
    Problem if a user has no space for more files. Belongs to one event loop."""

    def __init__(
        self, program: Program, limits: Limits, is_stopping: Callable[[], bool], check_room: Callable[[str], None]
    ) -> None:
        self.program = program
        self.limits = limits
        self.check_room = check_room
        self._is_stopping = is_stopping
        self.made = 0
        self.maps = Turns(limits.maps_at_a_time, limits.waiting_of_user, limits.waiting)
        self.comparisons = Turns(limits.comparisons, limits.waiting_of_user, limits.waiting)

    async def outcome(self, told: dict[str, Any]) -> dict[str, Any]:
        """Runs a supervisor process and returns its outcome. Raises Problem if the run was cut off."""
        async with supervised(told) as process:
            ended = asyncio.ensure_future(process.wait())
            while not ended.done() and not self._is_stopping():
                await asyncio.wait({ended}, timeout=_SECONDS_BETWEEN_LOOKS)
        try:
            outcome: dict[str, Any] = json.loads(Path(told["outcome"]).read_bytes())
        except FileNotFoundError:
            if supervisor.is_full(told["folder"]):
                raise disk_is_full(507) from None
            raise Problem(503, "cut_off", "the program was cut off", "send the request again") from None
        self.made += 1
        return outcome
