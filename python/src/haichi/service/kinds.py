"""The kinds of jobs and their options, which come from the program's table of options: what is local is not offered,
files are uploaded, and all else is a word."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum
from functools import lru_cache
from typing import Any

from haichi.service.program import Program, ProgramOption


class Form(Enum):
    """What a request may give for an option."""

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
"""By the kinds of the table. Values of the others are words: `requests` lets none pass that opens a file of the
server's or loads a plug-in."""


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

_NAMES_WITH_ENDINGS = {"machine": "machine.json", "graph": "machine.graphml"}


def file_name(field: str) -> str:
    """Under which a job's folder has what was uploaded in a field. No name of a request gets there."""
    return _NAMES_WITH_ENDINGS.get(field, field.replace("_", "-"))


@dataclass(frozen=True)
class OfferedOption:
    """An option as a field of requests."""

    field: str
    """In JSON and in forms: the option's name with underscores."""
    option: str
    form: Form
    row: ProgramOption

    def schema(self) -> dict[str, Any]:
        """For OpenAPI; what begins with `x-` is the page's, which makes a field of it."""
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
