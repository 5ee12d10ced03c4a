"""A local Dask cluster whose processes can be killed, and a monitor of the jobs' attempts."""

import contextlib
import os
import random
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

_FOLDER = re.compile(r"/haichi-([0-9a-f]{32})-(\d+)-")
_QUIET = {"DASK_DISTRIBUTED__LOGGING__DISTRIBUTED": "critical"}


class Cluster:
    """A scheduler and workers, each with a nanny. Processes restart after they end."""

    def __init__(self, folder: Path, workers: int = 2) -> None:
        folder.mkdir()
        self.folder = folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port = free.getsockname()[1]
        self.address = f"tcp://127.0.0.1:{self._port}"
        self._count = workers
        self._scheduler = self._start("scheduler", "--host=127.0.0.1", f"--port={self._port}")
        self._workers: list[subprocess.Popen[bytes]] = []
        self._is_over = threading.Event()
        self._keeper = threading.Thread(target=self._keep, daemon=True)
        self._keeper.start()

    def _start(self, *words: str) -> subprocess.Popen[bytes]:
        dask = [sys.executable, "-P", "-m", "dask", *words, "--dashboard-address=:0"]
        with (self.folder / f"{words[0]}.log").open("ab") as log:
            return subprocess.Popen(dask, stdout=log, stderr=log, env=os.environ | _QUIET, start_new_session=True)

    def _keep(self) -> None:
        while not self._is_over.wait(0.5):
            if self._scheduler.poll() is not None:
                self._scheduler = self._start("scheduler", "--host=127.0.0.1", f"--port={self._port}")
            self._workers = [worker for worker in self._workers if worker.poll() is None]
            while len(self._workers) < self._count:
                place = f"--local-directory={self.folder}"
                self._workers.append(self._start("worker", self.address, "--nthreads=1", place))

    def wait(self) -> None:
        """Waits until the scheduler listens."""
        for _ in range(600):
            with contextlib.suppress(OSError):
                socket.create_connection(("127.0.0.1", self._port), timeout=1).close()
                return
            time.sleep(0.1)
        raise AssertionError((self.folder / "scheduler.log").read_text())

    def kill_scheduler(self) -> None:
        self._scheduler.kill()

    def kill_worker(self, draw: random.Random) -> None:
        """Kills a worker process or its nanny."""
        nanny = draw.choice(self._workers or [self._scheduler]).pid
        children = [int(pid) for pid in Path(f"/proc/{nanny}/task/{nanny}/children").read_text().split()]
        os.kill(draw.choice([nanny, *children]), signal.SIGKILL)

    def close(self) -> None:
        self._is_over.set()
        self._keeper.join()
        for process in (*self._workers, self._scheduler):
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


class Watch:
    """Polls the processes to find running attempts."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.overlaps: set[tuple[str, tuple[int, ...]]] = set()
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def running(self) -> dict[str, set[int]]:
        """Returns the running attempts of each job."""
        found: dict[str, set[int]] = {}
        for path in Path("/proc").glob("[0-9]*"):
            try:
                place = _FOLDER.search(str((path / "cwd").readlink()))
            except OSError:
                continue
            if place is not None and str((path / "cwd").resolve()).startswith(str(self._folder)):
                found.setdefault(place[1], set()).add(int(place[2]))
        return found

    def _look(self) -> None:
        while not self._is_over.wait(0.02):
            self.overlaps |= {
                (job, tuple(sorted(attempts))) for job, attempts in self.running().items() if len(attempts) > 1
            }

    def end(self) -> None:
        """Stops polling. Raises AssertionError if two attempts of a job overlapped or an attempt still runs."""
        for _ in range(300):
            if not self.running():
                break
            time.sleep(0.1)
        self._is_over.set()
        self._thread.join()
        assert self.overlaps == set()
        assert self.running() == {}
