"""The log of a run, as tables."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from haichi import _core
from haichi.base import notebook
from haichi.base.file_names import encoded
from haichi.base.optional_packages import data_frame
from haichi.base.pair_matrix import pair_matrix
from haichi.errors import OptionError

LogTable = Literal["functions", "ranks", "pairs", "targets"]
_TABLES: tuple[LogTable, ...] = ("functions", "ranks", "pairs", "targets")


class Log:
    """The log of a run, from `haichi.read_log`: times and messages of all ranks. Times are in seconds."""

    def __init__(self, core: _core.Log) -> None:
        self._core = core
        self._head = core.head()

    @property
    def format(self) -> str:
        """The format of the file, as in ``haichi list log-formats``."""
        return str(self._head["format"])

    @property
    def ranks(self) -> int:
        """The number of ranks of the run. The log has data of `ranks_with_data` of them."""
        return int(self._head["ranks"])

    @property
    def ranks_with_data(self) -> int:
        return int(self._head["ranks_with_data"])

    @property
    def hosts(self) -> list[str]:
        """The names of the hosts, sorted; empty if the format has none."""
        return list(self._head["hosts"])

    @property
    def has_profile(self) -> bool:
        """True if the log has times or counts of MPI functions."""
        return bool(self._head["has_profile"])

    @property
    def has_calls(self) -> bool:
        """True if the log keeps the order of calls. `haichi.extract_sets` and simulations of calls require this
        order."""
        return bool(self._head["has_calls"])

    @property
    def run_seconds(self) -> float:
        """The longest run time of any rank; 0 if the format has no times."""
        return float(self._head["run_seconds"])

    @property
    def mpi_seconds(self) -> float:
        """The time in MPI calls, summed over all ranks."""
        return float(self._head["mpi_seconds"])

    @property
    def computing_seconds(self) -> float:
        """The time outside MPI calls, summed over all ranks."""
        return float(self._head["computing_seconds"])

    @property
    def warnings(self) -> list[str]:
        """Warnings about missing parts, killed ranks, and tables of the profiler that were full."""
        return list(self._head["warnings"])

    def columns(self, table: LogTable = "functions") -> Mapping[str, Any]:
        """The columns of a table by name. Numbers are in NumPy arrays of equal length, texts in lists.

        Parameters
        ----------
        table: ``"functions"`` has a row per rank and MPI function. Its columns are the calls, their seconds, and the
            messages and bytes sent and received; least_seconds and most_seconds are times of single calls. ``"ranks"``
            has a row per rank, with its state, host, and seconds inside and outside MPI. ``"pairs"`` has a row per pair
            of ranks with point-to-point messages. ``"targets"`` has a row per rank and target of one-sided operations.

        Raises OptionError for other tables.
        """
        if table not in _TABLES:
            raise OptionError(f"invalid table of a log: {table!r}", f"use {', '.join(_TABLES)}")
        found: dict[str, Any] = getattr(self._core, table)()
        return found

    def to_dataframe(self, table: LogTable = "functions") -> Any:
        """A pandas.DataFrame with the columns of `columns`. Raises UnsupportedError without pandas."""
        return data_frame(self.columns(table))

    def to_matrix(self, *, sparse: bool = False) -> Any:
        """The bytes of point-to-point messages, as int64 with shape (ranks, ranks). Entry [i, j] goes from rank i to
        rank j.

        With `sparse`, the result is a ``scipy.sparse.csr_array``. Collective and one-sided operations are not included.
        Raises OptionError with the size for a dense matrix above 256 MiB (5,792 ranks). Raises UnsupportedError for
        ``sparse=True`` without SciPy.
        """
        pairs = self.columns("pairs")
        return pair_matrix(self.ranks, pairs["source"], pairs["destination"], pairs["bytes"], sparse)

    def __repr__(self) -> str:
        missing = "" if self.ranks_with_data == self.ranks else f" ({self.ranks_with_data} with data)"
        times = f", {self.run_seconds:.6g} s" if self._head["has_times"] else ""
        return f"Log({self.format}, ranks={self.ranks}{missing}{times})"

    def _repr_html_(self) -> str:
        """An HTML table for notebooks."""
        rows: list[Sequence[object]] = [("ranks", notebook.number(self.ranks)), ("hosts", len(self.hosts))]
        if self._head["has_times"]:
            rows += [("seconds", notebook.number(self.run_seconds))]
            rows += [("in MPI, all ranks [seconds]", notebook.number(self.mpi_seconds))]
        rows += [("warning", text) for text in self.warnings]
        return notebook.table(f"log, {self.format}", rows)


LogPath = str | os.PathLike[str]


def read_log(log: LogPath | Sequence[LogPath], *, format: str = "") -> Log:
    """Reads the log of a run, as ``haichi log show`` does.

    `log` is a file of the profiler or of another tool, or a list with the parts of one run. `format` is a name from
    ``haichi list log-formats``. If `format` is empty, it is detected from the content of the file.

    Raises InputError with file and line for invalid files. Raises OptionError for an unknown format or the logs of
    several runs, and UnsupportedError for a format that this build cannot read.
    """
    paths = [log] if isinstance(log, str | os.PathLike) else list(log)
    if not paths:
        raise OptionError("read_log requires at least one file")
    return Log(_core.read_log([encoded("log", path) for path in paths], encoded("format", format)))
