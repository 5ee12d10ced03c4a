"""Who asks. A token file has a line for each user: a name and the SHA-256 of the token, in hexadecimal."""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import re
from dataclasses import dataclass
from pathlib import Path

from haichi.errors import InputError, OptionError
from haichi.service.problems import Problem

_LINE = re.compile(r"([A-Za-z0-9_.@-]{1,64})\s+([0-9a-f]{64})")
LOCAL_USER = "local"
"""Whom all jobs belong to when there are no tokens."""


@dataclass(frozen=True)
class Users:
    """Their names by the digests of their tokens; none: whoever reaches the server is the local user."""

    by_digest: dict[str, str]

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


def check_host(host: str, users: Users) -> None:
    """Raises OptionError for servers that others could reach and that ask for no tokens."""
    if users.by_digest or is_loopback(host):
        return
    raise OptionError(
        f"--host {host} lets other computers in, and there are no tokens",
        "--token-file FILE; and put a server with TLS in front (docs/service.md)",
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
