"""The program `haichi`, and this package: where they are."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from haichi.errors import UnsupportedError

PACKAGE = Path(__file__).parents[1]


def find_program() -> Path:
    """The program that was installed with the package; HAICHI_BIN names another. Raises UnsupportedError."""
    named = os.environ.get("HAICHI_BIN")
    beside = Path(sys.executable).with_name("haichi")
    found = named or (str(beside) if os.access(beside, os.X_OK) else shutil.which("haichi"))
    if not found or not os.access(found, os.X_OK):
        raise UnsupportedError("the program haichi is not found", "pip installs it with the package, or set HAICHI_BIN")
    return Path(found).absolute()
