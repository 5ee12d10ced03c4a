"""Reading the bodies of requests, up to a limit."""

from __future__ import annotations

import asyncio
from collections.abc import MutableMapping
from typing import Any

from starlette.datastructures import FormData, Headers, UploadFile
from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from haichi.service.problems import Problem, WrongRequest
from haichi.service.requests import Upload, Value, json_value

_MOST_FIELDS = 10_000
_SECONDS_TO_GO_ON = 60
"""That a client may take for the next part of a body."""


class BodyLimit:
    """Refuses bodies that are longer than allowed, or come to a stop: at once where the header says it, else as soon as
    it shows."""

    def __init__(self, app: ASGIApp, most_bytes: int) -> None:
        self._app = app
        self._most = most_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        taken = 0
        is_whole = False

        async def counted() -> Message:
            nonlocal taken, is_whole
            if is_whole:  # it waits for the client to go
                return await receive()
            if taken == 0:
                self._check(_announced(scope))
            try:
                async with asyncio.timeout(_SECONDS_TO_GO_ON):
                    message: MutableMapping[str, Any] = await receive()
            except TimeoutError:
                late = f"the rest of the request did not come for {_SECONDS_TO_GO_ON} s"
                raise Problem(408, "too_slow", late, "send it again") from None
            taken += len(message.get("body", b""))
            is_whole = not message.get("more_body", False)
            self._check(taken)
            return message

        await self._app(scope, counted if scope["type"] == "http" else receive, send)

    def _check(self, count: int) -> None:
        if count > self._most:
            message = f"the request has more than the {self._most} bytes that it may have"
            raise Problem(413, "too_large", message, "haichi serve --most-body allows more")


def _announced(scope: Scope) -> int:
    length = Headers(scope=scope).get("content-length", "")
    return int(length) if length.isascii() and length.isdigit() else 0


async def fields_of(request: Request) -> dict[str, list[Value]]:
    """The fields of a form or of a JSON object. Raises Problem."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    packing = request.headers.get("content-encoding", "identity")
    if packing != "identity":
        raise Problem(415, "media_type", f"bodies in {packing[:40]!r} are not read", "send it as it is")
    try:
        if kind == "application/json":
            return _of_json(await request.body())
        if kind in ("multipart/form-data", "application/x-www-form-urlencoded"):
            return await _of_form(request)
    except ClientDisconnect as error:
        raise Problem(400, "malformed", "the request is cut off") from error
    raise Problem(415, "media_type", "the body is application/json or multipart/form-data")


def _of_json(body: bytes) -> dict[str, list[Value]]:
    content = json_value(body, "the body")
    if not isinstance(content, dict):
        raise WrongRequest("the body is a JSON object")
    return {name: [value] for name, value in content.items()}


async def _of_form(request: Request) -> dict[str, list[Value]]:
    try:
        form = await _form_of(request)
    except (HTTPException, MultiPartException) as error:
        why = (error.detail if isinstance(error, HTTPException) else error.message).rstrip(".")
        raise Problem(400, "malformed", f"the form cannot be read: {why}", _OF_FORMS) from error
    fields: dict[str, list[Value]] = {}
    for name, value in form.multi_items():
        given = Upload(value.filename or "", value.file) if isinstance(value, UploadFile) else value
        fields.setdefault(name, []).append(given)
    return fields


_OF_FORMS = "curl makes forms of -F name=value, and with files of -F name=@file"


class _WholeForm(MultiPartParser):
    """Knows whether it got to the boundary that ends it: of a form that was cut off the last field is missing."""

    has_ended = False

    def on_end(self) -> None:
        self.has_ended = True


async def _form_of(request: Request) -> FormData:
    """Raises HTTPException, MultiPartException."""
    limits = {"max_fields": _MOST_FIELDS, "max_part_size": 2**20}
    if request.headers["content-type"].lstrip().lower().startswith("application/"):
        return await request.form(max_files=_MOST_FIELDS, **limits)
    parser = _WholeForm(request.headers, request.stream(), max_files=_MOST_FIELDS, **limits)
    form = await parser.parse()
    if not parser.has_ended:
        raise MultiPartException("it ends before its last boundary")
    return form
