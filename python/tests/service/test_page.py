"""The service's page in a real browser: with mouse, keyboard and screen reader."""

import json
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

Page = Any
"""The class Page of conftest.py."""
SHAPE_1 = "1x2x4x2x3x2"
RING = {"machine": "torus:4x4", "objective": "hop-bytes", "pattern": {"name": "ring", "ranks": 16}}
LONG = {"machine": "torus:8x8x8", "objective": "tac3", "time": "300s", "pattern": {"name": "cg", "ranks": 512}}


@pytest.fixture(scope="module")
def server(start_for_file) -> Any:
    """A server without jobs of other test files, because the page lists all jobs of its server."""
    return start_for_file("--workers", "2")


def from_drop_to_download(server, page: Page, cg_file: Path) -> None:
    page.drop(cg_file)
    assert page.text(".files li").startswith("cg64.json")
    assert page.run("return document.querySelector('.files select').value") == "workload"
    page.type_in("#field-machine", "fx10-kyushu")
    assert "Kyushu University" in page.text("#field-machine-help")
    page.type_in("#field-shape", SHAPE_1)
    page.type_in("#field-objective", "tac3")
    page.find("form.request .main-button").click()
    page.wait_for_job("done")
    assert page.text("#job-title") == "cg64.json on fx10-kyushu"
    job = next(server.client().jobs())
    report = job.result()
    less = 100 * (1 - report["value"] / report["default"]["value"])
    assert f"{less:.3g} % lower tac3" in page.text("#numbers .verdict")
    assert "It is optimal" in page.text("#numbers")
    row = page.run(
        "return [...[...document.querySelectorAll('.numbers tr')].find(row => row.textContent.startsWith('longest'))"
        ".cells].map(cell => cell.textContent)"
    )
    before, after = (report[key]["max_hops"] for key in ("default", "metrics"))
    assert row[1:] == [str(before), str(after), f"{before / after:.3g}\u00d7 less"]
    assert [drawn for drawn in page.browser.is_drawn("canvas.panel")] == [True] * 10
    assert "found by tac3" in page.text("#maps")
    assert page.too_wide() == []
    page.browser.choose("#choose-format", "tofu6d")
    page.find("#files .main-button").click()
    wanted = job.rank_map("tofu6d")
    assert page.downloaded("*.tofu6d.map").read_text() == wanted
    buttons = page.driver.find_elements(By.CSS_SELECTOR, "#files .controls:not(:has(select)) button")
    for button in buttons:
        button.click()
    assert page.downloaded("*-result.json").read_text() == job.result_text()
    assert page.downloaded("*-report.html").read_text() == job.report()
    page.run("document.querySelector('#files details').open = true")
    for scheduler, word in (("pjm", "#PJM"), ("slurm", "SLURM")):
        page.browser.choose("#choose-scheduler", scheduler)
        page.wait(f"document.querySelector('#files pre').textContent.includes('{word}')")
        assert f"haichi-{job.id[:8]}." in page.text("#files pre")
    # A response that arrives late does not replace the response to a more recent request.
    page.run(
        "const ask = window.fetch; window.lateAnswers = 0; window.fetch = async (...question) => {"
        "  const answer = await ask(...question);"
        "  if (!String(question[0]).includes('scheduler=pjm')) return answer;"
        "  await new Promise((done) => setTimeout(done, 500));"
        "  setTimeout(() => { window.lateAnswers += 1; }, 100);"
        "  return answer; };"
    )
    for scheduler in ("pjm", "slurm"):
        page.browser.choose("#choose-scheduler", scheduler)
    page.wait("window.lateAnswers === 1")
    assert "SLURM" in page.text("#files pre")
    assert page.too_wide() == []
    assert page.violations() == []
    page.check_quiet()


def test_from_drop_to_download(server, opened: Page, cg_file: Path) -> None:
    from_drop_to_download(server, opened, cg_file)


@pytest.mark.slow
@pytest.mark.parametrize(("width", "scheme"), [(1400, "dark"), (390, "light"), (390, "dark")])
def test_from_drop_to_download_on_other_screens(server, of_server, cg_file: Path, width: int, scheme: str) -> None:
    page = of_server(server.url)
    page.open("", width, scheme)
    assert page.too_wide() == []
    assert page.violations() == []
    dark = page.run("return getComputedStyle(document.querySelector('main')).backgroundColor") != "rgb(255, 255, 255)"
    assert dark == (scheme == "dark")
    from_drop_to_download(server, page, cg_file)


@pytest.mark.slow
def test_by_keyboard_alone(server, opened: Page) -> None:
    def press(*keys: str) -> None:
        for key in keys:
            ActionChains(opened.driver).send_keys(key).perform()

    def go_to(selector: str) -> None:
        """Moves the focus with the Tab key, and checks that the focused element is visible."""
        for _ in range(80):
            press(Keys.TAB)
            if opened.run("return document.activeElement.matches(arguments[0])", selector):
                assert opened.run("return getComputedStyle(document.activeElement).outlineStyle") != "none"
                return
        raise AssertionError(f"Tab does not reach {selector}")

    go_to(".skip")
    press(Keys.ENTER)
    assert opened.run("return document.activeElement.id") == "main"
    go_to("#pattern")
    press("cg")
    go_to("#pattern-ranks")
    press("64")
    go_to("#field-machine + select")
    press("fx10-k")
    assert opened.run("return document.getElementById('field-machine').value") == "fx10-kyushu"
    go_to("#field-shape")
    press(SHAPE_1)
    go_to("#field-objective")
    press("hop-bytes")
    go_to(".more summary")
    press(Keys.ENTER)
    go_to("#field-evaluations")
    press("20000", Keys.ENTER)
    opened.wait("document.activeElement.id === 'job-title'")
    opened.wait_for_job("done")
    arguments = next(server.client().jobs()).status()["arguments"]
    assert {"--machine=fx10-kyushu", "--objective=hop-bytes", "--evaluations=20000"} < set(arguments)
    go_to("#choose-format")
    press("csv")
    go_to("#files .main-button")
    press(Keys.ENTER)
    assert opened.downloaded("*.csv").read_text().startswith("rank,node\n")
    go_to("canvas.panel")
    press(Keys.ARROW_RIGHT)
    opened.wait("!document.getElementById('tip').hidden")
    press(Keys.ESCAPE)
    long = server.client().submit("map", **LONG)
    opened.wait(f"document.querySelector('.jobs a[href=\"#job={long.id}\"]')")
    go_to(f".jobs a[href='#job={long.id}']")
    press(Keys.ENTER)
    opened.wait("document.activeElement.id === 'job-title'")
    go_to(".job-head button")
    press(Keys.ENTER)
    opened.wait_for_job("cancelled")
    assert opened.run("return document.activeElement.id") == "job-title"
    opened.check_quiet()


NAMED_ROLES = {
    *("button", "link", "textbox", "combobox", "checkbox", "progressbar", "progress", "image", "img", "dialog"),
    *("heading", "application", "figure", "form", "region", "table", "status-bar", "listbox", "searchbox"),
}


@pytest.mark.slow
def test_screen_readers_find_names_and_landmarks(server, opened: Page, cg_file: Path) -> None:
    def check(*wanted: tuple[str, str]) -> None:
        tree = opened.tree()
        nameless = [entry for entry in tree if entry[0].lower() in NAMED_ROLES - {"table", "figure"} and not entry[1]]
        assert nameless == []
        for entry in (("banner", ""), ("main", ""), ("complementary", "Jobs"), ("navigation", "Page"), *wanted):
            assert entry in tree, (entry, tree)
        assert opened.violations() == []

    opened.drop(cg_file)
    opened.run("document.querySelector('.more').open = true")
    check(
        ("heading", "New job"),
        ("button", "remove cg64.json"),
        ("combobox", "cg64.json is the"),
        ("textbox", "Machine"),
        ("combobox", "Machine: choose from the list"),
        ("checkbox", "Rotations"),
    )
    described = opened.run(
        "return [...document.querySelectorAll('form.request [aria-describedby]')].map(node =>"
        "document.getElementById(node.getAttribute('aria-describedby'))?.textContent ?? '')"
    )
    assert len(described) > 25 and all(described)
    assert opened.run("return document.getElementById('said').textContent") == "1 file chosen"
    long = server.client().submit("map", **LONG)
    opened.open(f"#job={long.id}")
    opened.wait("document.querySelector('article .state-running')")
    check(("button", "Cancel the job"), ("button", "cancel cg of 512 ranks on torus:8x8x8"))
    opened.find(".jobs .tool").click()
    opened.wait_for_job("cancelled")
    assert opened.run("return document.getElementById('said').textContent").endswith(" is cancelled")
    done = server.client().submit("map", workload=cg_file, machine="fx10-kyushu", shape=SHAPE_1).wait()
    opened.open(f"#job={done.id}")
    opened.wait_for_job("done")
    check(("combobox", "Rank map as"), ("button", "Download the map"), ("heading", "Before and after"))
    current = opened.run("return document.querySelector('[aria-current]').getAttribute('href')")
    assert current == f"#job={done.id}"


@pytest.mark.slow
def test_files_find_their_fields(server, opened: Page, cg_file: Path, tmp_path: Path, run_program) -> None:
    contents = {
        "torus.json": run_program(tmp_path, "list", "machines", "--show", "torus:4x4x4"),
        "older.json": cg_file.read_bytes(),
        "mapping.txt": b"0\n1\n",
        "nodes.txt": b"0\n1\n",
        "net.graphml": b"<graphml/>",
        "run.haichi-log": b"log",
        "edges": b"0 1 8\n",
    }
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    opened.drop(*(tmp_path / name for name in contents))

    def roles() -> dict[str, str]:
        found = "return [...document.querySelectorAll('.files li')].map(row => [row.querySelector('.file-name')"
        pairs = opened.run(f"{found}.firstChild.textContent, row.querySelector('select').value])")
        return {name: role for name, role in pairs if role}

    of_map = {"torus.json": "machine", "nodes.txt": "nodes", "net.graphml": "graph", "mapping.txt": "start"}
    assert roles() == of_map | {"edges": "workload"}  # edges is the last of three workloads
    assert not opened.find("#field-machine").is_enabled()
    assert opened.text("#field-machine-help") == "from the file torus.json"
    assert not opened.find("#pattern").is_displayed()
    opened.browser.choose("#kind", "evaluate")
    assert roles()["mapping.txt"] == "map"
    opened.browser.choose("#kind", "ccs")
    assert roles() == {"run.haichi-log": "log", "edges": "log"}  # the field accepts several files
    opened.browser.choose("#kind", "map")
    assert roles() == of_map | {"edges": "workload"}
    opened.check_quiet()


def test_what_the_program_says_is_shown_as_it_is(server, opened: Page, tmp_path: Path) -> None:
    broken = tmp_path / "broken.json"
    broken.write_text('{"schema": "haichi-workload/1", "ranks": "<b>many</b>"}')
    opened.drop(broken)
    opened.type_in("#field-machine", "tours:4")
    opened.find("form.request .main-button").click()
    opened.wait("!document.querySelector('form .problem').hidden")
    _, refused = server.ask("POST", "/v1/jobs", {"kind": "map", "machine": "tours:4", "workload": "x"})
    assert refused["error"]["message"] in opened.text("form .problem")
    assert f"hint: {refused['error']['hint']}" in opened.text("form .problem")
    opened.type_in("#field-machine", "")
    opened.find("form.request .main-button").click()
    opened.wait("document.querySelector('form .problem').textContent.includes('missing')")
    assert opened.run("return document.activeElement.id") == "field-machine"
    assert opened.find("#field-machine").get_attribute("aria-invalid") == "true"
    opened.type_in("#field-machine", "torus:4")
    opened.find("form.request .main-button").click()
    opened.wait_for_job("failed")
    error = next(server.client().jobs()).status()["error"]
    assert "<b>many</b>" in error["message"]
    assert error["message"] in opened.text("article .problem")
    assert opened.text(".jobs li .state") == "failed"


@pytest.mark.slow
def test_searches_are_drawn_while_they_run(server, opened: Page) -> None:
    """This test also checks the state of a queued job and the announcements to screen readers."""
    jobs = [server.client().submit("map", **LONG) for _ in range(3)]
    opened.open(f"#job={jobs[-1].id}")
    opened.wait("document.querySelector('article .state-queued')")

    def tell(**data: Any) -> None:
        opened.run("haichiService.jobPage.convergence.add(arguments[0])", data)

    assert not opened.find("#live").is_displayed()
    tell(at=10, phase="simulation", simulated_seconds=0.002, iterations_done=5, iterations=20)
    assert set(opened.text("#live .facts").split("\n")) == {"simulation", "simulated time 2 ms", "iterations 5 of 20"}
    assert opened.run("return document.querySelector('#live progress').value") == 0.25
    assert not opened.find("#live .chart").is_displayed()
    for step, best in enumerate((0.005, 0.004, 0.004, 0.003, 0.003)):
        tell(at=20 + step, phase="search", objective="hop-bytes", best=best * 1e12, bound=None, evaluations=step)
    for step, best in enumerate((0.004, 0.003, 0.0025)):
        search = {"phase": "search", "objective": "tac3", "share": step / 10, "bound": 0.002}
        tell(at=30 + step, best=best, evaluations=1000 * step, **search)
    facts = opened.text("#live .facts")
    for words in ("searching tac3", "best 2.5 ms", "lower bound 2 ms", "above the bound 25 %", "evaluations 2,000"):
        assert words in facts
    label = "return document.querySelector('#live .chart svg').getAttribute('aria-label')"
    assert opened.run(label) == "Best value of tac3 over evaluations: from 4 ms to 2.5 ms, lower bound 2 ms"
    assert "hop-bytes: 4.66 GiB-hops" in opened.text("#live figcaption")
    opened.browser.choose("#choose-over", "seconds")
    assert "over time" in opened.run(label)
    places = opened.run(
        "const [path, bound] = ['.curve', '.bound'].map(name => document.querySelector(`#live .chart ${name}`));"
        "return [path.getAttribute('d').match(/[\\d.]+$/)[0], bound.getAttribute('y1')]"
    )
    assert float(places[0]) < float(places[1])  # the curve ends above the bound
    opened.run("document.querySelector('#live details').open = true")
    opened.wait("document.querySelectorAll('#live tbody tr').length === 3")
    for width in (1400, 390):
        opened.browser.resize(width)
        opened.wait(f"Math.abs(document.querySelector('#live .chart svg').clientWidth - {width}) < {width / 2}")
        assert opened.too_wide() == []
    assert opened.violations() == []
    tell(at=40, phase="search", objective="tac3", best=0.002, bound=0.002, evaluations=5000, share=1)
    assert "0 %: optimal" in opened.text("#live .facts")
    for job in jobs:
        job.cancel()
    opened.wait_for_job("cancelled")
    assert not opened.find("#live progress").is_displayed()
    assert opened.text("#live h2") == "Progress of the search"
    opened.check_quiet()


@pytest.mark.slow
def test_what_a_search_tells_comes_over_the_stream(server, opened: Page) -> None:
    pattern = {"name": "random-geometric", "ranks": 512}
    options = {"machine": "torus:8x8x8", "objective": "tac3", "pattern": pattern}
    job = server.client().submit("map", time="6s", **options)
    opened.open(f"#job={job.id}")
    opened.wait("document.querySelector('article .state-running') && document.querySelector('#live .curve')")
    live = "haichiService.jobPage.convergence.run"
    opened.wait(f"{live}.points.length >= 3")
    assert "searching tac3" in opened.text("#live .facts")
    shown = opened.text("#live .facts")
    opened.wait(f"document.querySelector('#live .facts').innerText !== {json.dumps(shown)}")
    opened.wait_for_job("done")
    told = [event.data for event in job.events() if event.name == "progress"]
    last = opened.run(f"return {live}.last")
    assert (last["best"], last["evaluations"]) == (told[-1]["best"], told[-1]["evaluations"])
    assert last["best"] >= job.result()["value"] >= job.result()["lower_bound"]
    opened.open(f"#job={job.id}")  # the drawing also appears if the page is opened later
    opened.wait_for_job("done")
    assert opened.run(f"return {live}.points.length") >= 3
    assert opened.find("#live .chart svg").is_displayed()
    opened.check_quiet()


@pytest.mark.slow
def test_every_kind_of_result_is_shown(server, of_server, cg_file: Path) -> None:
    page, client = of_server(server.url), server.client()
    shapes = [SHAPE_1, "2x2x2x2x3x2"]
    several = client.submit(
        *("map",), workload=cg_file, machine="fx10-kyushu", shapes=",".join(shapes), objective="tac3", evaluations=5000
    )
    given = client.submit("evaluate", map="0\n1\n2\n3\n", machine="torus:4", pattern={"name": "ring", "ranks": 4})
    wanted = {
        several: (shapes[0], "#choose-shape"),
        given: ("as much", "#maps"),
        client.submit("compare", machine="torus:4x4", strategies="default,random", seeds=1, pattern=RING["pattern"]): (
            "default placement",
            "#maps",
        ),
        client.submit("simulate", machine="torus:4x4", pattern=RING["pattern"]): ("ranks", "#numbers pre"),
        client.submit("advise-shape", machine="fx10-kyushu", pattern=RING["pattern"], node_count=24): (
            "shape",
            "#numbers .verdict",
        ),
    }
    for job, (words, selector) in wanted.items():
        job.wait()
        for width in (1400, 390):
            page.open(f"#job={job.id}", width)
            page.wait_for_job("done")
            assert words in page.text("main")
            assert page.driver.find_elements(By.CSS_SELECTOR, selector)
            assert page.too_wide() == []
            assert page.violations() == []
            page.check_quiet()
    page.driver.get(f"{server.url}/v1/jobs/{given.id}/report")
    page.wait("document.documentElement.dataset.ready === 'yes'")
    assert page.run("return self.origin") == "null"  # the report has no access to the service
    assert page.complaints() == []
    page.open(f"#job={several.id}")
    page.wait_for_job("done")
    page.browser.choose("#choose-shape", shapes[1])
    page.wait("document.querySelector('.strategies') && haichiReport.job.shape === '2x2x2x2x3x2'")
    page.find("#files .main-button").click()
    assert page.downloaded("*.map").read_text() == several.rank_map("fujitsu", shape=shapes[1])
