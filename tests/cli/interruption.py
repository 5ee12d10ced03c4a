"""Interrupts every command that writes a file at random moments, and checks that no partial output remains.

    HAICHI_BIN=... HAICHI_SAMPLE_LOG=... python3 tests/cli/interruption.py [--moments N] [--seed N]

The script prints a table and exits with 1 if a check failed. tests/cli/test_cli_interruption.py tests a few moments.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from haichi_program import BIN, JOB, QUICK, succeed
from sample_logs import sample

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
OLD = "what was there before\n"
LONG_SEARCH = ["--objective", "hop-bytes", "--evaluations", "99999999999"]


def is_map(path: Path) -> bool:
    return path.read_text().count("\n") == 64


def is_json(path: Path) -> bool:
    return isinstance(json.loads(path.read_text()), dict)


def is_page(path: Path) -> bool:
    return path.read_text().rstrip().endswith("</html>")


def is_robust_map(path: Path) -> bool:
    return path.read_text().count(")\n") == 64


def is_picture(path: Path) -> bool:
    content = path.read_bytes()
    return content.startswith(b"\x89PNG") and content.endswith(b"IEND\xaeB`\x82") or content.endswith(b"</svg>\n")


def is_text(path: Path) -> bool:
    return path.read_text().endswith("\n")


@dataclass(frozen=True)
class Case:
    """A command. `wholes` maps output names to checks of their content. `streams` are outputs written during the run.
    `leftovers` are files that may remain after an interruption."""

    name: str
    arguments: list[str]
    wholes: dict[str, Callable[[Path], bool]]
    streams: list[str] = field(default_factory=list)
    leftovers: list[str] = field(default_factory=list)
    longest: float = 0.8
    """The signal comes within this number of seconds, even if the run is longer."""


CASES = [
    Case("map", ["map", *JOB, "-w", "cg64.json", *LONG_SEARCH, "-o", "a.map"], {"a.map": is_map}),
    Case(
        "map --shapes",
        [
            "map",
            *JOB[:2],
            "-w",
            "cg64.json",
            *LONG_SEARCH,
            "--shapes",
            "1x2x4x2x3x2,2x2x2x2x3x2",
            "-o",
            "a-{shape}.map",
        ],
        {"a-1x2x4x2x3x2.map": is_map, "a-2x2x2x2x3x2.map": is_map},
    ),
    Case(
        "map --robust",
        [
            *["map", *JOB[:2], "-w", "cg64.json", *LONG_SEARCH, "--shapes", "1x2x4x2x3x2,2x2x2x2x3x2"],
            *["--robust", "max", "-o", "a.map"],
        ],
        {"a.map": is_robust_map},
    ),
    Case(
        "simulate",
        [
            *["simulate", *JOB, "-w", "cg64.json", "--sim-iterations", "all", "--json", "-o", "a.json"],
            *["--stats", "a.csv", "--buffer-history", "b.csv", "--router", "0"],
        ],
        {"a.json": is_json},
        streams=["a.csv", "b.csv"],
    ),
    Case("ccs", ["ccs", "big.haichi-log", "-o", "a.json"], {"a.json": is_json}),
    Case("log show --html", ["log", "show", "pairs.haichi-log", "--html", "a.html"], {"a.html": is_page}),
    Case("log convert", ["log", "convert", "pairs.haichi-log", "-t", "json", "-o", "a.json"], {"a.json": is_json}),
    Case("pattern", ["pattern", "alltoall-pairwise", "--ranks", "500", "-o", "a.json"], {"a.json": is_json}),
    Case("convert", ["convert", *JOB, "--map", "cg64.map", "-t", "json", "-o", "a.json"], {"a.json": is_json}),
    Case(
        "advise shape",
        ["advise", "shape", *JOB[:2], "-w", "cg64.json", "--node-count", "96", "--json", "-o", "a.json"],
        {"a.json": is_json},
    ),
    Case(
        "advise barrier",
        ["advise", "barrier", *JOB, "-w", "cg64.json", "--json", "-o", "a.json"],
        {"a.json": is_json},
    ),
    Case(
        "advise spread",
        ["advise", "spread", "-m", "two-clusters:2,0ms,64", "-w", "cg64.json", "--json", "-o", "a.json"],
        {"a.json": is_json},
    ),
    Case(
        "advise rails",
        ["advise", "rails", "rails=1:pairs.haichi-log", "rails=2:ring.haichi-log", "-o", "a.txt"],
        {"a.txt": is_text},
    ),
]

PYTHON_CASES = [
    Case(
        "compare",
        [
            *["compare", *JOB[:2], "-w", "cg64.json", "--shapes", "1x2x4x2x3x2", "--strategies", "default,random"],
            *["--seeds", "400", "-o", "a.json", "-o", "a.csv", "-o", "a.html"],
        ],
        {"a.json": is_json, "a.csv": is_text, "a.html": is_page},
        leftovers=["a.json.journal"],
        longest=3,
    ),
    Case("report", ["report", "results.json", "-o", "a.html"], {"a.html": is_page}, longest=3),
    Case(
        "report --figures",
        ["report", "results.json", "-o", "a.html", "--figures", "figures"],
        {"a.html": is_page}
        | {f"figures/{name}.{kind}": is_picture for name in ("strategies", "link-loads") for kind in ("svg", "png")},
        longest=5,
    ),
]


def has_python() -> bool:
    return subprocess.run([BIN, "compare", "--help"], capture_output=True, timeout=120).returncode == 0


def make_inputs(folder: Path, *, python: bool) -> None:
    succeed("pattern", "cg", "--ranks", 64, "-o", "cg64.json", cwd=folder)
    succeed("map", *JOB, "-w", "cg64.json", *QUICK, "-o", "cg64.map", cwd=folder)
    sample("ring", 300, folder / "big.haichi-log")
    sample("ring", 16, folder / "ring.haichi-log")
    sample("all-pairs", 300, folder / "pairs.haichi-log")
    if python:
        shape = ["--shapes", JOB[3], "--strategies", "default,random", "--seeds", 2]
        succeed("compare", *JOB[:2], "-w", "cg64.json", *shape, "-o", "results.json", cwd=folder)
        succeed("report", "results.json", "--figures", "figures", cwd=folder)


def start(case: Case, folder: Path) -> subprocess.Popen[bytes]:
    def as_from_a_terminal() -> None:
        for number in SIGNALS:
            signal.signal(number, signal.SIG_DFL)

    return subprocess.Popen(
        [BIN, *case.arguments],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        preexec_fn=as_from_a_terminal,
    )


def wait_for_begin(run: subprocess.Popen[bytes]) -> None:
    """Waits until the program handles signals. Before that, a signal ends it like any other process."""
    taken = sum(1 << (number - 1) for number in SIGNALS)
    while run.poll() is None:
        status = Path(f"/proc/{run.pid}/status").read_text()
        if int(status.split("SigBlk:")[1].split()[0], 16) & taken == taken:
            return
        time.sleep(0.0005)


def seconds_of(case: Case, folder: Path) -> float:
    """Duration of the run, at most `longest`."""
    run = start(case, folder)
    wait_for_begin(run)
    begin = time.monotonic()
    try:
        run.wait(case.longest)
    except subprocess.TimeoutExpired:
        run.kill()
    run.communicate()
    return min(time.monotonic() - begin, case.longest)


@dataclass
class Outcome:
    code: int
    what: str  # "old" or "new"
    wrong: list[str]


def files_in(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def interrupt(case: Case, folder: Path, number: signal.Signals, after: float, *, twice: bool = False) -> Outcome:
    """Interrupts the command in `folder`, which contains its inputs and old outputs, and checks the remaining files."""
    for name in case.leftovers:
        (folder / name).unlink(missing_ok=True)
    for name in [*case.wholes, *case.streams]:
        (folder / name).write_text(OLD)
    before = files_in(folder)
    run = start(case, folder)
    wait_for_begin(run)
    time.sleep(after)
    run.send_signal(number)
    if twice:
        time.sleep(0.005)
        run.send_signal(number)
    wrong = []
    try:
        _, words = run.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        run.kill()
        words = run.communicate()[1]
        wrong.append("does not end")
    if run.returncode not in (0, 130):
        wrong.append(f"exit code {run.returncode}: {words.decode(errors='replace')[-500:]}")
    left = files_in(folder) - before - set(case.leftovers)
    wrong += [f"left {name}" for name in sorted(left)]
    states = []
    for name, is_whole in case.wholes.items():
        path = folder / name
        is_old = path.read_bytes() == OLD.encode()
        states.append("old" if is_old else "new")
        try:
            if not is_old and not is_whole(path):
                wrong.append(f"{name} is not whole")
        except ValueError as error:
            wrong.append(f"{name} is not whole: {error}")
    for name in case.streams:
        text = (folder / name).read_text()
        if text and not text.endswith("\n"):
            wrong.append(f"{name} ends within a line")
    if len(set(states)) > 1:
        wrong.append(f"some outputs are old and some new: {states}")
    for path in left:
        (folder / path).unlink()
    return Outcome(run.returncode, "new" if "new" in states else "old", wrong)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--moments", type=int, default=20, help="of each command and signal (default: 20)")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    moment = random.Random(options.seed)
    folder = Path(tempfile.mkdtemp(prefix="haichi-interruption-"))
    is_right = True
    try:
        python = has_python()
        make_inputs(folder, python=python)
        print(f"{'command':<16} {'signal':<8} {'runs':>4} {'130':>4} {'done':>4} {'old':>4} {'new':>4}  wrong")
        for case in [*CASES, *(PYTHON_CASES if python else [])]:
            seconds = seconds_of(case, folder)
            for number in SIGNALS:
                outcomes = [
                    interrupt(case, folder, number, moment.uniform(0, 1.1 * seconds)) for _ in range(options.moments)
                ]
                codes = Counter(outcome.code for outcome in outcomes)
                states = Counter(outcome.what for outcome in outcomes)
                wrong = [text for outcome in outcomes for text in outcome.wrong]
                is_right = is_right and not wrong
                print(
                    f"{case.name:<16} {number.name:<8} {len(outcomes):>4} {codes[130]:>4} {codes[0]:>4}"
                    f" {states['old']:>4} {states['new']:>4}  {'; '.join(wrong) or '-'}",
                    flush=True,
                )
        if not python:
            print("compare and report: not tried, the program's Python has no package haichi")
    finally:
        shutil.rmtree(folder)
    return 0 if is_right else 1


if __name__ == "__main__":
    sys.exit(main())
