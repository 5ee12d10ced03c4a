"""Builds the programs of these tests for MPICH or Open MPI, and runs them under MPICH itself and under haichi."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest
from yielding_mpich import yielding

REPOSITORY = Path(__file__).parents[3]
PROGRAMS = Path(__file__).parent / "programs"
BIN = os.environ["HAICHI_BIN"]
WARNINGS = ["-Wall", "-Wextra", "-Werror"]
# MPICH's headers declare the size of status arrays, but MPI_STATUSES_IGNORE is not an array.
WARNINGS += ["-Wno-stringop-overflow", "-Wno-stringop-overread", "-Wno-infinite-recursion"]
COMPILERS = {
    ".c": ["mpicc", "-std=c11", "-D_DEFAULT_SOURCE", "-O1", "-g", f"-I{REPOSITORY}", *WARNINGS],
    ".cc": ["mpicxx", "-std=c++17", "-O1", "-g", *WARNINGS, "-Wno-cast-function-type"],
    ".f90": ["mpif90", "-O1", "-g", "-Wall", "-Werror"],
}


@cache
def program(name: str, folder: Path, *options: str, mpi: str = "mpich") -> Path:
    """Builds programs/NAME; the test is skipped if its compiler is not installed."""
    source = PROGRAMS / name
    wrapper, *flags = COMPILERS[source.suffix]
    compiler = f"{wrapper}.{mpi}"
    if mpi != "mpich":
        folder = folder / mpi
        folder.mkdir(exist_ok=True)
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed")
    language = "" if source.suffix == ".c" else source.suffix[1:]  # windows.c and windows.f90 are two programs
    path = folder / "".join([source.stem, language, *options])
    modules = [f"-J{folder}"] if source.suffix == ".f90" else []
    command = [compiler, *flags, *modules, *options, source, "-o", path, "-lpthread", "-lcrypt"]
    run = subprocess.run([*map(str, command)], capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr
    return path


def haichi(
    ranks: int,
    executable: Path,
    *arguments: object,
    options: list[object] | None = None,
    input: str | None = None,
    variables: dict[str, str] | None = None,
    machine: object = "torus:4x4x4",
    before: Sequence[str] = (),
) -> subprocess.CompletedProcess[str]:
    command = [*before, BIN, "run", "-m", machine, "-n", ranks, *(options or []), "--", executable, *arguments]
    kept = {name: value for name, value in os.environ.items() if not name.startswith("HAICHI_")}
    return subprocess.run(
        [*map(str, command)],
        capture_output=True,
        text=True,
        timeout=120,
        input=input,
        env=kept | (variables or {}),
        cwd=executable.parent,
    )


@cache
def mpich(ranks: int, executable: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    """The run under MPICH, cached for all tests that compare with it."""
    return mpich_with({}, ranks, executable, *arguments)


def mpich_with(
    variables: dict[str, str], ranks: int, executable: Path, *arguments: object
) -> subprocess.CompletedProcess[str]:
    if shutil.which("mpiexec.mpich") is None:
        pytest.skip("mpiexec.mpich is not installed")
    # One file per rank: in a shared pipe, lines of different ranks may be mixed.
    folder = Path(tempfile.mkdtemp(dir=executable.parent))
    job = subprocess.Popen(
        ["mpiexec.mpich", "-outfile-pattern", f"{folder}/%r", "-n", str(ranks), str(executable), *map(str, arguments)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=yielding(os.environ | variables),
        cwd=executable.parent,
        start_new_session=True,
    )
    try:
        out, err = job.communicate(timeout=120)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(job.pid, signal.SIGKILL)
        job.wait()
    out += "".join(file.read_text() for file in sorted(folder.iterdir()))
    return subprocess.CompletedProcess(job.args, job.returncode, out, err)


def line_of(name: str, mark: str = "") -> str:
    """ "NAME:LINE" of the line that is marked as the fault of the program."""
    lines = (PROGRAMS / name).read_text().splitlines()
    found = [number for number, line in enumerate(lines, 1) if (mark or f"// {name}: here") in line]
    assert len(found) == 1, found
    return f"{name}:{found[0]}"


def words_of_failure(code: int, run: subprocess.CompletedProcess[str]) -> str:
    assert run.returncode == code, (run.returncode, run.stdout, run.stderr)
    assert run.stderr.startswith("error: ") or "\nerror: " in run.stderr, run.stderr
    return run.stderr
