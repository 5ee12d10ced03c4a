"""Computes the cells of a comparison, in local processes or on Dask workers. Both give equal results."""

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
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from importlib.metadata import version
from subprocess import Popen
from typing import Any, Protocol

from haichi.base.program import PACKAGE, started
from haichi.errors import InputError, InternalError, OptionError, UnsupportedError

_LOG = logging.getLogger("haichi")

_SECONDS_TO_CONNECT = 20

_START_WORKER = "import sys; sys.path.append(sys.argv[1]); from haichi.comparison.worker import main; main()"
"""Imports the package of this process, wherever it is installed. The option -P prevents imports from the current
directory."""


class LostWorkerError(Exception):
    """The process that computed a task ended without a result. Only the reason is known."""


class Executor(Protocol):
    """Computes function(task) for many tasks."""

    @property
    def processes(self) -> int:
        """The number of tasks that are computed at the same time."""

    def run(self, function: Callable[[Any], Any], tasks: Sequence[Any]) -> Iterator[tuple[int, Any]]:
        """Yields pairs (index of the task, result) in the order in which tasks end. The result is a LostWorkerError if
        the process of the task died. Closing the iterator stops running tasks."""

    def close(self) -> None:
        """Releases the resources. Call this after the last run."""


class LocalProcesses:
    """Runs one process per processor. A crash then costs only one task, and Python's global lock does not slow the
    work."""

    def __init__(self, processes: int = 0) -> None:
        if processes < 0:
            raise OptionError(f"invalid number of processes: {processes} (use 0 for all processors, or more)")
        self.processes = processes or len(os.sched_getaffinity(0))

    def close(self) -> None:
        """Does nothing, because no process survives a run."""

    def run(self, function: Callable[[Any], Any], tasks: Sequence[Any]) -> Iterator[tuple[int, Any]]:
        workers = [_Worker() for _ in range(min(self.processes, len(tasks)))]
        idle: queue.SimpleQueue[_Worker] = queue.SimpleQueue()
        for worker in workers:
            idle.put(worker)

        def result(index: int) -> Any:
            worker = idle.get()
            found = worker.result(function, tasks[index])
            if isinstance(found, LostWorkerError) and not worker.is_stopped:  # perhaps no memory: tries again
                _LOG.info("task %d of %d: %s; haichi computes it once more", index + 1, len(tasks), found)
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
    """A process that computes one task after the other. If the process dies, the next task starts a new one."""

    def __init__(self) -> None:
        self._process: Popen[bytes] | None = None
        self.is_stopped = False
        self._lock = threading.Lock()

    def stop(self) -> None:
        """Kills the process, even while it computes a task."""
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
        return answer if is_result else InternalError(f"a cell raised an exception: {answer}")

    def _running_process(self) -> Popen[bytes]:
        with self._lock:
            if self.is_stopped:
                raise EOFError
            if self._process is None:
                self._process = started([sys.executable, "-P", "-c", _START_WORKER, str(PACKAGE.parent)])
            return self._process

    def _cause_of_death(self, error: Exception) -> str:
        self.end()
        code = self._returncode
        if code is None:
            return f"cannot start or reach its process: {error}"
        if code < 0:
            name = signal.Signals(-code).name if -code in signal.valid_signals() else str(-code)
            return f"its process ended with {name}"
        return f"its process ended with exit code {code}"

    _returncode: int | None = None

    def end(self) -> None:
        """Waits until the process has ended."""
        with self._lock:
            process, self._process = self._process, None
        if process is None:
            return
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):  # a task that was not sent is lost
                    pipe.close()
        self._returncode = process.wait()


class DaskWorkers:
    """The workers of a Dask scheduler, on any number of computers with the same version of haichi. If a worker dies,
    another one computes its tasks."""

    _DEATHS_ALLOWED = 3

    def __init__(self, address: str) -> None:
        try:
            import distributed as imported
        except ImportError as error:
            raise UnsupportedError("§dask requires the package distributed", "run `pip install distributed`") from error
        distributed: Any = imported  # the package has incomplete types
        self._distributed = distributed
        self._address = address
        check_dask_address(address)
        try:
            self._client = distributed.Client(address, timeout=_SECONDS_TO_CONNECT, set_as_default=False)
        except (OSError, ValueError, TimeoutError) as error:
            raise InputError(
                f"cannot reach a Dask scheduler at {address!r}: {error}", "use an address such as tcp://HOST:8786"
            ) from error
        try:
            self._client.wait_for_workers(1, timeout=_SECONDS_TO_CONNECT)
        except TimeoutError as error:
            self._client.close()
            raise InputError(
                f"the Dask scheduler at {address!r} has no workers", "start workers with `dask worker`"
            ) from error
        self._check_versions()
        self.processes = max(1, sum(self._client.nthreads().values()))

    def _check_versions(self) -> None:
        own = version("haichi")
        for worker, found in self._client.run(_installed_version, on_error="return").items():
            if found != own:
                raise InputError(
                    f"the Dask worker {worker} has haichi {found if isinstance(found, str) else 'not installed'}, "
                    f"expected haichi {own}",
                    "install the same package on the worker",
                )

    def run(self, function: Callable[[Any], Any], tasks: Sequence[Any]) -> Iterator[tuple[int, Any]]:
        # Only a few tasks are sent ahead of the workers. Tasks contain workloads, which would fill the scheduler's
        # memory.
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
                if future.status in ("lost", "pending"):  # the worker with the result died: compute it again
                    ended.add(future)
                    continue
                if future.status not in ("finished", "error"):
                    raise InputError(
                        f"the Dask scheduler at {self._address!r} disappeared",
                        "start the scheduler and run the command again; a journal keeps finished cells",
                    )
                error = future.exception() if future.status == "error" else None
                index = futures.pop(future)
                if error is None:
                    result = future.result()
                elif isinstance(error, self._distributed.KilledWorker):
                    result = LostWorkerError("all workers that computed it died")
                    _LOG.info("task %d of %d: %s", index + 1, len(tasks), result)
                else:
                    result = InternalError(f"a cell raised an exception: {error}")
                future.release()
                for more in submit(1):
                    ended.add(more)
                yield index, result
        finally:
            self._client.cancel(list(futures), force=True)

    def close(self) -> None:
        self._client.close()


def check_dask_address(address: str) -> None:
    """Checks that the scheduler can be reached. Distributed would try for a long time, and print errors of its
    connection."""
    match = re.fullmatch(r"tcp://\[?([^\]]+)\]?:(\d{1,5})", address)
    if match is None:
        if "://" in address:
            return  # not TCP: the check would not work
        raise InputError(f"invalid address of a Dask scheduler: {address!r}", "use an address such as tcp://HOST:8786")
    try:
        socket.create_connection((match[1], int(match[2])), timeout=_SECONDS_TO_CONNECT).close()
    except (OSError, OverflowError) as error:
        raise InputError(
            f"cannot reach a Dask scheduler at {address!r}: {error}", "use an address such as tcp://HOST:8786"
        ) from error


def _installed_version() -> str:
    return version("haichi")
