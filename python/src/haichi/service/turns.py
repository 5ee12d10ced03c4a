"""Queues for work that only a few requests can do at the same time."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from haichi.service.problems import Problem


class Turns:
    """Serves users in turn, and the requests of a user in the order of arrival. A waiting request occupies no thread.
    Belongs to one event loop."""

    def __init__(self, at_a_time: int, most_of_user: int, most: int) -> None:
        self._free = at_a_time
        self._most_of_user = most_of_user
        self._most = most
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}
        """The waiting requests of each user. The user with the next turn comes first."""

    @asynccontextmanager
    async def of(self, user: str) -> AsyncIterator[None]:
        """Waits for a turn, which lasts until the context is left. Raises Problem if too many requests wait."""
        if self._free > 0:
            self._free -= 1
        else:
            await self._wait(user)
        try:
            yield
        finally:
            self._pass_on()

    async def _wait(self, user: str) -> None:
        if len(self._waiting.get(user, ())) >= self._most_of_user:
            message = f"this user has reached the limit of {self._most_of_user} waiting requests"
            raise Problem(429, "too_many_requests", message, "wait for their answers")
        if sum(map(len, self._waiting.values())) >= self._most:
            raise Problem(
                503,
                "busy",
                f"the service has reached the limit of {self._most} waiting requests",
                "send the request again later",
            )
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(user, deque()).append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._pass_on()
            raise

    def _pass_on(self) -> None:
        while self._waiting:
            user = next(iter(self._waiting))
            queue = self._waiting.pop(user)
            turn = queue.popleft()
            if queue:
                self._waiting[user] = queue  # the user moves to the end
            if not turn.done():
                turn.set_result(None)
                return
        self._free += 1
