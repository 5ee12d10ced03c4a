"""What clients may do with a connection, below the routes."""

from __future__ import annotations

import asyncio
import resource
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

_SECONDS_TO_ASK = 60.0


class PatientProtocol(HttpToolsProtocol):
    """A connection is closed on which the head of a request does not come to its end: so that those who say nothing
    use up no descriptors."""

    _patience: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._wait_for_head()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._wait_for_head()

    def on_headers_complete(self) -> None:
        self._stop_waiting()
        super().on_headers_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def _wait_for_head(self) -> None:
        self._stop_waiting()
        self._patience = self.loop.call_later(_SECONDS_TO_ASK, self.transport.close)

    def _stop_waiting(self) -> None:
        if self._patience is not None:
            self._patience.cancel()


def take_all_descriptors() -> None:
    """Each connection is one, and the limit is usually low for the sake of old programs."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


class _Answered(Exception):  # noqa: N818 - not a fault
    """The head is all that was asked for."""


class HeadRequests:
    """HEAD is answered wherever GET is, without the content."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self._app(scope, receive, send)
            return
        has_ended = False

        async def head_only(message: Message) -> None:
            nonlocal has_ended
            if message["type"] != "http.response.start":
                has_ended = True
                message = {"type": "http.response.body", "body": b"", "more_body": False}
            await send(message)
            if has_ended:
                raise _Answered  # a stream of events would go on

        try:
            await self._app({**scope, "method": "GET"}, receive, head_only)
        except* _Answered:
            pass


def allowed_methods(routes: list[Any], path: str) -> str:
    """For the header Allow."""
    methods: set[str] = set()
    for route in routes:
        if route.path_regex.match(path):
            methods |= route.methods or set()
    return ", ".join(sorted(methods | ({"HEAD"} if "GET" in methods else set())))
