"""Makes a directory for the programs of these tests, which are built once. Defines the marker of long tests."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

# The tests are imported by path (importlib mode), which does not add their directory to the module path.
sys.path.insert(0, str(Path(__file__).parent))


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "slow: run by ctest --preset slow only")


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("built")
