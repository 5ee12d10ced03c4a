"""The page of a comparison in a real browser."""

import json
import shlex
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal
from urllib.parse import unquote

import numpy as np
import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

import haichi
from haichi import _core
from haichi.base.program import find_program
from haichi.comparison.views import ViewRequest, placement_views
from haichi.report.page import write_report
from haichi.report.view_data import ViewData, check_comparison

Browser = Any
"""The class Browser of conftest.py."""
MINUS, ARROW = "\N{MINUS SIGN}", "\N{RIGHTWARDS ARROW}"


def stencil_comparison(
    dims: list[int], machine: str, shape: str | None
) -> tuple[haichi.Workload, dict[str, haichi.Evaluation], dict[str, Any]]:
    """Results like those of `haichi.compare`. Objectives and bounds are left out, because they take long on thousands
    of nodes."""
    workload = haichi.Workload.from_pattern("stencil3d", dims=dims, shuffle=1)
    placed = haichi.Job(workload, machine, shape=shape)
    results = {
        name: placed.evaluate(placed.optimize(strategy=name), all_objectives=False) for name in ("default", "greedy")
    }
    job = {"workload": "stencil", "shape": shape}
    cells = [
        {**job, "strategy": name, "seed": 1, "status": "done", "evaluations": 0, "metrics": result.metrics}
        for name, result in results.items()
    ]
    strategies = [
        {"strategy": name, "barrier": None, "mean": result.metrics["tac3_seconds"], "spread": 0.0}
        for name, result in sorted(results.items(), key=lambda entry: entry[1].metrics["tac3_seconds"])
    ]
    assert strategies[0]["strategy"] == "greedy"
    summary = {**job, "measure": "tac3_seconds", "winner": "greedy", "strategies": strategies, "advice": "map it"}
    roles: dict[str, Literal["before", "after"]] = {"default": "before", "greedy": "after"}
    requests = [
        ViewRequest(
            job=placed._spec,
            node_of_rank=result.placement.node_of_rank,
            workload_name="stencil",
            strategy=name,
            seed=1,
            role=roles[name],
        )
        for name, result in results.items()
    ]
    sets = [{"label": label} for label in workload.labels]
    return (
        workload,
        results,
        {
            "schema": "haichi-comparison/1",
            "haichi": haichi.__version__,
            "request": {"machine": machine},
            "workloads": [{"name": "stencil", "ranks": workload.ranks, "iterations": 1, "sets": sets}],
            "cells": cells,
            "summary": {"jobs": [summary], "overall": {"advice": "map it"}},
            **placement_views(requests),
        },
    )


# ---- the bottleneck, which these tests compute from the routes


class Bottleneck:
    """The link and set with the most bytes per bandwidth, computed without the views."""

    def __init__(self, workload: haichi.Workload, view: ViewData, result: haichi.Evaluation) -> None:
        np.testing.assert_array_equal(view.node_of_rank, result.placement.node_of_rank)
        self.first, self.link = _core.message_routes(result.placement._core)
        self.workload = workload
        self.messages = workload.messages
        links = view.network.links
        best = (-1.0, 0, 0, 0)
        hops = np.diff(self.first)
        message_of = np.repeat(np.arange(len(hops)), hops)
        for number in range(len(workload.labels)):
            chosen = self.messages.set[message_of] == number
            count = np.bincount(self.link[chosen], minlength=links)
            load = np.bincount(self.link[chosen], weights=self.messages.bytes[message_of[chosen]], minlength=links)
            time = load / view.network.bandwidth_bytes_per_s
            order = np.lexsort((np.arange(links), -count, -time))[0]
            candidate = (float(time[order]), int(count[order]), -number, int(order))
            if candidate[:2] > best[:2]:
                best = candidate
        self.seconds, self.count, negative_set, self.number = best
        self.set = -negative_set
        self.name = view.network.link_name(self.number)

    def route(self, message: int) -> np.ndarray:
        return self.link[self.first[message] : self.first[message + 1]]

    def crossing(self, link: int, set_number: int) -> list[int]:
        message_of = np.repeat(np.arange(len(self.first) - 1), np.diff(self.first))
        crossing = message_of[self.link == link]
        return [int(message) for message in crossing if self.messages.set[message] == set_number]

    @property
    def shown_name(self) -> str:
        axis, _, ends = self.name.partition(" ")
        return axis.replace("-", MINUS) + " " + ends.replace("->", ARROW)

    def message_text(self, message: int) -> str:
        return f"{self.messages.source[message]:,}{ARROW}{self.messages.destination[message]:,}"


def bottlenecks(workload: haichi.Workload, comparison: dict[str, Any]) -> tuple[Bottleneck, Bottleneck]:
    """Returns the bottlenecks of the default placement and of the best placement."""
    found = []
    for role in ("before", "after"):
        view = next(view for view in check_comparison(comparison, "here") if view.role == role)
        result = haichi.Job(workload, comparison["request"]["machine"], shape=view.shape).evaluate(view.node_of_rank)
        found.append(Bottleneck(workload, view, result))
        named = [entry["link"] for entry in result.report["most_loaded_links"]]
        assert found[-1].name in named, "the reports name links otherwise"
    return found[0], found[1]


def count_text(count: int) -> str:
    return f"{count} message{'' if count == 1 else 's'}"


def check_page_of_bottleneck(browser: Browser, before: Bottleneck, after: Bottleneck) -> None:
    """Checks that a reader learns the link and its change from the text, and by pointing at the link."""
    story = browser.text("#bottleneck")
    crossing = before.crossing(before.number, before.set)
    assert before.count == len(crossing)
    assert f"the most loaded link is {before.shown_name}: {count_text(before.count)}" in story
    assert all(before.message_text(message) in story for message in crossing[:8])
    now = len(after.crossing(before.number, before.set))
    assert f"that link carries {count_text(now) if now else 'nothing'}" in story
    assert f"The most loaded link is now {after.shown_name}: {count_text(after.count)}" in story
    browser.choose("#choose-set", str(before.set))
    for side, bottleneck in enumerate((before, after)):
        browser.move(*browser.place_of_link(before.number, side))
        browser.wait("!document.getElementById('tip').hidden")
        tip = browser.text("#tip")
        messages = bottleneck.crossing(before.number, before.set)
        assert tip.startswith(before.shown_name)
        assert f"{count_text(len(messages))}," in tip if messages else "no message" in tip
        for message in messages[:20]:
            assert f"rank {bottleneck.message_text(message)}, " in tip
        assert tip.count("rank ") == min(len(messages), 20)
        browser.move(2, 2)
    browser.choose("#choose-set", "worst")


# ---- the page


def test_the_page_of_96_nodes_tells_the_bottleneck_and_what_became_of_it(
    browser: Browser, cg_page: Path, cg64: haichi.Workload, cg_comparison: dict[str, Any]
) -> None:
    browser.open(cg_page)
    assert "fx10-kyushu" in browser.text("h1")
    assert cg_comparison["summary"]["overall"]["advice"] in browser.text("#verdict")
    before, after = bottlenecks(cg64, cg_comparison)
    check_page_of_bottleneck(browser, before, after)
    panels = browser.is_drawn("canvas.panel")
    assert len(panels) == 2 * 5  # the X axis is one node wide, so five of six axes remain
    assert all(panels)
    assert browser.is_drawn("canvas.times") == [True, True]
    assert browser.is_drawn("canvas.ranks") == [True, True]
    assert len(browser.driver.find_elements(By.CSS_SELECTOR, "#strategies tbody tr")) == 3
    browser.check_quiet()


def test_selectors_change_what_is_shown(browser: Browser, cg_page: Path, cg_comparison: dict[str, Any]) -> None:
    browser.open(cg_page)
    views = {view.role: view for view in check_comparison(cg_comparison, "here") if view.role != "other"}
    for number, label in enumerate(views["before"].labels):
        browser.choose("#choose-set", str(number))
        headings = [node.text for node in browser.driver.find_elements(By.CSS_SELECTOR, "#maps .side > h3")]
        for heading, role in zip(headings, ("before", "after"), strict=True):
            assert f"at most {count_text(views[role].contention[number])} on a link" in heading
        assert label in browser.text("#maps .legend-title")
    browser.choose("#choose-set", "worst")
    browser.choose("#choose-measure", "bytes")
    assert "MiB on a link" in browser.text("#maps .side > h3")
    browser.choose("#choose-after", "2")  # hop-bytes is the third after default and tac3
    browser.wait("document.querySelectorAll('#maps .side > h3')[1].textContent.includes('hop-bytes')")
    assert browser.run("return document.querySelectorAll('#maps .side').length") == 2
    title = browser.text("#simulated h3")
    browser.choose("#choose-barrier", "sets")
    browser.wait(f"document.querySelector('#simulated h3').textContent !== {json.dumps(title)}")
    browser.check_quiet()


def test_a_click_keeps_a_link_and_a_message_shows_its_way_on_both_sides(
    browser: Browser, cg_page: Path, cg64: haichi.Workload, cg_comparison: dict[str, Any]
) -> None:
    browser.open(cg_page)
    before, after = bottlenecks(cg64, cg_comparison)
    browser.click(*browser.place_of_link(before.number))
    browser.wait("!document.getElementById('link-detail').hidden")
    assert before.shown_name in browser.text("#link-detail h3")
    message = min(m for m in range(len(cg64.messages.set)) if before.number in before.route(m))
    browser.run("document.querySelector('#link-detail .message').click()")
    assert before.message_text(message) in browser.text("#link-detail .note")
    routes = browser.run("return haichiReport.maps.sides.map(side => side.route)")
    assert routes == [before.route(message).tolist(), after.route(message).tolist()]
    browser.run("document.querySelector('#link-detail .tool').click()")
    assert browser.run("return document.getElementById('link-detail').hidden")
    browser.check_quiet()


def test_the_keyboard_walks_from_the_most_loaded_link(browser: Browser, cg_page: Path) -> None:
    browser.open(cg_page)
    canvas = browser.driver.find_elements(By.CSS_SELECTOR, "canvas.panel")[1]
    browser.run("arguments[0].focus()", canvas)
    canvas.send_keys(Keys.ARROW_RIGHT)
    browser.wait("!document.getElementById('tip').hidden")
    assert "2 messages" in browser.text("#tip")
    canvas.send_keys(Keys.ENTER)
    assert browser.text("#link-detail h3").startswith("Link Z")
    canvas.send_keys(Keys.ESCAPE)
    assert browser.run("return document.getElementById('link-detail').hidden")
    # A click on a heading sorts the table.
    browser.run("document.querySelector('button.sort[data-key$=hop-bytes]').click()")
    assert browser.run("return document.querySelector('th[aria-sort=ascending]').textContent") == "hop-bytes \u25b2"
    assert browser.text("#strategies tbody tr td").startswith("hop-bytes")
    browser.check_quiet()


def test_pointing_at_a_node_tells_its_ranks(browser: Browser, cg_page: Path, cg_comparison: dict[str, Any]) -> None:
    browser.open(cg_page)
    view = check_comparison(cg_comparison, "here")[0]
    x, y, vertex = browser.driver.execute_async_script(
        """const drawn = haichiReport.maps.sides[0].panels[1], {dots} = drawn.panel, move = drawn.transform();
        drawn.canvas.scrollIntoView({block: 'center', behavior: 'instant'});
        const box = drawn.canvas.getBoundingClientRect();
        const place = [box.left + move.left + (dots.x[0] + dots.size[0] / 2) * move.scaleX,
                       box.top + move.top + (dots.y[0] + dots.size[0] / 2) * move.scaleY, dots.vertex[0]];
        requestAnimationFrame(() => requestAnimationFrame(() => arguments[0](place)))"""
    )
    browser.move(x, y)
    browser.wait("!document.getElementById('tip').hidden")
    node = int(np.flatnonzero(view.network.vertex_of_node == vertex)[0])
    ranks = np.flatnonzero(view.node_of_rank == node)
    assert browser.text("#tip") == f"node {node} (0,0,0,0,0,0)\nrank {ranks[0]}"


@pytest.fixture(scope="module")
def verdict_page(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """A comparison of files with `auto`, as a user makes it."""
    folder = tmp_path_factory.mktemp("verdict")
    haichi.Workload.from_pattern("cg", ranks=16, bytes=2**16).write(folder / "cg.json")
    job = haichi.Job(folder / "cg.json", "fx10:2x2x2", shape="1x1x2x2x3x2")
    content = haichi.compare(
        job, strategies=["default", "auto"], seeds=1, evaluations=2000, restarts=3, processes=1
    ).to_dict()
    write_report(content, folder / "report.html")
    return folder / "report.html", content


@pytest.mark.parametrize(("width", "height"), [(1400, 900), (390, 844)])
def test_the_first_screen_has_the_verdict_the_command_the_map_and_the_picture(
    browser: Browser, verdict_page: tuple[Path, dict[str, Any]], width: int, height: int
) -> None:
    page, content = verdict_page
    after = next(view for view in content["views"] if view["role"] == "after")
    browser.open(page, width, height)
    for selector in ("#made-by", "#advice", "#command", "#download-map", "#job-lines", "#first canvas"):
        bottoms = browser.run(
            "return [...document.querySelectorAll(arguments[0])].map(one => one.getBoundingClientRect().bottom)",
            selector,
        )
        assert bottoms and max(bottoms) <= height, selector
    assert len(browser.run("return [...document.querySelectorAll('#first canvas')]")) == 2
    assert browser.text("#advice") == content["summary"]["overall"]["advice"]
    assert f"haichi {haichi.__version__}" in browser.text("#made-by")
    assert browser.text("#command") == after["command"]
    assert "#PJM" in browser.text("#job-lines") and "rankmap.txt" in browser.text("#job-lines")
    href = browser.run("return document.getElementById('download-map').href")
    assert unquote(href.partition(",")[2]) == after["rank_map"]["text"]


def test_the_command_in_the_report_makes_the_same_map(
    verdict_page: tuple[Path, dict[str, Any]], tmp_path: Path
) -> None:
    _, content = verdict_page
    after = next(view for view in content["views"] if view["role"] == "after")
    words = shlex.split(after["command"])
    assert words[0] == "haichi"
    subprocess.run([find_program(), *words[1:]], cwd=tmp_path, check=True, capture_output=True)
    assert (tmp_path / "rankmap.txt").read_text() == after["rank_map"]["text"]


def test_panels_name_their_rows_and_charts_have_values(browser: Browser, cg_page: Path) -> None:
    browser.open(cg_page)
    names = browser.run(
        "return haichiReport.maps.layout.map(panel => [...panel.rows, ...panel.columns].map(({text}) => text))"
    )
    assert all(names) and "Y0 A0 C0" in {name for panel in names for name in panel}
    values = browser.run("return [...document.querySelectorAll('.y-values')].map(one => one.lastChild.textContent)")
    assert values and all(value.startswith("0") for value in values)


@pytest.mark.parametrize("width", [390, 1000, 1800])
def test_nothing_is_wider_than_the_window(browser: Browser, cg_page: Path, width: int) -> None:
    browser.open(cg_page, width)
    assert browser.run("return document.documentElement.scrollWidth") <= width
    wide = browser.run(
        """return [...document.querySelectorAll('main *, header *, footer *')]
            .filter(node => !node.closest('.scroll, svg, select'))
            .filter(node => node.getBoundingClientRect().right > innerWidth + 1)
            .map(node => node.outerHTML.slice(0, 200))"""
    )
    assert wide == []


def test_dark_and_light_have_other_colours_and_enough_contrast(browser: Browser, cg_page: Path) -> None:
    browser.open(cg_page)
    pixel = """const canvas = document.querySelector('canvas.panel');
        const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
        return data.reduce((a, b) => a + b)"""
    seen = set()
    for _ in ("light", "dark"):
        seen.add((browser.run("return getComputedStyle(document.body).backgroundColor"), browser.run(pixel)))
        for name in ("ink", "soft", "accent", "warning"):
            assert contrast(*colors(browser, "paper", name)) >= 4.5, name
        browser.run("document.getElementById('theme').click()")
    assert len({background for background, _ in seen}) == 2
    assert len({sum_of_pixels for _, sum_of_pixels in seen}) == 2
    browser.driver.execute_cdp_cmd(
        "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "dark"}]}
    )
    browser.open(cg_page)
    assert browser.run("return getComputedStyle(document.body).backgroundColor") == "rgb(20, 24, 29)"
    assert browser.text("#theme") == "light"
    browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    browser.check_quiet()


def colors(browser: Browser, *names: str) -> list[list[int]]:
    texts = [
        browser.run(f"return getComputedStyle(document.documentElement).getPropertyValue('--{name}')") for name in names
    ]
    return [[int(text.strip()[at : at + 2], 16) for at in (1, 3, 5)] for text in texts]


def contrast(first: list[int], second: list[int]) -> float:
    """Returns the contrast ratio as defined in WCAG 2."""

    def luminance(color: list[int]) -> float:
        shares = [value / 255 for value in color]
        linear = [share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted((luminance(first), luminance(second)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_the_page_forbids_itself_the_network(browser: Browser, cg_page: Path) -> None:
    browser.open(cg_page)
    blocked = browser.driver.execute_async_script(
        """const done = arguments[0];
        document.addEventListener('securitypolicyviolation', (event) => done(event.violatedDirective), { once: true });
        fetch('http://127.0.0.1:9/x').catch(() => setTimeout(() => done('fetched'), 2000));"""
    )
    assert blocked == "connect-src"
    text = cg_page.read_text()
    assert "http://" not in text.replace("http://www.w3.org/2000/svg", "")
    assert "https://" not in text


@pytest.mark.parametrize(
    ("dims", "machine", "shape", "panels"),
    [([8, 8, 12], "fx10-kyushu", None, 6), ([16, 24, 32], "fugaku", "8x8x16x2x3x2", 6)],
    ids=["768", "12288"],
)
def test_pages_of_large_jobs_open_quickly_and_tell_the_bottleneck(
    open_page: Callable[[dict[str, Any]], Browser], dims: list[int], machine: str, shape: str | None, panels: int
) -> None:
    workload, results, comparison = stencil_comparison(dims, machine, shape)
    assert workload.ranks == np.prod(dims)
    begin = time.monotonic()
    browser = open_page(comparison)
    assert time.monotonic() - begin < 20
    views = check_comparison(comparison, "here")
    before, after = (Bottleneck(workload, view, results[view.strategy]) for view in views)
    check_page_of_bottleneck(browser, before, after)
    drawn = browser.is_drawn("canvas.panel")
    assert len(drawn) == 2 * panels
    assert all(drawn)
    browser.run("document.getElementById('space').open = true")
    browser.wait("document.querySelector('canvas.space')?.width > 0")
    assert browser.is_drawn("canvas.space") == [True, True]
    picture = "return document.querySelector('canvas.space').toDataURL()"
    shown = browser.run(picture)
    browser.choose("#choose-set", "0")
    assert browser.run(picture) != shown
    redraw = browser.run("const begin = performance.now(); haichiReport.maps.draw(); return performance.now() - begin")
    assert redraw < 3000
    browser.check_quiet()


@pytest.mark.parametrize(
    "machine",
    [
        "fattree:2x4",
        "dragonfly:2,4,2",
        "dragonfly-plus:2,2,2,4",
        "hyperx:4x2,2",
        "two-clusters:2,1ms,8",
        "mesh:16",
        "mesh:4x4",
        "torus:2x2x4",
    ],
)
@pytest.mark.parametrize("count_nic", [False, True])
def test_every_kind_of_network_is_drawn_with_all_its_links(
    open_page: Callable[[dict[str, Any]], Browser],
    compare_small: Callable[..., dict[str, Any]],
    machine: str,
    count_nic: bool,
) -> None:
    workload = haichi.Workload.from_pattern("cg", ranks=16)
    comparison = compare_small(workload, machine, count_nic=count_nic)
    browser = open_page(comparison)
    links = check_comparison(comparison, "here")[0].network.links
    shown = browser.run("return haichiReport.maps.layout.flatMap(panel => panel.cells.link)")
    assert sorted(shown) == list(range(links))
    places = browser.run(
        """return haichiReport.maps.layout.map(({cells}) =>
            cells.link.map((_, i) => [cells.x[i], cells.y[i], cells.width[i], cells.height[i]]))"""
    )
    for panel in places:  # links do not overlap
        assert len({tuple(round(value, 6) for value in cell) for cell in panel}) == len(panel)
    assert all(browser.is_drawn("canvas.panel"))
    names = browser.run(
        "return Array.from({length: arguments[0]}, (_, link) => haichiReport.before.network.linkName(link))", links
    )
    network = check_comparison(comparison, "here")[0].network
    expected = [network.link_name(link).replace("->", ARROW) for link in range(links)]
    assert [name.replace(f"{MINUS} ", "- ") for name in names] == expected
    browser.check_quiet()


def test_of_a_job_scattered_over_a_machine_the_used_lines_are_drawn(
    open_page: Callable[[dict[str, Any]], Browser], compare_small: Callable[..., dict[str, Any]], tmp_path: Path
) -> None:
    nodes = tmp_path / "nodes"
    nodes.write_text("".join(f"{17 * number % 512}\n" for number in range(16)))
    workload = haichi.Workload.from_pattern("random-ring", ranks=16)
    comparison = compare_small(workload, "torus:8x8x8", nodes=nodes)
    browser = open_page(comparison)
    used = {int(link) for view in check_comparison(comparison, "here") for links, _, _ in view.sets for link in links}
    shown = browser.run("return haichiReport.maps.layout.flatMap(panel => panel.cells.link)")
    assert used <= set(shown)
    assert len(shown) == len(set(shown)) < 0.7 * 6 * 512
    assert len(shown) % (2 * 8) == 0  # complete rings in both directions
    browser.check_quiet()
