"""Runs MPICH's own test programs under real MPICH and as live programs of haichi, and compares the outcomes.

    python3 studies/mpich_suite.py SUITE build/release/cli/haichi [--directories pt2pt,coll] [--only REGEX]

SUITE is the directory test/mpi of MPICH 4.0.2, which is not part of this repository. It is configured for the installed
MPICH (--with-mpi=/usr CC=mpicc.mpich) and built there. A case is one line of a directory's `testlist`, which states the
number of processes. A case passes if it prints "No Errors" and exits with 0. Lines with resultTest=TestStatus or
TestErrFatal pass if the exit code is not 0. The script leaves out lines for extensions (mpix=), and lines that need
more memory than --most-memory. It keeps the outcomes of real MPICH in SUITE/haichi-real-mpich.json, so that MPICH runs
each case once.

Date: 2026-11-24. The fraction of passed cases served to judge added calls and is not published.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

DIRECTORIES = ("pt2pt", "coll", "comm", "topo", "attr", "group", "init", "info", "datatype", "errhan", "rma")
DEFAULT_TIME_LIMIT_SECONDS = 180
"""Time limit under real MPICH, the default of MPICH's own script runtests."""
EXPECTED_FAILURE_SECONDS = 30
"""Time limit under real MPICH for lines with xfail=. Most of these programs hang."""
KEYS = {"arg", "env", "timeLimit", "resultTest", "xfail", "strict", "mpix", "mem", "lock", "init"}
NO_ERRORS = re.compile(r"^\s*No [Ee]rrors\s*$", re.MULTILINE)


@dataclass(frozen=True)
class Case:
    directory: str
    line: str
    program: str
    ranks: int
    arguments: tuple[str, ...]
    environment: tuple[str, ...]
    time_limit_seconds: int
    fails_on_purpose: bool
    expected_failure: str
    memory_gb: float

    @property
    def key(self) -> str:
        return f"{self.directory}/{self.line}"


@dataclass
class Outcome:
    passed: bool
    last_line: str
    """Last line of the output, or the reason why the process ended."""
    cpu_seconds: float
    elapsed_seconds: float


@dataclass
class Tally:
    cases: int = 0
    real: int = 0
    ours: int = 0
    cpu_seconds: float = 0.0
    rest: list[tuple[Case, Outcome]] = field(default_factory=list)
    more: list[Case] = field(default_factory=list)
    """Cases that pass as live programs but not with MPICH."""

    def add(self, other: Tally) -> None:
        self.cases += other.cases
        self.real += other.real
        self.ours += other.ours
        self.cpu_seconds += other.cpu_seconds


def parse_line(directory: str, line: str, file: Path) -> Case | None:
    """Parses a line as MPICH's runtests does. Returns None for a case that runtests would skip."""
    words = line.split()
    if not words or words[0].startswith(("#", "!")):
        return None
    values: dict[str, list[str]] = {}
    for word in words[2:]:
        key, equals, value = word.partition("=")
        if not equals:
            continue  # some lines repeat the program's path
        values.setdefault(key, []).append(value)
    unknown = values.keys() - KEYS
    if unknown:
        raise SystemExit(f"{file}: what is {', '.join(sorted(unknown))} in '{line}'?")
    if values.get("mpix", [""])[0].lower() == "true":
        return None
    return Case(
        directory,
        " ".join(words),
        words[0],
        int(words[1]) if len(words) > 1 else 2,
        tuple(values.get("arg", [])),
        tuple(values.get("env", [])),
        int(values.get("timeLimit", [str(DEFAULT_TIME_LIMIT_SECONDS)])[0]),
        values.get("resultTest", [""])[0] in ("TestStatus", "TestErrFatal"),
        " ".join(values.get("xfail", [])),
        float(values.get("mem", ["0"])[0]),
    )


def read_cases(suite: Path, directory: str) -> list[Case]:
    file = suite / directory / "testlist"
    if not file.is_file():
        raise SystemExit(f"{file}: there is no such list; is {suite} the folder test/mpi of MPICH, configured?")
    cases = [parse_line(directory, line, file) for line in file.read_text().splitlines()]
    return list({case.key: case for case in cases if case is not None}.values())


@contextlib.contextmanager
def whole_job(
    command: list[str], folder: Path, environment: dict[str, str], out: int, err: int
) -> Iterator[subprocess.Popen[bytes]]:
    """Starts a process in its own session. At the end, stops the process and all its children."""
    job = subprocess.Popen(
        command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True
    )
    try:
        yield job
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(job.pid, signal.SIGKILL)


def run(case: Case, launcher: list[str], folder: Path, limit_seconds: float) -> Outcome:
    if not (folder / case.program).is_file():
        return Outcome(False, "(was not built)", 0.0, 0.0)
    environment = dict(os.environ) | {"MPIEXEC_TIMEOUT": str(int(limit_seconds))}
    environment |= dict(pair.partition("=")[::2] for pair in case.environment)
    command = [*launcher, f"./{case.program}", *case.arguments]
    began = time.monotonic()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        with whole_job(command, folder, environment, out.fileno(), err.fileno()) as job:
            ended = 0
            while ended == 0 and time.monotonic() - began < limit_seconds + 5:
                ended, status, usage = os.wait4(job.pid, os.WNOHANG)
                if ended == 0:
                    time.sleep(0.01)
            if ended == 0:
                job.kill()
                _, status, usage = os.wait4(job.pid, 0)
            job.returncode = os.waitstatus_to_exitcode(status)
        elapsed = time.monotonic() - began
        out.seek(0)
        err.seek(0)
        text = out.read().decode(errors="replace")
        errors = [line.strip() for line in err.read().decode(errors="replace").splitlines() if line.strip()]
    lines = [line.strip() for line in text.splitlines() if line.strip()] or errors
    last = lines[-1] if lines else "(nothing)"
    # The first line of a haichi error is the message, and a hint may follow it.
    last = next((line for line in errors if line.startswith("error:")), last)
    cpu = usage.ru_utime + usage.ru_stime
    if elapsed >= limit_seconds:
        return Outcome(False, f"(no end in {limit_seconds:.0f} s) {last}", cpu, elapsed)
    if case.fails_on_purpose:
        return Outcome(job.returncode != 0, last if job.returncode != 0 else f"(exit code 0) {last}", cpu, elapsed)
    passed = NO_ERRORS.search(text) is not None and job.returncode == 0
    if not passed and (job.returncode < 0 or NO_ERRORS.search(text)):
        last = f"(exit code {job.returncode}) {last}"
    return Outcome(passed, last[:300], cpu, elapsed)


def real_outcomes(suite: Path, cases: list[Case], mpiexec: str, again: bool) -> dict[str, Outcome]:
    """Runs the cases under real MPICH. Many processes on few cores are slow, so each outcome is saved immediately."""
    cache = suite / "haichi-real-mpich.json"
    kept = {} if again or not cache.is_file() else json.loads(cache.read_text())
    for case in cases:
        if case.key in kept and kept[case.key]["last_line"] != "(was not built)":
            continue
        limit = EXPECTED_FAILURE_SECONDS if case.expected_failure else case.time_limit_seconds
        outcome = run(case, [mpiexec, "-n", str(case.ranks)], suite / case.directory, limit)
        kept[case.key] = vars(outcome)
        new = cache.with_suffix(".new")
        new.write_text(json.dumps(kept, indent=1))
        new.replace(cache)
        said = "passed" if outcome.passed else outcome.last_line
        print(f"real MPICH: {case.key}: {said}", file=sys.stderr, flush=True)
    return {case.key: Outcome(**kept[case.key]) for case in cases}


def our_outcomes(suite: Path, cases: list[Case], haichi: Path, options: argparse.Namespace) -> dict[str, Outcome]:
    def one(case: Case) -> Outcome:
        launcher = [str(haichi), "simulate", "-m", options.machine, "-n", str(case.ranks)]
        # All cases are linked with helpers for one-sided communication, but few call them. Cases also check data.
        launcher += ["--refused-calls", "late", "--payload", "all", *options.option, "--"]
        return run(case, launcher, suite / case.directory, options.seconds)

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        return dict(zip([case.key for case in cases], pool.map(one, cases), strict=True))


def tally(cases: list[Case], real: dict[str, Outcome], ours: dict[str, Outcome]) -> Tally:
    total = Tally(len(cases))
    for case in cases:
        outcome = ours[case.key]
        total.cpu_seconds += outcome.cpu_seconds
        if not real[case.key].passed:
            total.more += [case] if outcome.passed else []
            continue
        total.real += 1
        if outcome.passed:
            total.ours += 1
        else:
            total.rest.append((case, outcome))
    return total


def row(name: str, one: Tally) -> str:
    share = f"{100 * one.ours / one.real:.1f} %" if one.real else "-"
    return f"| {name} | {one.cases} | {one.real} | {one.ours} | {share} | {one.cpu_seconds:.1f} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suite", type=Path)
    parser.add_argument("haichi", type=Path, nargs="?", help="without it, only real MPICH runs")
    parser.add_argument("--directories", default=",".join(DIRECTORIES))
    parser.add_argument("--only", default="", help="cases whose directory/line this regular expression finds")
    parser.add_argument("--machine", default="torus:4x4x8")
    parser.add_argument(
        "--option", action="append", default=[], help="--option=WORD: for haichi simulate; may be repeated"
    )
    parser.add_argument("--seconds", type=float, default=60, help="for a case of ours")
    parser.add_argument("--jobs", type=int, default=1, help="cases of ours at once")
    parser.add_argument("--most-memory", type=float, default=4, help="GB that a line may ask for by mem=")
    parser.add_argument("--mpiexec", default="mpiexec.mpich")
    parser.add_argument("--again", action="store_true", help="run real MPICH anew")
    parser.add_argument("--json", type=Path, help="write all outcomes there")
    options = parser.parse_args()

    suite = options.suite.resolve()
    haichi = options.haichi.resolve() if options.haichi else None
    kept = re.compile(options.only)
    tallies: dict[str, Tally] = {}
    written: dict[str, dict[str, object]] = {}
    for directory in options.directories.split(","):
        cases = [case for case in read_cases(suite, directory) if kept.search(case.key)]
        cases = [case for case in cases if case.memory_gb <= options.most_memory]
        real = real_outcomes(suite, cases, options.mpiexec, options.again)
        if haichi is None:
            passed = sum(outcome.passed for outcome in real.values())
            print(f"{directory}: {len(cases)} cases, real MPICH passes {passed}", flush=True)
            continue
        ours = our_outcomes(suite, cases, haichi, options)
        tallies[directory] = tally(cases, real, ours)
        written |= {key: {"real": vars(real[key]), "ours": vars(ours[key])} for key in ours}
        print(f"{directory}: {tallies[directory].ours} of {tallies[directory].real}", file=sys.stderr, flush=True)
    if haichi is None:
        return
    if options.json:
        options.json.write_text(json.dumps(written, indent=1))

    print("| directory | cases | real MPICH passes | ours, of these | share | CPU s |\n|---|---|---|---|---|---|")
    total = Tally()
    for directory, one in tallies.items():
        print(row(directory, one))
        total.add(one)
    print(row("all", total))
    for directory, one in tallies.items():
        if one.rest:
            print(f"\n{directory}: passed by real MPICH, not by ours")
        for case, outcome in one.rest:
            print(f"  {case.line}: {outcome.last_line}")
        if one.more:
            lines = ", ".join(c.line for c in one.more)
            print(f"{directory}: pass under haichi, but fail under the real MPICH of this machine: {lines}")


if __name__ == "__main__":
    main()
