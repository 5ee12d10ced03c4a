"""The service's page under faults: hostile texts, missing tokens, stopped servers, oversized files."""

import base64
import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver.common.keys import Keys

from haichi.report.inline_page import DRAWING_SCRIPTS, report_text, web_text
from haichi.service.page import SCRIPTS, page

Page = Any
"""The class Page of conftest.py."""
RING = {"machine": "torus:4x4", "objective": "hop-bytes", "pattern": {"name": "ring", "ranks": 16}}
LONG = {"machine": "torus:8x8x8", "objective": "tac3", "time": "300s", "pattern": {"name": "cg", "ranks": 512}}
HOSTILE = "<img src=x onerror=alert(1)>'&amp;<script>alert(2)</script>.json"


@pytest.fixture(scope="module")
def server(start_for_file) -> Any:
    """A server without jobs of other test files, because the page lists all jobs of its server."""
    return start_for_file("--workers", "2")


@pytest.mark.slow
def test_hostile_names_are_text(server, opened: Page, cg_file: Path, tmp_path: Path) -> None:
    workload = json.loads(cg_file.read_text())
    for entry in workload["sets"]:
        entry["label"] = HOSTILE
    hostile = tmp_path / HOSTILE.replace("/", "\u2215")
    hostile.write_text(json.dumps(workload))
    opened.drop(hostile)
    assert hostile.name in opened.text(".files li")
    opened.type_in("#field-machine", "fx10-kyushu")
    opened.type_in("#field-shape", "1x2x4x2x3x2")
    opened.type_in("#field-objective", "tac3")
    opened.find("form.request .main-button").click()
    opened.wait_for_job("done")
    assert hostile.name in opened.text("#job-title") and hostile.name in opened.text(".jobs li")
    assert HOSTILE in opened.text("#maps")
    opened.run("document.querySelector('.how').open = true")
    opened.wait("document.querySelector('.how pre')")
    assert opened.run("return document.querySelectorAll('img, main script').length") == 0
    assert hostile.name in opened.driver.title
    opened.check_quiet()


@pytest.mark.slow
def test_a_file_that_is_too_large_or_has_changed_is_told(start, of_server, tmp_path: Path) -> None:
    server = start("--max-body", "20KiB")
    page = of_server(server.url)
    page.open()
    large = tmp_path / "large.json"
    large.write_bytes(b" " * 3_000_000)
    page.drop(large)
    page.type_in("#field-machine", "torus:4")
    page.find("form.request .main-button").click()
    page.wait("!document.querySelector('form .problem').hidden")
    assert "large.json: 2.86 MiB exceed the limit of 20 KiB per request" in page.text("form .problem")
    large.write_text("another one")
    page.find("form.request .main-button").click()
    page.wait("document.querySelector('form .problem').textContent.includes('cannot read large.json')")
    page.find(".files .tool").click()
    page.drop(large)
    page.find("form.request .main-button").click()
    page.wait_for_job("failed")


@pytest.mark.slow
def test_two_tabs_see_the_same(server, opened: Page, of_server) -> None:
    first = opened.tab
    opened.driver.switch_to.new_window("tab")
    second = of_server(opened.url)
    second.open()
    for key, value in (("#field-machine", "torus:8x8x8"), ("#field-objective", "tac3"), ("#field-time", "300s")):
        second.type_in(key, value)
    second.browser.choose("#pattern", "cg")
    second.type_in("#pattern-ranks", "512")
    second.find("form.request .main-button").click()
    second.wait("document.querySelector('article .state-running')")
    job = second.run("return location.hash").partition("=")[2]
    opened.driver.switch_to.window(first)
    opened.wait(f"document.querySelector('.jobs a[href=\"#job={job}\"] .state-running')")
    opened.find(f".jobs li:has(a[href='#job={job}']) .tool").click()
    opened.wait(f"document.querySelector('.jobs a[href=\"#job={job}\"] .state-cancelled')")
    assert "is cancelled" in opened.run("return document.getElementById('said').textContent")
    opened.driver.switch_to.window(second.tab)
    second.wait_for_job("cancelled")
    assert second.complaints() == []


@pytest.mark.slow
def test_the_page_goes_on_after_a_restart_of_the_server(start, of_server) -> None:
    server = start()
    page = of_server(server.url)
    page.open()
    job = server.client().submit("map", **LONG | {"time": "5s"})
    page.open(f"#job={job.id}")
    page.wait("document.querySelector('article .state-running')")
    server.kill()
    page.wait("!document.getElementById('trouble').hidden")
    assert page.text("#trouble").startswith("The server does not answer")
    server.start()
    assert server.url == page.url
    page.wait("document.getElementById('trouble').hidden")
    page.wait_for_job("done")
    assert "2 attempts" in page.text("article .facts")
    assert page.browser.is_drawn("canvas.panel")[0]
    # A page that is opened while the server is down waits for the server.
    server.kill()
    page.run("location.hash = '#new'")
    page.run(f"location.hash = '#job={job.id}'")
    page.wait("!document.getElementById('trouble').hidden")
    server.start()
    page.wait_for_job("done")
    page.wait("document.getElementById('trouble').hidden")


@pytest.mark.slow
def test_a_token_is_asked_for_and_kept_in_the_tab_only(start, of_server, tmp_path: Path) -> None:
    tokens = [f"{user} {hashlib.sha256((user * 2).encode()).hexdigest()}" for user in ("ann", "ben")]
    (tmp_path / "tokens").write_text("\n".join(tokens))
    server = start("--token-file", str(tmp_path / "tokens"))
    page = of_server(server.url)
    job = server.client("annann").submit("map", **RING).wait()
    page.open(f"#job={job.id}")
    assert page.run("return document.activeElement.id") == "token"
    assert page.complaints() == []  # the page knows before its first request that it needs a token
    assert ("dialog", "Your token") in page.tree()
    assert page.violations() == []
    page.find("#token").send_keys(Keys.ESCAPE)
    page.find("#token").send_keys("wrong", Keys.ENTER)
    page.wait("!document.getElementById('token-problem').hidden")
    assert page.text("#token-problem") == "unknown token"
    page.find("#token").send_keys("annann", Keys.ENTER)
    page.wait_for_job("done")
    kept = "return [{...sessionStorage}, {...localStorage}, document.cookie]"
    assert page.run(kept) == [{"haichi-token": "annann"}, {}, ""]
    assert all("annann" not in url for url in page.asked())
    page.find("#files .main-button").click()
    assert page.downloaded("*.map").read_text() == job.rank_map("fujitsu")
    page.find("#forget").click()
    page.wait("document.getElementById('ask-token').open")
    assert page.run(kept)[0] == {}
    assert page.run("return document.querySelectorAll('.jobs li').length") == 0
    page.find("#token").send_keys("benben", Keys.ENTER)
    page.wait("document.documentElement.dataset.ready === 'yes'")
    page.run(f"location.hash = '#job={job.id}'")
    page.wait("document.querySelector('article .problem').textContent.includes('unknown job')")


def test_the_page_allows_itself_nothing_else(server, opened: Page) -> None:
    blocked = opened.driver.execute_async_script(
        """const done = arguments[0], seen = [];
        document.addEventListener('securitypolicyviolation', (event) => seen.push(event.effectiveDirective));
        fetch('http://127.0.0.1:9/x').catch(() => {});
        const script = document.createElement('script');
        try { script.textContent = 'window.got = 1'; } catch { seen.push('trusted'); }
        try { document.body.innerHTML = '<b></b>'; } catch { seen.push('trusted'); }
        const style = document.createElement('style');
        style.textContent = 'body { color: red }';
        document.head.append(style);
        const image = document.createElement('img');
        image.src = 'http://127.0.0.1:9/x.png';
        setTimeout(() => done(seen), 500)"""
    )
    assert {"connect-src", "style-src-elem", "img-src", "require-trusted-types-for", "trusted"} <= set(blocked)
    assert blocked.count("trusted") == 2
    assert opened.run("return window.got") is None


def test_the_policy_names_the_pages_script_and_style(server) -> None:
    status, text = server.ask("GET", "/")
    assert status == 200
    policy = page(asks_for_token=False, most_bytes=1)[1]["Content-Security-Policy"]
    for name in ("script", "style"):
        content = re.search(f"<{name}>(.*)</{name}>", text, re.DOTALL)
        assert content is not None
        digest = base64.b64encode(hashlib.sha256(content[1].encode()).digest()).decode()
        assert f"{name}-src 'sha256-{digest}'" in policy
    assert "unsafe" not in policy and "default-src 'none'" in policy and "frame-ancestors 'none'" in policy
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", text)


def test_scripts_of_the_page_have_names_of_their_own() -> None:
    texts = [report_text(f"{name}.js") for name in DRAWING_SCRIPTS]
    texts += [web_text("haichi.service", f"{name}.js") for name in SCRIPTS]
    names = [
        name
        for text in texts
        for declared in re.findall(r"^(?:async )?(?:function\*?|class|const|let) ([^=({]+)", text, re.MULTILINE)
        for name in re.findall(r"[A-Za-z_]\w*", declared.split(" extends ")[0])
    ]
    assert len(names) > 100
    assert sorted(names) == sorted(set(names))
    for text in texts:
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(", text)
