"""The traffic between the ranks of a job: communication sets, or the calls of a log."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from haichi import _core
from haichi.base.file_names import encoded
from haichi.errors import UnsupportedError
from haichi.model.array_files import array_file, is_array_file
from haichi.model.log_files import LogFiles
from haichi.model.workload import Workload, WorkloadLike, as_workload


class Traffic:
    """Traffic as its file contains it. If the file is a log, this object holds its calls, and the sets are extracted on
    first use. Immutable, so that copies share the data."""

    __slots__ = ("_core", "_workload", "files", "log")

    files: tuple[str, ...]
    """All source files. The first is the given file."""
    log: LogFiles | None
    """The files of the log; None if the traffic is not a log."""

    def __init__(
        self,
        core: _core.Traffic,
        files: tuple[str, ...] = (),
        log: LogFiles | None = None,
        workload: Workload | None = None,
    ) -> None:
        self._core = core
        self._workload = workload
        self.files = files
        self.log = log

    @classmethod
    def of(cls, workload: WorkloadLike) -> Traffic:
        """Reads the file if `workload` is a path. Otherwise converts `workload` to a Workload."""
        if isinstance(workload, str | os.PathLike):
            return cls.read(workload)
        return _of_workload(as_workload(workload))

    @classmethod
    def read(cls, path: str | os.PathLike[str], format: str = "") -> Traffic:
        """Reads a workload file, a log or a NumPy file. Without `format`, the format is detected from the content of
        the file."""
        named = os.fspath(path)
        if not format and is_array_file(named):
            with array_file(named) as matrix:
                return _of_workload(Workload.from_matrix(matrix), (named,))
        core, beside, has_calls = _core.Traffic.read(encoded("path", path), encoded("format", format))
        files = (named, *beside)
        log = None if has_calls is None else LogFiles(tuple(map(os.path.abspath, files)), has_calls)
        return cls(core, files, log)

    @property
    def ranks(self) -> int:
        return self._core.rank_count

    @property
    def has_calls(self) -> bool:
        """True for a log whose calls can be simulated."""
        return self.log is not None and self.log.has_calls

    @property
    def workload(self) -> Workload:
        """The communication sets. When the sets of a log are extracted, notes about them go to the logger ``haichi``.
        Raises UnsupportedError for a log without sets."""
        if self._workload is None:
            self._workload = Workload._of_traffic(self._core)
        return self._workload

    def tell_of_sets(self) -> None:
        """Logs the notes about the sets. Call this before other code uses the sets."""
        _ = self.workload

    def with_message_size(self, size_bytes: int) -> Traffic:
        """This traffic with another size of the messages. The result has sets only, because calls would keep the sizes
        of the log."""
        self.tell_of_sets()
        log = None if self.log is None else replace(self.log, has_calls=False)
        return Traffic(self._core.with_message_size(size_bytes), self.files, log)

    def is_same(self, other: Traffic) -> bool:
        """True if both have equal sets, and the same log or no log."""
        return self is other or (self.log == other.log and self.workload == other.workload)

    def __copy__(self) -> Traffic:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Traffic:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        if self.log is None:
            return _of_workload, (self.workload, self.files)
        try:
            return _of_log, (self.log, self.files, self.workload)
        except UnsupportedError:  # the log has calls only
            return _of_log, (self.log, self.files, None)


def _of_workload(workload: Workload, files: tuple[str, ...] = ()) -> Traffic:
    return Traffic(_core.Traffic.of_workload(workload._core), files, workload=workload)


def _of_log(log: LogFiles, files: tuple[str, ...], workload: Workload | None) -> Traffic:
    """Unpickles the traffic of a log. Calls are read on first use, because a search does not need them."""
    path = encoded("path", log.paths[0])
    if workload is None:
        return Traffic(_core.Traffic.read(path, b"")[0], files, log)
    return Traffic(_core.Traffic.of_log(workload._core, path), files, log, workload)


@dataclass(frozen=True)
class _LogAsItIs:
    """A key of traffic. Keys are equal as long as the files of the log do not change."""

    states: tuple[tuple[str, int, int], ...]
    traffic: Traffic = field(compare=False)


def read_once(traffic: Traffic) -> Traffic:
    """Returns equal traffic. If this process used the same log last, this is the object whose calls are already read.
    The cells of a job arrive one by one, each with its own copy of the traffic."""
    if traffic.log is None or not traffic.log.has_calls:
        return traffic
    return _first_of(_LogAsItIs(traffic.log.states(), traffic))


@lru_cache(maxsize=1)
def _first_of(log: _LogAsItIs) -> Traffic:
    return log.traffic
