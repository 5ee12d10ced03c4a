"""Server-sent events: what happened to a job, from where a reader left off."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable

from haichi.service.queue import ENDED, Event

_SECONDS_BETWEEN_SIGNS = 15
"""Of life, which keep proxies from closing a connection on which nothing happens."""


class Bell:
    """Rings when something happened to any job. Belongs to one event loop; may be rung from any thread."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._rung: asyncio.Event | None = None
        self.is_closed = False

    def open(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._rung = asyncio.Event()

    def ring(self) -> None:
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._ring)

    def _ring(self) -> None:
        rung, self._rung = self._rung, asyncio.Event()
        if rung is not None:
            rung.set()

    def close(self) -> None:
        """Readers are to go."""
        self.is_closed = True
        self.ring()

    async def wait(self, seconds: float) -> bool:
        """Whether it rang."""
        assert self._rung is not None
        try:
            await asyncio.wait_for(self._rung.wait(), seconds)
        except TimeoutError:
            return False
        return True


async def stream(read: Callable[[int], Awaitable[list[Event]]], after: int, bell: Bell) -> AsyncIterator[str]:
    """Ends behind the event that ends the job."""
    yield "retry: 2000\n\n"
    while not bell.is_closed:
        waiting = asyncio.ensure_future(bell.wait(_SECONDS_BETWEEN_SIGNS))
        await asyncio.sleep(0)  # it listens before the events are read: none gets lost between
        try:
            for event in await read(after):
                after = event.seq
                yield f"id: {event.seq}\nevent: {event.name}\ndata: {json.dumps(event.data)}\n\n"
                if event.name == "state" and event.data["state"] in ENDED:
                    return
            if not await waiting:
                yield ": still here\n\n"
        finally:
            waiting.cancel()
