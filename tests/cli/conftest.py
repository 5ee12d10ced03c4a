"""Directories with inputs for the tests of the command line."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

# The tests are imported by path (importlib mode), which does not make their folder a place for modules.
sys.path.insert(0, str(Path(__file__).parent))

from haichi_program import JOB, succeed  # noqa: E402


@pytest.fixture()
def place(tmp_path: Path) -> Path:
    """A directory with the CG workload of 64 ranks."""
    succeed("pattern", "cg", "--ranks", 64, "-o", "cg64.json", cwd=tmp_path)
    return tmp_path


@pytest.fixture(scope="session")
def found_map(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What the search finds, once for all tests: it takes seconds."""
    folder = tmp_path_factory.mktemp("found_map")
    succeed("pattern", "cg", "--ranks", 64, "-o", "cg64.json", cwd=folder)
    succeed("map", *JOB, "-w", "cg64.json", "-o", "cg64.map", cwd=folder)
    return (folder / "cg64.map").read_text()


@pytest.fixture()
def mapped(place: Path, found_map: str) -> Path:
    """And with a map of it."""
    (place / "cg64.map").write_text(found_map)
    return place
