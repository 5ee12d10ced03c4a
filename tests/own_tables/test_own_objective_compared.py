"""An objective that exists only in tests/own_tables works in the package, `haichi compare` and the report's page.

HAICHI_BIN and PYTHONPATH are a program and a package that were linked with its table (own_objective_table.cc).
"""

from __future__ import annotations

import csv
import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

SENTENCE = "number of messages with routes of more than one hop"
KEPT = {"name": "far-messages", "unit": "messages", "sentence": SENTENCE}


def haichi(*words: object, folder: Path) -> str:
    command = [os.environ["HAICHI_BIN"], *map(str, words)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(name="folder", scope="module")
def folder_with_results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("compared")
    haichi("pattern", "random-ring", "--ranks", 16, "-o", "ring.json", folder=folder)
    what = ("-m", "torus:4x4", "-w", "ring.json", "--strategies", "default,tac3,far-messages", "--seeds", 2)
    outputs = ("-o", "results.json", "-o", "results.csv", "-o", "page.html")
    haichi("compare", *what, "--evaluations", 20_000, *outputs, folder=folder)
    return folder


def results(folder: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((folder / "results.json").read_text())
    return content


def test_the_results_hold_its_name_unit_sentence_and_values(folder: Path) -> None:
    assert KEPT in results(folder)["objectives"]
    for cell in results(folder)["cells"]:
        entry = cell["objectives"]["far-messages"]
        assert entry["unit"] == "messages" and entry["lower_bound"] == 0
        assert entry["value"] == cell["metrics"]["far_messages"]
        if cell["strategy"] == "far-messages":
            assert cell["objective"] == "far-messages" and cell["search"] == "anneal"
            assert entry["value"] == 0 and cell["optimal"] is True
        if cell["strategy"] == "default":
            assert entry["value"] > 0


def test_it_has_columns_in_the_lines(folder: Path) -> None:
    with open(folder / "results.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    cells = results(folder)["cells"]
    assert [float(row["far_messages_value"]) for row in rows] == [c["metrics"]["far_messages"] for c in cells]
    assert {row["far_messages_lower_bound"] for row in rows} == {"0"}


@pytest.mark.skipif(shutil.which("chromium") is None, reason="Chromium is not installed")
def test_the_page_has_a_column_of_it_and_says_what_it_is(folder: Path, tmp_path: Path) -> None:
    # The page unpacks its data before drawing, which takes some time.
    flags = ("--headless=new", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path}")
    command = ["chromium", *flags, "--virtual-time-budget=20000", "--dump-dom", (folder / "page.html").as_uri()]
    page = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout
    shown = page.replace(page[page.index('<script type="application/json"') : page.rindex("</script>")], "")
    assert f'title="{SENTENCE}">far-messages, in messages<' in shown
    assert f"<dt>far-messages</dt><dd>{SENTENCE}, in messages</dd>" in shown
    assert "<b>far-messages</b>" in shown


def test_the_report_of_the_results_is_the_same_page(folder: Path) -> None:
    haichi("report", "results.json", "-o", "again.html", folder=folder)
    assert (folder / "again.html").read_bytes() == (folder / "page.html").read_bytes()


def test_the_package_searches_evaluates_and_lists_it(folder: Path) -> None:
    import haichi as package  # the package from PYTHONPATH

    assert ("far-messages", f"{SENTENCE} [messages]") in package.list_objectives()
    job = package.Job(folder / "ring.json", "torus:4x4")
    placement = job.optimize("far-messages", evaluations=20_000)
    assert job.evaluate(placement).value == 0 and job.evaluate(placement).unit == "messages"
    compared = package.compare(job, strategies=["default", "far-messages"], seeds=1)
    assert compared.cells[1]["metrics"]["far_messages"] == 0
