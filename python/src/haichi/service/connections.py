"""Protects the server against connections that take too many resources, before requests reach the routes."""

from __future__ import annotations

import asyncio
import json
import resource
from typing import Any, ClassVar

from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from haichi.service.limits import Limits
from haichi.service.problems import Problem

_PIECE = 4096
"""The number of bytes that the parser gets at a time. The parser keeps a header field until its end and reports it only
then."""
_SECONDS_TO_READ_A_REFUSAL = 2.0


class PatientProtocol(HttpToolsProtocol):
    """Limits the memory, processor time and descriptors of a connection that has no request to answer. Bytes of request
    headers are counted when they arrive, before the parser gets them. Bytes around a body (trailers, chunk extensions)
    are counted in the same way. Request headers must be complete in time."""

    _waiting: ClassVar[dict[PatientProtocol, None]] = {}
    """The connections that have no request, in the order in which they began to wait. If there are too many, the
    longest waiting are closed."""
    _patience: asyncio.TimerHandle | None = None
    _until_read: asyncio.TimerHandle | None = None
    """A timer that runs while the client reads nothing of a long response."""
    _unread = 0
    """The bytes that arrived since the last progress. Complete headers, a complete request and a piece of a body are
    progress."""
    _is_in_body = False
    _is_too_large = False
    _is_refused = False
    _answered: RequestResponseCycle | None = None
    """The request that is being answered. `cycle` is the last request that arrived."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._wait_for_head()
        if len(self.connections) > Limits.connections:
            longest = next(iter(self._waiting))  # this connection, if all others have requests
            longest._stop_waiting()
            longest.transport.abort()

    def data_received(self, data: bytes) -> None:
        for begin in range(0, len(data), _PIECE):
            if self._is_refused or self.transport.is_closing():
                return
            piece = data[begin : begin + _PIECE]
            self._unread += len(piece)
            if self._unread <= Limits.head_bytes:
                super().data_received(piece)
            if self._unread > Limits.head_bytes or self._is_too_large:
                self._refuse()

    def _refuse(self) -> None:
        """Refuses the request and discards further input for a while. A client that is cut off while sending would not
        read the response."""
        self._is_refused = True
        self._stop_waiting()
        self._patience = self.loop.call_later(_SECONDS_TO_READ_A_REFUSAL, self.transport.close)
        if self.cycle is None or self.cycle.response_complete:
            self._tell_refusal()

    def _tell_refusal(self) -> None:
        message = f"the head of the request has more than {Limits.head_bytes} bytes or {Limits.head_fields} fields"
        hint = f"send at most {Limits.pipelined} pipelined requests on a connection"
        content = json.dumps(Problem(431, "head_too_large", message, hint).content()).encode()
        self.transport.write(
            b"HTTP/1.1 431 Request Header Fields Too Large\r\nContent-Type: application/json\r\n"
            b"Content-Length: %d\r\nConnection: close\r\n\r\n%s" % (len(content), content)
        )

    def _unsupported_upgrade_warning(self) -> None:
        """Uvicorn would advise to install packages."""
        self.logger.warning("a client requested another protocol")

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._unread = 0
        self._is_in_body = False
        self._wait_for_head()

    def on_header(self, name: bytes, value: bytes) -> None:
        if self._is_in_body:
            return  # a trailer must not count as a header field
        if len(self.headers) < Limits.head_fields:
            super().on_header(name, value)
        else:
            self._is_too_large = True

    def on_headers_complete(self) -> None:
        self._unread = 0
        self._is_in_body = True
        self._stop_waiting()
        self._is_too_large = self._is_too_large or len(self.pipeline) >= Limits.pipelined
        if not self._is_too_large:
            super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self._unread = 0
        if not self._is_too_large:
            super().on_body(body)

    def on_message_complete(self) -> None:
        self._unread = 0
        if not self._is_too_large:
            super().on_message_complete()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self._is_refused:
            self._unset_keepalive_if_required()
            if self.cycle.response_complete and not self.transport.is_closing():
                self._tell_refusal()
        elif self.cycle.response_complete:  # otherwise the next request has begun
            self._wait_for_head()  # an unread body must also end within this time

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        self._answered = cycle
        super()._start_asgi_task(cycle, app)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._until_read = self.loop.call_later(Limits.answer_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._stop_waiting_for_reader()

    def _stop_waiting_for_reader(self) -> None:
        if self._until_read is not None:
            self._until_read.cancel()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        self._stop_waiting_for_reader()
        if self._answered is not None and not self._answered.response_complete:  # further requests may follow this one
            self._answered.disconnected = True
            self._answered.message_event.set()
        super().connection_lost(exc)

    def _wait_for_head(self) -> None:
        self._stop_waiting()
        self._waiting[self] = None
        self._patience = self.loop.call_later(Limits.head_seconds, self.transport.close)

    def _stop_waiting(self) -> None:
        self._waiting.pop(self, None)
        if self._patience is not None:
            self._patience.cancel()


def take_all_descriptors() -> None:
    """Raises the limit of open descriptors. Each connection needs a descriptor, and the default limit is usually
    low."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


class _Answered(Exception):  # noqa: N818 - not a fault
    """Ends a HEAD request: the headers are sent, and the content is not needed."""


class HeadRequests:
    """Answers HEAD requests as GET requests, but without the content."""

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
                raise _Answered  # a stream of events would not end

        try:
            await self._app({**scope, "method": "GET"}, receive, head_only)
        except* _Answered:
            pass


def allowed_methods(routes: list[Any], path: str) -> str:
    """The value of the header Allow for this path."""
    methods: set[str] = set()
    for route in routes:
        if route.path_regex.match(path):
            methods |= route.methods or set()
    return ", ".join(sorted(methods | ({"HEAD"} if "GET" in methods else set())))
