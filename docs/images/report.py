"""Makes report.png, which shows the page of a comparison in a headless Chromium.

    .venv/bin/python docs/images/report.py build/report.png [RESULTS.json]
    .venv/bin/python docs/images/small_png.py build/report.png docs/images/report.png

Without RESULTS.json the script first computes the comparison of docs/howto/compare.md. Requires chromium and
chromium-driver.
"""

from __future__ import annotations

import contextlib
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

import haichi

WIDTH = 1500
LAST_SECTION = "#maps"  # the last section in the picture


def compared() -> haichi.Comparison:
    job = haichi.Job(haichi.Workload.from_pattern("cg", ranks=64), "fx10-kyushu", shape="1x2x4x2x3x2")
    return haichi.compare(job, seeds=3, simulate=True)


@contextlib.contextmanager
def headless_browser(profile: Path) -> Iterator[webdriver.Chrome]:
    options = Options()
    options.binary_location = shutil.which("chromium") or ""
    for argument in ("headless=new", "no-sandbox", "disable-gpu", "hide-scrollbars", f"user-data-dir={profile}"):
        options.add_argument(f"--{argument}")
    browser = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
    try:
        yield browser
    finally:
        browser.quit()


def take_picture(page: Path, profile: Path, target: Path) -> None:
    with headless_browser(profile) as browser:
        resize(browser, 1000)
        browser.get(page.as_uri())
        while browser.execute_script("return document.documentElement.dataset.ready") != "yes":
            time.sleep(0.05)
        bottom = f"return Math.ceil(document.querySelector('{LAST_SECTION}').getBoundingClientRect().bottom)"
        resize(browser, browser.execute_script(bottom))
        time.sleep(1)  # the page needs time to draw the panels at the new size
        target.write_bytes(browser.get_screenshot_as_png())


def resize(browser: webdriver.Chrome, height: int, width: int = WIDTH) -> None:
    metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)


def main(target: str, results: str | None = None) -> None:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        page = folder / "report.html"
        comparison = haichi.Comparison.read(results) if results else compared()
        comparison.write(page)
        take_picture(page, folder / "profile", Path(target))


if __name__ == "__main__":
    main(*sys.argv[1:])
