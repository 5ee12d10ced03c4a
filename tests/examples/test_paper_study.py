"""The study of the paper on two of its shapes: comparison table, report and figure."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

STUDY = Path(__file__).parents[2] / "examples/paper_study/paper_study.py"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("study")
    subprocess.run([sys.executable, STUDY, "--out", output, "--shapes", "5,1", "--seeds", "1"], check=True, timeout=400)
    return output


def test_every_strategy_is_simulated_with_and_without_barriers(folder: Path) -> None:
    cells = json.loads((folder / "results.json").read_text())["cells"]
    assert len(cells) == 2 * 7
    assert all(cell["status"] == "done" and set(cell["simulated"]) == {"none", "sets"} for cell in cells)


def test_the_table_has_the_papers_numbers_and_tac3_comes_to_its_own(folder: Path) -> None:
    rows = [line.split(" | ") for line in (folder / "table.md").read_text().splitlines() if "x2x3x2" in line]
    assert [row[0][2:] for row in rows] == ["5 (1x2x2x2x3x2)", "1 (1x2x4x2x3x2)"]
    assert rows[1][1].endswith("(1.501)") and rows[1][5].endswith("(1.126)")
    assert rows[1][6].endswith("(1.671)") and rows[1][7].endswith("(2.398)")
    # Contention-free placements take 1.03 s without barriers and 1.05 s with them (text of the paper).
    for row in rows:
        assert float(row[4].split()[0]) == pytest.approx(1.03, abs=0.01)
        assert float(row[5].split()[0]) == pytest.approx(1.05, abs=0.01)


def test_report_and_figures_are_there(folder: Path) -> None:
    assert "1x2x4x2x3x2" in (folder / "report.html").read_text()
    assert (folder / "figure.svg").read_text().startswith("<?xml")
    assert (folder / "figure.png").read_bytes().startswith(b"\x89PNG")
    assert not (folder / "results.json.journal").exists()
