"""Reading the bodies of requests, up to a limit."""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Any

from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from haichi.service.problems import Problem, WrongRequest
from haichi.service.requests import Upload, Value, json_value

_MOST_FIELDS = 10_000


class BodyLimit:
    """Refuses bodies as soon as they are longer than allowed, whatever their header says."""

    def __init__(self, app: ASGIApp, most_bytes: int) -> None:
        self._app = app
        self._most = most_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        taken = 0

        async def counted() -> Message:
            nonlocal taken
            message: MutableMapping[str, Any] = await receive()
            taken += len(message.get("body", b""))
            if taken > self._most:
                raise Problem(413, "too_large", f"the request has more than the {self._most} bytes that it may have")
            return message

        await self._app(scope, counted if scope["type"] == "http" else receive, send)


async def fields_of(request: Request) -> dict[str, list[Value]]:
    """The fields of a form or of a JSON object. Raises Problem."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
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
        form = await request.form(max_files=_MOST_FIELDS, max_fields=_MOST_FIELDS, max_part_size=2**20)
    except HTTPException as error:
        raise Problem(400, "malformed", f"the form cannot be read: {error.detail}") from error
    fields: dict[str, list[Value]] = {}
    for name, value in form.multi_items():
        given = Upload(value.filename or "", value.file) if isinstance(value, UploadFile) else value
        fields.setdefault(name, []).append(given)
    return fields
