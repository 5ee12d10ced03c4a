"""Log output of the Python commands for ``-v``, ``--log-level`` and ``HAICHI_LOG``.

Entries of Python's logger ``haichi`` become lines on standard error, in the format of the C++ commands
(options/common_options.cc).
"""

from __future__ import annotations

import contextlib
import logging
import sys
from collections.abc import Iterator

TRACE = 5
"""A log level below DEBUG. Python's logging has no name for it."""

_LEVELS = {"off": logging.WARNING, "info": logging.INFO, "debug": logging.DEBUG, "trace": TRACE}


@contextlib.contextmanager
def logged(level: str, quiet: bool) -> Iterator[None]:
    """Within the context, entries of that level become lines on standard error. Warnings appear at every level unless
    `quiet`."""
    logger = logging.getLogger("haichi")
    handler = _Lines()
    earlier = logger.level, logger.propagate
    logger.setLevel(logging.CRITICAL + 1 if quiet else _LEVELS[level])
    logger.propagate = False
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(earlier[0])
        logger.propagate = earlier[1]


class _Lines(logging.Handler):
    """Writes lines such as "info: ..." above the progress line, if there is one."""

    def emit(self, record: logging.LogRecord) -> None:
        labels = {"off": "warning"}  # warnings appear at every level
        names = [labels.get(name, name) for name, level in _LEVELS.items() if level <= record.levelno]
        text = "".join(c if c.isprintable() else " " if c == "\n" else f"\\x{ord(c):02x}" for c in record.getMessage())
        start = "\r\x1b[K" if sys.stderr.isatty() else ""
        with contextlib.suppress(OSError, ValueError):  # standard error may be closed or have no reader
            sys.stderr.write(f"{start}{names[0] if names else 'trace'}: {text}\n")
            sys.stderr.flush()
