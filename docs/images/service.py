"""Makes service.png, which shows the service's page with a finished job in a headless Chromium.

    .venv/bin/python docs/images/service.py build/service.png
    .venv/bin/python docs/images/small_png.py build/service.png docs/images/service.png

Starts a service with a temporary data directory and submits the jobs. Requires chromium and chromium-driver.
"""

from __future__ import annotations

import contextlib
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from report import headless_browser, resize

import haichi

PORT = 18080
WIDTH, HEIGHT = 1400, 1000


@contextlib.contextmanager
def service(data: Path) -> Iterator[haichi.Client]:
    command = [sys.executable, "-m", "haichi", "serve", "--port", str(PORT), "--data", str(data)]
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        client = haichi.Client(f"http://127.0.0.1:{PORT}")
        while True:
            with contextlib.suppress(haichi.Error):
                list(client.jobs())
                break
            if process.poll() is not None:
                raise SystemExit(f"the service did not start (is port {PORT} in use?)")
            time.sleep(0.1)
        yield client
    finally:
        process.terminate()
        process.wait()


def submit_all(client: haichi.Client, folder: Path) -> str:
    """Submits several jobs. Waits for the job of docs/howto/service.md and returns its ID."""
    cg64, stencil = folder / "cg64.json", folder / "stencil.json"
    haichi.Workload.from_pattern("cg", ranks=64).write(cg64)
    haichi.Workload.from_pattern("stencil2d", dims=(8, 8)).write(stencil)
    on_fx10 = {"machine": "fx10-kyushu", "shape": "1x2x4x2x3x2"}
    client.submit("compare", machine="fx10-kyushu", shapes="1x2x4x2x3x2", workload=cg64, seeds=1).wait()
    shown = client.submit("map", **on_fx10, workload=cg64).wait()
    client.submit("map", **on_fx10, workload=stencil, objective="max-link-load").wait()
    pattern = {"name": "random-geometric", "ranks": 512}
    client.submit("map", machine="torus:8x8x8", pattern=pattern, objective="tac3", time="300s")
    return shown.id


def main(target: str) -> None:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        with service(folder / "data") as client, headless_browser(folder / "profile") as browser:
            shown = submit_all(client, folder)
            resize(browser, HEIGHT, WIDTH)
            browser.get(f"http://127.0.0.1:{PORT}/#job={shown}")
            is_complete = "return document.querySelector('main [data-ready=yes] #numbers') !== null"
            while not browser.execute_script(is_complete):
                time.sleep(0.05)
            time.sleep(1)  # the page needs time to draw the panels
            Path(target).write_bytes(browser.get_screenshot_as_png())


if __name__ == "__main__":
    main(*sys.argv[1:])
