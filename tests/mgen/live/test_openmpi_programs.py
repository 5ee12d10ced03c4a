"""Programs built for Open MPI behave the same under haichi as under Open MPI."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import pytest
from live_runs import haichi, program, words_of_failure

pytestmark = pytest.mark.skipif(shutil.which("mpicc.openmpi") is None, reason="mpicc.openmpi is not installed")

# Ranks, program, arguments. MPI defines no order of output lines, so both sides are sorted.
EQUAL = [
    (1, "ring.c", []),
    (4, "ring.c", ["70000"]),
    (5, "bruck.c", ["12"]),
    (3, "barriers.c", ["2", "2"]),
    (4, "globals.c", []),
    (6, "variables.c", []),
    (3, "state.c", ["-a", "3", "-v", "--long", "a text", "-v", "word", "another"]),
    (4, "exceptions.cc", []),
    (4, "fortran.f90", []),
    (4, "master_worker.c", []),
    (3, "derived.c", []),
    (3, "persistent.c", []),
    (5, "nonblocking.c", []),
    (6, "comms.c", []),
    (5, "matrices.c", []),
    (4, "callbacks.c", []),
    (3, "constants.c", []),
]


@cache
def openmpi(ranks: int, executable: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    if shutil.which("mpirun.openmpi") is None:
        pytest.skip("mpirun.openmpi is not installed")
    # One file per rank: in a shared pipe, lines of different ranks may be mixed.
    folder = Path(tempfile.mkdtemp(dir=executable.parent))
    command = ["mpirun.openmpi", "--oversubscribe", "--output-filename", folder, "-n", ranks, executable, *arguments]
    allowed = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    run = subprocess.run(
        [*map(str, command)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        env=os.environ | allowed,
        cwd=executable.parent,
    )
    out = "".join(file.read_text() for file in sorted(folder.rglob("stdout")))
    return subprocess.CompletedProcess(run.args, run.returncode, out, run.stderr)


@pytest.mark.parametrize(("ranks", "name", "arguments"), EQUAL)
def test_program_does_what_it_does_under_openmpi(ranks: int, name: str, arguments: list[str], built: Path) -> None:
    executable = program(name, built, mpi="openmpi")
    real = openmpi(ranks, executable, *arguments)
    ours = haichi(ranks, executable, *arguments)
    assert sorted(ours.stdout.splitlines()) == sorted(real.stdout.splitlines()), ours.stderr
    assert ours.returncode == real.returncode, ours.stderr
    assert real.stdout


def test_windows(built: Path) -> None:
    """Open MPI 4.1.4 crashes in this program."""
    run = haichi(5, program("windows.c", built, mpi="openmpi"))
    assert run.returncode == 0, run.stderr
    assert run.stdout == haichi(5, program("windows.c", built)).stdout != ""


def test_a_failed_call_of_fortran_changes_no_indices(built: Path) -> None:
    run = haichi(2, program("failed_requests.f90", built, mpi="openmpi"))
    assert (run.returncode, run.stdout) == (0, "T  77  77\n" * 2), run.stderr


def test_a_program_of_many_ranks(built: Path) -> None:
    run = haichi(64, program("ring.c", built, mpi="openmpi"), 500)
    assert run.returncode == 0, run.stderr
    assert run.stdout == haichi(64, program("ring.c", built), 500).stdout != ""


def test_calls_that_are_not_simulated_are_refused_before_the_start(built: Path) -> None:
    error = words_of_failure(2, haichi(2, program("refused.c", built, mpi="openmpi")))
    assert "MPI_File_open (files are not simulated)" in error


def test_an_error_of_a_call_names_rank_and_line(built: Path) -> None:
    run = haichi(4, program("deadlock.c", built, mpi="openmpi"))
    error = words_of_failure(run.returncode, run)
    assert run.returncode != 0 and re.search(r"deadlock\.c:\d+", error), error


@pytest.mark.parametrize("way", ["copy", "remap"])
def test_ways_to_keep_variables_apart(way: str, built: Path) -> None:
    executable = program("variables.c", built, mpi="openmpi")
    run = haichi(6, executable, options=["--globals", way])
    assert run.returncode == 0, run.stderr
    assert sorted(run.stdout.splitlines()) == sorted(openmpi(6, executable).stdout.splitlines())


def test_copies_of_the_program_need_handles_that_the_linker_has_not_moved(built: Path) -> None:
    """The linker moves predefined handles into programs that are not compiled with -fPIC."""
    moved = haichi(4, program("globals.c", built, mpi="openmpi"), options=["--globals", "image"])
    assert "a COPY relocation" in words_of_failure(moved.returncode, moved)
    executable = program("globals.c", built, "-fPIC", mpi="openmpi")
    run = haichi(4, executable, options=["--globals", "image"])
    assert run.returncode == 0, run.stderr
    assert sorted(run.stdout.splitlines()) == sorted(openmpi(4, executable).stdout.splitlines())


def test_the_classes_of_cxx_are_refused_before_the_start(built: Path) -> None:
    error = words_of_failure(2, haichi(2, program("classes.cc", built, mpi="openmpi")))
    assert "uses the C++ classes of Open MPI (namespace MPI)" in error
