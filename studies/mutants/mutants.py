"""Makes random changes in the C++ code and reports the tests that notice them.

    python3 studies/mutants/mutants.py BUILD [--seed 33] [--count 40] [--only K,K] [--then REGEX] [--json FILE]

BUILD is a complete build directory with the tests (preset dev). A mutant is one changed operator or constant, or two
swapped arguments or statements. Each module gets the same number of mutants. Within a module, the script cycles
through the kinds of changes in random order. The seed and the sources alone determine the mutants. Headers that more
than 12 objects include are left out. If a mutant does not compile, the next one of its module replaces it.

The script compiles the mutated source with -O1 and without warnings. Its functions replace those of the batch (several
sources in one object) that contains the source. This works because position-independent code does not inline functions
of other sources. For a header, the script compiles the batches that include it. Then everything that contains such an
object is linked again. The test programs of the module run first, then the other test programs, then the tests of
--then. Sources and objects are restored at the end, even after Ctrl-C.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
from build_cost import Build, Step  # noqa: E402

# Source directories of each module.
MODULES = {
    "base": ["base"],
    "netmodel": ["netmodel"],
    "collectives": ["collectives"],
    "commlog": ["commlog/workload", "commlog/readers", "commlog/log", "commlog/ccs", "commlog/nas"],
    "mgen": ["mgen"],
    "objectives": ["objectives"],
    "mapper": ["mapper"],
    "options": ["options"],
}
MOST_OBJECTS = 12

# Kind of change, pattern of code, and its replacement.
CHANGES: list[tuple[str, str, str]] = [
    ("comparison", r" < (?=[\w(])", " <= "),
    ("comparison", r" <= ", " < "),
    ("comparison", r" > (?=[\w(])", " >= "),
    ("comparison", r" >= ", " > "),
    ("equality", r" == ", " != "),
    ("equality", r" != ", " == "),
    ("logic", r" && ", " || "),
    ("logic", r" \|\| ", " && "),
    ("arithmetic", r" \+ (?=[\w(])", " - "),
    ("arithmetic", r" - (?=[\w(])", " + "),
    ("arithmetic", r" \+= ", " -= "),
    ("increment", r"\+\+(?=\w)", "--"),
    ("increment", r"(?<=\w)\+\+", "--"),
    ("increment", r"--(?=\w)", "++"),
    ("constant", r"(?<![\w.\"'])([0-9]+)(?![\w.\"'])", "+1"),
    ("constant", r"(?<![\w.\"'])([1-9][0-9]*)(?![\w.\"'])", "-1"),
    ("bound", r"\bstd::min\(", "std::max("),
    ("bound", r"\bstd::max\(", "std::min("),
    ("arguments", r"(?<!std::max)(?<!std::min)\((\w+), (\w+)\)", "swapped"),
]
SKIPPED_LINE = re.compile(
    r"^\s*(//|#|template\b|static_assert\b|using\b|\*|namespace\b|friend\b)|<<|\boperator\b|\bsteady_clock"
)
STATEMENT = re.compile(
    r"^(\s+)(?!return\b|break\b|continue\b|case\b|throw\b|\})\S.*\(.*\);$|^(\s+)[\w.\[\]>-]+ [-+*/]?= .*;$"
)


@dataclass
class Mutant:
    number: int
    module: str
    kind: str
    file: str
    line: int
    before: str
    after: str
    verdict: str = "not run"
    caught_by: str = ""
    seconds: float = 0.0


@dataclass
class Place:
    file: Path
    line: int  #: from 1
    kind: str
    before: list[str]
    after: list[str]


def masked(line: str) -> str:
    """Blanks out strings and comments, so that mutants do not change them."""
    line = re.sub(r'"(\\.|[^"\\])*"', lambda text: '"' + "_" * (len(text[0]) - 2) + '"', line)
    return re.sub(r"//.*", lambda text: " " * len(text[0]), line)


def changed(line: str, match: re.Match[str], kind: str, replacement: str) -> str:
    if kind == "constant":
        replacement = str(int(match[1]) + int(replacement))
    elif replacement == "swapped":
        replacement = f"({match[2]}, {match[1]})"
    return line[: match.start()] + replacement + line[match.end() :]


def places_of_file(file: Path) -> Iterator[Place]:
    lines = file.read_text().splitlines()
    for number, line in enumerate(lines, 1):
        if SKIPPED_LINE.search(line):
            continue
        code = masked(line)
        for kind, pattern, replacement in CHANGES:
            for match in re.finditer(pattern, code):
                after = changed(line, match, kind, replacement)
                if after != line:
                    yield Place(file, number, kind, [line], [after])
        pair = lines[number - 1 : number + 1]
        statements = [STATEMENT.match(one) for one in pair]
        if len(pair) == 2 and all(statements) and len({re.match(r"\s*", one)[0] for one in pair}) == 1:  # type: ignore[index]
            yield Place(file, number, "statements", pair, pair[::-1])


def drawn_places(module: str, draw: random.Random) -> list[Place]:
    """Returns every possible mutant of a module. The kinds of changes alternate."""
    kinds: dict[str, list[Place]] = defaultdict(list)
    for folder in MODULES[module]:
        for file in sorted((ROOT / folder).rglob("*")):
            if file.suffix in {".cc", ".h"} and "generated" not in file.name:
                for place in places_of_file(file):
                    kinds[place.kind].append(place)
    turns = [draw.sample(kinds[kind], len(kinds[kind])) for kind in draw.sample(sorted(kinds), len(kinds))]
    return [one[n] for n in range(max(map(len, turns))) for one in turns if n < len(one)]


class Objects:
    """Objects of a build directory. Objects of a mutant can replace the original ones."""

    def __init__(self, build: Build, kept: Path) -> None:
        self.build, self.kept = build, kept
        self.swapped: dict[Path, Path] = {}

    def readers(self, file: Path) -> list[Step]:
        steps = [step for step in self.build.steps if step.compiles and "/studies/" not in step.outputs[0]]
        return [step for step in steps if str(file) in step.headers.union(step.inputs)]

    def replace(self, steps: list[Step], file: Path) -> bool:
        """Compiles the objects from the present sources. Returns False on a compiler error."""
        for number, step in enumerate(steps):
            words = list(self.build.commands[step.outputs[0]])
            compiled = str(self.kept / f"mutant{number}.o")
            words[words.index("-o") + 1] = compiled
            single = file.suffix == ".cc" and step.inputs[0] != str(file)
            if single:
                words[words.index(step.inputs[0])] = str(file)
            if subprocess.run([*words, "-O1", "-w"], cwd=self.build.folder, capture_output=True).returncode != 0:
                return False
            if single:
                os.rename(compiled, f"{compiled}.single")
                link = ["ld", "-r", "-z", "muldefs", "-o", compiled, f"{compiled}.single", step.outputs[0]]
                subprocess.run(link, check=True, cwd=self.build.folder)
        for number, step in enumerate(steps):
            path, original = Path(step.outputs[0]), self.kept / f"original{number}.o"
            shutil.copy2(path, original)
            self.swapped[path] = original
            self.put(self.kept / f"mutant{number}.o", path, original)
        return True

    def put(self, source: Path, path: Path, original: Path) -> None:
        """Keeps the object's modification time, so that Ninja does not compile it. Removes files that contain it."""
        path.unlink()
        shutil.copy(source, path)
        shutil.copystat(original, path)
        for step in self.build.steps:
            if str(path) in step.inputs and not step.compiles and step.rule != "phony":
                for output in filter(os.path.isfile, step.outputs):
                    os.unlink(output)

    def restore(self) -> None:
        for path, original in self.swapped.items():
            self.put(original, path, original)
        self.swapped = {}


class Tests:
    """Builds and runs the test programs."""

    def __init__(self, build: Build) -> None:
        self.build, self.log = build, build.folder / "mutants.log"
        command = ["ctest", "--test-dir", str(build.folder), "--show-only=json-v1", "-LE", "slow|tidy"]
        shown = subprocess.run(command, check=True, capture_output=True, text=True)
        self.of_program: dict[str, list[str]] = defaultdict(list)
        self.labels: dict[str, list[str]] = {}
        for test in json.loads(shown.stdout)["tests"]:
            program = test["command"][0]
            if program.startswith(f"{build.folder}/tests/"):
                self.of_program[program].append(test["name"])
                self.labels[program] = next(one["value"] for one in test["properties"] if one["name"] == "LABELS")

    def run(self, command: list[str], limit_s: float) -> tuple[int, str]:
        environment = {**os.environ, "GTEST_FAIL_FAST": "1", "PYTEST_ADDOPTS": "-x"}
        with self.log.open("w") as output:
            try:
                status = subprocess.run(
                    command, cwd=ROOT, stdout=output, stderr=subprocess.STDOUT, timeout=limit_s, env=environment
                ).returncode
            except subprocess.TimeoutExpired:
                status = -1
        return status, self.log.read_text(errors="replace")

    def failure(self, names: str, targets: list[str]) -> str:
        """Links the targets and runs the tests. Returns the first failure, or an empty string."""
        folder = str(self.build.folder)
        status, text = self.run(["ninja", "-j1", "-C", folder, *targets], 3600)
        if status != 0:
            return "build: " + text.strip()[-200:]
        words = ["--stop-on-failure", "--output-on-failure", "--timeout", "900", "-j1", "-LE", "slow|tidy", "-FA", "."]
        status, text = self.run(["ctest", "--test-dir", folder, *words, "-R", names], 7200)
        if status == 0:
            return ""
        test = re.search(r"^\s*\d+ - (\S+) \((\w+)", text, re.M)
        case = re.search(r"^\s*\[  FAILED  \] ([^\s,]+)|^FAILED (\S+)", text, re.M)
        return (f"{test[1]} {test[2]}" if test else "did not end") + (f": {case[1] or case[2]}" if case else "")

    def first_failure(self, mutant: Mutant, readers: list[Step], own: bool, then: str) -> str:
        """Returns the first failure. The module's test programs run first, then the others, then the tests `then`."""
        changed = {output for step in readers for one in step.outputs for later in self.build.rebuilt(one)
                   for output in later.outputs}  # fmt: skip
        programs = [program for program in self.of_program if program in changed]
        for program in sorted(programs, key=lambda one: mutant.module not in self.labels[one]):
            if own and mutant.module not in self.labels[program]:
                continue
            names = "|".join(map(re.escape, self.of_program[program]))
            if caught := self.failure(f"^({names})$", [os.path.relpath(program, self.build.folder)]):
                return caught
        return self.failure(then, []) if then else ""


def judge(mutant: Mutant, place: Place, objects: Objects, tests: Tests | None, options: argparse.Namespace) -> None:
    """Compiles a mutant, runs the tests on it and sets its verdict. Without `tests`, only compiles the mutant."""
    began = time.monotonic()
    readers = objects.readers(place.file)
    text, times = place.file.read_text(), place.file.stat()
    lines = text.splitlines(keepends=True)
    lines[place.line - 1 : place.line - 1 + len(place.before)] = [one + "\n" for one in place.after]
    try:
        try:
            place.file.write_text("".join(lines))
            compiled = objects.replace(readers, place.file)
        finally:
            place.file.write_text(text)
            os.utime(place.file, ns=(times.st_atime_ns, times.st_mtime_ns))
        if not compiled:
            mutant.verdict = "does not compile"
            return
        if tests:
            mutant.caught_by = tests.first_failure(mutant, readers, options.own, options.then)
            mutant.verdict = "caught" if mutant.caught_by else "survived"
    finally:
        objects.restore()
        mutant.seconds = round(time.monotonic() - began, 1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("--seed", type=int, default=33)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--only", default="", help="numbers of the mutants to run, as in 3,17; default: all")
    parser.add_argument("--then", default="", metavar="REGEX", help="other tests, of survivors; default: none")
    parser.add_argument("--own", action="store_true", help="skip the test programs of the other modules")
    parser.add_argument("--list", action="store_true", help="print the first candidates and run nothing")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()

    only = {int(number) for number in options.only.split(",") if number}
    build = Build(options.build)
    draw = random.Random(options.seed)
    candidates = {module: iter(drawn_places(module, draw)) for module in MODULES}
    done: list[Mutant] = []
    with tempfile.TemporaryDirectory() as kept:
        objects, tests = Objects(build, Path(kept)), Tests(build)
        for number in range(1, options.count + 1):
            is_run = not only or number in only
            mutant = next_mutant(number, options, candidates, objects, tests if is_run else None)
            if not is_run:
                continue
            print(
                f"{number:3} {mutant.verdict:9} {mutant.file}:{mutant.line}: {mutant.before}  ->  {mutant.after}"
                f"  [{mutant.kind}; {mutant.caught_by}, {mutant.seconds} s]",
                flush=True,
            )
            done.append(mutant)
            if options.json:
                options.json.write_text(json.dumps([asdict(one) for one in done], indent=1))
    survived = sum(mutant.verdict == "survived" for mutant in done)
    sys.exit(f"{survived} of {len(done)} survived" if survived else 0)


def next_mutant(
    number: int,
    options: argparse.Namespace,
    candidates: dict[str, Iterator[Place]],
    objects: Objects,
    tests: Tests | None,
) -> Mutant:
    """Returns the next mutant that compiles."""
    module = list(MODULES)[(number - 1) * len(MODULES) // options.count]
    for place in candidates[module]:
        if not 0 < len(objects.readers(place.file)) <= MOST_OBJECTS:
            continue
        before, after = ("; ".join(one.strip() for one in lines) for lines in (place.before, place.after))
        mutant = Mutant(number, module, place.kind, str(place.file.relative_to(ROOT)), place.line, before, after)
        if not options.list:
            judge(mutant, place, objects, tests, options)
        if mutant.verdict != "does not compile":
            return mutant
    raise RuntimeError(f"no mutant of {module} compiles")


if __name__ == "__main__":
    main()
