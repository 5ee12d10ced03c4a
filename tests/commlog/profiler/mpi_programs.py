"""Builds and runs the MPI programs of these tests with both MPIs, alone, under the tracer and under the profiler."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from yielding_mpich import yielding

REPOSITORY = Path(__file__).parents[3]
HERE = Path(__file__).parent
PROGRAMS = HERE / "programs"
BIN = os.environ["HAICHI_BIN"]
MPIS = ["openmpi", "mpich"]
C_FLAGS = ["-std=c11", "-D_DEFAULT_SOURCE", "-O1", "-g", "-Wall", "-Wextra", "-Werror", f"-I{REPOSITORY}"]
# The headers of MPICH declare the size of an array of statuses, and MPI_STATUSES_IGNORE is not an array.
C_FLAGS += ["-Wno-stringop-overflow", "-Wno-stringop-overread"]


def require_mpi(mpi: str) -> None:
    if shutil.which(f"mpicc.{mpi}") is None or shutil.which(f"mpiexec.{mpi}") is None:
        pytest.skip(f"{mpi} is not installed")


def profiler(mpi: str) -> Path:
    """Returns the library that the build names. Skips the test if there is none."""
    library = os.environ.get(f"HAICHI_PROFILER_{mpi.upper()}", "")
    if not library:
        pytest.skip(f"the profiler for {mpi} was not built")
    assert Path(library).is_file(), library
    return Path(library)


def environment(mpi: str, **more: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("HAICHI_")}
    if mpi == "openmpi":
        # There is one node with more ranks than cores, possibly as root in a container.
        kept |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        kept |= {"OMPI_MCA_btl": "self,vader", "OMPI_MCA_mpi_yield_when_idle": "1"}
        kept |= {"OMPI_MCA_btl_vader_single_copy_mechanism": "none", "OMPI_MCA_rmaps_base_oversubscribe": "1"}
        # Open MPI 5 has its own setting for more ranks than cores. Its windows over UCX print warnings.
        kept |= {"PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe", "OMPI_MCA_osc": "^ucx"}
    return kept | more if mpi == "openmpi" else yielding(kept | more)


def launcher(mpi: str, ranks: int) -> list[str]:
    options = ["--oversubscribe"] if mpi == "openmpi" else []
    return [f"mpiexec.{mpi}", *options, "-n", str(ranks)]


def try_mpi(
    mpi: str, ranks: int, command: list[object], cwd: Path, timeout: float, **variables: str
) -> subprocess.CompletedProcess[str] | None:
    """Runs a job to its end. If it hangs, kills it with all its processes and returns None."""
    job = start_mpi(mpi, ranks, command, cwd, **variables)
    try:
        out, err = job.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        kill_job(job)
        job.communicate()
        return None
    finally:
        # This also happens when a test is interrupted.
        kill_job(job)
    return subprocess.CompletedProcess(job.args, job.returncode, out, err)


def run_mpi(
    mpi: str, ranks: int, command: list[object], cwd: Path, timeout: float = 120, **variables: str
) -> subprocess.CompletedProcess[str]:
    run = try_mpi(mpi, ranks, command, cwd, timeout, **variables)
    assert run is not None, f"{command} hung on {ranks} ranks of {mpi}"
    return run


def start_mpi(mpi: str, ranks: int, command: list[object], cwd: Path, **variables: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*launcher(mpi, ranks), *map(str, command)],
        cwd=cwd,
        env=environment(mpi, **variables),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def kill_job(job: subprocess.Popen[str]) -> None:
    """Kills the job and all processes that it started, because it has a session of its own."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(job.pid, signal.SIGKILL)
    job.wait()


def compile_with(command: list[object]) -> None:
    run = subprocess.run([*map(str, command)], capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr


@cache
def tracer(mpi: str, folder: Path) -> Path:
    library = folder / f"tracer-{mpi}.so"
    sources = sorted((HERE / "tracer").glob("*.c"))
    compile_with([f"mpicc.{mpi}", *C_FLAGS, "-shared", "-fPIC", *sources, "-o", library, "-lpthread"])
    return library


@cache
def program(mpi: str, name: str, folder: Path) -> Path:
    """Compiles programs/NAME, a C or a Fortran file."""
    path = folder / f"{Path(name).stem}-{mpi}"
    if name.endswith(".c"):
        compile_with([f"mpicc.{mpi}", *C_FLAGS, PROGRAMS / name, "-o", path, "-lpthread", "-lm"])
    else:
        # Open MPI's mpif.h declares no procedures. gfortran rejects one procedure with buffers of several types.
        flags = ["-O1", "-g", "-fallow-argument-mismatch", "-w", f"-J{folder}"]
        compile_with([f"mpif90.{mpi}", *flags, PROGRAMS / name, "-o", path])
    return path


@dataclass
class RankCounts:
    """The counts of one rank: calls and messages by function, and traffic by peer. Equality compares all of them."""

    calls: dict[str, int] = field(default_factory=dict)
    messages: dict[str, dict[str, Any]] = field(default_factory=dict)  # "MPI_Send sent": count, bytes, classes
    peers: dict[int, tuple[int, int, int, int]] = field(default_factory=dict)


def messages_of(function: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Returns the directions in which a function has moved data. Both the tracer and haichi write these keys."""
    return {
        f"{function['name']} {direction}": function[direction]
        for direction in ["sent", "received"]
        if function[direction]["messages"] != 0
    }


def traced(prefix: Path, ranks: int) -> list[RankCounts]:
    counts = []
    for rank in range(ranks):
        trace = json.loads(Path(f"{prefix}.{rank}.json").read_text())
        assert (trace["rank"], trace["ranks"]) == (rank, ranks)
        of_rank = RankCounts()
        for function in trace["functions"]:
            of_rank.calls[function["name"]] = function["calls"]
            of_rank.messages |= messages_of(function)
        of_rank.peers = {peer: tuple(t) for peer, t in enumerate(trace["peers"]) if any(t)}
        counts.append(of_rank)
    return counts


def show_log(log: Path) -> dict[str, Any]:
    run = subprocess.run([BIN, "log", "show", "--json", log], capture_output=True, text=True, timeout=60)
    assert run.returncode == 0, run.stderr
    shown: dict[str, Any] = json.loads(run.stdout)
    assert shown["schema"] == "haichi-log/1"
    return shown


def profiled(log: Path, ranks: int) -> list[RankCounts]:
    shown = show_log(log)
    assert shown["ranks"] == ranks and shown["ranks_with_data"] == ranks and shown["warnings"] == []
    assert shown["lost_messages"] == 0 and shown["has_profile"] and shown["has_calls"]
    counts = []
    for rank, shown_rank in enumerate(shown["per_rank"]):
        assert (shown_rank["rank"], shown_rank["state"]) == (rank, "finished")
        of_rank = RankCounts()
        for function in shown_rank["functions"]:
            of_rank.calls[function["name"]] = function["calls"]
            for direction in ["sent", "received"]:
                function[direction]["bytes"].pop("mean", None)
            of_rank.messages |= messages_of(function)
        keys = ["sent_messages", "sent_bytes", "received_messages", "received_bytes"]
        of_rank.peers = {p["peer"]: tuple(p[key] for key in keys) for p in shown_rank["peers"]}
        counts.append(of_rank)
    assert len(counts) == ranks
    return counts


def run_profiled(
    mpi: str, executable: Path, ranks: int, place: Path, *arguments: object, log: str = "profile", **variables: str
) -> Path:
    """Runs the program under the profiler and returns the job's log."""
    settings = {"LD_PRELOAD": str(profiler(mpi)), "HAICHI_PROF": f"file={place / log}", **variables}
    run = run_mpi(mpi, ranks, [executable, *arguments], place, **settings)
    assert run.returncode == 0, run.stdout[-2000:] + run.stderr[-4000:]
    path = place / f"{log}.haichi-log"
    assert path.is_file(), f"no log: {sorted(place.iterdir())}\n{run.stderr[-4000:]}"
    return path


def run_traced(mpi: str, executable: Path, ranks: int, place: Path, library: Path, *arguments: object) -> Path:
    prefix = place / "trace"
    variables = {"LD_PRELOAD": str(library), "HAICHI_TRACE": str(prefix)}
    run = run_mpi(mpi, ranks, [executable, *arguments], place, **variables)
    assert run.returncode == 0, run.stdout[-2000:] + run.stderr[-4000:]
    return prefix


def differences(expected: list[RankCounts], found: list[RankCounts]) -> list[str]:
    """Returns one line with both values for each entry that differs."""
    lines = []
    for rank, (e, f) in enumerate(zip(expected, found, strict=True)):
        for what in ["calls", "messages", "peers"]:
            of_expected, of_found = getattr(e, what), getattr(f, what)
            for key in sorted(of_expected.keys() | of_found.keys(), key=str):
                left, right = of_expected.get(key), of_found.get(key)
                if left != right:
                    lines.append(f"rank {rank} {what} {key}: expected {left}, found {right}")
    return lines
