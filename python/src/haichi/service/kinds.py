"""The kinds of jobs and their options. Names, sentences and values come from the program's help; the tables here say
which options are more than a word, and which are the server's own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import Any

from haichi.service.program import Program


class Form(Enum):
    """What a request may give for an option."""

    WORD = "word"
    FLAG = "flag"
    WORDS = "words"
    FILE = "file"
    FILES = "files"
    WORD_OR_FILE = "word or file"


@dataclass(frozen=True)
class JobKind:
    """A row: a command of the program as a kind of job."""

    name: str
    command: tuple[str, ...]
    result_options: tuple[str, ...]
    """That make the result what standard output has."""
    logs: str = ""
    """The field of the files that the command takes without an option."""
    takes_one_log: bool = False
    """Several files are the parts of one."""
    has_map: bool = False
    """The result is a placement, which can be had in any format."""
    is_placed: bool = False
    """The result has a placement, which can be shown beside the default one."""
    files: tuple[str, ...] = ()
    """It writes beside standard output, and users may fetch."""


JOB_KINDS: Mapping[str, JobKind] = {
    kind.name: kind
    for kind in (
        JobKind("map", ("map",), ("--json", "--no-timing"), has_map=True, is_placed=True),
        JobKind("evaluate", ("evaluate",), ("--json", "--no-timing"), is_placed=True),
        JobKind("simulate", ("simulate",), ("--json", "--no-timing")),
        JobKind(
            "compare",
            ("compare",),
            ("--json", "--output=results.json", "--output=report.html"),
            files=("report.html",),
        ),
        JobKind("ccs", ("ccs",), (), logs="log", takes_one_log=True),
        JobKind("advise-shape", ("advise", "shape"), ("--json",)),
        JobKind("advise-barrier", ("advise", "barrier"), ("--json",)),
        JobKind("advise-spread", ("advise", "spread"), ("--json",)),
        JobKind("advise-rails", ("advise", "rails"), ("--json",), logs="log"),
    )
}

FILE_NAMES: Mapping[str, str] = {
    "workload": "workload",
    "log": "log",
    "machine": "machine.json",
    "graph": "machine.graphml",
    "nodes": "nodes.txt",
    "faulty": "faulty.txt",
    "hosts": "hosts.txt",
    "fold": "fold.txt",
    "map": "map",
    "start": "start",
    "spread_workload": "spread-workload",
}
"""Under which name a job's folder has what was uploaded in a field. No name of a request gets there."""

_FORMS: Mapping[str, Form] = {
    "workload": Form.FILE,
    "nodes": Form.FILE,
    "faulty": Form.FILE,
    "map": Form.FILE,
    "spread-workload": Form.FILE,
    "machine": Form.WORD_OR_FILE,
    "hosts": Form.WORD_OR_FILE,
    "fold": Form.WORD_OR_FILE,
    "start": Form.WORD_OR_FILE,
}
"""Of options that may name files; the others are words."""

WORDS: frozenset[str] = frozenset(
    (
        *("shape", "shapes", "origin", "ppn", "routing", "count-nic", "message-size", "workload-format", "log-format"),
        *("robust", "rotations", "objective", "then", "strategy", "strategies", "seed", "seeds", "restarts", "threads"),
        *("evaluations", "time", "schedule", "moves", "companion", "verify", "validate", "as", "require", "format"),
        *("hottest", "simulate", "compute", "compute-factor", "compute-seed", "collective", "collectives", "barrier"),
        *("sim-iterations", "partitions", "sends-per-rank", "eager-limit", "kernel", "equal", "node-count"),
        *("finalists", "packet-hops", "imbalance", "draws", "sizes", "simulations", "rails", "interfaces"),
        "compute-time",
    )
)
"""Options whose values are words, looked through for what they make the program do: none opens a file of its own, none
loads a plug-in from a word that `requests` lets pass. What is in no table here is not offered."""

OWN: frozenset[str] = frozenset(
    (
        *("help", "output", "json", "no-timing", "timing", "no-views", "quiet", "verbose", "log-level"),
        *("processes", "dask", "progress-fd", "checkpoint", "files-below"),
        *("stats", "stats-bin", "buffer-history", "router", "from", "to", "every"),
        *("ranks", "stack", "globals", "payload", "refused-calls"),
    )
)
"""Options that are the server's to give, or write files of their own, or are of programs, which it never runs."""

_NOT_OF: Mapping[str, frozenset[str]] = {"map": frozenset({"format"}), "simulate": frozenset({"collectives"})}
"""The format of a map is asked for when it is fetched; no program is run."""


@dataclass(frozen=True)
class OfferedOption:
    """An option as a field of requests."""

    field: str
    """In JSON and in forms: the option's name with underscores."""
    option: str
    form: Form
    value: str
    help: str

    def schema(self) -> dict[str, Any]:
        """For OpenAPI; `x-form` is the page's, which makes a field of it."""
        types: dict[Form, dict[str, Any]] = {
            Form.FLAG: {"type": "boolean"},
            Form.WORD: {"type": ["string", "integer", "number"]},
            Form.WORDS: {"type": ["string", "array"], "items": {"type": "string"}},
            Form.FILE: {"type": ["string", "object"], "description": "the file's content"},
            Form.FILES: {"type": ["string", "object", "array"], "items": {"type": ["string", "object"]}},
            Form.WORD_OR_FILE: {"type": ["string", "object"]},
        }
        told = {"description": f"{self.help} [{self.value or 'flag'}]", "x-form": self.form.value}
        return types[self.form] | told


@lru_cache(maxsize=64)
def offered(program: Program, kind: JobKind) -> Mapping[str, OfferedOption]:
    """The fields of a kind of job."""
    rows = {}
    for name, row in program.options(kind.command).items():
        if name in OWN or name in _NOT_OF.get(kind.name, ()):
            continue
        form = _FORMS.get(name)
        if form is None and name in WORDS:
            form = Form.WORDS if row.is_several else Form.WORD if row.value else Form.FLAG
        if form is Form.FILE and row.is_several:
            form = Form.FILES
        if form is not None:
            rows[name.replace("-", "_")] = OfferedOption(name.replace("-", "_"), name, form, row.value, row.help)
    if kind.logs:
        rows[kind.logs] = OfferedOption(kind.logs, "", Form.FILES, "FILE", "logs; parts of one job are read together")
    if "machine" in rows:
        rows["graph"] = OfferedOption("graph", "machine", Form.FILE, "FILE", "the machine as a GraphML file")
    return rows


def unclassified(program: Program) -> set[str]:
    """Options of the program that no table here knows; a test wants none."""
    known = WORDS | OWN | _FORMS.keys()
    return {name for kind in JOB_KINDS.values() for name in program.options(kind.command) if name not in known}
