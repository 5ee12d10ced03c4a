"""A terminal line that is overwritten repeatedly."""

from __future__ import annotations

import sys


def show(text: str) -> None:
    sys.stderr.write(f"\r\x1b[K{text}")
    sys.stderr.flush()
