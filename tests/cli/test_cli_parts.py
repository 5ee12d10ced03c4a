"""The program of the README's first build: it maps, and names the options that build its missing parts."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from haichi_program import BIN, JOB

FIRST_BIN = os.environ["HAICHI_FIRST_BIN"]
LOGS = Path(__file__).parent.parent / "data" / "logs"


def first(*arguments: object, cwd: Path, program: str = FIRST_BIN) -> subprocess.CompletedProcess[str]:
    return subprocess.run([program, *map(str, arguments)], cwd=cwd, text=True, capture_output=True, timeout=120)


def test_the_first_program_writes_the_map_of_the_whole_program(tmp_path: Path) -> None:
    assert first("pattern", "cg", "--ranks", 64, "-o", "cg64.json", cwd=tmp_path).returncode == 0
    arguments = ("map", *JOB, "-w", "cg64.json", "--objective", "tac3", "--seed", 1)
    maps = [first(*arguments, cwd=tmp_path, program=program).stdout for program in (FIRST_BIN, BIN)]
    assert maps[0].count("\n") == 64
    assert maps[0] == maps[1]


@pytest.mark.parametrize("command", [(), ("simulate",), ("map",)])
def test_both_programs_take_the_same_options(tmp_path: Path, command: tuple[str, ...]) -> None:
    shown = [first(*command, "--help", cwd=tmp_path, program=program).stdout for program in (FIRST_BIN, BIN)]
    assert shown[0].startswith("Place the ranks" if not command else "")
    assert shown[0] == shown[1]


@pytest.mark.parametrize(
    ("file", "format_name"),
    [
        ("tit/ring.tit", "tit"),
        ("open-mpi-monitoring/ring.3.prof", "open-mpi-monitoring"),
        ("dumpi/dumpi-0003.txt", "dumpi"),
        ("goal/exchange.goal", "goal"),
        ("mpip/ring.4.1234.1.mpiP", "mpip"),
        ("ipm/full.ipm.xml", "ipm"),
        ("paraver/ring.prv", "paraver"),
    ],
)
@pytest.mark.parametrize("command", [("ccs",), ("map", *JOB, "-w")])
def test_traces_are_recognised_without_their_readers(
    tmp_path: Path, command: tuple[str, ...], file: str, format_name: str
) -> None:
    run = first(*command, LOGS / file, cwd=tmp_path)
    assert run.returncode == 2
    assert run.stderr.splitlines() == [
        f"error: {LOGS / file}: the file is in the format {format_name}, but this haichi was built without its reader",
        "hint: build it: cmake --build --preset release",
    ]


@pytest.mark.parametrize("command", [("log", "show", "app.haichi-log"), ("advise", "--help"), ("help", "log")])
def test_a_command_without_its_part_names_the_build(tmp_path: Path, command: tuple[str, ...]) -> None:
    run = first(*command, cwd=tmp_path)
    name = command[-1] if command[0] == "help" else command[0]
    assert run.returncode == 2
    assert run.stderr.splitlines() == [
        f"error: haichi was built without the command '{name}'",
        "hint: build it: cmake --build --preset release",
    ]


def test_the_list_of_formats_says_which_are_not_built(tmp_path: Path) -> None:
    listed = first("list", "log-formats", cwd=tmp_path).stdout
    assert listed.count("not in this") == 8
    assert "haichi               a log of haichi's profiler" in listed


def test_a_program_needs_the_part_that_runs_it(tmp_path: Path) -> None:
    run = first("run", "-m", "torus:2x2", "-n", 4, "--", "/bin/true", cwd=tmp_path)
    assert run.returncode == 2
    assert run.stderr.splitlines() == [
        "error: haichi was built without support for live programs",
        "hint: build it: scripts/bootstrap.sh --all && cmake --workflow --preset release",
    ]
