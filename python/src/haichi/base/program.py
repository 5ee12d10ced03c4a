"""The locations of the program `haichi` and of this package."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from haichi.errors import UnsupportedError

PACKAGE = Path(__file__).parents[1]


def find_program() -> Path:
    """The program that was installed with the package, or HAICHI_BIN. Raises UnsupportedError."""
    named = os.environ.get("HAICHI_BIN")
    beside = Path(sys.executable).with_name("haichi")
    found = named or (str(beside) if os.access(beside, os.X_OK) else shutil.which("haichi"))
    if not found or not os.access(found, os.X_OK):
        raise UnsupportedError("cannot find the program haichi", "install it with pip, or set HAICHI_BIN")
    return Path(found).absolute()
