"""The systemd unit of the service: systemd accepts it, and rates its exposure as low."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

UNIT = Path(__file__).resolve().parents[2] / "examples/service/haichi-serve.service"

pytestmark = pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd-analyze is not installed")


def analyze(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["systemd-analyze", *words], capture_output=True, text=True)


def test_systemd_accepts_every_line_of_the_unit(tmp_path: Path) -> None:
    unit = tmp_path / UNIT.name
    unit.write_text(UNIT.read_text().replace("/opt/haichi/bin/haichi-serve", sys.executable))
    done = analyze("verify", "--man=no", unit)
    assert done.returncode == 0 and UNIT.name not in done.stderr, done.stderr


def test_the_exposure_of_the_unit_is_at_most_1_5_of_10() -> None:
    done = analyze("security", "--offline=true", "--no-pager", "--threshold=15", UNIT)
    assert done.returncode == 0, done.stdout + done.stderr
