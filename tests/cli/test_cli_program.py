"""haichi run -- PROGRAM: programs built for MPICH, private data of ranks, and failures."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from haichi_program import BIN, fail, haichi, succeed
from yielding_mpich import yielding

SOURCES = Path(__file__).parents[1] / "mgen/live"
COMPILERS = {".c": "mpicc.mpich", ".cc": "mpicxx.mpich", ".f90": "mpif90.mpich"}
MACHINE = ["-m", "torus:4x4x4"]

has_library = any(
    (Path(BIN).parent / place).is_file() for place in ("live/libhaichi-mpich.so", "../lib/haichi/libhaichi-mpich.so")
)
pytestmark = pytest.mark.skipif(
    not (has_library and shutil.which("mpicc.mpich")), reason="needs MPICH and the library of live programs"
)


_built: dict[tuple[str, ...], bytes] = {}
"""Programs by source and options. A compiler takes longer than most of the tests."""


def build(source: str, folder: Path, *options: str, compiler: str = "") -> Path:
    file = SOURCES / source
    compiler = compiler or COMPILERS[file.suffix]
    if not shutil.which(compiler):
        pytest.skip(f"needs {compiler}")
    program = folder / file.stem
    key = (source, *options, compiler)
    if key not in _built:
        subprocess.run([compiler, "-O1", "-g", str(file), "-o", str(program), *options], check=True, cwd=folder)
        _built[key] = program.read_bytes()
    program.write_bytes(_built[key])
    program.chmod(0o755)
    return program


def live(ranks: int, *command: object, options: tuple[object, ...] = (), cwd: Path, code: int = 0) -> str:
    """Standard output."""
    run = haichi("run", *MACHINE, "-n", ranks, *options, "--", *command, cwd=cwd)
    assert run.returncode == code, (run.returncode, run.stdout, run.stderr)
    return run.stdout


def by_mpich(ranks: int, *command: object, cwd: Path) -> tuple[int, str]:
    words = ["mpiexec.mpich", "-n", str(ranks), *map(str, command)]
    run = subprocess.run(words, cwd=cwd, env=yielding(os.environ), capture_output=True, text=True, timeout=120)
    return run.returncode, run.stdout


@pytest.mark.parametrize("pie", ["-pie", "-no-pie"])
def test_ranks_have_what_processes_have(tmp_path: Path, pie: str) -> None:
    program = build("own_state.c", tmp_path, "-fPIE" if pie == "-pie" else "-fno-pie", pie)
    command = [program, "x", "-n", "7", "first", "--verbose", "-x", "3"]
    code, expected = by_mpich(5, *command, cwd=tmp_path)
    assert code == 3
    printed = live(5, *command, cwd=tmp_path, code=3)
    assert sorted(printed.splitlines()) == sorted(expected.splitlines())
    assert [line for line in printed.splitlines() if "end" not in line] == [
        line for line in expected.splitlines() if "end" not in line
    ]


def test_a_cxx_program_with_exceptions_across_calls(tmp_path: Path) -> None:
    program = build("exceptions.cc", tmp_path)
    _, expected = by_mpich(6, program, cwd=tmp_path)
    printed = live(6, program, cwd=tmp_path)
    assert sorted(printed.splitlines()) == sorted(expected.splitlines())
    assert printed.splitlines()[0].startswith("rank 0: 1 5 15")


@pytest.mark.parametrize("ranks", [10])
def test_communicators_of_all_kinds(tmp_path: Path, ranks: int) -> None:
    program = build("communicators.c", tmp_path)
    code, expected = by_mpich(ranks, program, cwd=tmp_path)
    assert code == 0 and f"merged: rank 0 is {ranks // 2} of {ranks}" in expected
    printed = live(ranks, program, cwd=tmp_path)
    assert sorted(printed.splitlines()) == sorted(expected.splitlines())


def test_attributes_and_error_handlers_of_fortran(tmp_path: Path) -> None:
    program = build("attributes.f90", tmp_path)
    code, expected = by_mpich(1, program, cwd=tmp_path)
    assert code == 0 and "Invalid rank" in expected
    assert live(1, program, cwd=tmp_path) == expected


def test_a_fortran_program_has_its_units_for_itself(tmp_path: Path) -> None:
    program = build("units.f90", tmp_path)
    _, expected = by_mpich(5, program, cwd=tmp_path)
    assert live(5, program, cwd=tmp_path) == expected
    assert "rank 4 number 40 kept 3" in expected


def test_clocks_show_simulated_time(tmp_path: Path) -> None:
    printed = live(2, build("clocks.c", tmp_path), cwd=tmp_path)
    assert printed == "slept 100.5 s, date 946684900, time 946684900\nlooked often\n"


def test_output_is_whole_lines_in_the_order_of_time_and_rank_0_reads(tmp_path: Path) -> None:
    program = build("output.c", tmp_path)
    words = ["run", *MACHINE, "-n", 3, "--no-timing", "--", program]
    run = haichi(*words, cwd=tmp_path, input="42\n")
    assert run.returncode == 0, run.stderr
    lines = run.stdout.splitlines()
    assert sorted(lines[:3]) == ["rank 0 line 0", "rank 1 line 0", "rank 2 line 0"]
    assert lines.count("written") == 3
    assert sorted(lines[-4:]) == [*(f"rank {r} without an end" for r in range(3)), "read 42"]
    assert "the program: " in run.stderr
    again = haichi(*words, cwd=tmp_path, input="42\n")
    assert (again.stdout, again.stderr) == (run.stdout, run.stderr)
    files = [haichi(*words[:-2], "-o", f"{i}.txt", *words[-2:], cwd=tmp_path, input="42\n") for i in range(2)]
    assert [file.stdout for file in files] == [run.stdout] * 2
    assert files[0].stderr == ""
    assert (tmp_path / "0.txt").read_text() == run.stderr


def test_with_json_the_report_is_on_standard_output(tmp_path: Path) -> None:
    program = build("faults.c", tmp_path)
    run = haichi("run", *MACHINE, "-n", 4, "--json", "--", program, "exit", cwd=tmp_path)
    assert run.returncode == 9
    report = json.loads(run.stdout)
    assert report["runs"][0]["exit_code"] == 9
    assert report["runs"][0]["as"] == "program"
    assert len(report["node_of_rank"]) == 4
    assert sorted(line for line in run.stderr.splitlines() if "begins" in line) == [
        f"rank {r} begins" for r in range(4)
    ]


@pytest.mark.parametrize(
    ("how", "code", "words"),
    [
        (
            "null",
            139,
            [
                "rank 1 accessed invalid memory (address 0x10) in main (faults.c:",
                "between MPI calls, after its last one in",
            ],
        ),
        ("divide", 136, ["rank 1 had an arithmetic error", "main (faults.c:"]),
        ("abort", 134, ["rank 1 aborted"]),
        ("stack", 139, ["rank 1 overflowed its stack of 65536 bytes in deeper (faults.c:", "--stack"]),
        ("thread", 2, ["rank 1 calls pthread_create()", "OMP_NUM_THREADS=1"]),
        ("fork", 2, ["rank 1 calls fork()"]),
        ("deadlock", 2, ["rank 1 in MPI_Recv (main (faults.c:"]),
    ],
)
def test_what_goes_wrong_is_told_with_rank_and_place(tmp_path: Path, how: str, code: int, words: list[str]) -> None:
    program = build("faults.c", tmp_path, "-pthread")
    run = haichi("run", *MACHINE, "-n", 3, "--stack", "64KiB", "--", program, how, cwd=tmp_path)
    assert run.returncode == code, run.stderr
    for word in words:
        assert word in run.stderr
    assert sorted(run.stdout.splitlines()) == [f"rank {r} begins" for r in range(3)]


def test_a_working_folder_is_common_and_that_is_said_once(tmp_path: Path) -> None:
    program = build("faults.c", tmp_path)
    run = haichi("run", *MACHINE, "-n", 3, "--", program, "chdir", cwd=tmp_path)
    assert run.returncode == 0
    assert run.stderr.count("warning: rank 1 calls chdir()") == 1


def test_programs_that_cannot_run_are_refused_by_name(tmp_path: Path) -> None:
    script = tmp_path / "run.sh"
    script.write_text("#!/bin/sh\nexit 0\n")
    script.chmod(0o755)
    command = ["run", *MACHINE, "-n", 2, "--"]
    assert "run.sh: a script (#!/bin/sh)" in fail(2, *command, script, cwd=tmp_path)
    assert "not an MPI program" in fail(2, *command, "/bin/true", cwd=tmp_path)
    assert "not-there" in fail(2, *command, "./not-there", cwd=tmp_path)
    assert "no such program in PATH" in fail(2, *command, "haichi-not-there", cwd=tmp_path)


@pytest.mark.parametrize("rights", ["u+s", "g+s", "capabilities"])
def test_programs_with_rights_of_their_own_are_refused(tmp_path: Path, rights: str) -> None:
    """The system does not preload libraries into programs with such rights. They once ran outside the simulation, which
    reported success."""
    program = build("clocks.c", tmp_path)
    if rights != "capabilities":
        subprocess.run(["chmod", rights, program], check=True)
    elif not shutil.which("setcap") or subprocess.run(["setcap", "cap_net_raw+ep", program], check=False).returncode:
        pytest.skip("needs setcap, and the right to use it")
    what = {"u+s": "a setuid program", "g+s": "a setgid program", "capabilities": "a program with capabilities"}[rights]
    error = fail(2, "run", *MACHINE, "-n", 2, "--", program, cwd=tmp_path)
    assert f"{program}: {what} would run outside the simulation" in error and "hint: run a copy" in error
    shutil.copyfile(program, tmp_path / "copy")
    (tmp_path / "copy").chmod(0o755)
    live(2, tmp_path / "copy", cwd=tmp_path)


def test_options_that_do_not_fit_are_refused_before_the_program_starts(tmp_path: Path) -> None:
    program = build("faults.c", tmp_path)
    command = ["run", *MACHINE]
    for options, word in [
        (["-n", "0"], "--ranks"),
        (["-n", "2", "--globals", "kopy"], "did you mean 'copy'"),
        (["-n", "2", "--payload", "some"], "--payload"),
        (["-n", "2", "--stack", "1"], "--stack"),
        (["-n", "2", "--barrier", "sets"], "--barrier"),
        (["-n", "2", "--compute", "drawn"], "--compute"),
        (["-n", "2", "-w", "cg.json"], "unknown option '-w'"),
        (["-n", "65"], "65"),
    ]:
        assert word in fail(2, *command, *options, "--", program, cwd=tmp_path)


def test_an_output_that_is_the_program_is_refused(tmp_path: Path) -> None:
    program = build("faults.c", tmp_path)
    content = program.read_bytes()
    link = tmp_path / "link"
    link.symlink_to(program)
    for output in (program, link):
        words = fail(2, "run", *MACHINE, "-n", 2, "-o", output, "--", program, cwd=tmp_path)
        assert str(output) in words and "input" in words
    assert program.read_bytes() == content


def test_without_a_number_every_node_has_a_rank(tmp_path: Path) -> None:
    program = build("faults.c", tmp_path)
    run = succeed("run", "-m", "torus:2x3", "--", program, cwd=tmp_path)
    assert sorted(run.stdout.splitlines()) == [f"rank {r} begins" for r in range(6)]


def test_what_the_program_starts_is_left_alone(tmp_path: Path) -> None:
    program = build("faults.c", tmp_path)
    environment = {**os.environ, "LD_PRELOAD": ""}
    words = [BIN, "run", *MACHINE, "-n", "2", "--", "env", str(program)]
    run = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert run.returncode == 2  # env itself is not an MPI program
    assert "not an MPI program" in run.stderr
