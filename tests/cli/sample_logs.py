"""Communication logs for the tests, written by the program in the environment variable HAICHI_SAMPLE_LOG."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path


def sample(kind: str, ranks: int, path: Path) -> Path:
    subprocess.run([os.environ["HAICHI_SAMPLE_LOG"], kind, str(ranks), str(path)], check=True, timeout=60)
    return path
