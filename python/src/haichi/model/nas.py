"""The NAS parallel benchmarks as logs of their calls."""

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

    The log has the calls that the program makes while its clock runs, as from ``haichi pattern``. `iterations`: None
    means those of the class. `compute_seconds`: CPU time of all iterations of the class on one process, distributed
    over ranks and iterations as in the program. Raises OptionError for unknown programs and classes, and for numbers of
    ranks on which the program does not run.
    """
    _core.write_nas_log(
        encoded("path", path),
        encoded("program", program),
        problem_class=encoded("problem_class", problem_class),
        ranks=ranks,
        iterations=iterations,
        compute_seconds=compute_seconds,
    )
