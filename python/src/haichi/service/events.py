"""Server-sent events: the events of a job that follow the position of a reader."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable

from haichi.service.queue import ENDED, Event

_SECONDS_BETWEEN_SIGNS = 15
"""The interval of comment lines, which keep proxies from closing an idle connection."""


_SECONDS_OF_READER = 0.002
"""The pause of a reader, multiplied by the number of open readers. Together they thus leave most of the processor time
to others."""


QUEUE = ""
"""The name under which the bell rings when a job is ready to run."""


class Bell:
    """Wakes readers on an event of a job. Belongs to one event loop, but any thread may ring it."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._waiting: dict[str, set[asyncio.Future[None]]] = {}
        self.is_closed = False
        self.readers = 0
        """The number of open event streams."""

    def open(self) -> None:
        self._loop = asyncio.get_running_loop()

    def ring(self, job: str) -> None:
        """Wakes the readers of a job, or of QUEUE."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._ring, job)

    def _ring(self, job: str) -> None:
        for waiting in self._waiting.get(job, ()):
            if not waiting.done():
                waiting.set_result(None)

    def close(self) -> None:
        """Ends all readers."""
        self.is_closed = True
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._ring_all)

    def _ring_all(self) -> None:
        for job in self._waiting:
            self._ring(job)

    async def wait(self, job: str, seconds: float) -> bool:
        """Waits for a ring. Returns False if none came in time."""
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
    """Yields the events of a job. Ends after the last event, or when `read` returns None because no more events
    follow."""
    yield "retry: 2000\n\n"
    bell.readers += 1
    try:
        while not bell.is_closed:
            waiting = asyncio.ensure_future(bell.wait(job, _SECONDS_BETWEEN_SIGNS))
            await asyncio.sleep(0)  # start to listen before reading, so that no event is lost
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
