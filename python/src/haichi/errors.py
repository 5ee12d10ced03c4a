"""The exceptions of haichi. Each carries a ``hint``, empty or a sentence on what to do, which tracebacks show too."""

import re

_FIELD = re.compile("§([a-z]+(?:-[a-z]+)*)")
"""The name of an option in a message, as the library has it: who shows the message writes it in his own way."""


def _in_python(text: str) -> str:
    return _FIELD.sub(lambda found: found[1].replace("-", "_"), text)


class Error(Exception):
    """The root of all of them."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(_in_python(message))
        self.hint = _in_python(hint)
        self._said = (message, hint)
        if hint:
            self.add_note(f"hint: {self.hint}")

    def on_command_line(self) -> tuple[str, str]:
        """Message and hint with the names of options as they are typed."""
        message, hint = (_FIELD.sub(r"--\1", text) for text in self._said)
        return message, hint


class InputError(Error, ValueError):
    """A file or value from outside is wrong; the message names file and line where there are any."""


class OptionError(Error, ValueError):
    """An argument is wrong."""


class UnsupportedError(Error):
    """Well-formed, but haichi cannot do or express it."""


class InternalError(Error, RuntimeError):
    """A bug of haichi."""
