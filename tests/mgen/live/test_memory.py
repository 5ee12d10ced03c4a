"""Memory allocated by a rank is private and released with the rank."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from live_runs import BIN, haichi, line_of, mpich, program, words_of_failure

WAYS = ["auto", "copy", "remap", "image"]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("threads", [1, 4])
def test_blocks_keep_what_was_written(way: str, threads: int, built: Path) -> None:
    run = haichi(
        8,
        program("memory.c", built),
        options=["--globals", way, "--threads", threads, "--partitions", 4],
        variables={"MEMORY_IS_SHARED": "yes"},
    )
    assert run.returncode == 0, run.stderr
    assert sorted(run.stdout.splitlines()) == [f"rank {rank} has its memory" for rank in range(8)]


@pytest.mark.parametrize("way", ["auto", "remap", "image"])
def test_objects_of_cxx(way: str, built: Path) -> None:
    executable = program("memory.cc", built, "-fPIC")
    real = mpich(4, executable)
    run = haichi(4, executable, options=["--globals", way])
    assert run.returncode == real.returncode == 0, run.stderr
    assert sorted(run.stdout.splitlines()) == sorted(real.stdout.splitlines())
    assert "thread-local object of rank 1 ends, 7" in run.stdout


@pytest.mark.parametrize("way", WAYS)
def test_arrays_of_fortran(way: str, built: Path) -> None:
    executable = program("allocatables.f90", built)
    real = mpich(5, executable)
    (built / "left_open.3").unlink()
    run = haichi(5, executable, options=["--globals", way])
    assert run.returncode == real.returncode == 0, run.stderr
    assert sorted(run.stdout.splitlines()) == sorted(real.stdout.splitlines())
    assert (built / "left_open.3").read_text() == "of rank 3\n"


@pytest.mark.parametrize("fault", ["twice", "middle", "realloc", "stack", "variable"])
def test_who_frees_what_it_may_not_is_named(fault: str, built: Path) -> None:
    run = haichi(2, program("bad_free.c", built), fault)
    said = words_of_failure(2, run)
    function = "realloc" if fault == "realloc" else "free"
    assert f"rank 1 calls {function}(0x" in said
    assert line_of("bad_free.c", f"// bad_free.c: {fault}") in said


def largest_mb(*words: object) -> float:
    """The maximum resident set size of haichi, in MiB."""
    with subprocess.Popen([*map(str, words)], stdout=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    return usage.ru_maxrss / 1024


@pytest.mark.parametrize("way", ["auto", "image"])
def test_memory_of_ranks_that_have_ended_is_given_back(way: str, built: Path) -> None:
    """Each rank fills 4 MiB, half of it in small blocks, frees nothing and ends before the next rank does so."""
    ranks, each_mb = 256, 4
    executable = program("memory.c", built)
    words = (BIN, "run", "-m", "torus:8x8x4", "-n", ranks, "--globals", way, "--", executable, each_mb)
    assert largest_mb(*words) < ranks * each_mb / 4


def test_a_program_with_an_allocator_of_its_own_keeps_it(built: Path, tmp_path: Path) -> None:
    source = tmp_path / "own_malloc.c"
    source.write_text(
        r"""
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
static const size_t size = 1 << 29;
static char *pool;
static size_t used, calls;
void *malloc(size_t bytes) {
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    if (pool == NULL) pool = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, -1, 0);
    char *block = pool + used;
    used += (bytes + 31) / 16 * 16;
    ++calls;
    memcpy(block, &bytes, sizeof bytes);
    return used < size ? block + 16 : NULL;
}
void free(void *block) { (void)block; }
void *calloc(size_t count, size_t bytes) { return malloc(count * bytes); }
void *realloc(void *block, size_t bytes) {
    void *moved = malloc(bytes);
    if (block != NULL) memcpy(moved, block, bytes < ((size_t *)block)[-2] ? bytes : ((size_t *)block)[-2]);
    return moved;
}
int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    const size_t before = calls;
    char *block = malloc(1000);
    MPI_Barrier(MPI_COMM_WORLD);
    if (block < pool || block >= pool + size || calls == before) return 1;
    MPI_Finalize();
    return 0;
}
"""
    )
    executable = tmp_path / "own_malloc"
    subprocess.run(["mpicc.mpich", "-O1", "-fno-builtin", source, "-o", executable], check=True, timeout=120)
    run = haichi(4, executable, options=["--globals", "none"])
    assert run.returncode == 0, run.stderr


def test_shared_variables_lead_to_memory_that_stays(built: Path, tmp_path: Path) -> None:
    source = tmp_path / "shared.c"
    source.write_text(
        r"""
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
static char *table;
int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (table == NULL) table = strcpy(malloc(100000), "of the first rank");
    int token = 0;
    if (rank == 0) MPI_Send(&token, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    if (rank == 1) {
        MPI_Recv(&token, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < 1000; ++i) memset(malloc(100000), 1, 100000);
    }
    MPI_Finalize();
    return strcmp(table, "of the first rank") != 0;
}
"""
    )
    executable = tmp_path / "shared"
    subprocess.run(["mpicc.mpich", "-O1", source, "-o", executable], check=True, timeout=120)
    run = haichi(2, executable, options=["--globals", "none"])
    assert run.returncode == 0, run.stderr
