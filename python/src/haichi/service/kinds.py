"""The kinds of jobs and their options from the program's table of options. Local options are not offered, files are
uploaded, and all other options are words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum
from functools import lru_cache
from typing import Any

from haichi.service.program import Program, ProgramOption


class Form(Enum):
    """The accepted form of an option in a request."""

    WORD = "word"
    FLAG = "flag"
    WORDS = "words"
    FILE = "file"
    FILES = "files"
    WORD_OR_FILE = "word or file"


_FORMS = {
    "flag": Form.FLAG,
    "texts": Form.WORDS,
    "file": Form.FILE,
    "files": Form.FILES,
    "file or word": Form.WORD_OR_FILE,
}
"""Forms by the kinds of the table. Other kinds are words. `requests` rejects words that open a file of the server or
load a plug-in."""


@dataclass(frozen=True)
class JobKind:
    """A table entry: a command of the program as a kind of job."""

    name: str
    command: tuple[str, ...]
    result_options: tuple[str, ...]
    """Arguments that write the result to standard output."""
    logs: str = ""
    """The field of the files that the command takes as arguments."""
    takes_one_log: bool = False
    """Several files are parts of one log."""
    has_map: bool = False
    """The result is a placement, available in any format."""
    is_placed: bool = False
    """The result has a placement, which can be compared with the default one."""
    files: tuple[str, ...] = ()
    """Additional output files that users may fetch."""


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

_NAMES_WITH_ENDINGS = {"machine": "machine.json", "graph": "machine.graphml"}


def file_name(field: str) -> str:
    """The name of an uploaded field in a job's directory. Names in requests are never used there."""
    return _NAMES_WITH_ENDINGS.get(field, field.replace("_", "-"))


@dataclass(frozen=True)
class OfferedOption:
    """An option as a field of requests."""

    field: str
    """The name in JSON and forms: the option's name with underscores."""
    option: str
    form: Form
    row: ProgramOption

    def schema(self) -> dict[str, Any]:
        """The OpenAPI schema. The page makes a form field from keys that begin with `x-`."""
        row = self.row
        types: dict[Form, dict[str, Any]] = {
            Form.FLAG: {"type": "boolean"},
            Form.WORD: {"enum": list(row.choices)} if row.choices else {"type": ["string", "integer", "number"]},
            Form.WORDS: {"type": ["string", "array"], "items": {"type": "string"}},
            Form.FILE: {"type": ["string", "object"]},
            Form.FILES: {"type": ["string", "object", "array"], "items": {"type": ["string", "object"]}},
            Form.WORD_OR_FILE: {"type": ["string", "object"]},
        }
        limits = {"minimum": row.minimum, "maximum": row.maximum}
        told = {"description": row.description, "x-form": self.form.value, "x-group": row.group, "x-value": row.value}
        if row.default:
            told |= {"default" if row.default in row.choices else "x-default": row.default}
        return types[self.form] | {name: limit for name, limit in limits.items() if limit is not None} | told


def is_offered(row: ProgramOption) -> bool:
    return not (row.is_local or row.is_argument or row.kind == "output file" or row.group == "Global")


@lru_cache(maxsize=64)
def offered(program: Program, kind: JobKind) -> Mapping[str, OfferedOption]:
    """The fields of a kind of job."""
    options = program.options(kind.command)
    rows = {}
    for name, row in options.items():
        if is_offered(row):
            field = name.replace("-", "_")
            rows[field] = OfferedOption(field, name, _FORMS.get(row.kind, Form.WORD), row)
    if kind.logs:
        rows[kind.logs] = OfferedOption(kind.logs, "", Form.FILES, options["LOG"])
    if "machine" in rows:
        graph = replace(options["machine"], description="Machine as a GraphML file", value="FILE", is_required=False)
        rows["graph"] = OfferedOption("graph", "machine", Form.FILE, graph)
    return rows
