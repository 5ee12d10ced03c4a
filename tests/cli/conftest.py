"""Directories with inputs for the tests of the command line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

# The tests are imported by path (importlib mode), so their directory is not on the module search path.
sys.path.insert(0, str(Path(__file__).parent))

from haichi_program import JOB, succeed  # noqa: E402


@pytest.fixture(scope="session")
def cg64(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The CG workload of 64 ranks."""
    folder = tmp_path_factory.mktemp("cg64")
    succeed("pattern", "cg", "--ranks", 64, "-o", "cg64.json", cwd=folder)
    return (folder / "cg64.json").read_text()


@pytest.fixture()
def place(tmp_path: Path, cg64: str) -> Path:
    """A directory with the CG workload of 64 ranks."""
    (tmp_path / "cg64.json").write_text(cg64)
    return tmp_path


@pytest.fixture(scope="session")
def default_search(tmp_path_factory: pytest.TempPathFactory, cg64: str) -> subprocess.CompletedProcess[str]:
    """The search without options, which runs once for all tests because it takes seconds."""
    folder = tmp_path_factory.mktemp("default_search")
    (folder / "cg64.json").write_text(cg64)
    return succeed("map", *JOB, "-w", "cg64.json", cwd=folder)


@pytest.fixture()
def mapped(place: Path, default_search: subprocess.CompletedProcess[str]) -> Path:
    """The directory of `place`, with a rank map of the workload."""
    (place / "cg64.map").write_text(default_search.stdout)
    return place
