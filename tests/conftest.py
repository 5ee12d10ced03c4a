"""haichi installed below a prefix with a blank in its name, once for all tests."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

# The tests are imported by path (importlib mode), which does not add this directory to the module search path.
sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(scope="session")
def prefix(tmp_path_factory: pytest.TempPathFactory) -> Path:
    prefix = tmp_path_factory.mktemp("install") / "my prefix"
    subprocess.run(
        ["cmake", "--install", os.environ["HAICHI_BUILD"], "--prefix", prefix], check=True, capture_output=True
    )
    return prefix
