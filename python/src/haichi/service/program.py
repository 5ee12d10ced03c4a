"""The program `haichi`: where it is, and what it says of itself."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from haichi.errors import UnsupportedError

_OPTION = re.compile(r"^  (?:-\w,)?--([a-z0-9-]+)((?: \S+)*?)(?: {2,}|\n +)(\S.*)$", re.MULTILINE)


@dataclass(frozen=True)
class ProgramOption:
    """A line of a command's help."""

    name: str
    value: str
    """Stands for the value; empty for flags."""
    help: str
    is_several: bool


def find_program() -> Path:
    """The program that was installed with the package; HAICHI_BIN names another. Raises UnsupportedError."""
    named = os.environ.get("HAICHI_BIN")
    beside = Path(sys.executable).with_name("haichi")
    found = named or (str(beside) if os.access(beside, os.X_OK) else shutil.which("haichi"))
    if not found or not os.access(found, os.X_OK):
        raise UnsupportedError("the program haichi is not found", "pip installs it with the package, or set HAICHI_BIN")
    return Path(found).absolute()


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

    def said(self, arguments: list[str], folder: Path, seconds: float = 30) -> tuple[int, str, str]:
        """Exit code, standard output and standard error of a short run. For words only, never for a user's files."""
        ran = subprocess.run(
            [str(self.path), *arguments],
            cwd=folder,
            env=self.environment(folder),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=seconds,
            check=False,
        )
        return ran.returncode, ran.stdout.decode(errors="replace"), ran.stderr.decode(errors="replace")

    def _options(self, command: tuple[str, ...]) -> dict[str, ProgramOption]:
        code, text, error = self.said([*command, "--help"], Path("/"))
        if code != 0:
            raise UnsupportedError(f"haichi {' '.join(command)} --help fails: {error.strip()}")
        return {row.name: row for row in map(_row, _OPTION.finditer(text))}


def _row(match: re.Match[str]) -> ProgramOption:
    value = match[2].strip()
    return ProgramOption(match[1], value.removesuffix(" ..."), match[3], value.endswith(" ..."))
