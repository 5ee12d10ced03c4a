"""The profiler in other people's programs: the data that it leaves when they end badly, and proof that it changes
nothing in them. Other tests in this directory check its counts.

HAICHI_BIN is the program haichi. HAICHI_PROFILER_OPENMPI and HAICHI_PROFILER_MPICH are the built libraries.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from yielding_mpich import yielding

MPIS = ["openmpi", "mpich"]
OTHER = {"openmpi": "mpich", "mpich": "openmpi"}

SOURCE = r"""
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void* three_calls(void* unused) {
    int size;
    for (int i = 0; i < 3; ++i) MPI_Comm_size(MPI_COMM_WORLD, &size);
    return unused;
}

int main(int argc, char** argv) {
    int level, rank, ranks;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const char* how = argv[1];
    double out[4] = {0}, in[4];
    for (int i = 0; i < 100; ++i) {
        MPI_Sendrecv(out, 4, MPI_DOUBLE, (rank + 1) % ranks, 0, in, 4, MPI_DOUBLE, (rank + ranks - 1) % ranks, 0,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (i != 49) continue;
        if (!strcmp(how, "abort") && rank == 1) MPI_Abort(MPI_COMM_WORLD, 3);
        if (!strcmp(how, "kill") && rank == 1) raise(SIGKILL);
        if (!strcmp(how, "terminate")) raise(SIGTERM);
        if (!strcmp(how, "fork")) {
            int status = 1;
            const pid_t child = fork();
            if (child == 0) {
                int size = 0;
                for (int k = 0; k < 1000; ++k) MPI_Comm_size(MPI_COMM_WORLD, &size);
                _exit(size == ranks ? 0 : 1);
            }
            waitpid(child, &status, 0);
            if (status != 0) abort();
        }
        if (!strcmp(how, "threads")) {
            for (int k = 0; k < 40; ++k) {
                pthread_t thread;
                pthread_create(&thread, 0, three_calls, 0);
                pthread_join(thread, 0);
            }
        }
        if (!strcmp(how, "communicators")) {
            for (int k = 0; k < 200; ++k) {
                MPI_Comm first, second;
                MPI_Comm_dup(MPI_COMM_WORLD, &first);
                MPI_Comm_dup(first, &second);
                MPI_Barrier(second);
                MPI_Comm_free(&first);
                MPI_Comm_free(&second);
            }
        }
        if (!strcmp(how, "pause")) MPI_Pcontrol(0);
    }
    if (rank == 0) printf("done %g\n", in[0]);
    MPI_Finalize();
    return 0;
}
"""


def library(mpi: str) -> Path:
    path = os.environ.get(f"HAICHI_PROFILER_{mpi.upper()}", "")
    if not path or shutil.which(f"mpicc.{mpi}") is None:
        pytest.skip(f"no profiler for {mpi}")
    return Path(path)


@pytest.fixture(scope="session")
def programs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("programs")
    source = folder / "guest.c"
    source.write_text(SOURCE)
    built = {}
    for mpi in MPIS:
        if shutil.which(f"mpicc.{mpi}") is None:
            continue
        built[mpi] = folder / f"guest-{mpi}"
        subprocess.run([f"mpicc.{mpi}", "-w", "-O1", source, "-o", built[mpi], "-lpthread"], check=True)
    return built


def run(
    mpi: str, program: Path, how: str, cwd: Path, settings: str = "", preload: Path | None = None, ranks: int = 3
) -> subprocess.CompletedProcess[str]:
    options = ["--oversubscribe"] if mpi == "openmpi" else []
    environment = os.environ | {
        "HAICHI_PROF": f"file=job{settings}",
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "OMPI_MCA_mpi_yield_when_idle": "1",
    }
    # mpiexec and its children are preloaded, too, as in users' jobs.
    environment["LD_PRELOAD"] = str(preload or library(mpi))
    if mpi == "mpich":
        environment = yielding(environment)
    return subprocess.run(
        [f"mpiexec.{mpi}", *options, "-n", str(ranks), program, how],
        cwd=cwd, env=environment, capture_output=True, text=True, timeout=120,
    )  # fmt: skip


def show(path: Path) -> dict[str, Any]:
    done = subprocess.run(
        [os.environ["HAICHI_BIN"], "log", "show", "--json", path], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    shown: dict[str, Any] = json.loads(done.stdout)
    return shown


def function(shown: dict[str, Any], name: str) -> dict[str, Any]:
    found: list[dict[str, Any]] = [f for f in shown["functions"] if f["name"] == name]
    assert len(found) == 1, [f["name"] for f in shown["functions"]]
    return found[0]


@pytest.mark.parametrize("mpi", MPIS)
def test_a_job_that_ends_well_leaves_one_file(mpi: str, programs: dict[str, Path], tmp_path: Path) -> None:
    library(mpi)
    done = run(mpi, programs[mpi], "well", tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "done 0\n"
    assert "haichi" not in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["job.haichi-log"]
    shown = show(tmp_path / "job.haichi-log")
    assert shown["ranks"] == 3
    assert function(shown, "MPI_Sendrecv")["calls"] == 300
    assert function(shown, "MPI_Sendrecv")["received"]["bytes"]["total"] == 300 * 32


@pytest.mark.parametrize("mpi", MPIS)
@pytest.mark.parametrize(
    ("how", "warning"),
    [("abort", "rank 1 called MPI_Abort"), ("kill", "did not reach MPI_Finalize"), ("terminate", "received signal 15")],
)
def test_a_job_that_ends_badly_leaves_readable_parts(
    how: str, warning: str, mpi: str, programs: dict[str, Path], tmp_path: Path
) -> None:
    library(mpi)
    assert run(mpi, programs[mpi], how, tmp_path).returncode != 0
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"job.{rank}.part" for rank in range(3)]
    shown = show(tmp_path / "job.0.part")
    assert any(warning in w for w in shown["warnings"]), shown["warnings"]
    # Two ranks may have stopped a call later, or earlier if all got the signal from the first.
    assert 3 * 30 <= function(shown, "MPI_Sendrecv")["calls"] <= 3 * 52
    assert shown["has_calls"]


@pytest.mark.parametrize("mpi", MPIS)
def test_a_child_of_fork_counts_nothing(mpi: str, programs: dict[str, Path], tmp_path: Path) -> None:
    library(mpi)
    done = run(mpi, programs[mpi], "fork", tmp_path)
    assert done.returncode == 0, done.stderr
    shown = show(tmp_path / "job.haichi-log")
    assert function(shown, "MPI_Comm_size")["calls"] == 3
    assert function(shown, "MPI_Sendrecv")["calls"] == 300


@pytest.mark.parametrize("mpi", MPIS)
def test_threads_one_after_the_other_are_all_counted(mpi: str, programs: dict[str, Path], tmp_path: Path) -> None:
    library(mpi)
    assert run(mpi, programs[mpi], "threads", tmp_path).returncode == 0
    shown = show(tmp_path / "job.haichi-log")
    assert function(shown, "MPI_Comm_size")["calls"] == 3 * (1 + 40 * 3)
    assert shown["warnings"] == []


@pytest.mark.parametrize("mpi", MPIS)
def test_communicators_made_again_and_again_are_the_same(mpi: str, programs: dict[str, Path], tmp_path: Path) -> None:
    library(mpi)
    assert run(mpi, programs[mpi], "communicators", tmp_path, ",keep_parts=on").returncode == 0
    shown = show(tmp_path / "job.haichi-log")
    assert function(shown, "MPI_Comm_dup")["calls"] == 3 * 400
    assert shown["warnings"] == []
    # The header's communicator_count: MPI_COMM_WORLD, MPI_COMM_SELF and the two others.
    sizes = {path.name: path.stat().st_size for path in tmp_path.iterdir()}
    assert sizes["job.haichi-log"] < 10_000
    assert sizes["job.0.part"] == sizes["job.2.part"]


@pytest.mark.parametrize("mpi", MPIS)
def test_pcontrol_pauses(mpi: str, programs: dict[str, Path], tmp_path: Path) -> None:
    library(mpi)
    assert run(mpi, programs[mpi], "pause", tmp_path).returncode == 0
    assert function(show(tmp_path / "job.haichi-log"), "MPI_Sendrecv")["calls"] == 150


@pytest.mark.parametrize("mpi", MPIS)
def test_the_configuration_chooses_functions_and_products(mpi: str, programs: dict[str, Path], tmp_path: Path) -> None:
    library(mpi)
    assert run(mpi, programs[mpi], "well", tmp_path, ",log=off,functions=MPI_Send*;MPI_Wait").returncode == 0
    shown = show(tmp_path / "job.haichi-log")
    assert not shown["has_calls"]
    assert [f["name"] for f in shown["functions"]] == ["MPI_Sendrecv"]


@pytest.mark.parametrize("mpi", MPIS)
def test_a_wrong_configuration_is_told_and_the_program_runs(
    mpi: str, programs: dict[str, Path], tmp_path: Path
) -> None:
    library(mpi)
    done = run(mpi, programs[mpi], "well", tmp_path, ",profil=on,log=perhaps")
    assert done.returncode == 0
    assert "unknown key 'profil'" in done.stderr
    assert "ignoring 'log=perhaps': expected 'on' or 'off'" in done.stderr
    assert (tmp_path / "job.haichi-log").exists()


@pytest.mark.parametrize("mpi", MPIS)
def test_a_folder_that_cannot_be_written_costs_only_the_profile(
    mpi: str, programs: dict[str, Path], tmp_path: Path
) -> None:
    library(mpi)
    done = run(mpi, programs[mpi], "well", tmp_path, "/no/such/folder")
    assert (done.returncode, done.stdout) == (0, "done 0\n")
    assert len(re.findall("haichi-prof: ", done.stderr)) == 2, done.stderr


@pytest.mark.parametrize("mpi", MPIS)
def test_the_profiler_of_the_other_mpi_says_so_and_does_nothing(
    mpi: str, programs: dict[str, Path], tmp_path: Path
) -> None:
    if mpi not in programs:
        pytest.skip(f"no {mpi}")
    done = run(mpi, programs[mpi], "well", tmp_path, preload=library(OTHER[mpi]), ranks=1)
    assert (done.returncode, done.stdout) == (0, "done 0\n")
    assert done.stderr.count("but the program uses another MPI") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("mpi", MPIS)
def test_other_programs_do_not_notice(mpi: str, tmp_path: Path) -> None:
    done = subprocess.run(
        ["bash", "-c", "echo $((6 * 7)); exit 3"], cwd=tmp_path, capture_output=True, text=True,
        env=os.environ | {"LD_PRELOAD": str(library(mpi)), "HAICHI_PROF": "file=job"},
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (3, "42\n", "")
    assert list(tmp_path.iterdir()) == []


def symbols(path: str | Path, kind: str) -> set[str]:
    done = subprocess.run(["nm", "-D", kind, path], capture_output=True, text=True, check=True)
    return {line.split()[-1].partition("@")[0] for line in done.stdout.splitlines() if line.strip()}


@pytest.mark.parametrize("mpi", MPIS)
def test_every_function_of_the_header_has_a_wrapper_and_none_is_linked(mpi: str) -> None:
    path = library(mpi)
    header = subprocess.run(
        [f"mpicc.{mpi}", "-E", "-P", "-x", "c", "-"],
        input="#include <mpi.h>",
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    declared = set(re.findall(r"\b(?:int|double|MPI_\w+) \**(MPI_\w+) ?\(", header.replace("\n", " ")))
    declared = {name for name in declared if not re.search(r"_function\d?$|f08|_fn$", name)}
    assert len(declared) > 380
    missing = declared - symbols(path, "--defined-only")
    assert missing == set()
    assert [name for name in symbols(path, "--undefined-only") if "mpi" in name.lower()] == []
