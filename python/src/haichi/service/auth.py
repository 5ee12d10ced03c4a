"""Who asks. A token file has a line for each user: a name and the SHA-256 of the token, in hexadecimal."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import ipaddress
import logging
import re
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from haichi.errors import InputError, OptionError
from haichi.service.problems import Problem

_LINE = re.compile(r"([A-Za-z0-9_.@-]{1,64})\s+([0-9a-f]{64})")
LOCAL_USER = "local"
"""Whom all jobs belong to when there are no tokens."""
_LOG = logging.getLogger("haichi.service")
_WRONG_AT_ONCE = 20
_SECONDS_OF_WRONG = 0.5
"""After the first ones an address gets an answer to a wrong token every so many seconds."""
_LONGEST_WAIT = 30.0
_MOST_ADDRESSES = 4096
_LONGEST_ADDRESS = 64
"""A client behind a trusted proxy may have it say anything."""


class WrongTokens:
    """Slows who guesses: those with a right token wait for nothing, also at the same address, which may be a proxy's.
    Memory is bounded: the address that has been quiet for longest is forgotten."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._of_address: OrderedDict[str, tuple[float, int]] = OrderedDict()
        """When its wrong tokens are all answered for, and how many there were."""

    def wait_of(self, address: str) -> float:
        """Counts one more, logs the first, second, fourth and so on; seconds until it is to be answered.
        Raises Problem where too many wait."""
        now = self._now()
        address = address[:_LONGEST_ADDRESS]
        answered, count = self._of_address.pop(address, (0.0, 0))
        wait = max(0.0, answered - now - _WRONG_AT_ONCE * _SECONDS_OF_WRONG)
        is_too_long = wait > _LONGEST_WAIT
        count += 1
        self._of_address[address] = (max(answered, now) + (0 if is_too_long else _SECONDS_OF_WRONG), count)
        if len(self._of_address) > _MOST_ADDRESSES:
            self._of_address.popitem(last=False)
        if count & (count - 1) == 0:
            _LOG.warning("a token was refused", extra={"address": address, "refused": count})
        if is_too_long:
            raise Problem(429, "too_many_tokens", "too many wrong tokens came from this address", "wait")
        return wait


@dataclass(frozen=True)
class Users:
    """Their names by the digests of their tokens; none: whoever reaches the server is the local user."""

    by_digest: dict[str, str]
    wrong_tokens: WrongTokens = field(default_factory=WrongTokens, compare=False)

    @staticmethod
    def of_file(path: Path) -> Users:
        """Raises InputError that names the line."""
        found: dict[str, str] = {}
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"{path}: cannot be read: {getattr(error, 'strerror', 'not a text')}") from error
        for number, line in enumerate(lines, 1):
            if not line.strip() or line.startswith("#"):
                continue
            match = _LINE.fullmatch(line.strip())
            if match is None:
                raise InputError(
                    f"{path}:{number}: expected a user and the SHA-256 of a token",
                    "echo \"alice $(printf %s TOKEN | sha256sum | cut -d' ' -f1)\"",
                )
            if match[2] in found:
                raise InputError(f"{path}:{number}: {found[match[2]]} has the same token")
            found[match[2]] = match[1]
        if not found:
            raise InputError(f"{path}: has no users")
        return Users(found)

    def user_of(self, header: str | None) -> str:
        """Of the Authorization header. Raises Problem."""
        if not self.by_digest:
            return LOCAL_USER
        scheme, _, token = (header or "").partition(" ")
        if scheme.lower() != "bearer" or not token:
            raise Problem(401, "no_token", "a token is missing", "Authorization: Bearer TOKEN")
        digest = hashlib.sha256(token.strip().encode(errors="replace")).hexdigest()
        # All are compared, each in constant time: how long it takes tells nothing.
        matching = [user for known, user in self.by_digest.items() if hmac.compare_digest(known, digest)]
        if not matching:
            raise Problem(401, "wrong_token", "the token is nobody's")
        return matching[0]

    async def checked(self, header: str | None, address: str) -> str:
        """As `user_of`, where wrong tokens wait."""
        try:
            return self.user_of(header)
        except Problem as problem:
            if problem.code == "wrong_token":
                await asyncio.sleep(self.wrong_tokens.wait_of(address))
            raise


class OnlyOurPages:
    """Around all routes, also those of /docs, /metrics and /openapi.json: without tokens only names of this computer
    lead to them, and no page of another site has them in a frame."""

    _FREE = frozenset({"/healthz", "/readyz"})
    """Who asks whether the server is well may ask by any name."""

    def __init__(self, app: ASGIApp, users: Users) -> None:
        self._app = app
        self._users = users

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def unframed(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers["X-Frame-Options"] = "DENY"
                headers.setdefault("Content-Security-Policy", "frame-ancestors 'none'")
            await send(message)

        headers = Headers(scope=scope)
        try:
            if scope["path"] not in self._FREE:
                check_origin(self._users, headers.get("host"), headers.get("origin"))
        except Problem as problem:
            await JSONResponse(problem.content(), problem.status)(scope, receive, unframed)
            return
        await self._app(scope, receive, unframed)


def check_host(host: str, users: Users) -> None:
    """Raises OptionError for servers that others could reach and that ask for no tokens."""
    if users.by_digest or is_loopback(host):
        return
    raise OptionError(
        f"--host {host} lets other computers in, and there are no tokens",
        "--token-file FILE; and put a server with TLS in front (docs/howto/service.md)",
    )


def is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def check_origin(users: Users, host: str | None, origin: str | None) -> None:
    """Without tokens, pages of other sites in a user's browser must not reach the server, nor names that lead to it.
    Raises Problem."""
    if users.by_digest:
        return
    name = (host or "").rpartition(":")[0] if re.search(r":\d+\Z", host or "") else (host or "")
    if not is_loopback(name.strip("[]")):
        raise Problem(403, "wrong_host", "the server has no tokens and answers to localhost only")
    if origin is not None and origin.rpartition("//")[2] != host:
        raise Problem(403, "wrong_origin", "a page of another site may not ask")
