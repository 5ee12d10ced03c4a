"""Where the cells of a comparison are computed: in processes here, or by Dask's workers. Results are the same."""

from __future__ import annotations

import contextlib
import itertools
import logging
import os
import pickle
import queue
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from importlib.metadata import version
from typing import Any, Protocol

from haichi.base.program import PACKAGE
from haichi.errors import InputError, InternalError, OptionError, UnsupportedError

_LOG = logging.getLogger("haichi")

_SECONDS_TO_CONNECT = 20

_START_WORKER = "import sys; sys.path.append(sys.argv[1]); from haichi.comparison.worker import main; main()"
"""This very package, wherever it lies; -P keeps what lies in the current folder from being imported."""


class LostWorkerError(Exception):
    """The process that computed a task ended; what remains is why."""


class Executor(Protocol):
    """Computes function(task) for many tasks."""

    @property
    def processes(self) -> int:
        """How many tasks are computed at the same time."""

    def run(self, function: Callable[[Any], Any], tasks: Sequence[Any]) -> Iterator[tuple[int, Any]]:
        """(index of the task, result) in the order in which they end; the result is a LostWorkerError where the process
        died. Closing the iterator stops what runs."""

    def close(self) -> None:
        """After the last run."""


class LocalProcesses:
    """A process for every processor, so that a crash costs one task and Python's lock nothing."""

    def __init__(self, processes: int = 0) -> None:
        if processes < 0:
            raise OptionError(f"the number of processes must be 0 (all processors) or more, not {processes}")
        self.processes = processes or len(os.sched_getaffinity(0))

    def close(self) -> None:
        """There is nothing between two runs."""

    def run(self, function: Callable[[Any], Any], tasks: Sequence[Any]) -> Iterator[tuple[int, Any]]:
        workers = [_Worker() for _ in range(min(self.processes, len(tasks)))]
        idle: queue.SimpleQueue[_Worker] = queue.SimpleQueue()
        for worker in workers:
            idle.put(worker)

        def result(index: int) -> Any:
            worker = idle.get()
            found = worker.result(function, tasks[index])
            if isinstance(found, LostWorkerError) and not worker.is_stopped:  # memory may have been short; once more
                _LOG.info("task %d of %d: %s; it is computed once more", index + 1, len(tasks), found)
                found = worker.result(function, tasks[index])
            idle.put(worker)
            return found

        threads = ThreadPoolExecutor(max(len(workers), 1))
        futures = {threads.submit(result, index): index for index in range(len(tasks))}
        try:
            for future in as_completed(futures):
                yield futures.pop(future), future.result()
        finally:
            for worker in workers:
                worker.stop()
            threads.shutdown(cancel_futures=True)
            for worker in workers:
                worker.end()


class _Worker:
    """A process that computes one task after the other; another is started when it dies."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self.is_stopped = False
        self._lock = threading.Lock()

    def stop(self) -> None:
        """Ends the process, whatever it computes."""
        with self._lock:
            self.is_stopped = True
            if self._process is not None:
                self._process.kill()

    def result(self, function: Callable[[Any], Any], task: Any) -> Any:
        try:
            process = self._running_process()
            assert process.stdin is not None and process.stdout is not None
            pickle.dump((function, task), process.stdin)
            process.stdin.flush()
            is_result, answer = pickle.load(process.stdout)
        except (EOFError, OSError, pickle.UnpicklingError) as error:
            return LostWorkerError(self._cause_of_death(error))
        return answer if is_result else InternalError(f"a cell ended with an exception: {answer}")

    def _running_process(self) -> subprocess.Popen[bytes]:
        with self._lock:
            if self.is_stopped:
                raise EOFError
            if self._process is None:
                # A session of its own keeps the terminal's Ctrl-C away from it.
                self._process = subprocess.Popen(
                    [sys.executable, "-P", "-c", _START_WORKER, str(PACKAGE.parent)],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    start_new_session=True,
                )
            return self._process

    def _cause_of_death(self, error: Exception) -> str:
        self.end()
        code = self._returncode
        if code is None:
            return f"its process could not be started or reached: {error}"
        if code < 0:
            name = signal.Signals(-code).name if -code in signal.valid_signals() else str(-code)
            return f"its process was ended by {name}"
        return f"its process ended with exit code {code}"

    _returncode: int | None = None

    def end(self) -> None:
        """Until the process is gone."""
        with self._lock:
            process, self._process = self._process, None
        if process is None:
            return
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):  # what it was about to be told
                    pipe.close()
        self._returncode = process.wait()


class DaskWorkers:
    """The workers of a Dask scheduler, on any number of computers with the same haichi. Tasks of a worker that dies are
    computed by another one."""

    _DEATHS_ALLOWED = 3

    def __init__(self, address: str) -> None:
        try:
            import distributed as imported
        except ImportError as error:
            raise UnsupportedError("--dask needs the package distributed", "pip install distributed") from error
        distributed: Any = imported  # which has types for a part of it
        self._distributed = distributed
        self._address = address
        _check_reachable(address)
        try:
            self._client = distributed.Client(address, timeout=_SECONDS_TO_CONNECT, set_as_default=False)
        except (OSError, ValueError, TimeoutError) as error:
            raise InputError(
                f"there is no Dask scheduler at {address!r}: {error}", "an address is tcp://HOST:8786"
            ) from error
        try:
            self._client.wait_for_workers(1, timeout=_SECONDS_TO_CONNECT)
        except TimeoutError as error:
            self._client.close()
            raise InputError(f"the Dask scheduler at {address!r} has no workers", "start some: dask worker") from error
        self._check_versions()
        self.processes = max(1, sum(self._client.nthreads().values()))

    def _check_versions(self) -> None:
        own = version("haichi")
        for worker, found in self._client.run(_installed_version, on_error="return").items():
            if found != own:
                raise InputError(
                    f"the Dask worker {worker} has haichi {found if isinstance(found, str) else 'not installed'}, "
                    f"this is haichi {own}",
                    "install the same package there",
                )

    def run(self, function: Callable[[Any], Any], tasks: Sequence[Any]) -> Iterator[tuple[int, Any]]:
        # A few ahead of the workers: tasks hold their workloads, and all of them would lie in the scheduler's memory.
        ahead = 2 * self.processes + 2
        waiting = iter(range(len(tasks)))
        futures: dict[Any, int] = {}

        def submit(most: int) -> list[Any]:
            new = [
                (self._client.submit(function, tasks[index], pure=False, retries=self._DEATHS_ALLOWED), index)
                for index in itertools.islice(waiting, most)
            ]
            futures.update(new)
            return [future for future, _ in new]

        try:
            ended = self._distributed.as_completed(submit(ahead), loop=self._client.loop)
            for future in ended:
                if future.status in ("lost", "pending"):  # its result was on a worker that died; it is computed again
                    ended.add(future)
                    continue
                if future.status not in ("finished", "error"):
                    raise InputError(
                        f"the Dask scheduler at {self._address!r} has gone",
                        "what is done is in the journal, if there is one",
                    )
                error = future.exception() if future.status == "error" else None
                index = futures.pop(future)
                if error is None:
                    result = future.result()
                elif isinstance(error, self._distributed.KilledWorker):
                    result = LostWorkerError("the workers that computed it died")
                    _LOG.info("task %d of %d: %s, each that tried it", index + 1, len(tasks), result)
                else:
                    result = InternalError(f"a cell ended with an exception: {error}")
                future.release()
                for more in submit(1):
                    ended.add(more)
                yield index, result
        finally:
            self._client.cancel(list(futures), force=True)

    def close(self) -> None:
        self._client.close()


def _check_reachable(address: str) -> None:
    """Distributed tries for a long time, and leaves a connection behind that complains when it is cleared away."""
    match = re.fullmatch(r"tcp://\[?([^\]]+)\]?:(\d{1,5})", address)
    if match is None:
        if "://" in address:
            return  # another transport
        raise InputError(f"{address!r} is not the address of a Dask scheduler", "an address is tcp://HOST:8786")
    try:
        socket.create_connection((match[1], int(match[2])), timeout=_SECONDS_TO_CONNECT).close()
    except (OSError, OverflowError) as error:
        raise InputError(
            f"there is no Dask scheduler at {address!r}: {error}", "an address is tcp://HOST:8786"
        ) from error


def _installed_version() -> str:
    return version("haichi")
