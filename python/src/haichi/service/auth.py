"""Authentication. A token file has a line per user, with a name and the SHA-256 of the token in hexadecimal."""

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
"""The owner of all jobs on a server without tokens."""
_LOG = logging.getLogger("haichi.service")
_WRONG_AT_ONCE = 20
_SECONDS_OF_WRONG = 0.5
"""The interval between responses to wrong tokens of an address, after the first _WRONG_AT_ONCE."""
_LONGEST_WAIT = 30.0
_MOST_ADDRESSES = 4096
_LONGEST_ADDRESS = 64
"""The maximum length of an address. Addresses are not taken from headers, because a client of a trusted proxy may forge
headers."""


class WrongTokens:
    """Slows down guessing of tokens. A valid token never waits, even from the address of wrong tokens, which may be a
    proxy. Memory is bounded: the address with the oldest wrong token is forgotten."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._of_address: OrderedDict[str, tuple[float, int]] = OrderedDict()
        """For each address, the time at which the last response is due, and the number of wrong tokens."""

    def wait_of(self, address: str) -> float:
        """Counts a wrong token and returns the seconds until its response. Logs the first, second, fourth, eighth and
        so on. Raises Problem if the wait is too long."""
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
            _LOG.warning("rejected a token", extra={"address": address, "refused": count})
        if is_too_long:
            raise Problem(429, "too_many_tokens", "too many wrong tokens from this address", "wait and try again")
        return wait


@dataclass(frozen=True)
class Users:
    """User names by the digests of their tokens. Without tokens, every client is the local user."""

    by_digest: dict[str, str]
    wrong_tokens: WrongTokens = field(default_factory=WrongTokens, compare=False)

    @staticmethod
    def of_file(path: Path) -> Users:
        """Reads a token file. Raises InputError with the line."""
        found: dict[str, str] = {}
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"cannot read {path}: {getattr(error, 'strerror', 'not a text')}") from error
        for number, line in enumerate(lines, 1):
            if not line.strip() or line.startswith("#"):
                continue
            match = _LINE.fullmatch(line.strip())
            if match is None:
                raise InputError(
                    f"{path}:{number}: expected a user and the SHA-256 of a token",
                    "add a line with: echo \"alice $(printf %s TOKEN | sha256sum | cut -d' ' -f1)\"",
                )
            if match[2] in found:
                raise InputError(f"{path}:{number}: duplicate token: {found[match[2]]} has the same")
            found[match[2]] = match[1]
        if not found:
            raise InputError(f"{path}: the file has no users")
        return Users(found)

    def user_of(self, header: str | None) -> str:
        """The user whose token the Authorization header contains. Raises Problem."""
        if not self.by_digest:
            return LOCAL_USER
        scheme, _, token = (header or "").partition(" ")
        if scheme.lower() != "bearer" or not token:
            raise Problem(
                401, "no_token", "the request requires a token", "send the header Authorization: Bearer TOKEN"
            )
        digest = hashlib.sha256(token.strip().encode(errors="replace")).hexdigest()
        # The token is compared with all digests, each in constant time, so that the duration reveals nothing.
        matching = [user for known, user in self.by_digest.items() if hmac.compare_digest(known, digest)]
        if not matching:
            raise Problem(401, "wrong_token", "unknown token")
        return matching[0]

    async def checked(self, header: str | None, address: str) -> str:
        """Finds the user as `user_of` does, but delays the response to a wrong token."""
        try:
            return self.user_of(header)
        except Problem as problem:
            if problem.code == "wrong_token":
                await asyncio.sleep(self.wrong_tokens.wait_of(address))
            raise


class OnlyOurPages:
    """Wraps all routes, including /docs, /metrics and /openapi.json. Without tokens, it accepts only host names of this
    computer. Pages of other sites must not show a page of the service in a frame."""

    _FREE = frozenset({"/healthz", "/readyz"})
    """Health checks, which accept any host name."""

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
    """Raises OptionError for a server that other computers can reach and that has no tokens."""
    if users.by_digest or is_loopback(host):
        return
    raise OptionError(
        f"§host {host} requires tokens, because it accepts other computers",
        "use §token-file FILE, and put a server with TLS in front (docs/howto/service.md)",
    )


def is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def check_origin(users: Users, host: str | None, origin: str | None) -> None:
    """Rejects requests from pages of other sites if there are no tokens. Also rejects host names other than localhost,
    which DNS rebinding would use. Raises Problem."""
    if users.by_digest:
        return
    name = (host or "").rpartition(":")[0] if re.search(r":\d+\Z", host or "") else (host or "")
    if not is_loopback(name.strip("[]")):
        raise Problem(403, "wrong_host", "a server without tokens accepts localhost only as the host")
    if origin is not None and origin.rpartition("//")[2] != host:
        raise Problem(403, "wrong_origin", "a page of another site must not send requests")
