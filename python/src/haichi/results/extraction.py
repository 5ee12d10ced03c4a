"""Communication sets from the log of an application."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from haichi import _core
from haichi.base import notebook
from haichi.model.simulation import algorithm_list
from haichi.model.workload import Workload


@dataclass(frozen=True)
class Extraction:
    """Communication sets and how they were found, of `haichi.extract_sets`."""

    workload: Workload
    """The sets of one repetition of the kernel; `Workload.iterations` is how often it was repeated."""
    report: dict[str, Any]
    """``haichi-ccs/1``: kernels, sets, share of the bytes sent, warnings (docs/formats.md)."""

    @property
    def repetitions(self) -> int:
        """How often the kernel was repeated by all ranks."""
        return self.workload.iterations

    @property
    def share_of_bytes(self) -> float:
        """The part of all bytes sent that the kernel's repetitions explain, 0 to 1."""
        return float(self.report["share_of_bytes"])

    @property
    def warnings(self) -> list[str]:
        return list(self.report["warnings"])

    def __repr__(self) -> str:
        return (
            f"Extraction(ranks={self.workload.ranks}, sets={len(self.report['sets'])}, "
            f"repetitions={self.repetitions}, share_of_bytes={self.share_of_bytes:.3g})"
        )

    def _repr_html_(self) -> str:
        """The sets, and what was noticed, for notebooks."""
        share = f"{self.share_of_bytes:.1%} of the bytes sent"
        title = f"kernel {self.report['kernel']}, {self.repetitions} repetitions, {share}"
        rows = [
            (row["label"], *(notebook.number(row[key]) for key in ("messages", "bytes", "largest_bytes")))
            for row in self.report["sets"]
        ]
        shown = notebook.table(title, notebook.most_rows(rows), ("set", "messages", "bytes", "largest message"))
        if self.warnings:
            shown += notebook.table("warnings", [(text,) for text in self.warnings])
        return shown


def extract_sets(
    log: str | os.PathLike[str],
    *,
    sends_per_rank: int = 1,
    eager_limit_bytes: int = 0,
    kernel: int | str = "auto",
    collectives: str = "subcomm",
    algorithms: Mapping[str, str] | None = None,
    compute: str = "none",
) -> Extraction:
    """Extracts concurrent communication sets from a log of calls, as ``haichi ccs`` does.

    log: a file of the profiler, one of its parts, or another tool's log that keeps the order of calls.
    sends_per_rank: messages a rank may send, and receive, in one set: its network interfaces.
    eager_limit_bytes: up to this size a message does not wait for its receive to be posted.
    kernel: ``"auto"``, the number of a repetition from 1, ``"bytes"`` or ``"messages"`` (that with most of them),
    ``"outer"`` or ``"inner"`` (the loop around or inside of the one that is taken otherwise), or ``"whole"`` for the
    whole log as one.
    collectives: which become messages: ``"subcomm"`` (those on less than all ranks), ``"all"`` or ``"none"``.
    algorithms: by which algorithm, as in ``{"allreduce": "recursive-doubling:2KiB,ring"}``.
    compute: ``"mean"`` gives the sets the mean computing time before them; ``"none"``: the same sets from every run.

    Raises `InputError` for a file that cannot be read, `UnsupportedError` where there are no sets: no order, nothing
    that all ranks repeat alike, or no messages.
    """
    core = _core.extract_sets(
        os.fspath(log),
        sends_per_rank=sends_per_rank,
        eager_limit_bytes=eager_limit_bytes,
        kernel=str(kernel),
        collectives=collectives,
        algorithms=algorithm_list(algorithms),
        compute=compute,
    )
    return Extraction(Workload(core.workload), json.loads(core.json()))
