"""Installed packages have the pinned versions, and versions with known advisories are excluded."""

import re
import sys
import tomllib
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from haichi.base import optional_packages
from haichi.errors import UnsupportedError
from haichi.service.command import run_serve

ROOT = Path(__file__).parents[2]
LEVELS = ("run", "build", "wheel", "service", "test", "docs", "release")
WITH_ADVISORIES = {
    "h11": "0.14.0",
    "httptools": "0.7.1",
    "idna": "3.14",
    "pydantic": "2.3.0",
    "python-multipart": "0.0.30",
    "starlette": "1.3.0",
}


def named(level: str) -> list[Requirement]:
    lines = (ROOT / "requirements" / f"{level}.in").read_text().splitlines()
    return [Requirement(line) for line in lines if line and not line.startswith("#")]


def pinned(level: str) -> dict[str, tuple[str, int]]:
    """Returns version and number of hashes of each pinned package."""
    text = (ROOT / "requirements" / f"{level}.txt").read_text()
    rows = re.findall(r"^([\w.-]+)==(\S+) \\\n((?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)", text, re.MULTILINE)
    assert len(rows) == text.count("==")
    return {canonicalize_name(name): (version, hashes.count("--hash")) for name, version, hashes in rows}


@pytest.mark.parametrize("level", LEVELS)
def test_all_that_is_named_is_pinned_with_hashes(level: str) -> None:
    found = pinned(level)
    assert {canonicalize_name(requirement.name) for requirement in named(level)} <= found.keys()
    assert all(hashes >= 1 for _, hashes in found.values())


def test_levels_agree_on_versions() -> None:
    known: dict[str, str] = {}
    for level in LEVELS:
        for name, (version, _) in pinned(level).items():
            assert known.setdefault(name, version) == version


def test_lower_bounds_leave_out_versions_with_advisories() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    bounds = {requirement.name: requirement.specifier for requirement in map(Requirement, project["dependencies"])}
    for name, version in WITH_ADVISORIES.items():
        assert version not in bounds[name], name
    for name, (version, _) in pinned("service").items():
        assert name not in bounds or version in bounds[name]


def test_serve_names_the_command_that_installs_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    def installed(name: str) -> Distribution:
        if name == "uvicorn":
            raise PackageNotFoundError(name)
        return distribution(name)

    monkeypatch.delitem(sys.modules, "haichi.service.server", raising=False)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    monkeypatch.setattr(optional_packages, "distribution", installed)
    with pytest.raises(UnsupportedError, match="serve requires the package") as error:
        run_serve({})
    assert f"{sys.executable} -m pip install" in error.value.hint
    assert "uvicorn>=" in error.value.hint and "numpy" not in error.value.hint
