"""Reading the bodies of requests, up to limits: of one, of a user's, and of all together."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Iterator, MutableMapping
from contextlib import contextmanager
from typing import Any, BinaryIO, cast

from python_multipart.multipart import parse_options_header
from starlette.datastructures import FormData, Headers, UploadFile
from starlette.exceptions import HTTPException
from starlette.formparsers import FormParser, MultiPartException, MultiPartParser
from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from haichi.service import json_bodies
from haichi.service.children import ChildFailedError, child_output
from haichi.service.limits import Limits
from haichi.service.problems import Problem, WrongRequest
from haichi.service.requests import Content, Section, Upload, Value, json_value
from haichi.service.turns import Turns

_PARSED_HERE = 64 * 2**10
"""Bytes of JSON that a parser takes a few milliseconds for: it lets nothing else run meanwhile."""
_PIECE = 32 * 2**10
"""Bytes of a form that are parsed without a pause: in them may begin some 500 parts, of 0.1 ms each."""
_CHARSETS = frozenset({b"utf-8", b"utf8", b"us-ascii"})
"""Python decodes others in a time that grows with the square of a text ("punycode"), or fails ("undefined")."""
_BYTES_OF_PART = 4096
"""Of memory that a part of a form takes, however short it is."""


class BodyLimit:
    """Refuses bodies that are longer than allowed, or come to a stop: at once where the header says it, else as soon as
    it shows."""

    def __init__(self, app: ASGIApp, limits: Limits) -> None:
        self._app = app
        self._limits = limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        taken = 0
        is_whole = False
        deadline = asyncio.get_running_loop().time() + self._limits.body_seconds

        async def counted() -> Message:
            nonlocal taken, is_whole
            if is_whole:  # it waits for the client to go
                return await receive()
            if taken == 0:
                check_length(_announced(scope), self._limits.body_bytes)
            pause = self._limits.pause_seconds
            try:
                async with asyncio.timeout(min(pause, deadline - asyncio.get_running_loop().time())):
                    message: MutableMapping[str, Any] = await receive()
            except TimeoutError:
                late = (
                    f"the rest of the request did not come for {pause:g} s, or within {self._limits.body_seconds:g} s"
                )
                raise Problem(408, "too_slow", late, "send it again") from None
            taken += len(message.get("body", b""))
            is_whole = not message.get("more_body", False)
            check_length(taken, self._limits.body_bytes)
            return message

        await self._app(scope, counted if scope["type"] == "http" else receive, send)


def check_length(count: int, most: int, hint: str = "haichi serve --most-body allows more") -> None:
    if count > most:
        raise Problem(413, "too_large", f"the request has more than the {most} bytes that it may have", hint)


def _announced(scope: Scope) -> int:
    length = Headers(scope=scope).get("content-length", "")
    return int(length) if length.isascii() and length.isdigit() and len(length) < 20 else 0


class Bodies:
    """All that arrive, and what they may take together. Belongs to one event loop."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._taken: Counter[str] = Counter()
        self._pausing = asyncio.Lock()
        self._parsing = Turns(limits.children, limits.waiting_of_user, limits.waiting)

    @contextmanager
    def account(self, user: str) -> Iterator[Account]:
        """For as long as a request has its body."""
        account = Account(self, user)
        try:
            yield account
        finally:
            self._taken[user] -= account.taken
            if not self._taken[user]:
                del self._taken[user]

    def charge(self, user: str, count: int) -> None:
        """Raises Problem."""
        if self._taken[user] + count > self._limits.bodies_of_user_bytes:
            message = f"requests of this user that arrive have {self._limits.bodies_of_user_bytes} bytes, the limit"
            raise Problem(429, "too_much_at_once", message, "send one after the other")
        if self._taken.total() + count > self._limits.bodies_bytes:
            message = f"requests that arrive have {self._limits.bodies_bytes} bytes, which is the limit"
            raise Problem(503, "busy", message, "send it again")
        self._taken[user] += count

    async def pause(self) -> None:
        """Before work of some milliseconds: others of its kind, and whoever asks for anything else, come between."""
        async with self._pausing:
            await asyncio.sleep(0)

    async def fields(self, request: Request, account: Account) -> dict[str, list[Value]]:
        """The fields of a form or of a JSON object. Raises Problem."""
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        charset = parse_options_header(request.headers.get("content-type"))[1].get(b"charset", b"utf-8")
        if charset.lower() not in _CHARSETS:
            raise Problem(415, "media_type", f"texts in {charset[:40].decode('latin-1')!r} are not read", "send UTF-8")
        packing = request.headers.get("content-encoding", "identity")
        if packing != "identity":
            raise Problem(415, "media_type", f"bodies in {packing[:40]!r} are not read", "send it as it is")
        try:
            if kind == "application/json":
                return await self._of_json(request, account)
            if kind in ("multipart/form-data", "application/x-www-form-urlencoded"):
                return await self._of_form(request, account)
        except ClientDisconnect as error:
            raise Problem(400, "malformed", "the request is cut off") from error
        raise Problem(415, "media_type", "the body is application/json or multipart/form-data")

    async def _of_json(self, request: Request, account: Account) -> dict[str, list[Value]]:
        hint = "a form takes larger files (curl -F name=@file)"
        check_length(_announced(request.scope), self._limits.json_bytes, hint)
        body = tempfile.SpooledTemporaryFile(max_size=_PARSED_HERE)  # noqa: SIM115 - until the job has its files
        upload = UploadFile(cast(BinaryIO, body), size=0)
        async for part in request.stream():
            account.charge(len(part))
            await upload.write(part)
            check_length(upload.size or 0, self._limits.json_bytes, hint)
        await upload.seek(0)
        if (upload.size or 0) <= _PARSED_HERE:
            await self.pause()
            content = json_value(await upload.read(), "the body")
            if not isinstance(content, dict):
                raise WrongRequest("the body is a JSON object")
            return {name: [value] for name, value in content.items()}
        async with self._parsing.of(account.user):
            return await _taken_apart(body)

    async def _of_form(self, request: Request, account: Account) -> dict[str, list[Value]]:
        try:
            form = await self._form_of(request, account)
        except (HTTPException, MultiPartException) as error:
            why = (error.detail if isinstance(error, HTTPException) else error.message).rstrip(".")
            raise Problem(400, "malformed", f"the form cannot be read: {why}", _OF_FORMS) from error
        await self.pause()
        fields: dict[str, list[Value]] = {}
        for name, value in form.multi_items():
            if isinstance(value, UploadFile):
                fields.setdefault(name, []).append(Upload(value.filename or "", Section.whole(value.file)))
            else:
                fields.setdefault(name, []).append(value)
        return fields

    async def _form_of(self, request: Request, account: Account) -> FormData:
        """Raises HTTPException, MultiPartException."""
        is_short = request.headers["content-type"].lstrip().lower().startswith("application/")

        async def parts() -> AsyncIterator[bytes]:
            taken = 0
            async for part in request.stream():
                account.charge(len(part))
                taken += len(part)
                if is_short:
                    check_length(taken, self._limits.urlencoded_bytes, "files are sent as multipart/form-data")
                for begin in range(0, len(part), _PIECE):
                    await self.pause()
                    yield part[begin : begin + _PIECE]

        most = {"max_fields": self._limits.form_parts, "max_part_size": self._limits.part_bytes}
        if is_short:
            return await FormParser(request.headers, cast(Any, parts()), **most).parse()
        parser = _WholeForm(request.headers, cast(Any, parts()), max_files=self._limits.form_parts, **most)
        parser.account = account
        form = await parser.parse()
        if not parser.has_ended:
            raise MultiPartException("it ends before its last boundary")
        return form


class Account:
    """What one request takes of what bodies may have together."""

    def __init__(self, bodies: Bodies, user: str) -> None:
        self._bodies = bodies
        self.user = user
        self.taken = 0

    def charge(self, count: int) -> None:
        """Raises Problem."""
        self._bodies.charge(self.user, count)
        self.taken += count


async def _taken_apart(body: tempfile.SpooledTemporaryFile[bytes]) -> dict[str, list[Value]]:
    """By a process; large values stay in a file."""
    kept = tempfile.TemporaryFile()  # noqa: SIM115 - until the job has its files
    body.rollover()
    try:
        number = kept.fileno()
        told = json.loads(await child_output(json_bodies.__file__, [str(number)], cast(Any, body), number))
    except ChildFailedError:
        told = {"error": "it has too many values; send files as uploads of a form"}
    if "error" in told:
        raise WrongRequest(f"the body is not JSON: {told['error']}", status=400, code="malformed")
    return {name: [_value(piece, kept)] for name, piece in told["fields"].items()}


def _value(piece: dict[str, Any], kept: Any) -> Value:
    if "list" in piece:
        return [_value(one, kept) for one in piece["list"]]
    if "from" in piece:
        return Content(Section(kept, piece["from"], piece["size"]), piece["is_text"])
    return cast(Value, piece["is"])


_OF_FORMS = "curl makes forms of -F name=value, and with files of -F name=@file"


class _WholeForm(MultiPartParser):
    """Knows whether it got to the boundary that ends it: of a form that was cut off the last field is missing."""

    has_ended = False
    account: Account

    def on_part_begin(self) -> None:
        self.account.charge(_BYTES_OF_PART)
        super().on_part_begin()

    def on_end(self) -> None:
        self.has_ended = True
