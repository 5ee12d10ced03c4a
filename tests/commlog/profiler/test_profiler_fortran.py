"""A Fortran program has the same profile as its C twin, function by function: mpif.h, use mpi and use mpi_f08."""

from __future__ import annotations

import shutil
from pathlib import Path

import mpi_programs as mpi_jobs
import pytest

RANKS = 4


@pytest.fixture(scope="module", params=mpi_jobs.MPIS)
def mpi(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    mpi_jobs.require_mpi(name)
    if shutil.which(f"mpif90.{name}") is None:
        pytest.skip(f"no Fortran compiler for {name}")
    mpi_jobs.profiler(name)
    return name


@pytest.fixture(scope="module")
def twin(mpi: str, built: Path, tmp_path_factory: pytest.TempPathFactory) -> list[mpi_jobs.RankCounts]:
    """Returns the profiler's counts for the C program, which equal the tracer's counts."""
    place = tmp_path_factory.mktemp("twin")
    executable = mpi_jobs.program(mpi, "twin.c", built)
    trace = mpi_jobs.run_traced(mpi, executable, RANKS, place, mpi_jobs.tracer(mpi, built))
    counts = mpi_jobs.profiled(mpi_jobs.run_profiled(mpi, executable, RANKS, place), RANKS)
    differing = mpi_jobs.differences(mpi_jobs.traced(trace, RANKS), counts)
    assert not differing, "\n".join(differing)
    return counts


@pytest.mark.parametrize("source", ["twin_mpif.f", "twin_mpi.f90", "twin_f08.f90"])
def test_a_fortran_program_has_the_profile_of_its_c_twin(
    source: str, mpi: str, twin: list[mpi_jobs.RankCounts], built: Path, tmp_path: Path
) -> None:
    executable = mpi_jobs.program(mpi, source, built)
    found = mpi_jobs.profiled(mpi_jobs.run_profiled(mpi, executable, RANKS, tmp_path), RANKS)
    # The report must not be empty, because two empty reports would be equal.
    for of_rank in found:
        assert sum(of_rank.calls.values()) == 140
        assert {"MPI_Sendrecv sent", "MPI_Irecv received", "MPI_Startall sent"} <= of_rank.messages.keys()
        assert len(of_rank.peers) == 3
    differing = mpi_jobs.differences(twin, found)
    assert not differing, "\n".join(differing)
