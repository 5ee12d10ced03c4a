"""The profiler, cross-compiled for AArch64, counts the same as the tracer there. scripts/test_aarch64.sh prepares the
directory (HAICHI_AARCH64) and runs this file. The ranks run under qemu-user and are started by this machine's
mpiexec."""

from __future__ import annotations

import os
import time
from functools import cache
from pathlib import Path

import mpi_programs as mpi_jobs
import pytest

pytestmark = pytest.mark.slow

FOLDER = Path(os.environ.get("HAICHI_AARCH64", ""))
SYSROOT = FOLDER / "sysroot"
LIBRARIES = SYSROOT / "usr/lib/aarch64-linux-gnu"
HEADERS = {"openmpi": LIBRARIES / "openmpi/include", "mpich": SYSROOT / "usr/include/aarch64-linux-gnu/mpich"}
MPI_LIBRARY = {"openmpi": LIBRARIES / "libmpi.so.40", "mpich": LIBRARIES / "libmpich.so.12"}
PROGRAMS = [("derived_types", 2), ("handed_over", 2), ("threads", 2), ("exchanges", 3), ("collectives", 5)]
# Ranks and threads of MPICH do not yield to each other. More of them than cores take minutes under emulation.
CASES = [("openmpi", *program) for program in PROGRAMS] + [("mpich", *program) for program in PROGRAMS[:2]]


@cache
def compiled(mpi: str, sources: tuple[Path, ...], path: Path, *options: str) -> Path:
    command = ["aarch64-linux-gnu-gcc", *mpi_jobs.C_FLAGS, f"-I{HEADERS[mpi]}", *options, *sources, "-o", path]
    # Libraries that the MPI library itself requires are found at load time.
    mpi_jobs.compile_with([*command, MPI_LIBRARY[mpi], "-Wl,--allow-shlib-undefined", "-lpthread", "-lm"])
    return path


def emulated(executable: Path, preloaded: Path) -> list[object]:
    return ["qemu-aarch64", "-L", SYSROOT, "-E", f"LD_PRELOAD={preloaded}", executable]


def profiler(mpi: str) -> Path:
    if not os.environ.get("HAICHI_AARCH64"):
        pytest.skip("scripts/test_aarch64.sh runs this")
    return FOLDER / f"cross/commlog/profiler/libhaichi-prof-{mpi}.so"


def run(mpi: str, command: list[object], ranks: int, place: Path, **variables: str) -> None:
    """Runs a job and repeats it if it hangs. MPICH on UCX under emulation sometimes hangs in MPI_Finalize on a busy
    machine: one rank waits for the process manager, and the other polls."""
    for _ in range(4):
        ended = mpi_jobs.try_mpi(mpi, ranks, command, place, 60, **variables)
        if ended is not None:
            break
    assert ended is not None, f"{command} hangs"
    assert ended.returncode == 0, ended.stdout[-2000:] + ended.stderr[-4000:]


def run_profiled(mpi: str, executable: Path, ranks: int, place: Path) -> Path:
    run(mpi, emulated(executable, profiler(mpi)), ranks, place, HAICHI_PROF=f"file={place / 'profile'}")
    return place / "profile.haichi-log"


@pytest.mark.parametrize("mpi,name,ranks", CASES)
def test_the_profiler_counts_what_the_tracer_counts(
    mpi: str, name: str, ranks: int, built: Path, tmp_path: Path
) -> None:
    profiler(mpi)
    executable = compiled(mpi, (mpi_jobs.PROGRAMS / f"{name}.c",), tmp_path / name)
    sources = tuple(sorted((mpi_jobs.HERE / "tracer").glob("*.c")))
    tracer = compiled(mpi, sources, built / f"tracer-{mpi}-aarch64.so", "-shared", "-fPIC")
    prefix = tmp_path / "trace"
    run(mpi, emulated(executable, tracer), ranks, tmp_path, HAICHI_TRACE=str(prefix))
    expected = mpi_jobs.traced(prefix, ranks)
    assert all(of_rank.messages for of_rank in expected)
    found = mpi_jobs.profiled(run_profiled(mpi, executable, ranks, tmp_path), ranks)
    differing = mpi_jobs.differences(expected, found)
    assert not differing, "\n".join(differing)


@pytest.mark.parametrize("mpi", mpi_jobs.MPIS)
def test_times_come_from_the_counter_of_the_processor(mpi: str, tmp_path: Path) -> None:
    """Rank 0 waits in MPI_Recv for the half second that rank 1 computes."""
    profiler(mpi)
    executable = compiled(mpi, (mpi_jobs.PROGRAMS / "late_sender.c",), tmp_path / "late_sender")
    started = time.monotonic()
    shown = mpi_jobs.show_log(run_profiled(mpi, executable, 2, tmp_path))
    passed = time.monotonic() - started  # includes all attempts
    receive = {f["name"]: f for f in shown["per_rank"][0]["functions"]}["MPI_Recv"]
    assert receive["calls"] == 1 and receive["received"]["bytes"]["total"] == 24
    assert 0.45 < receive["seconds"]["total"] < passed
    assert 0.5 < shown["run_seconds"] < passed
