"""Extracts communication sets from the log of a parallel program."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import Any, Unpack

from haichi import _core
from haichi.base import notebook
from haichi.base.file_names import encoded
from haichi.base.option_types import ExtractionOptions
from haichi.base.options import given_options, takes
from haichi.model.workload import Workload


@dataclass(frozen=True)
class Extraction:
    """Communication sets and their origin, from `haichi.extract_sets`."""

    workload: Workload
    """The sets of one iteration of the main loop. `Workload.iterations` is the number of iterations."""
    report: dict[str, Any]
    """The report in the format ``haichi-ccs/1`` (docs/reference/results_of_logs.md). It has main loops, sets, the
    covered fraction of bytes, and warnings."""

    @property
    def iterations(self) -> int:
        """The number of iterations of the main loop that all ranks executed."""
        return self.workload.iterations

    @property
    def fraction_of_bytes(self) -> float:
        """The fraction of all sent bytes that the main loop sends, from 0 to 1."""
        return float(self.report["fraction_of_bytes"])

    @property
    def warnings(self) -> list[str]:
        return list(self.report["warnings"])

    def __repr__(self) -> str:
        return (
            f"Extraction(ranks={self.workload.ranks}, sets={len(self.report['sets'])}, "
            f"iterations={self.iterations}, fraction_of_bytes={self.fraction_of_bytes:.3g})"
        )

    def _repr_html_(self) -> str:
        """An HTML table of the sets, and the warnings, for notebooks."""
        share = f"{self.fraction_of_bytes:.1%} of the bytes sent"
        title = f"main loop {self.report['main_loop']}, {self.iterations} iterations, {share}"
        rows = [
            (row["label"], *(notebook.number(row[key]) for key in ("messages", "bytes", "largest_bytes")))
            for row in self.report["sets"]
        ]
        shown = notebook.table(title, notebook.most_rows(rows), ("set", "messages", "bytes", "largest message"))
        if self.warnings:
            shown += notebook.table("warnings", [(text,) for text in self.warnings])
        return shown


@takes(ExtractionOptions)
def extract_sets(log: str | os.PathLike[str], **options: Unpack[ExtractionOptions]) -> Extraction:
    """Extracts concurrent communication sets from a log of calls, as ``haichi ccs`` does.

    Parameters
    ----------
    log: a file of the profiler, one of the parts of such a log, or a log of another tool that keeps the order of calls.
    {options}

    Raises `InputError` for unreadable files. Raises `UnsupportedError` if the log has no order of calls, no messages,
    or no main loop that its ranks share.
    """
    core = _core.extract_sets(encoded("log", log), given_options("extract_sets", ExtractionOptions, options))
    return Extraction(Workload(core.workload), json.loads(core.json()))
