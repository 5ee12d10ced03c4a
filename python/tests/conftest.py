"""Jobs, comparisons and a browser for several test files."""

import json
import pickle
import shutil
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By

import haichi
from haichi.base.program import find_program
from haichi.cli.commands import run
from haichi.comparison import driver
from haichi.comparison.executors import LocalProcesses
from haichi.errors import InternalError
from haichi.report import write_report

# No deadline, because the duration of an example depends more on the computer's load than on haichi.
hypothesis.settings.register_profile("haichi", deadline=None)
hypothesis.settings.load_profile("haichi")

SHAPE_1 = "1x2x4x2x3x2"


class OneProcess(LocalProcesses):
    """Computes cells of `processes=1` in this process, because another process takes half a second to start. Cells and
    results are pickled, as if they went to another process."""

    def run(self, function: Callable[[Any], Any], tasks: Sequence[Any]) -> Iterator[tuple[int, Any]]:
        if self.processes != 1:
            yield from super().run(function, tasks)
            return
        for index, task in enumerate(tasks):
            called, argument = pickle.loads(pickle.dumps((function, task)))
            try:
                yield index, pickle.loads(pickle.dumps(called(argument)))
            except Exception as error:
                yield index, InternalError(f"a cell raised an exception: {type(error).__name__}: {error}")


@pytest.fixture(scope="session", autouse=True)
def one_process() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(driver, "LocalProcesses", OneProcess)
        yield


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Returns a function that runs one of the Python commands in this process. It returns exit code, standard output
    and standard error."""

    def ran(*words: object) -> tuple[int, str, str]:
        capsys.readouterr()
        return (run([*map(str, words)]), *capsys.readouterr())

    return ran


@pytest.fixture(scope="session")
def cg64() -> haichi.Workload:
    return haichi.Workload.from_pattern("cg", ranks=64)


@pytest.fixture(scope="session")
def on_shape_1() -> dict[str, str]:
    """The paper's first job shape, which has 96 of 768 nodes."""
    return {"machine": "fx10-kyushu", "shape": SHAPE_1}


@pytest.fixture(scope="session")
def cg_job(cg64: haichi.Workload, on_shape_1: dict[str, str]) -> haichi.Job:
    return haichi.Job(cg64, **on_shape_1)


@pytest.fixture(scope="session")
def cg_found(cg_job: haichi.Job) -> haichi.Placement:
    """The placement that a search without options finds. The search takes seconds."""
    return cg_job.optimize()


@pytest.fixture(scope="session")
def cg_comparison(cg64: haichi.Workload) -> dict[str, Any]:
    """A comparison with simulation, for one job on 96 nodes."""
    return haichi.compare(
        {"cg64": haichi.Job(cg64, "fx10-kyushu", shape=SHAPE_1)},
        strategies=["default", "hop-bytes", "tac3"],
        seeds=2,
        evaluations=20_000,
        simulate=True,
        sim_iterations=2,
        processes=1,
    ).to_dict()


@pytest.fixture(scope="session")
def ring_comparison() -> dict[str, Any]:
    return haichi.compare(
        {"small": haichi.Job(haichi.Workload.from_pattern("random-ring", ranks=16), "torus:4x4")},
        strategies=["default", "random"],
        seeds=1,
        processes=1,
    ).to_dict()


class Browser:
    """Headless Chromium with one page. It records requests and errors of the page."""

    def __init__(self, driver: webdriver.Chrome) -> None:
        self.driver = driver

    def open(self, page: Path, width: int = 1600, height: int = 1000) -> None:
        self.resize(width, height)
        self.driver.get("about:blank")
        self.driver.get_log("browser")
        self.driver.get_log("performance")
        self.url = page.as_uri()
        self.driver.get(self.url)
        self.wait("document.documentElement.dataset.ready === 'yes'")

    def resize(self, width: int, height: int = 1000) -> None:
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)

    def run(self, script: str, *values: Any) -> Any:
        return self.driver.execute_script(script, *values)

    def wait(self, condition: str, seconds: float = 20) -> None:
        end = time.monotonic() + seconds
        while not self.run(f"return Boolean({condition})"):
            assert time.monotonic() < end, f"waited in vain for {condition}; {self.complaints()}"
            time.sleep(0.02)

    def complaints(self) -> list[str]:
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def requests(self) -> list[str]:
        """Addresses of all requests since the page was opened, except the page itself and inline data."""
        events = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        urls = [event["params"]["request"]["url"] for event in events if event["method"] == "Network.requestWillBeSent"]
        assert self.url in urls, "the log of requests does not work"
        entries = self.run("return performance.getEntriesByType('resource').map(entry => entry.name)")
        return [url for url in urls + entries if url != self.url and not url.startswith("data:")]

    def check_quiet(self) -> None:
        """Checks that the page sent no request and reported no error."""
        assert self.complaints() == []
        assert self.requests() == []

    def text(self, selector: str) -> str:
        return str(self.driver.find_element(By.CSS_SELECTOR, selector).text)

    def choose(self, selector: str, value: str) -> None:
        """Chooses an option as a user does, including the event that the page handles."""
        self.run(
            "const control = document.querySelector(arguments[0]); control.value = arguments[1];"
            "control.dispatchEvent(new Event('change'))",
            selector,
            value,
        )

    def move(self, x: float, y: float) -> None:
        self.driver.execute_cdp_cmd("Input.dispatchMouseEvent", {"type": "mouseMoved", "x": x, "y": y})

    def click(self, x: float, y: float) -> None:
        for kind in ("mousePressed", "mouseReleased"):
            event = {"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1}
            self.driver.execute_cdp_cmd("Input.dispatchMouseEvent", event)

    def place_of_link(self, link: int, side: int = 0) -> tuple[float, float]:
        """Returns the midpoint of a drawn link in window coordinates."""
        script = """const [link, side, done] = arguments, {panels} = haichiReport.maps.sides[side];
            const drawn = panels.find(({panel}) => panel.indexOf(link) >= 0);
            drawn.canvas.scrollIntoView({block: 'center', behavior: 'instant'});
            const cell = drawn.cell(drawn.panel.indexOf(link)), box = drawn.canvas.getBoundingClientRect();
            const place = [box.left + cell.x + cell.width / 2, box.top + cell.y + cell.height / 2];
            requestAnimationFrame(() => requestAnimationFrame(() => done(place)))"""
        x, y = self.driver.execute_async_script(script, link, side)
        return x, y

    def is_drawn(self, canvas: str) -> list[bool]:
        """Returns for each visible canvas that matches the selector whether it has more than one colour."""
        drawn: list[bool] = self.run(
            """return [...document.querySelectorAll(arguments[0])].filter(canvas => canvas.offsetParent).map(canvas => {
                const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
                const colors = new Set();
                for (let i = 0; i < data.length && colors.size < 3; i += 4) {
                    colors.add((data[i] << 24) | (data[i + 1] << 16) | (data[i + 2] << 8) | data[i + 3]);
                }
                return colors.size > 1;
            })""",
            canvas,
        )
        return drawn


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    program, driver_program = shutil.which("chromium"), shutil.which("chromedriver")
    if program is None or driver_program is None:
        pytest.skip("the page tests drive a browser: chromium and chromium-driver are not installed")
    options = Options()
    options.binary_location = program
    folder = tmp_path_factory.mktemp("chromium")
    for argument in ("headless=new", "no-sandbox", "disable-gpu", "disable-dev-shm-usage", f"user-data-dir={folder}"):
        options.add_argument(f"--{argument}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(driver_program))
    driver.set_script_timeout(30)
    yield Browser(driver)
    driver.quit()


@pytest.fixture(scope="session")
def cg_page(cg_comparison: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("cg") / "report.html"
    write_report(cg_comparison, path)
    return path


@pytest.fixture()
def open_page(browser: Browser, tmp_path: Path) -> Callable[[dict[str, Any]], Browser]:
    def opened(comparison: dict[str, Any]) -> Browser:
        path = tmp_path / "report.html"
        write_report(comparison, path)
        browser.open(path)
        return browser

    return opened


@pytest.fixture(scope="session")
def compare_small() -> Callable[..., dict[str, Any]]:
    """Returns a function that compares two placements of a workload without a search."""

    def compared(workload: haichi.Workload, machine: str = "torus:4x4", **options: Any) -> dict[str, Any]:
        of_job = {name: options.pop(name) for name in ("nodes", "ppn", "count_nic") if name in options}
        given = {"strategies": ["default", "random"], "seeds": 1, "processes": 1} | options
        return haichi.compare({"small": haichi.Job(workload, machine, **of_job)}, **given).to_dict()

    return compared


@pytest.fixture
def turns_of_others() -> Callable[[Callable[[], object]], int]:
    """Returns a function that counts how often another thread runs during a call. The count is 0 if the call holds the
    GIL."""

    def count(work: Callable[[], object]) -> int:
        done = threading.Event()
        turns = 0

        def other() -> None:
            nonlocal turns
            while not done.is_set():
                turns += 1
                time.sleep(0.001)

        counter = threading.Thread(target=other)
        counter.start()
        try:
            before = turns
            work()
            return turns - before
        finally:
            done.set()
            counter.join()

    return count


@pytest.fixture(scope="session")
def live_programs() -> Path:
    """The directory of the MPI test programs. Skips the test if live programs cannot run."""
    programs = Path(__file__).parents[2] / "tests/mgen/live/programs"
    try:
        folder = find_program().resolve().parent
    except haichi.UnsupportedError:
        folder = Path()
    libraries = [folder / place / "libhaichi-mpich.so" for place in ("../lib/haichi", "live")]
    if shutil.which("mpicc.mpich") is None or not programs.is_dir() or not any(map(Path.is_file, libraries)):
        pytest.skip("needs mpicc.mpich and the library of live programs")
    return programs
