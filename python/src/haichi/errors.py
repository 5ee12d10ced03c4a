"""The exceptions of haichi. Each has a ``hint``, which is empty or states what to do. Tracebacks show the hint, too."""

import re

_FIELD = re.compile("§([a-z]+(?:-[a-z]+)*)")
"""Matches the name of an option in a message of the library. The Python API and the command line spell option names
differently."""


def _in_python(text: str) -> str:
    return _FIELD.sub(lambda found: found[1].replace("-", "_"), text)


class Error(Exception):
    """The base class of all exceptions of haichi."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(_in_python(message))
        self.hint = _in_python(hint)
        self._said = (message, hint)
        if hint:
            self.add_note(f"hint: {self.hint}")

    def on_command_line(self) -> tuple[str, str]:
        """The message and the hint, with option names as users type them."""
        message, hint = (_FIELD.sub(r"--\1", text) for text in self._said)
        return message, hint


class InputError(Error, ValueError):
    """An invalid file or value from outside. The message names file and line, if there are any."""


class OptionError(Error, ValueError):
    """An invalid argument."""


class UnsupportedError(Error):
    """A valid request that haichi does not support, or that a format cannot express."""


class InternalError(Error, RuntimeError):
    """A bug of haichi."""
