"""Server-sent events: what happened to a job, from where a reader left off."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable

from haichi.service.queue import ENDED, Event

_SECONDS_BETWEEN_SIGNS = 15
"""Of life, which keep proxies from closing a connection on which nothing happens."""


_SECONDS_OF_READER = 0.002
"""A reader pauses so long for each that there is: all together leave most of the processor to others."""


QUEUE = ""
"""Rings when there is something to run."""


class Bell:
    """Rings when something happened to a job. Belongs to one event loop; may be rung from any thread."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._waiting: dict[str, set[asyncio.Future[None]]] = {}
        self.is_closed = False
        self.readers = 0
        """Streams of events that are open."""

    def open(self) -> None:
        self._loop = asyncio.get_running_loop()

    def ring(self, job: str) -> None:
        """Or QUEUE."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._ring, job)

    def _ring(self, job: str) -> None:
        for waiting in self._waiting.get(job, ()):
            if not waiting.done():
                waiting.set_result(None)

    def close(self) -> None:
        """Readers are to go."""
        self.is_closed = True
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._ring_all)

    def _ring_all(self) -> None:
        for job in self._waiting:
            self._ring(job)

    async def wait(self, job: str, seconds: float) -> bool:
        """Whether it rang."""
        rung: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(job, set()).add(rung)
        try:
            await asyncio.wait_for(rung, seconds)
        except TimeoutError:
            return False
        finally:
            self._waiting[job].discard(rung)
            if not self._waiting[job]:
                del self._waiting[job]
        return True


async def stream(
    read: Callable[[int], Awaitable[list[Event] | None]], after: int, bell: Bell, job: str
) -> AsyncIterator[str]:
    """Ends after the event that ends the job, or when none comes any more: `read` gives None then."""
    yield "retry: 2000\n\n"
    bell.readers += 1
    try:
        while not bell.is_closed:
            waiting = asyncio.ensure_future(bell.wait(job, _SECONDS_BETWEEN_SIGNS))
            await asyncio.sleep(0)  # it listens before the events are read: none gets lost between
            try:
                events = await read(after)
                if events is None:
                    return
                for event in events:
                    after = event.seq
                    yield f"id: {event.seq}\nevent: {event.name}\ndata: {json.dumps(event.data)}\n\n"
                    if event.name == "state" and event.data["state"] in ENDED:
                        return
                if not await waiting:
                    yield ": still here\n\n"
                await asyncio.sleep(bell.readers * _SECONDS_OF_READER)
            finally:
                waiting.cancel()
    finally:
        bell.readers -= 1
