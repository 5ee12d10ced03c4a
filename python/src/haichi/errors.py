"""The exceptions of haichi. Each carries a ``hint``, empty or a sentence on what to do, which tracebacks show too."""


class Error(Exception):
    """The root of all of them."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint
        if hint:
            self.add_note(f"hint: {hint}")


class InputError(Error, ValueError):
    """A file or value from outside is wrong; the message names file and line where there are any."""


class OptionError(Error, ValueError):
    """An argument is wrong."""


class UnsupportedError(Error):
    """Well-formed, but haichi cannot do or express it."""


class InternalError(Error, RuntimeError):
    """A bug of haichi."""
