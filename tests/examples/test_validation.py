"""The validation has a table entry for every published number, and its studies give known values."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

STUDY = Path(__file__).parents[2] / "studies/validation"
PARTS = ("tac3", "tofu", "nsim", "nsim_ace", "wide_area", "mpiprof")
PUBLISHED = [
    number
    for part in PARTS
    for group in json.loads((STUDY / f"published/{part}.json").read_text())["groups"]
    for number in group["numbers"]
]
VERDICTS = {"agrees", "better", "by construction", "deviates", "not reproduced"}

Rows = dict[str, dict[str, Any]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("validation")
    command = [sys.executable, STUDY / "validation.py", "--quick", "-o", output]
    subprocess.run(command, check=True, timeout=300)
    return output


@pytest.fixture(scope="module")
def rows(folder: Path) -> Rows:
    return {row["id"]: row for row in json.loads((folder / "validation.json").read_text())["rows"]}


def test_every_published_number_has_a_row_with_a_verdict(rows: Rows) -> None:
    assert list(rows) == [number["id"] for number in PUBLISHED]
    for number in PUBLISHED:
        row = rows[number["id"]]
        assert row["published"] == number["published"]
        assert row["verdict"] in VERDICTS and row["reason"] and row["source"]
        assert (row["ours"] is None) == (row["verdict"] == "not reproduced")
        assert row["ours"] is None or row["ours"]["call"]


def test_the_text_has_every_row(folder: Path, rows: Rows) -> None:
    text = (folder / "README.md").read_text()
    assert sum(line.startswith("| ") and "| **" in line for line in text.splitlines()) == len(rows)
    assert (folder / "images/run_times.png").exists()


def test_known_values(rows: Rows) -> None:
    for name in ("switches.grouped.last", "switches.mixed.largest", "fx10-kyushu.logical", "bruck1024.packets"):
        assert rows[name]["verdict"] in ("agrees", "not reproduced")
    assert rows["free.none"]["ours"]["value"] == pytest.approx(1.030, abs=0.002)
    assert rows["free.sets"]["ours"]["value"] == pytest.approx(1.051, abs=0.002)
    assert rows["one-more.sets"]["ours"]["low"] == pytest.approx(1.264, abs=0.01)
    assert rows["torus.hop"]["ours"]["value"] == pytest.approx(246)
    assert rows["y4.ring"]["verdict"] == "by construction"
    assert rows["rails.climate.advice"]["ours"]["value"] == "use 1 NIC"
    assert rows["rails.climate.ratio.4"]["ours"]["value"] == pytest.approx(1, abs=0.01)
    assert rows["t2k.node"]["ours"]["value"] == pytest.approx(8, rel=0.01)
    assert rows["search.tac3.96"]["verdict"] == "better"
    if rows["barrier.ring"]["ours"] is not None:  # with MPICH's compiler
        assert rows["barrier.ring"]["ours"]["value"] == pytest.approx(63)
        assert rows["nbody.ratio"]["ours"]["low"] > 1.05
    assert rows["step"]["deviation"] == pytest.approx(rows["step"]["ours"]["value"] - 0.21)


def test_placements_without_a_search_are_predicted_blind(rows: Rows) -> None:
    blind = [row for row in rows.values() if row["blind"]]
    assert len(blind) == 12
    assert rows["shape1.default"]["ours"]["value"] == pytest.approx(1.618, abs=0.03)
    assert rows["shape1.default"]["verdict"] == "agrees"
    assert rows["shape1.no-ring"]["ours"]["value"] == pytest.approx(2.604, abs=0.06)
    assert rows["size512.sets"]["ours"]["value"] == pytest.approx(0.723, abs=0.003)
    assert rows["size512.sets"]["verdict"] == "agrees"


def test_the_largest_gains_follow_from_the_published_run_times(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(STUDY)
    from cg_studies import Measured
    from given_placements import largest_gains

    published = {number["id"]: number["published"] for number in PUBLISHED}
    table = {name: Measured(value, "") for name, value in published.items() if name.startswith("shape")}
    gains = largest_gains(table)
    assert len(gains) == 4
    for name, gain in gains.items():
        assert gain.value == pytest.approx(published[name], abs=0.52)
    assert not largest_gains({name: ours for name, ours in table.items() if not name.startswith("shape6")})


def test_links_reach_their_rates_in_the_simulator(folder: Path, rows: Rows) -> None:
    for row in rows.values():
        if row["id"].endswith(".link"):
            assert row["ours"]["value"] == pytest.approx(row["published"], rel=1e-4)
            assert ".simulate()" in row["ours"]["call"]
    streams = json.loads((folder / "validation.json").read_text())["streams"]
    assert {preset.split(":")[0] for preset in streams} == {
        path.stem for path in (STUDY.parents[1] / "machines").glob("*.json")
    } - {
        "fx10",
        "two-clusters",
    }  # fx10 is like fx10-kyushu; bridges limit two-clusters (tests/netmodel/packetsim/clusters.cc)
    for preset, pair in streams.items():
        alone, in_ring = (stream["rate"] / stream["allowed"] for stream in pair)
        assert 0.95 < alone <= 1
        assert (0.9 if preset.startswith(("dragonfly:", "hyperx")) else 0.95) < in_ring <= 1
    assert streams["torus:8"][0]["rate"] > 0.95 * 8
    assert streams["torus:8"][1]["rate"] > 0.95 * 5


def test_the_committed_page_has_these_numbers() -> None:
    page = (STUDY / "README.md").read_text()
    assert "validation.py --long --build" in page.split("##")[0]
    for number in PUBLISHED:
        assert f"| {number['what'].replace('|', chr(92) + '|')} |" in page
