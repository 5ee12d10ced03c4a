"""The profiler does not disturb programs that open their MPI themselves: C programs with dlopen, and PyPI's mpi4py."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import mpi_programs as mpi_jobs
import pytest

RANKS = 3
MPI_LIBRARY = {"openmpi": "libmpi.so.40", "mpich": "libmpich.so.12"}


def program(mpi: str, built: Path) -> Path:
    """Returns a program that is compiled with the MPI's header but not linked with the MPI."""
    mpi_jobs.require_mpi(mpi)
    path = built / f"opens_mpi-{mpi}"
    if not path.exists():
        object_file = path.with_suffix(".o")
        source = mpi_jobs.PROGRAMS / "opens_mpi.c"
        # Functions from a handle have no prototype.
        mpi_jobs.compile_with([f"mpicc.{mpi}", "-std=c11", "-w", "-c", source, "-o", object_file])
        mpi_jobs.compile_with(["cc", object_file, "-o", path, "-ldl"])
    return path


def run_both(
    mpi: str, command: list[object], place: Path, **variables: str
) -> tuple[list[str], subprocess.CompletedProcess[str]]:
    """Returns the sorted output lines of the program without the profiler, and its run under the profiler."""
    alone = mpi_jobs.run_mpi(mpi, RANKS, command, place, **variables)
    assert alone.returncode == 0, alone.stderr
    settings = {"LD_PRELOAD": str(mpi_jobs.profiler(mpi)), "HAICHI_PROF": f"file={place / 'profile'}"}
    profiled = mpi_jobs.run_mpi(mpi, RANKS, command, place, **variables, **settings)
    assert profiled.returncode == 0, profiled.stderr
    return sorted(alone.stdout.splitlines()), profiled


@pytest.mark.parametrize("mpi", mpi_jobs.MPIS)
@pytest.mark.parametrize("way", ["local", "global"])
def test_an_opened_mpi_is_profiled(mpi: str, way: str, built: Path, tmp_path: Path) -> None:
    expected, run = run_both(mpi, [program(mpi, built), MPI_LIBRARY[mpi], way], tmp_path)
    assert len(expected) == RANKS
    assert sorted(run.stdout.splitlines()) == expected
    assert "haichi" not in run.stderr
    for rank, counts in enumerate(mpi_jobs.profiled(tmp_path / "profile.haichi-log", RANKS)):
        assert counts.calls == {
            "MPI_Comm_rank": 1, "MPI_Comm_size": 1, "MPI_Irecv": 20, "MPI_Send": 20, "MPI_Wait": 20
        }  # fmt: skip
        assert counts.peers == {(rank + 1) % RANKS: (20, 240, 0, 0), (rank + 2) % RANKS: (0, 0, 20, 240)}


@pytest.mark.parametrize("mpi", mpi_jobs.MPIS)
def test_calls_that_cannot_be_seen_are_told_of_once(mpi: str, built: Path, tmp_path: Path) -> None:
    library = tmp_path / "libring.so"
    source = mpi_jobs.PROGRAMS / "opens_mpi.c"
    mpi_jobs.require_mpi(mpi)
    mpi_jobs.compile_with(
        [f"mpicc.{mpi}", "-std=c11", "-w", "-shared", "-fPIC", "-DRING_LIBRARY", source, "-o", library]
    )
    expected, run = run_both(mpi, [program(mpi, built), library, "deep"], tmp_path)
    assert sorted(run.stdout.splitlines()) == expected
    told = [line for line in run.stderr.splitlines() if "haichi-prof" in line]
    assert len(told) == 1 and told[0].startswith("haichi-prof: no log: the calls of the program bypass the profiler")
    assert list(tmp_path.glob("profile*")) == []


def test_the_system_decides_what_comes_next(tmp_path: Path) -> None:
    """RTLD_NEXT depends on the caller. A library that is preloaded after the profiler must find the same next function
    as without the profiler."""
    source = tmp_path / "next.c"
    source.write_text("""
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <stdio.h>
        int puts(const char* text) {
            int (*next)(const char*) = (int (*)(const char*))dlsym(RTLD_NEXT, "puts");
            return next == puts ? -1 : next(text) + next("next");
        }
        """)
    library = tmp_path / "libnext.so"
    mpi_jobs.compile_with(["cc", "-shared", "-fPIC", "-fno-builtin", source, "-o", library])
    main = tmp_path / "main.c"
    main.write_text('#include <stdio.h>\nint main(void) { return puts("first") < 0; }')
    mpi_jobs.compile_with(["cc", "-fno-builtin", main, "-o", tmp_path / "main"])
    for mpi in mpi_jobs.MPIS:
        preloaded = f"{mpi_jobs.profiler(mpi)}:{library}"
        run = subprocess.run(
            [tmp_path / "main"], env={"LD_PRELOAD": preloaded}, capture_output=True, text=True, timeout=30
        )
        assert (run.returncode, run.stdout, run.stderr) == (0, "first\nnext\n", "")


def mpi4py_settings(mpi: str, place: Path) -> dict[str, str]:
    """The wheel's module for MPICH requires a library with the name that MPICH's binary interface prescribes."""
    if importlib.util.find_spec("mpi4py") is None:
        pytest.skip("mpi4py is not installed (requirements/test.txt)")
    if mpi == "openmpi":
        return {}
    known = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, timeout=30).stdout
    found = re.search(rf"{re.escape(MPI_LIBRARY[mpi])} .*=> (\S+)", known)
    assert found is not None
    (place / "lib").mkdir()
    (place / "lib/libmpi.so.12").symlink_to(found[1])
    return {"LD_LIBRARY_PATH": str(place / "lib"), "MPI4PY_LIBMPI": "libmpi.so.12"}


@pytest.mark.parametrize("mpi", mpi_jobs.MPIS)
def test_mpi4py_from_pypi_does_the_same_and_is_logged(mpi: str, tmp_path: Path) -> None:
    mpi_jobs.require_mpi(mpi)
    settings = mpi4py_settings(mpi, tmp_path)
    command: list[object] = [sys.executable, mpi_jobs.PROGRAMS / "mpi4py_ring.py"]
    expected, run = run_both(mpi, command, tmp_path, **settings)
    assert len(expected) == RANKS
    assert sorted(run.stdout.splitlines()) == expected
    assert "haichi" not in run.stderr
    shown = mpi_jobs.show_log(tmp_path / "profile.haichi-log")
    assert shown["ranks"] == RANKS and shown["warnings"] == [] and shown["has_calls"]
    exchange = next(f for f in shown["functions"] if f["name"].removesuffix("_c") == "MPI_Sendrecv")
    assert exchange["calls"] == 30 * RANKS and exchange["received"]["bytes"]["total"] == 30 * RANKS * 8000
    # The ring and the pickled dictionary of each rank; an allreduce of an object sends some more messages.
    peers = [peer for rank in shown["per_rank"] for peer in rank["peers"]]
    assert sum(p["sent_messages"] for p in peers) == sum(p["received_messages"] for p in peers) >= 31 * RANKS
