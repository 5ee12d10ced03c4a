"""What a request is answered with when it cannot be done."""

from __future__ import annotations

from typing import Any


class Problem(Exception):  # noqa: N818 - an answer, not a fault
    """An answer that is an error: the status, a word for programs, and the message and hint as the program has them."""

    def __init__(self, status: int, code: str, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.hint = hint

    def content(self) -> dict[str, Any]:
        return {"error": {"code": self.code, "message": self.message, "hint": self.hint}}


class WrongRequest(Problem):
    """The request is understood, but asks for what does not exist."""

    def __init__(self, message: str, hint: str = "", status: int = 422, code: str = "invalid_request") -> None:
        super().__init__(status, code, message, hint)


def disk_is_full(status: int) -> Problem:
    return Problem(status, "disk_full", "the server's disk is full", "it takes jobs again when it has room")


def told_by_program(text: str) -> tuple[str, str]:
    """Message and hint of what the program said on standard error."""
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
