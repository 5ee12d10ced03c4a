#!/usr/bin/env python3
"""Shows the cost of a build by module, file and header, and the cost of a rebuild after a change of a file.

    scripts/build_cost.py build/release                                        # modules and the slowest files
    scripts/build_cost.py build/release --measure 20                           # the same files, in CPU seconds
    scripts/build_cost.py build/release --headers 40                           # headers by inclusions x parse time
    scripts/build_cost.py build/release --touch objectives/tac3.cc             # steps that run again after a change
    scripts/build_cost.py build/release --touch base/errors.h --measure 999    # the same, in CPU seconds

wall_s is the time of a step in .ninja_log. It is close to CPU time only if Ninja ran at most one step per core, without
a compiler cache, on an idle machine. cpu_s is user and system time. With --measure and --headers, files are compiled
one after the other. Link steps are not measured.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import shlex
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import dropwhile
from pathlib import Path
from typing import Any

LOG_VERSIONS = ("5", "6", "7")  # these versions differ only in the hashes of commands
LAUNCHERS = {"env", "ccache", "sccache", "distcc"}
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^">]+)[">]', re.MULTILINE)
Rows = list[dict[str, Any]]


class UnreadableBuildError(Exception):
    """The build directory cannot be used. The message states the reason."""


def is_launcher(word: str) -> bool:
    return "=" in word or Path(word).name in LAUNCHERS


@dataclass
class Step:
    rule: str
    outputs: list[str]
    inputs: list[str]  #: without order-only inputs
    wall_s: float | None = None  #: None if the log lacks it
    cpu_s: float | None = None  #: None if it was not measured
    headers: set[str] = field(default_factory=set)  #: headers that the compiler read

    @property
    def compiles(self) -> bool:
        return "_COMPILER__" in self.rule


class Build:
    """The steps of a build directory. Paths are absolute."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        self.absolute = cache(lambda path: os.path.normpath(os.path.join(self.folder, path)))
        log = self.log()
        home = re.search(r"^CMAKE_HOME_DIRECTORY:INTERNAL=(.*)$", self.text("CMakeCache.txt"), re.MULTILINE)
        self.root = home[1] if home else str(self.folder)
        self.steps = list(self.read_steps())
        step_of = {output: step for step in self.steps for output in step.outputs}
        for output in step_of.keys() & log.keys():
            step_of[output].wall_s = log[output]
        for output, headers in self.dependencies():
            if output in step_of:
                step_of[output].headers = headers

    def text(self, name: str) -> str:
        try:
            return (self.folder / name).read_text(encoding="utf-8")
        except OSError as error:
            hint = "expected a folder in which CMake and Ninja have built something"
            raise UnreadableBuildError(f"{self.folder}/{name}: {error.strerror}; {hint}") from None

    def log(self) -> dict[str, float]:
        """The seconds of each output. If the log has several lines for an output, the last one counts."""
        name, lines = f"{self.folder}/.ninja_log", self.text(".ninja_log").splitlines()
        if len(lines) < 2:
            raise UnreadableBuildError(f"{name} is empty: build something first")
        if lines[0].removeprefix("# ninja log v") not in LOG_VERSIONS:
            raise UnreadableBuildError(f"{name}:1: expected version {', '.join(LOG_VERSIONS)}, found {lines[0]!r}")
        seconds: dict[str, float] = {}
        for number, line in enumerate(lines[1:], start=2):
            cells = line.split("\t")
            if len(cells) != 5 or not (cells[0].isdigit() and cells[1].isdigit()):
                raise UnreadableBuildError(f"{name}:{number}: expected START END TIME OUTPUT HASH, found {line!r}")
            seconds[self.absolute(cells[3])] = (int(cells[1]) - int(cells[0])) / 1000
        return seconds

    def read_steps(self) -> Iterable[Step]:
        """Parses the lines `build OUTPUTS | OUTPUTS: RULE INPUTS | INPUTS || ORDER` of build.ninja."""
        text = self.text("build.ninja").replace("$\n", "").replace("${cmake_ninja_workdir}", f"{self.folder}/")
        for line in re.findall(r"^build (.*)$", text, re.MULTILINE):
            escaped = re.split(r"(?<!\$) +|(?<!\$)(?=:)", line)
            words = [re.sub(r"\$(.)", r"\1", word) for word in escaped if word not in ("", "|")]
            colon = words.index(":")
            end = next((n for n, word in enumerate(words) if word in ("||", "|@")), len(words))
            outputs = list(dict.fromkeys(map(self.absolute, words[:colon])))
            yield Step(words[colon + 1], outputs, [self.absolute(word) for word in words[colon + 2 : end]])

    def dependencies(self) -> Iterable[tuple[str, set[str]]]:
        command = ["ninja", "-n", "-C", str(self.folder), "-t", "deps"]  # -n: do not build anything
        try:
            text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        except (OSError, subprocess.CalledProcessError) as error:
            raise UnreadableBuildError(f"cannot read the dependency records of {self.folder}: {error}") from None
        for record in text.split("\n\n"):
            first, *paths = record.splitlines() or [""]
            output, separator, _ = first.partition(": #deps")
            if separator:
                yield self.absolute(output), {self.absolute(path.strip()) for path in paths}

    def name(self, path: str) -> str:
        """The path relative to the build directory or to the project's root, if it is inside one of them."""
        folder = next((one for one in (str(self.folder), self.root) if path.startswith(one + "/")), "")
        return path[len(folder) + 1 :] if folder else path

    def sources(self, step: Step) -> list[str]:
        """The source files of an object. In a unity build, these are all sources that are compiled together."""
        source = Path(step.inputs[0])
        if source.parent.name == "Unity" and source.is_file():
            return [self.name(name) for name in INCLUDE.findall(source.read_text(encoding="utf-8"))]
        return [self.name(str(source))]

    def label(self, step: Step) -> str:
        sources = self.sources(step) if step.compiles else [self.name(step.outputs[0])]
        more = f" and {len(sources) - 1} more: {', '.join(Path(one).name for one in sources[1:])}"
        return sources[0] + more * (len(sources) > 1)

    @cached_property
    def commands(self) -> dict[str, list[str]]:
        """The compiler command of each output, without launchers such as a compiler cache."""
        commands = [shlex.split(entry["command"]) for entry in json.loads(self.text("compile_commands.json"))]
        plain = [list(dropwhile(is_launcher, words)) for words in commands]
        return {self.absolute(words[words.index("-o") + 1]): words for words in plain}

    def rebuilt(self, file: str) -> list[Step]:
        """All steps that run again if `file` changes, found through inputs and dependency records."""
        users: dict[str, list[Step]] = defaultdict(list)
        for step in self.steps:
            for path in step.headers.union(step.inputs):
                users[path].append(step)
        waiting, found = [file], {}
        while waiting:
            for step in users[waiting.pop()]:
                if id(step) not in found:
                    found[id(step)] = step
                    waiting += step.outputs
        return [step for step in found.values() if step.rule != "phony" and not step.outputs[0].endswith(".util")]

    def cpu_seconds(self, step: Step, include: str | None = None) -> float | None:
        """User and system time of compiling the step's source. With `include`, the time of parsing a file that includes
        only this header. This file is compiled with the options of the step, but without a precompiled header. None if
        this fails."""
        words = list(self.commands.get(step.outputs[0], ["false", "-o", ""]))
        if include is not None:
            words = [word for n, word in enumerate(words) if "-include" not in (word, words[n - 1])]
            words = [word for word in words if word not in ("-c", step.inputs[0])]
            words += ["-w", "-fsyntax-only", "-x", "c" if step.inputs[0].endswith(".c") else "c++", "-"]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        with tempfile.TemporaryDirectory() as folder:
            words[words.index("-o") + 1] = f"{folder}/object.o"
            done = subprocess.run(words, cwd=self.folder, input=f"#include {include}\n", text=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
        return seconds if done.returncode == 0 else None


def header_rows(build: Build, number: int) -> Rows:
    """The `number` most included headers of the project, and the `number` most included library headers."""
    compiled = [step for step in build.steps if step.compiles and step.headers]
    precompiled = {output: step.headers for step in compiled for output in step.outputs if output.endswith(".gch")}
    inclusions: Counter[str] = Counter()
    user: dict[str, Step] = {}
    for step in compiled:
        parsed = step.headers.difference(*(precompiled[used] for used in precompiled.keys() & set(step.inputs)))
        inclusions.update(parsed)
        if step.outputs[0] in build.commands:
            user |= {header: step for header in parsed if header not in user or user[header].inputs[0].endswith(".c")}
    ours = {path for path in user if path.startswith(build.root + "/") and os.path.isfile(path)}
    named = {name for path in ours for name in INCLUDE.findall(Path(path).read_text(encoding="utf-8"))}
    project = {path: f'"{path}"' for path in ours if path.endswith((".h", ".hpp"))}
    tails = {path: path.split("/") for path in user.keys() - ours}
    library = {path: f"<{name}>" for path, parts in tails.items() for n in reversed(range(len(parts)))
               if (name := "/".join(parts[n:])) in named}  # fmt: skip
    rows: Rows = []
    for group in (project, library):
        for path in sorted(group, key=lambda path: (-inclusions[path], path))[:number]:
            each, header = build.cpu_seconds(user[path], group[path]), group[path].replace(build.root + "/", "")
            cpu_s = each and each * inclusions[path]
            rows.append({"cpu_s": cpu_s, "inclusions": inclusions[path], "cpu_s_each": each, "header": header})
    return sorted(rows, key=lambda row: -(row["cpu_s"] or 0))


def seconds(steps: list[Step]) -> dict[str, float | None]:
    wall_s, cpu_s = sum(step.wall_s or 0 for step in steps), sum(step.cpu_s or 0 for step in steps)
    return {"wall_s": wall_s or None, "cpu_s": cpu_s or None}


def module_rows(build: Build, steps: list[Step]) -> Rows:
    by_module: dict[str, list[Step]] = defaultdict(list)
    for step in steps:
        by_module[build.name(step.outputs[0]).split("/")[0]].append(step)
    rows: Rows = []
    for module, own in [*by_module.items(), ("all", steps)]:
        objects = [step for step in own if step.compiles]
        files = sum(len(build.sources(step)) for step in objects)
        rows.append({**seconds(own), "objects": len(objects), "files": files, "module": module})
    return sorted(rows, key=lambda row: (row["module"] == "all", -(row["wall_s"] or 0)))


def table(title: str, rows: Rows) -> str:
    def cell(value: Any) -> str:
        return "-" if value is None else f"{value:.2f}" if isinstance(value, float) else str(value)

    lines = [list(rows[0]), *([cell(value) for value in row.values()] for row in rows)]
    widths = [max(len(line[n]) for line in lines) for n in range(len(lines[0]) - 1)]
    aligned = ("  ".join([*(word.rjust(w) for word, w in zip(line, widths, strict=False)), line[-1]]) for line in lines)
    return "\n".join([title, *("  " + text for text in aligned), ""])


def tables(build: Build, arguments: argparse.Namespace) -> dict[str, Rows]:
    steps = [step for step in build.steps if step.wall_s is not None]
    if arguments.touch:
        names = {os.path.abspath(arguments.touch), os.path.join(build.root, os.path.normpath(arguments.touch))}
        steps = [step for name in names for step in build.rebuilt(name)]
        if not steps:
            raise UnreadableBuildError(f"no step of {build.folder} reads {arguments.touch}")
    steps.sort(key=lambda step: -(step.wall_s or 0))
    objects = [step for step in steps if step.compiles]
    for step in objects[: arguments.measure]:
        step.cpu_s = build.cpu_seconds(step)
    shown = steps if arguments.touch else objects[: max(arguments.top, arguments.measure)]
    rows = [{**seconds([step]), "step": build.label(step)} for step in shown]
    result = {"modules": module_rows(build, steps), "steps": rows}
    if arguments.headers:
        result["headers"] = header_rows(build, arguments.headers)[: arguments.top]
    return result


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("folder", type=Path, help="build folder of the generator Ninja")
    add("--top", type=int, default=20, metavar="N", help="rows of files and of headers (default: 20)")
    add("--measure", type=int, default=0, metavar="N", help="compile the N costliest files once more")
    add("--headers", type=int, default=0, metavar="N", help="parse the N most included headers, ours and others")
    add("--touch", metavar="FILE", help="show the steps that run again after a change of FILE")
    add("--json", action="store_true", help="print JSON")
    arguments = parser.parse_args()
    try:
        result = tables(Build(arguments.folder), arguments)
    except UnreadableBuildError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    text = "\n".join(table(title, rows) for title, rows in result.items() if rows)
    print(json.dumps(result, indent=1) if arguments.json else text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
