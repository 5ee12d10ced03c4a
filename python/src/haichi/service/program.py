"""The program `haichi`: its path, its options and the files that it reads."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from haichi.base.program import PACKAGE, FinishedProcess, run_program
from haichi.errors import InputError, UnsupportedError
from haichi.service import landlock, seccomp

_LIBRARY = re.compile(r"(/\S+) \(0x[0-9a-f]+\)$", re.MULTILINE)
"""A library in the output of the loader for LD_TRACE_LOADED_OBJECTS, see ldd(1)."""
_OF_PYTHON = ("bin", "lib", "lib64", "pyvenv.cfg")
UNCONFINED = "HAICHI_UNCONFINED"
"""The environment variable that allows tests to run without Landlock."""


@dataclass(frozen=True)
class ProgramOption:
    """An option of a command, as ``haichi list options`` describes it."""

    name: str
    kind: str
    group: str
    value: str
    """The placeholder of the value in the help; empty for flags."""
    description: str
    default: str
    choices: tuple[str, ...]
    minimum: float | None
    maximum: float | None
    is_required: bool
    is_argument: bool
    is_local: bool
    """True if the option makes sense only on a local computer."""


class Program:
    """The program `haichi`. Its options are read once."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def options(self, command: tuple[str, ...]) -> dict[str, ProgramOption]:
        """The options of a command by name."""
        return self._commands[" ".join(command)]

    def environment(self, home: Path | None = None) -> dict[str, str]:
        """The environment variables for a job's process: a small part of the server's own, and some fixed values."""
        kept = {name: os.environ[name] for name in ("PATH", "TZ") if name in os.environ}
        there = {"HOME": str(home)} if home else {}
        return kept | there | {"LANG": "C.UTF-8", "HAICHI_PYTHON": sys.executable}

    def is_confined(self) -> bool:
        """True if Landlock confines the program to its own files and the files of the job."""
        return bool(landlock.version()) and not os.environ.get(UNCONFINED)

    @cached_property
    def own_files(self) -> list[str]:
        """The files that the program itself reads, in addition to system files. These are its libraries, and Python for
        `compare`."""
        traced = run_program([str(self.path)], environment={"LD_TRACE_LOADED_OBJECTS": "1"})
        prefixes = {sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix}
        # Only parts of each prefix are included, because a prefix may be a home directory.
        python = {os.path.join(prefix, name) for prefix in prefixes for name in _OF_PYTHON}
        return sorted({str(self.path), *_LIBRARY.findall(traced.output), *python, str(PACKAGE)})

    def check_apart(self, data: Path) -> None:
        """Raises InputError for a data directory below a path that all jobs may read."""
        for place in (*landlock.SYSTEM, *self.own_files):
            if data.resolve().is_relative_to(Path(place).resolve()):
                message = f"cannot use the data directory {data}: jobs may read all files below {place}"
                raise InputError(message, "use another directory, as in §data /var/lib/haichi")

    def confinement(self, readable: Iterable[Path] = (), writable: Iterable[Path] = ()) -> dict[str, Any] | None:
        """The confinement for the supervisor; None if a test switches it off. The paths are files of the job."""
        if os.environ.get(UNCONFINED):
            return None
        return {
            "readable": [*landlock.SYSTEM, *self.own_files, *map(str, readable)],
            "writable": [str(path) for path in writable],
        }

    def said(self, arguments: list[str], folder: Path, seconds: float = 30) -> tuple[int, str, str]:
        """Runs the program for a short time. Returns exit code, standard output and standard error. The arguments must
        be words only, never files of a user."""

        def run() -> FinishedProcess:
            if paths is not None:
                seccomp.refuse_calls()
            command = [str(self.path), *arguments]
            return run_program(command, seconds=seconds, folder=folder, environment=self.environment(folder))

        paths = self.confinement(readable=[folder] if folder.name else [])  # an empty path would allow all files
        ran = run() if paths is None else landlock.confined(run, **paths)
        return ran.code, ran.output, ran.errors

    @cached_property
    def _commands(self) -> dict[str, dict[str, ProgramOption]]:
        code, text, error = self.said(["list", "options", "--json"], Path("/"))
        if code != 0:
            raise UnsupportedError(f"`haichi list options` failed: {error.strip()}")
        listed = json.loads(text)["commands"]
        return {command["name"]: {row["name"]: _row(row) for row in command["options"]} for command in listed}


def _row(row: dict[str, Any]) -> ProgramOption:
    return ProgramOption(
        name=row["name"],
        kind=row["kind"],
        group=row["group"],
        value=row.get("value", ""),
        description=row["description"],
        default=row.get("default", ""),
        choices=tuple(row.get("choices", ())),
        minimum=row.get("minimum"),
        maximum=row.get("maximum"),
        is_required=row["required"],
        is_argument=row["argument"],
        is_local=row["local"],
    )
