"""haichi installed below a prefix with a blank in its name, once for all tests."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def prefix(tmp_path_factory: pytest.TempPathFactory) -> Path:
    prefix = tmp_path_factory.mktemp("install") / "my prefix"
    subprocess.run(
        ["cmake", "--install", os.environ["HAICHI_BUILD"], "--prefix", prefix], check=True, capture_output=True
    )
    return prefix
