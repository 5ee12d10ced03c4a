"""What the program's Python commands say with ``-v``, ``--log-level`` and ``HAICHI_LOG``, as those written in C++ do
(options/common_options.cc): entries of Python's logger ``haichi``, as lines on standard error."""

from __future__ import annotations

import contextlib
import logging
import sys
from collections.abc import Iterator

TRACE = 5
"""Below DEBUG; logging has no name for it."""

_LEVELS = {"off": logging.WARNING, "info": logging.INFO, "debug": logging.DEBUG, "trace": TRACE}


@contextlib.contextmanager
def logged(level: str, quiet: bool) -> Iterator[None]:
    """Meanwhile the entries of that level, and warnings unless quiet, are lines on standard error."""
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
    """ "info: ..." and so on; above a line of progress, where there is one."""

    def emit(self, record: logging.LogRecord) -> None:
        labels = {"off": "warning"}  # which there are at every level
        names = [labels.get(name, name) for name, level in _LEVELS.items() if level <= record.levelno]
        text = "".join(c if c.isprintable() else " " if c == "\n" else f"\\x{ord(c):02x}" for c in record.getMessage())
        start = "\r\x1b[K" if sys.stderr.isatty() else ""
        with contextlib.suppress(OSError, ValueError):  # there is nobody left to tell
            sys.stderr.write(f"{start}{names[0] if names else 'trace'}: {text}\n")
            sys.stderr.flush()
