"""What the program's Python commands say with ``-v``, ``--log-level`` and ``HAICHI_LOG``, as those written in C++ do
(cli/commands/common_options.cc): entries of Python's logger ``haichi``, as lines on standard error."""

from __future__ import annotations

import contextlib
import logging
import os
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from haichi import _core
from haichi.base.options import Count, Flag, Kind, Option, Rows
from haichi.errors import OptionError

TRACE = 5
"""Below DEBUG; logging has no name for it."""

_LEVELS = {"off": logging.WARNING, "info": logging.INFO, "debug": logging.DEBUG, "trace": TRACE}
_BY_COUNT = ("off", "info", "debug", "trace")
_VARIABLE = "HAICHI_LOG"


class _Level(Kind):
    def read(self, option: str, *words: str) -> Any:
        return _checked(words[0])


def _checked(name: str, source: str = "") -> str:
    if name in _LEVELS:
        return name
    near = _core.did_you_mean(os.fsencode(name), list(_LEVELS))
    raise OptionError(
        f"{source}unknown log level {_core.shown(os.fsencode(name))}", near or f"levels are {', '.join(_LEVELS)}"
    )


VERBOSITY: Rows = {
    "quiet": Option("only errors on standard error", kind=Flag()),
    "verbose": Option(
        "log what is decided to standard error (--log-level info); -vv: debug, -vvv: trace", kind=Count(), short="-v"
    ),
    "log_level": Option(
        "how much to log: off, info, debug or trace; default: HAICHI_LOG, else off",
        "LEVEL",
        kind=_Level(),
    ),
}
"""Options that every command has."""


def log_level(given: Mapping[str, Any]) -> str:
    """Of the options; HAICHI_LOG counts where none says anything. Raises OptionError for options that exclude each
    other, and for a wrong HAICHI_LOG."""
    count, named, quiet = given.get("verbose", 0), given.get("log_level"), bool(given.get("quiet"))
    if count and named is not None:
        raise OptionError("-v and --log-level exclude each other")
    if named is not None:
        level: str = named
    elif count:
        level = _BY_COUNT[min(count, len(_BY_COUNT) - 1)]
    else:
        level = "off" if quiet else _checked(os.environ.get(_VARIABLE) or "off", f"{_VARIABLE}: ")
    if quiet and level != "off":
        raise OptionError(f"--quiet and {'-v' if count else '--log-level'} exclude each other")
    return level


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
