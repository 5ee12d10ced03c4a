"""Error responses of the service."""

from __future__ import annotations

from typing import Any


class Problem(Exception):  # noqa: N818 - a response, not a fault
    """An error response: the HTTP status, a code for programs, and the message and hint for people."""

    def __init__(self, status: int, code: str, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.hint = hint

    def content(self) -> dict[str, Any]:
        return {"error": {"code": self.code, "message": self.message, "hint": self.hint}}


class WrongRequest(Problem):
    """A well-formed request with an invalid value."""

    def __init__(self, message: str, hint: str = "", status: int = 422, code: str = "invalid_request") -> None:
        super().__init__(status, code, message, hint)


def disk_is_full(status: int) -> Problem:
    return Problem(status, "disk_full", "the server's disk is full", "try again when the disk has free space")


def told_by_program(text: str) -> tuple[str, str]:
    """The message and the hint in the program's standard error."""
    message, hint = "", ""
    for line in text.splitlines():
        if line.startswith("error: ") and not message:
            message = line.removeprefix("error: ")
        elif line.startswith("hint: ") and message and not hint:
            hint = line.removeprefix("hint: ")
        elif line.startswith("  ") and hint:
            hint += "\n" + line
        elif line.startswith("  ") and message:
            message += "\n" + line
    return message, hint
