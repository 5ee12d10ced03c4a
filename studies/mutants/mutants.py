"""Makes random changes in the C++ code and reports the tests that notice them.

    python3 studies/mutants/mutants.py BUILD [--seed 33] [--count 40] [--only K,K] [--then REGEX] [--json FILE]

BUILD is a configured build directory with the tests (preset dev). A mutant is one changed operator, one added constant,
or two swapped arguments in a line of C++ of one module. The modules take turns, and the seed and the sources alone
determine the lines. Each mutant is compiled with the module's tests, which run first. Then the other fast tests (or the
tests that --then names) run until one fails. If a mutant does not compile, the next one of its module replaces it.
The source file is restored at the end, even after Ctrl-C.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# Directories of each module with code of the program.
MODULES = {
    "base": ["base"],
    "netmodel": ["netmodel"],
    "collectives": ["collectives"],
    "commlog": ["commlog/workload", "commlog/readers", "commlog/log", "commlog/ccs"],
    "mgen": ["mgen"],
    "objectives": ["objectives"],
    "mapper": ["mapper"],
}

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
    ("constant", r"(?<![\w.\"'])([0-9]+)(?![\w.\"'])", "+1"),
    ("order", r"\bstd::min\(", "std::max("),
    ("order", r"\bstd::max\(", "std::min("),
    ("order", r"(?<!std::max)(?<!std::min)\((\w+), (\w+)\)", "swapped"),
]
SKIPPED_LINE = re.compile(
    r"^\s*(//|#|template\b|static_assert\b|using\b|\*|namespace\b|friend\b)|<<|\boperator\b|\bsteady_clock"
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


def masked(line: str) -> str:
    """The line with blanks in place of strings and comments, so that mutants do not change them."""
    line = re.sub(r'"(\\.|[^"\\])*"', lambda text: '"' + "_" * (len(text[0]) - 2) + '"', line)
    return re.sub(r"//.*", lambda text: " " * len(text[0]), line)


def changed(line: str, match: re.Match[str], kind: str, replacement: str) -> str:
    if kind == "constant":
        replacement = str(int(match[1]) + 1)
    elif replacement == "swapped":
        replacement = f"({match[2]}, {match[1]})"
    return line[: match.start()] + replacement + line[match.end() :]


def places(module: str) -> list[tuple[Path, int, str, str]]:
    """Every possible mutant of a module: file, line, kind, and the line after the change."""
    found = []
    for folder in MODULES[module]:
        for file in sorted((ROOT / folder).rglob("*")):
            if file.suffix not in {".cc", ".h"} or "generated" in file.name:
                continue
            for number, line in enumerate(file.read_text().splitlines(), 1):
                if SKIPPED_LINE.search(line):
                    continue
                code = masked(line)
                for kind, pattern, replacement in CHANGES:
                    for match in re.finditer(pattern, code):
                        after = changed(line, match, kind, replacement)
                        if after != line:
                            found.append((file, number, kind, after))
    return found


def run(command: list[str], log: Path, limit: float) -> tuple[int, str]:
    with log.open("w") as output:
        try:
            status = subprocess.run(
                command, cwd=ROOT, stdout=output, stderr=subprocess.STDOUT, timeout=limit
            ).returncode
        except subprocess.TimeoutExpired:
            status = -1
    return status, log.read_text(errors="replace")


def first_failure(text: str) -> str:
    failed = re.search(r"^\s*\d+ - (\S+) \((?:Failed|Timeout|SEGFAULT|.*)\)", text, re.M)
    return failed[1] if failed else "did not end"


def judge(mutant: Mutant, build: Path, log: Path, then: str) -> None:
    """Builds the mutant and runs the tests of its module, then the other tests."""
    began = time.monotonic()
    status, _ = run(["ninja", "-C", str(build)], log, 1800)
    if status != 0:
        mutant.verdict = "does not compile"
        return
    common = ["ctest", "--test-dir", str(build), "--stop-on-failure", "--timeout", "300", "-j2", "-LE", "slow|tidy"]
    mutant.verdict = "survived"
    for selection in (["-L", f"^{mutant.module}$"], ["-LE", f"^{mutant.module}$", "-R", then]):
        status, text = run([*common, *selection], log, 3600)
        if status != 0:
            mutant.verdict, mutant.caught_by = "caught", first_failure(text)
            break
    mutant.seconds = round(time.monotonic() - began, 1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("--seed", type=int, default=33)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--only", default="", help="numbers of the mutants to run, as in 3,17; default: all")
    parser.add_argument("--then", default=".", metavar="REGEX", help="tests that run after the module's; default: all")
    parser.add_argument("--list", action="store_true", help="print the mutants and run nothing")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()

    chosen = random.Random(options.seed)
    candidates = {module: chosen.sample(found, len(found)) for module in MODULES if (found := places(module))}
    only = {int(number) for number in options.only.split(",") if number}
    done: list[Mutant] = []
    log = options.build / "mutants.log"
    for number in range(1, options.count + 1):
        module = list(MODULES)[(number - 1) % len(MODULES)]
        while candidates[module]:
            file, line, kind, after = candidates[module].pop()
            text = file.read_text()
            lines = text.splitlines(keepends=True)
            mutant = Mutant(
                number, module, kind, str(file.relative_to(ROOT)), line, lines[line - 1].strip(), after.strip()
            )
            if not options.list and (not only or number in only):
                lines[line - 1] = after + "\n"
                try:
                    file.write_text("".join(lines))
                    judge(mutant, options.build, log, options.then)
                finally:
                    file.write_text(text)
            if mutant.verdict != "does not compile":
                break
        print(
            f"{number:3} {mutant.verdict:9} {mutant.file}:{mutant.line}: {mutant.before}  ->  {mutant.after}"
            f"  [{mutant.caught_by}, {mutant.seconds} s]",
            flush=True,
        )
        done.append(mutant)
        if options.json:
            options.json.write_text(json.dumps([asdict(one) for one in done], indent=1))
    survived = sum(mutant.verdict == "survived" for mutant in done)
    sys.exit(f"{survived} of {len(done)} survived" if survived else 0)


if __name__ == "__main__":
    main()
