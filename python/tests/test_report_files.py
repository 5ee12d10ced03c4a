"""The report's errors, its command, and figures."""

import copy
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import haichi
from haichi.base.json_text import one_line
from haichi.report import write_figures, write_report

BROKEN: list[tuple[str, Callable[[dict[str, Any]], Any], str]] = [
    ("schema", lambda c: c.update(schema="haichi-comparison/9"),
     "expected the schema 'haichi-comparison/1', found 'haichi-comparison/9'"),
    ("cells", lambda c: c.update(cells=7), "cells must be a list"),
    ("cell", lambda c: c["cells"].append("x"), "cells[2] must be an object"),
    ("views", lambda c: c.update(views={}), "views must be a list"),
    ("network", lambda c: c["views"][1].update(network=1), "views[1].network is 1"),
    ("messages", lambda c: c["views"][0].update(messages=None), "views[0].messages is None"),
    ("node", lambda c: c["views"][0].update(node_of_rank=[99] * 16), "views[0].node_of_rank: must hold whole numbers"),
    ("packed", lambda c: c["networks"][0]["link_source"].update(zlib="AAAA"), "link_source: cannot unpack the array"),
    ("length", lambda c: c["networks"][0].update(link_sign=[1]), "networks[0].link_sign: expected 64 entries, found 1"),
    ("panel", lambda c: c["networks"][0].update(panels=[{"form": "web"}]),
     "networks[0].panels[0]: invalid form: 'web'"),
    ("axis", lambda c: c["networks"][0].update(axes=[["X", 0, True]]), "networks[0].axes[0] must be"),
    ("links", lambda c: c["views"][0]["set_links"][0].update(link=[3, 2], messages=[1, 1], bytes=[1, 1]),
     "must be strictly ascending"),
    ("routes", lambda c: c["views"][0]["routes"].update(first=[0] * 16),
     "views[0].routes.first: expected 17 entries, found 16"),
    ("times", lambda c: c["views"][0].update(simulated={"none": 1}), "views[0].simulated.none must be an object"),
    ("overall", lambda c: c["summary"].update(overall=None), "summary.overall must be an object"),
    ("axes", lambda c: c["networks"][0].update(axes=None), "networks[0].axes must be a list, not NoneType"),
    ("sets", lambda c: c["workloads"][0].update(sets=5), "workloads[0].sets must be a list, not int"),
    ("text", lambda c: c["summary"]["jobs"][0].update(workload="\ud800"), "jobs[0].workload is not Unicode text"),
    ("key", lambda c: c["request"].update({"\ud800": 1}), "request: a key is not Unicode text"),
    ("digits", lambda c: c["cells"][0].update(seed=10**5000), "cells[0].seed is a number of more than 300 digits"),
    ("depth", lambda c: c.update(request=json.loads("[" * 900 + "]" * 900)), "is nested too deeply"),
    ("convergence", lambda c: c["cells"][0].update(convergence=[1]), "cells[0].convergence must be a list of pairs"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "breaking", "reason"), BROKEN, ids=[name for name, _, _ in BROKEN])
def test_broken_results_are_refused_with_the_place_and_the_file(
    ring_comparison: dict[str, Any], tmp_path: Path, name: str, breaking: Callable[[dict[str, Any]], Any], reason: str
) -> None:
    comparison = copy.deepcopy(ring_comparison)
    breaking(comparison)
    for write in (write_report, write_figures):
        with pytest.raises(haichi.InputError) as error:
            write(comparison, tmp_path / "out", source="my.json")
        assert str(error.value).startswith("my.json: ")
        assert reason in str(error.value)
    assert list(tmp_path.iterdir()) == []


def test_figures_do_without_what_is_not_known(
    cg_comparison: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    comparison = copy.deepcopy(cg_comparison) | {"views": []}
    monkeypatch.setattr("haichi.report.figures._FORMATS", ("svg",))
    for cell in comparison["cells"]:
        cell["objectives"] = None
    comparison["cells"][0]["convergence"] = None
    comparison["summary"]["jobs"][0]["strategies"][0] |= {"least": None, "most": "unknown"}
    assert {path.stem for path in write_figures(comparison, tmp_path)} == {"strategies", "convergence"}


def test_equal_comparisons_give_equal_pages(cg_comparison: dict[str, Any], cg_page: Path, tmp_path: Path) -> None:
    write_report(json.loads(one_line(cg_comparison)), tmp_path / "again.html")
    assert (tmp_path / "again.html").read_bytes() == cg_page.read_bytes()


# ---- the command and figures


def test_the_command_writes_page_and_figures(ring_comparison: dict[str, Any], tmp_path: Path) -> None:
    results = tmp_path / "results.json"
    results.write_text(one_line(ring_comparison))
    command = [
        sys.executable,
        "-m",
        "haichi",
        "report",
        str(results),
        "--figures",
        str(tmp_path / "figures"),
        "--quiet",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert (tmp_path / "results.html").read_text().startswith("<!DOCTYPE html>")
    figures = {path.name: path.read_bytes() for path in (tmp_path / "figures").iterdir()}
    assert figures.keys() >= {"link-loads.svg", "link-loads.png"}
    assert all(content.startswith(b"\x89PNG") for name, content in figures.items() if name.endswith(".png"))
    results.write_text(results.read_text().replace("haichi-comparison/1", "haichi-comparison/9"))
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith(f"error: {results}: ") and "haichi-comparison/9" in done.stderr


def test_figures_are_written_in_equal_svg(
    cg_comparison: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    comparison = copy.deepcopy(cg_comparison)
    monkeypatch.setattr("haichi.report.figures._FORMATS", ("svg",))
    written = write_figures(comparison, tmp_path / "a")
    assert {path.stem for path in written} == {"strategies", "convergence", "link-loads"}
    write_figures(comparison, tmp_path / "b")
    for path in written:
        assert path.stat().st_size > 2000
        assert path.read_bytes() == (tmp_path / "b" / path.name).read_bytes()


def test_without_matplotlib_figures_say_what_to_install(
    ring_comparison: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(haichi.UnsupportedError) as error:
        write_figures(ring_comparison, tmp_path)
    assert error.value.hint == "install the package matplotlib"
