"""Reads request bodies, with limits per request, per user and in total."""

from __future__ import annotations

import asyncio
import json
import re
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
"""The largest JSON body, in bytes, that this process parses itself. Parsing takes a few milliseconds, during which
nothing else runs."""
_PIECE = 32 * 2**10
"""The number of bytes of a form that are parsed without a pause. About 500 parts can begin in these, at 0.1 ms each."""
_CHARSETS = frozenset({b"utf-8", b"utf8", b"us-ascii"})
"""The accepted encodings. Python decodes others in quadratic time ("punycode"), or fails ("undefined")."""
_BYTES_OF_PART = 4096
"""The memory that each part of a form takes, even if the part is short."""


class BodyLimit:
    """Rejects bodies that are too long or stop arriving. A length in the header is checked at once; otherwise the body
    is rejected as soon as it exceeds the limit."""

    def __init__(self, app: ASGIApp, limits: Limits) -> None:
        self._app = app
        self._limits = limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        taken = 0
        is_whole = False
        deadline = asyncio.get_running_loop().time() + self._limits.body_seconds

        async def counted() -> Message:
            nonlocal taken, is_whole
            if is_whole:  # the server now waits for the client to disconnect
                return await receive()
            if taken == 0:
                check_length(_announced(scope), self._limits.body_bytes)
            pause = self._limits.pause_seconds
            try:
                async with asyncio.timeout(min(pause, deadline - asyncio.get_running_loop().time())):
                    message: MutableMapping[str, Any] = await receive()
            except TimeoutError:
                late = (
                    f"the rest of the request did not arrive for {pause:g} s, or within {self._limits.body_seconds:g} s"
                )
                raise Problem(408, "too_slow", late, "send the request again later") from None
            taken += len(message.get("body", b""))
            is_whole = not message.get("more_body", False)
            check_length(taken, self._limits.body_bytes)
            return message

        await self._app(scope, counted if scope["type"] == "http" else receive, send)


def check_length(
    count: int, most: int, hint: str = "the operator can raise the limit max-body of haichi serve"
) -> None:
    if count > most:
        raise Problem(413, "too_large", f"the request has more than {most} bytes", hint)


def check_type(start: bytes, content_type: str) -> None:
    """Raises Problem for a body that begins as JSON but has the header of a form, or the reverse."""
    text = start.removeprefix(b"\xef\xbb\xbf").lstrip()
    stated = content_type.partition(";")[0].strip().lower()[:100]
    if stated == "application/json":
        if text.startswith(b"--") or _FORM_FIELD.match(text):
            raise Problem(
                415,
                "media_type",
                f"the body is a form, but its header states {stated}",
                f"omit the header; {_OF_FORMS}",
            )
    elif text.startswith((b"{", b"[")):
        raise Problem(415, "media_type", f"the body is JSON, but its header states {stated}", _AS_JSON)


def _announced(scope: Scope) -> int:
    length = Headers(scope=scope).get("content-length", "")
    return int(length) if length.isascii() and length.isdigit() and len(length) < 20 else 0


class Bodies:
    """All bodies that are arriving, and their joint limits. Belongs to one event loop."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._taken: Counter[str] = Counter()
        self._pausing = asyncio.Lock()
        self._parsing = Turns(limits.children, limits.waiting_of_user, limits.waiting)

    @contextmanager
    def account(self, user: str) -> Iterator[Account]:
        """Opens the account that counts the memory of a request while its body is held."""
        account = Account(self, user)
        try:
            yield account
        finally:
            self._taken[user] -= account.taken
            if not self._taken[user]:
                del self._taken[user]

    def charge(self, user: str, count: int) -> None:
        """Adds `count` bytes to the memory of a user. Raises Problem above a limit."""
        if self._taken[user] + count > self._limits.bodies_of_user_bytes:
            message = (
                f"the arriving requests of this user exceed the limit of {self._limits.bodies_of_user_bytes} bytes"
            )
            raise Problem(429, "too_much_at_once", message, "send one request after the other")
        if self._taken.total() + count > self._limits.bodies_bytes:
            message = (
                f"the arriving requests of all users together exceed the limit of {self._limits.bodies_bytes} bytes"
            )
            raise Problem(503, "busy", message, "send the request again later")
        self._taken[user] += count

    async def pause(self) -> None:
        """Lets other requests run. Call this before work of some milliseconds."""
        async with self._pausing:
            await asyncio.sleep(0)

    async def fields(self, request: Request, account: Account) -> dict[str, list[Value]]:
        """Reads the fields of a form or of a JSON object. Raises Problem."""
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        charset = parse_options_header(request.headers.get("content-type"))[1].get(b"charset", b"utf-8")
        if charset.lower() not in _CHARSETS:
            raise Problem(415, "media_type", f"unsupported charset {charset[:40].decode('latin-1')!r}", "send UTF-8")
        packing = request.headers.get("content-encoding", "identity")
        if packing != "identity":
            raise Problem(
                415, "media_type", f"unsupported content encoding {packing[:40]!r}", "send the body uncompressed"
            )
        try:
            if kind == "application/json":
                return await self._of_json(request, account)
            if kind in ("multipart/form-data", "application/x-www-form-urlencoded"):
                return await self._of_form(request, account)
        except ClientDisconnect as error:
            raise Problem(400, "malformed", "the request is incomplete") from error
        raise Problem(
            415, "media_type", "the body must be application/json or multipart/form-data", f"{_AS_JSON}, or {_OF_FORMS}"
        )

    async def _pieces(self, request: Request) -> AsyncIterator[bytes]:
        """Yields the body in pieces. Raises Problem if its beginning clearly has another type than its header
        states."""
        is_checked = False
        async for part in request.stream():
            if part and not is_checked:
                is_checked = True
                check_type(part, request.headers.get("content-type", ""))
            yield part

    async def _of_json(self, request: Request, account: Account) -> dict[str, list[Value]]:
        hint = "send larger files in a form (curl -F name=@file)"
        check_length(_announced(request.scope), self._limits.json_bytes, hint)
        body = tempfile.SpooledTemporaryFile(max_size=_PARSED_HERE)  # noqa: SIM115 - open until the job has its files
        upload = UploadFile(cast(BinaryIO, body), size=0)
        async for part in self._pieces(request):
            account.charge(len(part))
            await upload.write(part)
            check_length(upload.size or 0, self._limits.json_bytes, hint)
        await upload.seek(0)
        if (upload.size or 0) <= _PARSED_HERE:
            await self.pause()
            content = json_value(await upload.read(), "the body")
            if not isinstance(content, dict):
                raise WrongRequest("the body must be a JSON object")
            return {name: [value] for name, value in content.items()}
        async with self._parsing.of(account.user):
            return await _taken_apart(body)

    async def _of_form(self, request: Request, account: Account) -> dict[str, list[Value]]:
        try:
            form = await self._form_of(request, account)
        except (HTTPException, MultiPartException) as error:
            why = (error.detail if isinstance(error, HTTPException) else error.message).rstrip(".")
            raise Problem(400, "malformed", f"cannot read the form: {why}", _OF_FORMS) from error
        await self.pause()
        fields: dict[str, list[Value]] = {}
        for name, value in form.multi_items():
            if isinstance(value, UploadFile):
                fields.setdefault(name, []).append(Upload(value.filename or "", Section.whole(value.file)))
            else:
                fields.setdefault(name, []).append(value)
        return fields

    async def _form_of(self, request: Request, account: Account) -> FormData:
        """Parses a form. Raises HTTPException and MultiPartException."""
        is_short = request.headers["content-type"].lstrip().lower().startswith("application/")

        async def parts() -> AsyncIterator[bytes]:
            taken = 0
            async for part in self._pieces(request):
                account.charge(len(part))
                taken += len(part)
                if is_short:
                    check_length(taken, self._limits.urlencoded_bytes, "send files as multipart/form-data")
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
            raise MultiPartException("the end boundary is missing")
        return form


class Account:
    """The memory of one request, which counts towards the joint limits of all bodies."""

    def __init__(self, bodies: Bodies, user: str) -> None:
        self._bodies = bodies
        self.user = user
        self.taken = 0

    def charge(self, count: int) -> None:
        """Adds `count` bytes to the memory of the request. Raises Problem above a limit."""
        self._bodies.charge(self.user, count)
        self.taken += count


async def _taken_apart(body: tempfile.SpooledTemporaryFile[bytes]) -> dict[str, list[Value]]:
    """Parses a JSON body in a child process. Large values stay in a file."""
    kept = tempfile.TemporaryFile()  # noqa: SIM115 - open until the job has its files
    body.rollover()
    try:
        number = kept.fileno()
        told = json.loads(await child_output(json_bodies.__file__, [str(number)], cast(Any, body), number))
    except ChildFailedError:
        told = {"error": "it has too many values; send files as uploads of a form"}
    if "error" in told:
        raise WrongRequest(f"invalid JSON in the body: {told['error']}", status=400, code="malformed")
    return {name: [_value(piece, kept)] for name, piece in told["fields"].items()}


def _value(piece: dict[str, Any], kept: Any) -> Value:
    if "list" in piece:
        return [_value(one, kept) for one in piece["list"]]
    if "from" in piece:
        return Content(Section(kept, piece["from"], piece["size"]), piece["is_text"])
    return cast(Value, piece["is"])


_AS_JSON = "send JSON with -H 'Content-Type: application/json'"
_FORM_FIELD = re.compile(rb"[A-Za-z_][\w.-]{0,100}=")
_OF_FORMS = "use curl with -F name=value, and -F name=@file for files"


class _WholeForm(MultiPartParser):
    """A parser that detects whether the final boundary arrived. Without it the form is incomplete, and its last field
    is missing."""

    has_ended = False
    account: Account

    def on_part_begin(self) -> None:
        self.account.charge(_BYTES_OF_PART)
        super().on_part_begin()

    def on_end(self) -> None:
        self.has_ended = True
