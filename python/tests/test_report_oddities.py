"""Pages of unusual results: missing parts, failures, text that looks like HTML, extreme sizes."""

import copy
import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import haichi
from haichi.base.json_text import one_line

Browser = Any
"""The class Browser of conftest.py."""


def test_text_from_outside_stays_text(
    open_page: Callable[[dict[str, Any]], Browser], ring_comparison: dict[str, Any]
) -> None:
    attack = "</script><script>document.title = 'caught'</script><img src=x onerror=\"document.title='caught'\">"
    comparison = json.loads(one_line(ring_comparison).replace('"small"', json.dumps(attack)))
    comparison["request"]["machine"] = attack
    comparison["summary"]["overall"]["advice"] = attack
    comparison["workloads"][0]["sets"][0]["label"] = attack
    comparison["cells"][1] |= {"status": "failed", "error": attack, "hint": attack}
    browser = open_page(comparison)
    assert browser.run("return [document.title.startsWith('<'), document.querySelectorAll('img').length]") == [True, 0]
    assert attack in browser.text("h1")
    assert attack in browser.text("#maps .legend-title") or attack in browser.text("#bottleneck")
    assert attack in browser.text("#how")
    browser.check_quiet()


def changed(comparison: dict[str, Any], **parts: Any) -> dict[str, Any]:
    return copy.deepcopy(comparison) | parts


@pytest.mark.parametrize(
    "change",
    [
        {"views": [], "networks": [], "message_lists": []},
        {"interrupted": True},
        {"summary": {"jobs": [], "overall": {}}},
        {"request": {}, "cells": []},
        {"a newer key": [{"nested": None}]},
    ],
    ids=["no views", "interrupted", "no jobs", "no cells", "newer keys"],
)
def test_results_with_parts_missing_are_shown_as_far_as_they_go(
    open_page: Callable[[dict[str, Any]], Browser], ring_comparison: dict[str, Any], change: dict[str, Any]
) -> None:
    browser = open_page(changed(ring_comparison, **change))
    assert browser.run("return document.querySelectorAll('#content > p.warning').length") == 0
    assert browser.text("#how h2") == "How this report was made"
    if "interrupted" in change:
        assert "was interrupted" in browser.text("#verdict")
    if "views" in change:
        assert "No pictures of links" in browser.text("#maps h2")
    browser.check_quiet()


def test_where_nothing_is_better_the_other_placement_is_no_advice(
    open_page: Callable[[dict[str, Any]], Browser], ring_comparison: dict[str, Any]
) -> None:
    comparison = copy.deepcopy(ring_comparison)
    note = "The default placement is the fastest of all compared placements"
    assert comparison["summary"]["jobs"][0]["winner"] == "default"
    better = copy.deepcopy(comparison)
    better["summary"]["jobs"][0]["winner"] = "random"
    assert note not in open_page(better).text("#bottleneck")
    browser = open_page(comparison)
    assert note in browser.text("#bottleneck")
    assert browser.text("#strategies h2") == "The default placement is the best of 2 strategies"
    browser.check_quiet()


def test_an_interrupted_comparison_tells_how_many_strategies_are_done(
    open_page: Callable[[dict[str, Any]], Browser], ring_comparison: dict[str, Any]
) -> None:
    comparison = copy.deepcopy(ring_comparison) | {"interrupted": True}
    comparison["cells"].append({**comparison["cells"][1], "strategy": "tac3", "status": "missing"})
    browser = open_page(comparison)
    assert (
        browser.text("#strategies h2") == "The default placement is the best of the 2 finished strategies (3 requested)"
    )
    browser.check_quiet()


def test_loads_are_told_in_bytes_and_contention_in_messages(
    open_page: Callable[[dict[str, Any]], Browser], compare_small: Callable[..., dict[str, Any]]
) -> None:
    """The best placement has one small message on a link instead of two. In both, a large message causes the maximum
    load."""
    messages = haichi.Workload.from_messages([0, 0, 2], [1, 3, 3], [10, 10, 1000], [0, 0, 1])
    comparison = compare_small(messages, "mesh:4")
    before, after = (view["set_links"] for view in comparison["views"])
    for sets, count in ((before, 2), (after, 1)):
        sets[0] |= {"link": [0], "messages": [count], "bytes": [10 * count]}
        sets[1] |= {"link": [1], "messages": [1], "bytes": [1000]}
    browser = open_page(comparison)
    assert browser.text("#bottleneck h2") == "The maximum link load stays at 1,000 B at once"
    assert "as much time as before" in browser.text("#bottleneck")
    title = "1 of 2 sets has less contention, none more; the maximum number of messages on a link fell from 2 to 1"
    assert browser.text("#contention h2") == title
    after[1]["bytes"] = [500]
    assert open_page(comparison).text("#bottleneck h2") == "The maximum link load fell from 1,000 B to 500 B at once"
    browser.check_quiet()


def test_failed_and_missing_cells_and_values_that_are_no_numbers(
    open_page: Callable[[dict[str, Any]], Browser], cg_comparison: dict[str, Any]
) -> None:
    comparison = copy.deepcopy(cg_comparison)
    comparison["cells"][2] = {
        **{key: comparison["cells"][2][key] for key in ("workload", "shape", "strategy", "seed")},
        "status": "failed",
        "error": "the search found no way",
        "hint": "try another one",
    }
    comparison["cells"][3] = {**comparison["cells"][3], "status": "missing"}
    comparison["cells"][4]["metrics"] = {"tac3_seconds": None, "hop_bytes": float("nan")}
    comparison["cells"][4]["convergence"] = [[1, None], [2, 3.0]]
    comparison["summary"]["jobs"][0]["strategies"][0]["spread"] = None
    browser = open_page(comparison)
    trouble = browser.text("#how")
    assert "the search found no way" in trouble
    assert "hint: try another one" in trouble
    assert "1 cell is missing" in trouble
    assert "NaN" not in browser.text("body")
    assert "undefined" not in browser.text("body")
    browser.check_quiet()


def test_a_job_on_one_node_and_one_of_500_sets(
    open_page: Callable[[dict[str, Any]], Browser], compare_small: Callable[..., dict[str, Any]]
) -> None:
    alone = haichi.Workload.from_messages([0], [1], [100], ranks=2)
    browser = open_page(compare_small(alone, "mesh:1", ppn=2, simulate=True, sim_iterations=1))
    assert browser.text("#bottleneck h2") == "No message crosses a link"
    browser.check_quiet()
    sets = np.arange(500)
    many = haichi.Workload.from_messages(sets % 16, (3 * sets + 1) % 16, 1000, sets)
    browser = open_page(compare_small(many))
    assert browser.run("return document.querySelectorAll('#choose-set option').length") == 502
    assert browser.run("return document.querySelectorAll('#contention rect').length") == 1000
    browser.check_quiet()


def test_routes_beyond_the_budget_are_said_to_be_missing(
    open_page: Callable[[dict[str, Any]], Browser], ring_comparison: dict[str, Any]
) -> None:
    comparison = copy.deepcopy(ring_comparison)
    for view in comparison["views"]:
        view["routes"] = None
    browser = open_page(comparison)
    worst = browser.run("return haichiReport.before.worst.link")
    browser.move(*browser.place_of_link(worst))
    browser.wait("!document.getElementById('tip').hidden")
    assert "The results omit routes" in browser.text("#tip")
    browser.check_quiet()
