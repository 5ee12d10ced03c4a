"""Checked requests. Words and files are stored under the option names of the program."""

from __future__ import annotations

import difflib
import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from haichi.service import supervisor
from haichi.service.json_bodies import parsed
from haichi.service.kinds import JOB_KINDS, Form, JobKind, OfferedOption, file_name, is_offered, offered
from haichi.service.limits import Limits
from haichi.service.problems import WrongRequest
from haichi.service.program import Program

_LONGEST_WORD = 4096
_LONGEST_NAME = 200
_LONGEST_COMPARED = 64
"""The maximum length of a name that is compared with other names. A comparison takes quadratic time."""
_CHUNK = 2**20
_PATTERN_NAME = re.compile(r"[a-z][a-z0-9-]{0,63}")
_NUMBERED = re.compile(r"[.-](\d{1,7})(\.[a-z0-9]{1,8})?\Z")
"""Matches the names of log files that contain a rank."""
_ENDINGS = frozenset({".txt", ".prof", ".xml", ".prv", ".goal"})


@dataclass(frozen=True)
class Section:
    """A part of an open file."""

    file: BinaryIO
    begin: int
    size: int

    @staticmethod
    def whole(file: BinaryIO) -> Section:
        return Section(file, 0, file.seek(0, os.SEEK_END))

    def chunks(self) -> Iterator[bytes]:
        self.file.seek(self.begin)
        left = self.size
        while left > 0 and (chunk := self.file.read(min(left, _CHUNK))):
            left -= len(chunk)
            yield chunk


@dataclass(frozen=True)
class Upload:
    """A file that was uploaded in a form."""

    name: str
    content: Section


@dataclass(frozen=True)
class Content:
    """A large value in a JSON object. It becomes a file."""

    content: Section
    is_text: bool
    """True for a text; false for an object or a list."""


Value = str | int | float | bool | list[Any] | dict[str, Any] | Upload | Content | None
Source = bytes | Section


@dataclass
class JobRequest:
    """A checked request. The server chooses the names of its files."""

    kind: JobKind
    words: dict[str, list[str] | bool] = field(default_factory=dict)
    """Values by the option names of the program. A flag has the value True."""
    files: dict[str, Source] = field(default_factory=dict)
    """The contents of files, by file name in the job's directory."""
    positional: list[str] = field(default_factory=list)
    pattern: list[str] = field(default_factory=list)
    """The arguments of `haichi pattern` that make the workload."""
    names: dict[str, str] = field(default_factory=dict)
    """The user's own file names by field, only for display."""

    def arguments(self) -> list[str]:
        """The arguments that follow the command."""
        listed = [
            f"--{option}" if isinstance(values, bool) else f"--{option}={value}"
            for option, values in self.words.items()
            for value in ([""] if isinstance(values, bool) else values)
        ]
        return [*listed, *self.positional]  # the server's own names, which never look like options

    def stored(self) -> dict[str, Any]:
        return self._asked() | {"names": self.names}

    def _asked(self) -> dict[str, Any]:
        return {"arguments": self.arguments(), "pattern": self.pattern, "files": sorted(self.files)}

    def fingerprint(self) -> str:
        """A digest that is equal for equal requests. Reads the files."""
        digest = hashlib.sha256(json.dumps([self.kind.name, self._asked()]).encode())
        for name in sorted(self.files):
            of_file = hashlib.sha256()
            for chunk in _chunks(self.files[name]):
                of_file.update(chunk)
            digest.update(of_file.digest())
        return digest.hexdigest()

    def size(self) -> int:
        """The size of the files on the disk in bytes."""
        return sum(max(_size(source), supervisor.LEAST_BYTES) for source in self.files.values())

    def contents(self) -> dict[str, bytes]:
        return {name: b"".join(_chunks(source)) for name, source in self.files.items()}

    def write_files(self, folder: Path) -> None:
        for name, source in self.files.items():
            with (folder / name).open("wb") as file:
                file.writelines(_chunks(source))


def _size(source: Source) -> int:
    return len(source) if isinstance(source, bytes) else source.size


def _chunks(source: Source) -> Iterator[bytes]:
    return iter((source,)) if isinstance(source, bytes) else source.chunks()


def job_request(program: Program, fields: Mapping[str, list[Value]]) -> JobRequest:
    """Makes a request from the fields of a form or a JSON object. Raises WrongRequest."""
    kind = _kind(fields.get("kind", []))
    options = offered(program, kind)
    request = JobRequest(kind)
    for name, values in fields.items():
        if name == "kind" or values == [None]:
            continue
        if name == "pattern" and "workload" in options:
            request.pattern = _pattern(program, values)
            request.words["workload"] = [file_name("workload")]
        elif name in options:
            _Taker(request, options[name]).take(values)
        else:
            raise WrongRequest(f"unknown option {name[:100]!r}", near(name, [*options, "pattern", "kind"]))
    _check_whole(request, options, fields)
    if sum(map(len, request.arguments())) + sum(map(len, request.pattern)) > Limits.words_bytes:
        raise WrongRequest(f"the options of the job have more than {Limits.words_bytes} bytes", "upload files instead")
    return request


def _check_whole(request: JobRequest, options: Mapping[str, OfferedOption], fields: Mapping[str, list[Value]]) -> None:
    if "pattern" in fields and "workload" in fields:
        raise WrongRequest("pattern cannot be combined with workload")
    if "graph" in fields and "machine" in fields:
        raise WrongRequest("graph cannot be combined with machine")
    for name, offer in options.items():
        is_given = offer.option in request.words if offer.option else bool(request.positional)
        if offer.row.is_required and not is_given:
            raise WrongRequest(f"{name} is missing", "give it as a field of the form or of the JSON object")


def _kind(values: list[Value]) -> JobKind:
    if not values:
        raise WrongRequest("kind is missing", f"use one of {', '.join(JOB_KINDS)}")
    kind = values[0]
    if len(values) > 1 or not isinstance(kind, str):
        raise WrongRequest("kind must be a single word", f"use one of {', '.join(JOB_KINDS)}")
    if kind not in JOB_KINDS:
        hint = near(kind, JOB_KINDS) or f"use one of {', '.join(JOB_KINDS)}"
        raise WrongRequest(f"unknown kind {kind[:100]!r}", hint)
    return JOB_KINDS[kind]


class _Taker:
    """Adds the values of one field to a request."""

    def __init__(self, request: JobRequest, option: OfferedOption) -> None:
        self._request = request
        self._option = option
        self._name = option.field

    def take(self, values: list[Value]) -> None:
        several = self._option.form in (Form.FILES, Form.WORDS)
        if len(values) == 1 and several and isinstance(values[0], list):
            values = values[0]
        if not values or (len(values) > 1 and not several):
            raise WrongRequest(f"{self._name} must have a single value")
        if len(values) > Limits.form_parts:
            raise WrongRequest(f"{self._name}: {len(values)} values are too many", f"send at most {Limits.form_parts}")
        takers = {Form.FLAG: self._take_flag, Form.FILE: self._take_files, Form.FILES: self._take_files}
        takers.get(self._option.form, self._take_words)(values)

    def _take_flag(self, values: list[Value]) -> None:
        value = {"true": True, "false": False}.get(values[0], values[0]) if isinstance(values[0], str) else values[0]
        if not isinstance(value, bool):
            raise WrongRequest(f"{self._name} must be true or false")
        if value:
            self._request.words[self._option.option] = True

    def _take_words(self, values: list[Value]) -> None:
        is_file = isinstance(values[0], dict | Upload) or (isinstance(values[0], Content) and not values[0].is_text)
        if self._option.form is Form.WORD_OR_FILE and is_file:
            self._take_files(values)
            return
        words = [word(self._name, value) for value in values]
        if self._option.option == "machine" and (words[0] == "graph" or words[0].startswith("graph:")):
            raise WrongRequest("graph must be an upload", "send a GraphML file in the field graph")
        self._request.words[self._option.option] = words

    def _take_files(self, values: list[Value]) -> None:
        given = [_readable(value.name) for value in values if isinstance(value, Upload)]
        if any(given):
            self._request.names[self._name] = given[0] + (f" and {len(given) - 1} more" if len(given) > 1 else "")
        names = []
        for index, value in enumerate(values):
            name = file_name(self._name)
            if self._option.form is Form.FILES and (len(values) > 1 or isinstance(value, Upload)):
                name = _numbered(name, index, value.name if isinstance(value, Upload) else "")
            if name in self._request.files:
                raise WrongRequest(f"{self._name}: duplicate files of rank {name.rpartition('-')[2]}")
            self._request.files[name] = _file_content(self._name, value)
            names.append(f"graph:{name}" if self._name == "graph" else name)
        if self._option.option:
            self._request.words[self._option.option] = names
        else:
            # For a log of several files, the program takes one of them and finds the others in its directory.
            self._request.positional = [min(names)] if self._request.kind.takes_one_log else names


def _numbered(name: str, index: int, given: str) -> str:
    """Chooses a file name. It keeps the rank and the ending of the given name, because readers use both."""
    found = _NUMBERED.search(given[-40:])
    if found is None:
        ending = Path(given[-40:]).suffix if given.isprintable() else ""
        return f"{name}{index + 1 if index else ''}{ending if ending in _ENDINGS else ''}"
    ending = found[2] if found[2] in _ENDINGS else ""
    return f"{name}.{int(found[1])}{ending}" if ending == ".prof" else f"{name}-{int(found[1]):04}{ending}"


def _readable(name: str) -> str:
    """The user's file name with replacement characters for letters that are not printable."""
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in name[:_LONGEST_NAME])


def word(name: str, value: Value) -> str:
    """Checks a value that becomes part of one argument. The value must not refer to a file outside the job's
    directory."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise WrongRequest(f"{name} must be a string or a number")
    word = value if isinstance(value, str) else json.dumps(value)
    if not word:
        raise WrongRequest(f"{name} must not be empty")
    if len(word) > _LONGEST_WORD or not word.isprintable():
        raise WrongRequest(f"{name} is too long or has unprintable characters")
    if "/" in word or word == "-":
        raise WrongRequest(f"{name} must not name a file: {word[:100]!r}", "upload the file instead")
    if ".so" in word:
        raise WrongRequest(f"{name}: the service does not support plug-ins", "use the program `haichi map` instead")
    return word


def _file_content(name: str, value: Value) -> Source:
    if isinstance(value, Upload | Content):
        return value.content
    if isinstance(value, dict) or (isinstance(value, list) and not any(isinstance(one, Content) for one in value)):
        return json.dumps(value).encode()
    if isinstance(value, str):
        try:
            return value.encode()
        except UnicodeEncodeError as error:
            raise WrongRequest(f"{name} must be Unicode text") from error
    raise WrongRequest(f"{name} must be the content of a file, or an upload")


def _pattern(program: Program, values: list[Value]) -> list[str]:
    """Checks a JSON object such as {"name": "cg", "ranks": 64}, and returns the arguments of `haichi pattern`."""
    value = values[0]
    if isinstance(value, str):
        value = json_value(value.encode(errors="replace"), "pattern")
    name = value.get("name") if isinstance(value, dict) else None
    if len(values) > 1 or not isinstance(value, dict) or not isinstance(name, str):
        raise WrongRequest("pattern must be an object with a name", 'use for example {"name": "cg", "ranks": 64}')
    if not _PATTERN_NAME.fullmatch(name):
        raise WrongRequest(f"unknown pattern {name[:100]!r}")
    known = {name.replace("-", "_"): name for name, row in program.options(("pattern",)).items() if is_offered(row)}
    arguments = [name]
    for given, setting in value.items():
        if given == "name":
            continue
        if given not in known:
            raise WrongRequest(f"pattern: unknown option {given[:100]!r}", near(given, known))
        if setting is True:
            arguments.append(f"--{known[given]}")
        elif setting is not False:
            arguments.append(f"--{known[given]}={word(given, setting)}")
    return arguments


def json_value(text: bytes, what: str) -> Any:
    """Parses JSON. Raises WrongRequest if it is invalid."""
    try:
        return parsed(text)
    except ValueError as error:
        raise WrongRequest(f"invalid JSON in {what}: {error}", status=400, code="malformed") from error


def near(name: str, names: Iterable[str]) -> str:
    found = difflib.get_close_matches(name[:_LONGEST_COMPARED], list(names), n=1)
    return f"did you mean {found[0]!r}?" if found else ""
