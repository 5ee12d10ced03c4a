"""One server for all tests, and separate servers for tests that request them."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver.common.by import By

import haichi

sys.path.insert(0, str(Path(__file__).parent))  # tests import modules of this directory
pytest.importorskip("fastapi", reason="needs the packages of requirements/service.txt")


class Server:
    """The process of `haichi serve` with a data directory."""

    def __init__(self, data: Path, *options: str) -> None:
        self.data = data
        self._options = options
        self._log = data.parent / f"{data.name}.log"
        self._port = "0"
        self.start()

    def start(self) -> None:
        with self._log.open("a") as log:
            begin = log.tell()
            self.process = subprocess.Popen(
                [
                    *(sys.executable, "-P", "-m", "haichi", "serve", "--port", self._port, "--data", str(self.data)),
                    *self._options,
                ],
                stderr=log,
                stdin=subprocess.DEVNULL,
            )
        self.url = self._announced(begin)
        self._port = self.url.rpartition(":")[2]  # a restarted server has the same address

    def _announced(self, begin: int) -> str:
        for _ in range(600):
            lines = self._log.read_text()[begin:].splitlines()
            told = [json.loads(line) for line in lines if line.startswith("{")]
            if any("startup complete" in line["message"] for line in told):
                return next(str(line["url"]) for line in told if "url" in line)
            assert self.process.poll() is None, lines
            time.sleep(0.05)
        raise AssertionError(f"no start: {self._log.read_text()}")

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self) -> int:
        self.process.terminate()
        return self.process.wait(timeout=60)

    def log(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self._log.read_text().splitlines()]

    def client(self, token: str | None = None) -> haichi.Client:
        return haichi.Client(self.url, token)

    def ask(
        self, method: str, path: str, body: bytes | dict[str, Any] | None = None, **headers: str
    ) -> tuple[int, Any]:
        """Sends a request and returns status and content of the response."""
        content = json.dumps(body).encode() if isinstance(body, dict) else body
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        asked = urllib.request.Request(
            self.url + path, content, {"Content-Type": "application/json", **names}, method=method
        )
        try:
            with urllib.request.urlopen(asked, timeout=60) as answer:
                return answer.status, _decoded(answer.read())
        except urllib.error.HTTPError as error:
            return error.code, _decoded(error.read())

    def attempts(self, job: str) -> list[dict[str, Any]]:
        """Reads the attempt log of a job, which the job's processes write."""
        log = self.data / "jobs" / job / "attempts.log"
        return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []


def _decoded(content: bytes) -> Any:
    with contextlib.suppress(ValueError):
        return json.loads(content)
    return content.decode(errors="replace")


@contextlib.contextmanager
def _servers(folder: Path) -> Iterator[Callable[..., Server]]:
    started: list[Server] = []

    def one(*options: str, name: str = "data") -> Server:
        started.append(Server(folder / name, *options))
        return started[-1]

    yield one
    for server in started:
        if server.process.poll() is None:
            server.kill()


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Server]]:
    """Function that starts a server. The servers stop at the end of the test."""
    with _servers(tmp_path) as one:
        yield one


@pytest.fixture(scope="module")
def start_for_file(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Server]]:
    """Function that starts a server. The servers stop after the last test of the file."""
    with _servers(tmp_path_factory.mktemp("servers")) as one:
        yield one


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server for all tests, because a server takes a second to start."""
    with _servers(tmp_path_factory.mktemp("service")) as one:
        yield one("--workers", "2")


@pytest.fixture(scope="session")
def run_program(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., bytes]:
    """Function that runs haichi in a new directory and returns its output."""
    from haichi.base.program import find_program

    def run(folder: Path, *arguments: str) -> bytes:
        environment = os.environ | {"HAICHI_PYTHON": sys.executable}
        return subprocess.run(
            [find_program(), *arguments], cwd=folder, env=environment, check=True, stdout=subprocess.PIPE
        ).stdout

    return run


class Page:
    """The page of a server in one tab of a real browser (`Browser` in ../conftest.py)."""

    def __init__(self, browser: Any, url: str, downloads: Path) -> None:
        self.browser = browser
        self.driver = browser.driver
        self.url = url
        self.downloads = downloads
        self._command("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(downloads))
        self.tab = self.driver.current_window_handle

    def _command(self, name: str, **values: Any) -> Any:
        return self.driver.execute_cdp_cmd(name, values)

    def open(self, where: str = "", width: int = 1400, scheme: str = "light", height: int = 900) -> None:
        self.browser.resize(width, height)
        self._command("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.driver.get("about:blank")
        self.complaints()
        self.driver.get_log("performance")
        self.driver.get(f"{self.url}/{where}")
        self.wait("document.documentElement.dataset.ready")

    def run(self, script: str, *values: Any) -> Any:
        return self.browser.run(script, *values)

    def wait(self, condition: str, seconds: float = 120) -> None:
        self.browser.wait(condition, seconds)

    def wait_for_job(self, state: str) -> None:
        """Waits until the job has ended and the page shows all of its results."""
        self.wait(f"document.querySelector('article .state-{state}')")
        self.wait("document.querySelector('article').dataset.ready")

    def complaints(self) -> list[str]:
        return [str(entry["message"]) for entry in self.driver.get_log("browser")]

    def asked(self) -> list[str]:
        """Addresses of all requests since the page was opened."""
        events = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        return [event["params"]["request"]["url"] for event in events if event["method"] == "Network.requestWillBeSent"]

    def check_quiet(self) -> None:
        """Checks that the page reported no error and sent no request to another server."""
        assert self.complaints() == []
        asked = self.asked()
        assert f"{self.url}/v1/machines" in asked, "the log of requests does not work"
        assert [url for url in asked if not url.startswith((f"{self.url}/", "blob:", "data:"))] == []

    def text(self, selector: str) -> str:
        return str(self.browser.text(selector))

    def find(self, selector: str) -> Any:
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def type_in(self, selector: str, text: str) -> None:
        field = self.find(selector)
        field.clear()
        field.send_keys(text)

    def drop(self, *files: Path) -> None:
        """Drops files from the desktop onto the middle of the page."""
        before = len(self.driver.find_elements(By.CSS_SELECTOR, ".files li"))
        data = {"items": [], "files": [str(path) for path in files], "dragOperationsMask": 1}
        for kind in ("dragEnter", "dragOver", "drop"):
            self._command("Input.dispatchDragEvent", type=kind, x=150, y=300, data=data)
        self.wait(f"document.querySelectorAll('.files li').length === {before + len(files)}")

    def downloaded(self, pattern: str) -> Path:
        """Waits for a finished download. A download starts as an empty file with the final name."""
        for _ in range(400):
            found = [path for path in self.downloads.glob(pattern) if path.suffix != ".crdownload"]
            if found and all(path.stat().st_size > 0 for path in found):
                return found[0]
            time.sleep(0.05)
        raise AssertionError(f"no {pattern} among {list(self.downloads.iterdir())}")

    def too_wide(self) -> list[str]:
        """Returns the elements that extend beyond the window."""
        found: list[str] = self.run(
            """const most = document.documentElement.clientWidth;
            if (document.documentElement.scrollWidth > most) return ['the page'];
            return [...document.querySelectorAll('body *')]
                .filter(node => !node.closest('.scroll, svg, select, .skip, pre'))
                .filter(node => node.offsetParent && node.getBoundingClientRect().right > most + 1)
                .map(node => node.outerHTML.slice(0, 200))"""
        )
        return found

    def violations(self) -> list[str]:
        """Returns what the checker axe reports for WCAG 2.1 A and AA and for best practices."""
        if not self.run("return Boolean(window.axe)"):
            self.driver.execute_script((resources.files("axe_core_python") / "axe.min.js").read_text(encoding="utf-8"))
        found = self.driver.execute_async_script(
            "const done = arguments[0]; axe.run({resultTypes: ['violations']}).then(found => done(found.violations"
            ".flatMap(({id, nodes}) => nodes.map(node => `${id}: ${node.html.slice(0, 200)} ${node.failureSummary}`))))"
        )
        return [str(violation) for violation in found]

    def tree(self) -> list[tuple[str, str]]:
        """Returns role and name of each node of the accessibility tree, in the order of a screen reader."""
        self._command("Accessibility.enable")
        nodes = self._command("Accessibility.getFullAXTree")["nodes"]
        return [
            (node["role"]["value"], node.get("name", {}).get("value", ""))
            for node in nodes
            if not node["ignored"] and "role" in node
        ]


@pytest.fixture
def of_server(browser: Any, tmp_path: Path) -> Iterator[Callable[[str], Page]]:
    """Function that opens the page of a server. All pages share one tab."""
    downloads = tmp_path / "downloads"
    downloads.mkdir()
    first = browser.driver.current_window_handle
    yield lambda url: Page(browser, url, downloads)
    for handle in browser.driver.window_handles:
        if handle != first:
            browser.driver.switch_to.window(handle)
            browser.driver.close()
    browser.driver.switch_to.window(first)
    browser.driver.get("about:blank")  # otherwise the last page would continue to poll
    browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    browser.driver.get_log("browser")


@pytest.fixture
def opened(server, of_server: Callable[[str], Page]) -> Page:
    found = of_server(server.url)
    found.open()
    return found


@pytest.fixture(scope="session")
def cg_file(tmp_path_factory: pytest.TempPathFactory, run_program: Callable[..., bytes]) -> Path:
    path = tmp_path_factory.mktemp("cg") / "cg64.json"
    path.write_bytes(run_program(path.parent, "pattern", "cg", "--ranks=64"))
    return path
