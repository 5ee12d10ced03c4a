"""The directory where the programs of these tests are built, once for all tests."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

# The tests are imported by path (importlib mode), which does not add their directory to the module search path.
sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("built")
