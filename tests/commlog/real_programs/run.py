"""Runs the real programs under the profiler (Open MPI), extracts their communication sets, compares them with what was
read from the sources, and writes a table.

    run.py --programs DIRECTORY --logs DIRECTORY [--page README.md] [--only NAME ...] [--ranks N ...] [--reuse]

--programs has the mini-applications (README.md). Missing programs are omitted. --page replaces the table of
results of that page. --reuse extracts again from the logs in the directory of --logs."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from comparison import Comparison, compare
from expected import EXPECTED
from programs import PROGRAMS, Program
from rules import Sets

HERE = Path(__file__).parent
ENVIRONMENT = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_btl": "self,vader",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
    "OMP_NUM_THREADS": "1",
    "WM_PROJECT_DIR": "/usr/share/openfoam",
}


MOST_KERNELS = 8


@dataclass(frozen=True)
class Row:
    program: Program
    ranks: int
    report: dict | None  # report of haichi ccs, or None if it refused
    comparison: Comparison | None
    offered: tuple[dict, Comparison] | None  # by another --main-loop, if that result agrees
    refusal: str = ""


def run_profiled(program: Program, ranks: int, settings: argparse.Namespace, place: Path) -> Path:
    """Runs the program in an empty directory and returns its log."""
    shutil.rmtree(place, ignore_errors=True)
    for name, text in program.inputs(ranks).items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(text)
    place.mkdir(parents=True, exist_ok=True)
    environment = os.environ | ENVIRONMENT
    for command in program.before:
        subprocess.run([command], cwd=place, env=environment, check=True, stdout=subprocess.DEVNULL)
    executable = program.find(ranks, settings.programs)
    arguments = [str(a).replace("{programs}", str(settings.programs)) for a in program.arguments(ranks)]
    environment |= {
        "LD_PRELOAD": f"{settings.profiler}:{settings.logs / 'patient_yield.so'}",
        "HAICHI_PROF": f"file={place / 'log'}",
    }
    run = subprocess.run(
        ["mpiexec.openmpi", "--oversubscribe", "-n", str(ranks), str(executable), *arguments],
        cwd=place,
        env=environment,
        capture_output=True,
        text=True,
        timeout=1200,
    )
    if run.returncode != 0:
        raise RuntimeError(f"{program.name} on {ranks} ranks: {run.stdout[-1000:]}{run.stderr[-2000:]}")
    return place / "log.haichi-log"


def extract(log: Path, haichi: Path, *options: object) -> tuple[dict, Sets]:
    """Returns the report and the sets. Raises RuntimeError with the program's message if it refuses."""
    sets_file = log.with_name("sets.json")
    command = [haichi, "ccs", log, "--json", "-o", sets_file, *map(str, options)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=1200)
    if run.returncode != 0:
        raise RuntimeError(run.stderr.strip())
    sets = [[tuple(message) for message in s["messages"]] for s in json.loads(sets_file.read_text())["sets"]]
    return json.loads(run.stdout), sets


def judge(program: Program, ranks: int, log: Path, haichi: Path) -> Row:
    function, _ = EXPECTED[program.name]
    expectations = function(ranks)
    try:
        report, sets = extract(log, haichi)
    except RuntimeError as refusal:
        return Row(program, ranks, None, None, None, str(refusal))
    comparison = compare(expectations, sets)
    for main_loop in range(1, 1 + min(MOST_KERNELS, len(report["main_loops"]))):
        if comparison.agrees:
            break
        if main_loop != report["main_loop"]:
            try:
                other_report, other_sets = extract(log, haichi, "--main-loop", main_loop)
            except RuntimeError:
                continue
            other = compare(expectations, other_sets)
            if other.agrees:
                return Row(program, ranks, report, comparison, (other_report, other))
    return Row(program, ranks, report, comparison, None)


KINDS = {
    "equal": "yes",
    "rotated": "yes; begins elsewhere in the iteration",
    "other order": "no: the same sets, in another order",
    "same messages": "no: the same messages, in other sets",
    "several iterations": "no: several iterations as one",
    "same pairs": "no: the same ranks, other sizes",
    "different": "no",
}


def note(row: Row) -> str:
    notes = json.loads((HERE / "differences.json").read_text())
    return notes.get(f"{row.program.name} {row.ranks}", notes.get(row.program.name, ""))


def verdict(row: Row) -> str:
    if row.comparison is None:
        return f"refused: {row.refusal.splitlines()[0]}. {note(row)}".strip()
    if row.comparison.agrees:
        return KINDS[row.comparison.kind]
    if row.offered is not None:
        return f"as `--main-loop {row.offered[0]['main_loop']}`. {note(row)}".strip()
    return f"{KINDS[row.comparison.kind]}. {note(row)}".strip()


def cells(report: dict, comparison: Comparison, loop: str) -> list[str]:
    wanted = comparison.expectation.summary()
    pairs = [
        (wanted["messages"], comparison.found_messages),
        (wanted["bytes"], comparison.found_bytes),
    ]
    shown = [f"{a:,}" if a == b else f"{a:,}, {b:,}" for a, b in pairs]
    if wanted["sizes"] == "estimated":
        shown[1] += " (estimate)"
    share = f"{100 * report['fraction_of_bytes']:.1f} %"
    return [f"{loop}, {report['iterations']} times", share, f"{len(wanted['sets'])}, {comparison.found_sets}", *shown]


def table(rows: list[Row]) -> str:
    """Lists the chosen main loop. If another listed loop agrees, it is on the next line."""
    lines = ["| program | ranks | main_loop found | share | sets: expected, found | messages | bytes | agrees |"]
    lines.append("|---|---:|---|---:|---:|---:|---:|---|")
    for row in rows:
        head = [row.program.name, str(row.ranks)]
        if row.report is None or row.comparison is None:
            lines.append("| " + " | ".join([*head, *"-----", verdict(row)]) + " |")
            continue
        loop = row.comparison.expectation.loop if row.comparison.agrees else "another loop"
        lines.append("| " + " | ".join([*head, *cells(row.report, row.comparison, loop), verdict(row)]) + " |")
        if row.offered is not None:
            report, comparison = row.offered
            offered = cells(report, comparison, comparison.expectation.loop)
            lines.append("| " + " | ".join(["", "", *offered, KINDS[comparison.kind]]) + " |")
    return "\n".join(lines) + "\n"


def put_into(page: Path, new_table: str) -> None:
    lines = page.read_text().splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("| program | ranks"))
    behind = next((i for i in range(first, len(lines)) if not lines[i].startswith("|")), len(lines))
    page.write_text("\n".join([*lines[:first], *new_table.splitlines(), *lines[behind:]]) + "\n")


def parse() -> argparse.Namespace:
    build = HERE.parents[2] / "build/release"
    parser = argparse.ArgumentParser(description="Real programs: found communication sets against expected ones.")
    parser.add_argument("--programs", type=Path, required=True)
    parser.add_argument("--logs", type=Path, required=True)
    parser.add_argument("--page", type=Path)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--ranks", nargs="*", type=int, default=[])
    parser.add_argument("--reuse", action="store_true")
    parser.add_argument("--haichi", type=Path, default=build / "cli/haichi")
    parser.add_argument("--profiler", type=Path, default=build / "commlog/profiler/libhaichi-prof-openmpi.so")
    settings = parser.parse_args()
    settings.programs, settings.logs = settings.programs.resolve(), settings.logs.resolve()
    return settings


def main() -> int:
    settings = parse()
    settings.logs.mkdir(parents=True, exist_ok=True)
    patient = settings.logs / "patient_yield.so"
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", HERE / "patient_yield.c", "-o", patient], check=True)
    rows = []
    for program in PROGRAMS:
        if settings.only and program.name not in settings.only:
            continue
        for ranks in EXPECTED[program.name][1]:
            if settings.ranks and ranks not in settings.ranks:
                continue
            place = settings.logs / f"{program.name.replace(' ', '-')}-{ranks}"
            log = place / "log.haichi-log"
            started = time.monotonic()
            if not (settings.reuse and log.is_file()):
                if program.find(ranks, settings.programs) is None:
                    print(f"{program.name}: {program.executable(ranks)} is missing", file=sys.stderr)
                    continue
                run_profiled(program, ranks, settings, place)
            rows.append(judge(program, ranks, log, settings.haichi))
            print(f"{program.name} {ranks}: {verdict(rows[-1])} ({time.monotonic() - started:.0f} s)", flush=True)
    if settings.page:
        put_into(settings.page, table(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
