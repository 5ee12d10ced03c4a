"""The program `haichi`: where it is, and what it says of itself."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from haichi.base.program import PACKAGE
from haichi.errors import UnsupportedError
from haichi.service import landlock

_LIBRARY = re.compile(r"(/\S+) \(0x[0-9a-f]+\)$", re.MULTILINE)
"""In what the loader prints for LD_TRACE_LOADED_OBJECTS, as ldd(1) has it."""
UNCONFINED = "HAICHI_UNCONFINED"
"""In the environment: for tests of what holds without Landlock."""
_OPTION = re.compile(r"^  (?:-\w,)?--([a-z0-9-]+)((?: \S+)*?)(?: {2,}|\n +)(\S.*)$", re.MULTILINE)


@dataclass(frozen=True)
class ProgramOption:
    """A line of a command's help."""

    name: str
    value: str
    """Stands for the value; empty for flags."""
    help: str
    is_several: bool


class Program:
    """The program, asked once for each of its commands."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.options = lru_cache(maxsize=64)(self._options)

    def environment(self, home: Path | None = None) -> dict[str, str]:
        """All that a job's process gets to see of the server's."""
        kept = {name: os.environ[name] for name in ("PATH", "TZ") if name in os.environ}
        there = {"HOME": str(home)} if home else {}
        return kept | there | {"LANG": "C.UTF-8", "HAICHI_PYTHON": sys.executable}

    def is_confined(self) -> bool:
        """Landlock holds the program to its own files and those of the job."""
        return bool(landlock.version()) and not os.environ.get(UNCONFINED)

    @cached_property
    def own_files(self) -> list[str]:
        """That it reads for itself, beside those of the system: its libraries, Python for `compare`."""
        traced = subprocess.run(
            [str(self.path)], env={"LD_TRACE_LOADED_OBJECTS": "1"}, capture_output=True, text=True, check=False
        )
        python = {sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix, str(PACKAGE)}
        return sorted({str(self.path), *_LIBRARY.findall(traced.stdout), *python} - {"/"})

    def confinement(self, readable: Iterable[Path] = (), writable: Iterable[Path] = ()) -> dict[str, Any] | None:
        """As the supervisor takes it; None: there is none. The paths are the job's."""
        if not self.is_confined():
            return None
        return {
            "readable": [*landlock.SYSTEM, *self.own_files, *map(str, readable)],
            "writable": [str(path) for path in writable],
        }

    def said(self, arguments: list[str], folder: Path, seconds: float = 30) -> tuple[int, str, str]:
        """Exit code, standard output and standard error of a short run. For words only, never for a user's files."""

        def run() -> subprocess.CompletedProcess[bytes]:
            return subprocess.run(
                [str(self.path), *arguments],
                cwd=folder,
                env=self.environment(folder),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=seconds,
                check=False,
            )

        paths = self.confinement(readable=[folder] if folder.name else [])  # not all that there is
        ran = run() if paths is None else landlock.confined(run, **paths)
        return ran.returncode, ran.stdout.decode(errors="replace"), ran.stderr.decode(errors="replace")

    def _options(self, command: tuple[str, ...]) -> dict[str, ProgramOption]:
        code, text, error = self.said([*command, "--help"], Path("/"))
        if code != 0:
            raise UnsupportedError(f"haichi {' '.join(command)} --help fails: {error.strip()}")
        return {row.name: row for row in map(_row, _OPTION.finditer(text))}


def _row(match: re.Match[str]) -> ProgramOption:
    value = match[2].strip()
    return ProgramOption(match[1], value.removesuffix(" ..."), match[3], value.endswith(" ..."))
