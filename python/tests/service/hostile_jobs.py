"""Makes random jobs that reach the program. Their fields follow its option table and their files come from the fuzzers'
corpus. Both are changed at random."""

import json
import random
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from haichi.base.program import find_program
from haichi.service.kinds import JOB_KINDS, Form, OfferedOption, offered
from haichi.service.program import Program

CORPUS = Path(__file__).parents[3] / "tests" / "fuzz" / "corpus"
MACHINES = (
    "torus:4x4",
    "mesh:2x3",
    "fattree:2x4",
    "dragonfly:2,2,1",
    "dragonfly-plus:2,2,2,3",
    "hyperx:3x2,2",
    "switch",
)
MACHINES += ("fx10:2x1x2:X", "fx10-kyushu", "two-clusters:2,2ms,4")
PATTERNS = (
    "ring",
    "cg",
    "stencil2d",
    "fft",
    "sweep",
    "alltoall-bruck",
    "random-geometric",
    "stencil3d",
)
NUMBERS = (
    "0",
    "1",
    "2",
    "7",
    "-1",
    "65536",
    "2147483648",
    "9223372036854775807",
    "18446744073709551616",
    "1e308",
    "0.5",
)
NUMBERS += ("nan", "inf", "1e-320", "4KiB", "1EiB", "5s", "1ps", "1e9s", "100GB/s", "+1", "0x10", "1,2,3", "1,,2")
WORDS = (
    "auto",
    "none",
    "default",
    "all",
    "2x2",
    "0x0",
    "99999x99999",
    "4x4,2x2",
    "a=b",
    "max-link-load",
    "tac3",
    "hop-bytes",
)
WORDS += (
    "weighted(hop-bytes=1,tac3=2)",
    "((((",
    "=" * 40,
    "%s%n",
    "n%d",
    "n[0-9999999]",
    "%99999d",
    "\u00fc",
    "A" * 4000,
)
WORDS += (
    "dor:XY,tie=+",
    "dor:" + "X" * 60,
    "allreduce=ring",
    "alltoall=bruck:1KiB,ring",
    "greedy",
    "bisection",
    "csv",
    "slurm",
)
PIECES = (
    b"0",
    b"-1",
    b"1e999",
    b"4294967296",
    b"9223372036854775807",
    b'"',
    b"{",
    b"[[[[",
    b"]",
    b",",
    b"\n",
    b"\x00",
    b"\xff",
)
PIECES += (b"null", b"true", b'"1PB/s"', b'"0ns"', b"# ", b"nan", b" ", b"A" * 3000)
OF_FIELD = {
    "machine": ("machine_file",),
    "graph": ("graphml",),
    "workload": (
        "workload_json",
        "edge_list",
        "dense_matrix",
        "matrix_market",
        "qaplib",
        "metis",
        "workload_recognition",
    ),
    "log": ("log_tit", "log_goal", "log_dumpi", "log_paraver", "log_ipm", "log_mpip", "log_monitoring", "own_log"),
    "map": ("rankmap_json", "rankmap_csv", "rankmap_fujitsu", "rankmap_slurm", "rankmap_bgq", "rankmap_openmpi"),
    "nodes": ("node_list",),
    "faulty": ("node_list",),
    "fold": ("coordinate_table",),
    "hosts": ("host_names",),
    "start": ("rankmap_json", "rankmap_csv"),
}
"""For each field with files, the corpus directories of these files. The calls of a log are a workload, too."""


def changed(text: bytes, chosen: random.Random) -> bytes:
    for _ in range(chosen.choice((0, 0, 0, 1, 1, 2, 5))):
        at, end = sorted(chosen.randrange(len(text) + 1) for _ in range(2))
        end = min(end, at + chosen.choice((1, 2, 8, 40)))
        how = chosen.randrange(4)
        if how == 0:
            text = text[:at] + chosen.choice(PIECES) + text[at:]
        elif how == 1:
            text = text[:at] + chosen.choice(PIECES) + text[end:]
        elif how == 2:
            text = text[:at] + text[end:]
        else:
            text = text[:end] + text[at:end] * chosen.choice((1, 3, 50)) + text[end:]
    return text


@dataclass
class HostileJob:
    fields: list[tuple[str, str]] = field(default_factory=list)
    files: list[tuple[str, str, bytes]] = field(default_factory=list)
    """Uploaded files as (field, file name, content)."""

    def form(self) -> tuple[str, bytes]:
        """Returns the content type and the body of a multipart form."""
        boundary = "haichi-boundary-34"
        parts = [
            f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{text}\r\n'.encode()
            for name, text in self.fields
        ]
        for name, file, content in self.files:
            head = f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"; filename="{file}"\r\n\r\n'
            parts.append(head.encode() + content + b"\r\n")
        return f"multipart/form-data; boundary={boundary}", b"".join(parts) + f"--{boundary}--\r\n".encode()

    def json(self) -> tuple[str, bytes]:
        told: dict[str, Any] = dict(self.fields)
        if "pattern" in told:
            told["pattern"] = json.loads(told["pattern"])
        for name, _, content in self.files:
            text = content.decode(errors="replace")
            try:
                value = json.loads(text)
            except (ValueError, RecursionError):
                value = text
            told[name] = value if isinstance(value, dict) else text
        return "application/json", json.dumps(told).encode()


class Jobs:
    """A source of hostile jobs."""

    def __init__(self, chosen: random.Random) -> None:
        self._chosen = chosen
        self._program = Program(find_program())

    def next(self) -> HostileJob:
        chosen = self._chosen
        kind = chosen.choice(("map", "map", "simulate", "simulate", *JOB_KINDS))
        options = offered(self._program, JOB_KINDS[kind])
        job = HostileJob([("kind", kind)])
        given = {"kind"}
        if "machine" in options:
            self._give_machine(job)
            given |= {"machine", "graph"}
        if "workload" in options:
            if chosen.random() < 0.3:
                job.fields.append(("pattern", json.dumps(self._pattern())))
            else:
                self._give_file(job, "workload", ("workload", "log"))
            given.add("workload")
        if JOB_KINDS[kind].logs:
            self._give_file(job, "log", ("log",))
            given.add("log")
        if "evaluations" in options:
            job.fields.append(("evaluations", "50"))
            given.add("evaluations")
        # Jobs have few options, because a job with a wrong option is rejected before the program reads its files.
        rows = [row for name, row in sorted(options.items()) if name not in given]
        for row in chosen.sample(rows, min(len(rows), chosen.choice((0, 0, 0, 1, 1, 2)))):
            self._give(job, row)
        return job

    def _give_machine(self, job: HostileJob) -> None:
        how = self._chosen.random()
        if how < 0.4:
            job.fields.append(("machine", self._chosen.choice(MACHINES)))
        elif how < 0.85:
            self._give_file(job, "machine", ("machine",))
        else:
            self._give_file(job, "graph", ("graph",))

    def _pattern(self) -> dict[str, Any]:
        chosen = self._chosen
        pattern: dict[str, Any] = {
            "name": chosen.choice(PATTERNS),
            "ranks": chosen.choice((1, 2, 4, 8, 16, 0, -1, "4", 2**31)),
        }
        if chosen.random() < 0.3:
            pattern[chosen.choice(("bytes", "iterations", "seed", "dims", "points"))] = chosen.choice(NUMBERS)
        return pattern

    def _give_file(self, job: HostileJob, name: str, of_fields: tuple[str, ...]) -> None:
        folders = OF_FIELD[self._chosen.choice(of_fields)]
        file = self._chosen.choice(sorted((CORPUS / self._chosen.choice(folders)).iterdir()))
        job.files.append((name, file.name, changed(file.read_bytes(), self._chosen)))

    def _give(self, job: HostileJob, row: OfferedOption) -> None:
        chosen = self._chosen
        may_be_file = row.form in (Form.FILE, Form.FILES, Form.WORD_OR_FILE)
        if may_be_file and row.field in OF_FIELD and (row.form is not Form.WORD_OR_FILE or chosen.random() < 0.5):
            self._give_file(job, row.field, (row.field,))
        elif may_be_file and row.form is not Form.WORD_OR_FILE:
            self._give_file(job, row.field, ("workload",))
        elif row.form is Form.FLAG:
            job.fields.append((row.field, "true"))
        elif row.row.choices and chosen.random() < 0.8:
            job.fields.append((row.field, chosen.choice(row.row.choices)))
        else:
            is_number = row.row.kind in ("count", "number", "bytes", "time")
            job.fields.append((row.field, chosen.choice(NUMBERS if is_number or chosen.random() < 0.3 else WORDS)))
