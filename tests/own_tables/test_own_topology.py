"""A topology that exists only in this directory (ring_of_stars, an entry in more_topologies.cc) works everywhere.

Map, evaluate, simulate, compare and the report's page support it, with no other file changed.

HAICHI_BIN and PYTHONPATH are a program and a package that were linked with that entry.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

MACHINE = "ring-of-stars:4,4"
LINKS = 2 * 16 + 2 * 4


def haichi(*arguments: str, folder: Path) -> str:
    command = [os.environ["HAICHI_BIN"], *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, f"{' '.join(arguments)}\n{done.stderr}"
    return done.stdout


@pytest.fixture(name="folder")
def workload_folder(tmp_path: Path) -> Path:
    haichi("pattern", "cg", "--ranks", "16", "-o", "cg.json", folder=tmp_path)
    return tmp_path


def test_it_is_listed(folder: Path) -> None:
    assert "ring-of-stars:SWITCHES,HOSTS" in haichi("list", "machines", folder=folder)
    assert "ring-of-stars" in haichi("list", "topologies", folder=folder)
    assert "around" in haichi("list", "routings", folder=folder)


def test_map_evaluate_and_simulate_take_it(folder: Path) -> None:
    job = ("-m", MACHINE, "-w", "cg.json")
    haichi("map", *job, "--objective", "hop-bytes", "--restarts", "2", "-f", "nsim", "-o", "cg.map", folder=folder)
    evaluated = json.loads(haichi("evaluate", *job, "--map", "cg.map", "--json", folder=folder))
    assert evaluated["machine"] == MACHINE and evaluated["routing"] == "around"
    assert evaluated["metrics"]["hop_bytes"] <= evaluated["default"]["hop_bytes"]
    simulated = json.loads(haichi("simulate", *job, "--map", "cg.map", "--json", folder=folder))
    assert simulated["runs"][0]["links"] == LINKS
    assert simulated["runs"][0]["seconds"] > 0


def test_a_machine_file_states_it(folder: Path) -> None:
    topology = {"kind": "ring-of-stars", "switches": 4, "hosts": 4}
    machine = {"schema": "haichi-machine/1", "topology": topology, "link": {"bandwidth": "4GB/s"}}
    (folder / "machine.json").write_text(json.dumps(machine))
    haichi("map", "-m", "machine.json", "-w", "cg.json", "--restarts", "1", "-f", "json", "-o", "m", folder=folder)


def compare(folder: Path, *options: str) -> None:
    command = [sys.executable, "-m", "haichi", "compare", "-m", MACHINE, "-w", "cg.json", "--seeds", "1", *options]
    command += ["--strategies", "default,hop-bytes", "--restarts", "1", "--evaluations", "500"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr


def test_compare_and_the_page_draw_all_its_links(folder: Path) -> None:
    compare(folder, "--simulate", "-o", "results.json", "-o", "page.html")
    from haichi.report.view_data import check_comparison  # the package from PYTHONPATH

    network = check_comparison(json.loads((folder / "results.json").read_text()), "results.json")[0].network
    assert network.links == LINKS
    assert list(network.panels) == ["nodes to switches", "between switches"]
    assert sorted(set(network.link_panel.tolist())) == [0, 1]
    assert "on (star 0)->(star 1)" in network.names
    page = (folder / "page.html").read_text()
    assert "between switches" in page and MACHINE in page


def test_a_report_is_made_of_results(folder: Path) -> None:
    compare(folder, "-o", "results.json")
    command = [sys.executable, "-m", "haichi", "report", "results.json", "-o", "again.html"]
    subprocess.run(command, cwd=folder, capture_output=True, timeout=300, check=True)
    assert "between switches" in (folder / "again.html").read_text()
