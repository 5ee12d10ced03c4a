"""The command line of the commands that are written in Python. The C++ option table parses the words, and prints help
and errors."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from haichi import _core
from haichi.cli.program_log import logged

Given = dict[str, Any]
"""Values by parameter name. Names of positional arguments are in capitals. Contains only the values that the user
gave."""


def run_command(commands: Mapping[str, Callable[[Given], int]], words: Sequence[str]) -> int:
    """Runs the command that the first word names, and returns its exit code. Raises OptionError for wrong options."""
    read = _core.read_words([os.fsencode(word) for word in words])
    if isinstance(read, str):
        sys.stdout.write(read)
        return 0
    name, given, level = read
    if "files_below" in given:
        os.environ["HAICHI_FILES_BELOW"] = given.pop("files_below")  # inherited by worker processes
    with logged(level, quiet=bool(given.get("quiet"))):
        return commands[name](given)


def print_error(message: str, hint: str) -> None:
    """Prints to standard error, in colour on terminals. Control characters are escaped, because a terminal would obey
    them."""
    is_coloured = sys.stderr.isatty() and os.environ.get("TERM", "dumb") != "dumb" and not os.environ.get("NO_COLOR")
    for label, colour, text in (("error", "1;31", message), ("hint", "36", hint)):
        if text:
            start = f"\x1b[{colour}m{label}:\x1b[0m" if is_coloured else f"{label}:"
            print(start, _without_control_characters(text), file=sys.stderr)


def _without_control_characters(text: str) -> str:
    return "".join(c if c in "\n\t" or not (ord(c) < 0x20 or ord(c) == 0x7F) else f"\\x{ord(c):02x}" for c in text)
