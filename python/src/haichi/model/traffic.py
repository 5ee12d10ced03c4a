"""What the ranks of a job send each other: communication sets and, of a log, its calls."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from haichi import _core
from haichi.base.file_names import encoded
from haichi.errors import UnsupportedError
from haichi.model.array_files import is_array_file, read_array_file
from haichi.model.log_files import LogFiles
from haichi.model.workload import Workload, WorkloadLike, as_workload


class Traffic:
    """As it is read: of a log its calls, of which the sets are extracted when they are first asked for. Immutable;
    copies share it."""

    __slots__ = ("_core", "_workload", "files", "log")

    files: tuple[str, ...]
    """All that it was read from; the first was named."""
    log: LogFiles | None
    """That it is."""

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
        """A path is read, as `read` does; anything else becomes a workload."""
        if isinstance(workload, str | os.PathLike):
            return cls.read(workload)
        return _of_workload(as_workload(workload))

    @classmethod
    def read(cls, path: str | os.PathLike[str], format: str = "") -> Traffic:
        """A workload's file in `format`, or by its content, which may be a log's or NumPy's."""
        named = os.fspath(path)
        if not format and is_array_file(named):
            return _of_workload(Workload.from_matrix(read_array_file(named)), (named,))
        core, beside, has_calls = _core.Traffic.read(encoded("path", path), encoded("format", format))
        files = (named, *beside)
        log = None if has_calls is None else LogFiles(tuple(map(os.path.abspath, files)), has_calls)
        return cls(core, files, log)

    @property
    def ranks(self) -> int:
        return self._core.rank_count

    @property
    def has_calls(self) -> bool:
        """Which can be simulated."""
        return self.log is not None and self.log.has_calls

    @property
    def workload(self) -> Workload:
        """Its sets. What has to be known of those of a log is told the logger ``haichi`` when they are extracted.
        Raises UnsupportedError for a log that has none."""
        if self._workload is None:
            self._workload = Workload._of_traffic(self._core)
        return self._workload

    def tell_of_sets(self) -> None:
        """As `workload` does, before they are used elsewhere."""
        _ = self.workload

    def with_message_size(self, size_bytes: int) -> Traffic:
        """Of its sets: calls have the sizes of the log."""
        self.tell_of_sets()
        log = None if self.log is None else replace(self.log, has_calls=False)
        return Traffic(self._core.with_message_size(size_bytes), self.files, log)

    def is_same(self, other: Traffic) -> bool:
        """Of the same log, or of none, and with the same sets."""
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
        except UnsupportedError:  # calls are all that it has
            return _of_log, (self.log, self.files, None)


def _of_workload(workload: Workload, files: tuple[str, ...] = ()) -> Traffic:
    return Traffic(_core.Traffic.of_workload(workload._core), files, workload=workload)


def _of_log(log: LogFiles, files: tuple[str, ...], workload: Workload | None) -> Traffic:
    """Calls are read when they are first asked for: who gets a job to search does not need them."""
    path = encoded("path", log.paths[0])
    if workload is None:
        return Traffic(_core.Traffic.read(path, b"")[0], files, log)
    return Traffic(_core.Traffic.of_log(workload._core, path), files, log, workload)


@dataclass(frozen=True)
class _LogAsItIs:
    """Equal while the files do not change."""

    states: tuple[tuple[str, int, int], ...]
    traffic: Traffic = field(compare=False)


def read_once(traffic: Traffic) -> Traffic:
    """The same traffic. Where it is a log, and the one that was last asked for in this process, the very object, whose
    calls are read already: the cells of a job come from elsewhere one by one, each with a copy of its own."""
    if traffic.log is None or not traffic.log.has_calls:
        return traffic
    return _first_of(_LogAsItIs(traffic.log.states(), traffic))


@lru_cache(maxsize=1)
def _first_of(log: _LogAsItIs) -> Traffic:
    return log.traffic
