"""The profiler counts the same as a tracer in which every call is written out by hand (tracer/). The tests compare
calls, messages, bytes, histogram classes and the communication matrix, entry by entry."""

from __future__ import annotations

from pathlib import Path

import mpi_programs as mpi_jobs
import pytest

# Only MPICH has the functions of MPI 4.0.
PROGRAMS = [
    ("persistent", 3, ["openmpi", "mpich"]),
    ("any_and_some", 4, ["openmpi", "mpich"]),
    ("exchanges", 3, ["openmpi", "mpich"]),
    ("communicators", 4, ["openmpi", "mpich"]),
    ("derived_types", 2, ["openmpi", "mpich"]),
    ("collectives", 5, ["openmpi", "mpich"]),
    ("nonblocking_collectives", 3, ["openmpi", "mpich"]),
    ("neighborhoods", 6, ["openmpi", "mpich"]),
    ("threads", 2, ["openmpi", "mpich"]),
    ("handed_over", 2, ["openmpi", "mpich"]),
    ("errors", 2, ["openmpi", "mpich"]),
    ("large_counts", 3, ["mpich"]),
]
# Ranks of MPICH do not yield to each other on few cores, so the fast tests run only some programs with it.
FAST_WITH_MPICH = ["persistent", "any_and_some", "exchanges", "derived_types", "handed_over", "errors", "large_counts"]


def marks_of(name: str, mpi: str) -> list[pytest.MarkDecorator]:
    return [pytest.mark.slow] if mpi == "mpich" and name not in FAST_WITH_MPICH else []


def cases() -> list[object]:
    return [pytest.param(name, ranks, mpi, marks=marks_of(name, mpi)) for name, ranks, mpis in PROGRAMS for mpi in mpis]


@pytest.mark.parametrize("name,ranks,mpi", cases())
def test_profiler_counts_what_the_tracer_counts(name: str, ranks: int, mpi: str, built: Path, tmp_path: Path) -> None:
    mpi_jobs.require_mpi(mpi)
    mpi_jobs.profiler(mpi)
    executable = mpi_jobs.program(mpi, f"{name}.c", built)
    arguments = [40] if name == "communicators" else []
    trace = mpi_jobs.run_traced(mpi, executable, ranks, tmp_path, mpi_jobs.tracer(mpi, built), *arguments)
    expected = mpi_jobs.traced(trace, ranks)
    assert all(of_rank.messages and sum(of_rank.calls.values()) >= 10 for of_rank in expected)
    found = mpi_jobs.profiled(mpi_jobs.run_profiled(mpi, executable, ranks, tmp_path, *arguments), ranks)
    differing = mpi_jobs.differences(expected, found)
    assert not differing, "\n".join(differing)


@pytest.mark.parametrize("mpi", mpi_jobs.MPIS)
def test_a_linked_profiler_counts_as_a_preloaded_one(mpi: str, built: Path, tmp_path: Path) -> None:
    mpi_jobs.require_mpi(mpi)
    library = mpi_jobs.profiler(mpi)
    preloaded = mpi_jobs.run_profiled(mpi, mpi_jobs.program(mpi, "persistent.c", built), 2, tmp_path)
    linked = tmp_path / "linked"
    source = mpi_jobs.PROGRAMS / "persistent.c"
    options = [library, f"-Wl,--no-as-needed,-rpath,{library.parent}"]
    mpi_jobs.compile_with([f"mpicc.{mpi}", *mpi_jobs.C_FLAGS, source, "-Wl,--no-as-needed", *options, "-o", linked])
    run = mpi_jobs.run_mpi(mpi, 2, [linked], tmp_path, HAICHI_PROF=f"file={tmp_path / 'linked'}")
    assert run.returncode == 0, run.stderr
    found = mpi_jobs.profiled(tmp_path / "linked.haichi-log", 2)
    assert not mpi_jobs.differences(mpi_jobs.profiled(preloaded, 2), found)


@pytest.mark.slow
@pytest.mark.parametrize("mpi", mpi_jobs.MPIS)
def test_more_communicators_come_and_go_than_the_profiler_has_room_for(mpi: str, built: Path, tmp_path: Path) -> None:
    mpi_jobs.require_mpi(mpi)
    mpi_jobs.profiler(mpi)
    executable = mpi_jobs.program(mpi, "communicators.c", built)
    trace = mpi_jobs.run_traced(mpi, executable, 2, tmp_path, mpi_jobs.tracer(mpi, built), 6000)
    found = mpi_jobs.profiled(mpi_jobs.run_profiled(mpi, executable, 2, tmp_path, 6000), 2)
    differing = mpi_jobs.differences(mpi_jobs.traced(trace, 2), found)
    assert not differing, "\n".join(differing)


@pytest.mark.parametrize("mpi", mpi_jobs.MPIS)
def test_the_tracer_counts_what_is_counted_by_hand(mpi: str, built: Path, tmp_path: Path) -> None:
    """persistent.c on 3 ranks: 7 rounds of two parts, then 8 starts, and one send that is freed."""
    mpi_jobs.require_mpi(mpi)
    executable = mpi_jobs.program(mpi, "persistent.c", built)
    counts = mpi_jobs.traced(mpi_jobs.run_traced(mpi, executable, 3, tmp_path, mpi_jobs.tracer(mpi, built)), 3)
    for rank, of_rank in enumerate(counts):
        assert of_rank.calls["MPI_Startall"] == 8 and of_rank.calls["MPI_Start"] == 7 * 2 + 1 + 1
        assert of_rank.calls["MPI_Waitall"] == 7 * 2 + 1 and of_rank.calls["MPI_Request_free"] == 1 + 1 + 8
        # 3, 48, 768 and 0 bytes, eight times; 0 and 3 bytes are in classes 0 and 1.
        classes = [8, 8, 0, 0, 0, 8, 0, 0, 0, 8] + [0] * 14
        assert of_rank.messages["MPI_Startall sent"] == of_rank.messages["MPI_Startall received"]
        assert of_rank.messages["MPI_Startall sent"] == {
            "messages": 32, "bytes": {"total": 8 * 819, "min": 0, "max": 768}, "empty": 8, "classes": classes
        }  # fmt: skip
        assert of_rank.messages["MPI_Start sent"]["bytes"] == {"total": 7 * 48 + 100, "min": 48, "max": 100}
        assert of_rank.messages["MPI_Start received"]["bytes"] == {"total": 7 * 48, "min": 48, "max": 48}
        assert of_rank.messages["MPI_Recv received"]["messages"] == 1 and "MPI_Send_init sent" not in of_rank.messages
        bytes_in_all = 8 * 819 + 7 * 48 + 100
        assert of_rank.peers == {
            (rank + 1) % 3: (40, bytes_in_all, 0, 0),
            (rank + 2) % 3: (0, 0, 40, bytes_in_all),
        }
