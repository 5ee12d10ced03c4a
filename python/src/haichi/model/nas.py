"""Logs of the calls of the NAS parallel benchmarks."""

from __future__ import annotations

import os

from haichi import _core
from haichi.base.file_names import encoded


def write_nas_log(
    path: str | os.PathLike[str],
    program: str,
    ranks: int,
    *,
    problem_class: str = "B",
    iterations: int | None = None,
    compute_seconds: float = 0.0,
) -> None:
    """Writes the log of a NAS program (``nas-cg`` and so on, see `haichi.list_patterns`) for `haichi.Job`.

    The log has the calls that the program makes while its timer runs, as ``haichi pattern`` writes them. `iterations`:
    None means the number that the class defines. `compute_seconds`: the CPU time of all iterations of the class on one
    process. The log distributes this time over ranks and iterations as the program does. Raises OptionError for unknown
    programs and classes, and for numbers of ranks on which the program cannot run.
    """
    _core.write_nas_log(
        encoded("path", path),
        encoded("program", program),
        problem_class=encoded("problem_class", problem_class),
        ranks=ranks,
        iterations=iterations,
        compute_seconds=compute_seconds,
    )
