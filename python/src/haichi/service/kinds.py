"""The kinds of jobs and their options, from the option table of the program. Options for local use are not offered.
Files are uploaded, and all other options are words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum
from functools import lru_cache
from typing import Any

from haichi.service.program import Program, ProgramOption


class Form(Enum):
    """The form in which a request states an option."""

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
"""The form of each kind of option in the table. Other kinds are words. `requests` rejects words that would open a file
of the server or load a plug-in."""


@dataclass(frozen=True)
class JobKind:
    """A command of the program that is offered as a kind of job."""

    name: str
    command: tuple[str, ...]
    result_options: tuple[str, ...]
    """Arguments that make the command write its result to standard output."""
    logs: str = ""
    """The field with the files that the command takes as positional arguments."""
    takes_one_log: bool = False
    """True if several files are parts of one log."""
    has_map: bool = False
    """True if the result is a placement, which the service can convert to any format."""
    is_placed: bool = False
    """True if the result has a placement, which can be compared with the default placement."""
    files: tuple[str, ...] = ()
    """Further output files that users can request."""


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
    """The name of an uploaded file in the job's directory. Names in requests are never used for this purpose."""
    return _NAMES_WITH_ENDINGS.get(field, field.replace("_", "-"))


@dataclass(frozen=True)
class OfferedOption:
    """An option that requests can state as a field."""

    field: str
    """The field name in JSON and forms: the name of the option with underscores."""
    option: str
    form: Form
    row: ProgramOption

    def schema(self) -> dict[str, Any]:
        """The OpenAPI schema of the option. The page makes a form field from the keys that begin with `x-`."""
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
    """The options that a kind of job offers, by field name."""
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
