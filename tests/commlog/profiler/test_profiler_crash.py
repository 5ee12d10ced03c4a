"""A job that ends badly leaves readable data of all its ranks, and a warning that names the ranks that did not
finish."""

from __future__ import annotations

import os
import re
import signal
import struct
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import mpi_programs as mpi_jobs
import pytest

RANKS = 4
ROUNDS = 500


def notes_of(place: Path, rank: int) -> tuple[int, int]:
    """Returns the process of a rank and its completed rounds, or 0, 0 before its first note."""
    try:
        content = (place / f"notes.{rank}").read_bytes()
    except FileNotFoundError:
        return 0, 0
    return struct.unpack("ll", content) if len(content) == 16 else (0, 0)


def wait_for_rounds(job: subprocess.Popen[str], place: Path) -> None:
    until = time.monotonic() + 60
    while time.monotonic() < until and job.poll() is None:
        if all(notes_of(place, rank)[1] >= ROUNDS for rank in range(RANKS)):
            return
        time.sleep(0.02)
    pytest.fail("the job did not come to its rounds")


def terminate_all(job: subprocess.Popen[str], place: Path) -> None:
    for rank in range(RANKS):
        os.kill(notes_of(place, rank)[0], signal.SIGTERM)


def terminate_mpiexec(job: subprocess.Popen[str], place: Path) -> None:
    job.terminate()


def kill_rank_2(job: subprocess.Popen[str], place: Path) -> None:
    os.kill(notes_of(place, 2)[0], signal.SIGKILL)


def ranks_in(warning: str) -> set[int]:
    """Returns the ranks in "rank 0, 2 to 4 did not reach MPI_Finalize: ..."."""
    ranks: set[int] = set()
    listed = re.match(r"ranks? ((?:\d+(?: to \d+)?(?:, )?)+)", warning)
    for first, last in re.findall(r"(\d+)(?: to (\d+))?", listed.group(1) if listed else ""):
        ranks |= set(range(int(first), int(last or first) + 1))
    return ranks


def check_parts(place: Path, state_of_one: tuple[int | None, str] | None) -> None:
    """Checks that the parts have the counters of every rank up to its end. One rank, either given or any, must have
    ended in the given state. The MPI ends the others with a signal that they can catch, or with SIGKILL."""
    parts = sorted(place.glob("profile.*.part"))
    assert [part.name for part in parts] == [f"profile.{rank}.part" for rank in range(RANKS)]
    shown = mpi_jobs.show_log(parts[0])
    assert shown["ranks"] == RANKS and shown["ranks_with_data"] == RANKS
    text = subprocess.run([mpi_jobs.BIN, "log", "show", parts[1]], capture_output=True, text=True, timeout=60)
    assert text.returncode == 0 and "MPI_Sendrecv" in text.stdout
    warned = [ranks_in(warning) for warning in shown["warnings"]]
    assert set().union(*warned) == set(range(RANKS)), shown["warnings"]
    for rank, shown_rank in enumerate(shown["per_rank"]):
        assert shown_rank["rank"] == rank and shown_rank["state"] != "finished"
        rounds = notes_of(place, rank)[1]
        assert rounds >= ROUNDS
        function = next(f for f in shown_rank["functions"] if f["name"] == "MPI_Sendrecv")
        # The last call of the process may be in one counter and not in another.
        for number in [function["calls"], function["sent"]["messages"], function["received"]["messages"]]:
            assert rounds - 1 <= number <= rounds + 1, (rank, rounds, function)
        assert abs(function["sent"]["bytes"]["total"] - 1000 * rounds) <= 1000
        peers = {peer["peer"]: peer for peer in shown_rank["peers"]}
        assert set(peers) == {(rank + 1) % RANKS, (rank + RANKS - 1) % RANKS}
        assert abs(peers[(rank + 1) % RANKS]["sent_messages"] - rounds) <= 1
    if state_of_one is not None:
        rank, state = state_of_one
        states = [shown_rank["state"] for shown_rank in shown["per_rank"]]
        assert state in states if rank is None else states[rank] == state


@pytest.mark.parametrize("mpi", ["openmpi", pytest.param("mpich", marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    "stop,state",
    [(terminate_all, (None, "signalled")), (terminate_mpiexec, None), (kill_rank_2, (2, "running"))],
    ids=["sigterm_to_all_ranks", "sigterm_to_mpiexec", "sigkill_to_one_rank"],
)
def test_a_stopped_job_leaves_the_parts_of_all_ranks(
    stop: Callable[[subprocess.Popen[str], Path], None], state: tuple[int | None, str] | None, mpi: str, built: Path,
    tmp_path: Path,
) -> None:  # fmt: skip
    mpi_jobs.require_mpi(mpi)
    settings = {"LD_PRELOAD": str(mpi_jobs.profiler(mpi)), "HAICHI_PROF": f"file={tmp_path / 'profile'}"}
    executable = mpi_jobs.program(mpi, "endless.c", built)
    job = mpi_jobs.start_mpi(mpi, RANKS, [executable, tmp_path / "notes"], tmp_path, **settings)
    try:
        wait_for_rounds(job, tmp_path)
        stop(job, tmp_path)
        job.communicate(timeout=30)
        assert job.returncode != 0
        for rank in range(RANKS):
            wait_for_end(notes_of(tmp_path, rank)[0])
    finally:
        mpi_jobs.kill_job(job)
    assert not (tmp_path / "profile.haichi-log").exists()
    check_parts(tmp_path, state)


def wait_for_end(process: int) -> None:
    """Waits for a process, because mpiexec may end before its last rank."""
    until = time.monotonic() + 20
    while process != 0 and time.monotonic() < until:
        try:
            if ") Z " in Path(f"/proc/{process}/stat").read_text():
                return
        except (FileNotFoundError, ProcessLookupError):
            return
        time.sleep(0.05)


@pytest.mark.parametrize("mpi", mpi_jobs.MPIS)
def test_an_aborted_job_leaves_the_parts_of_all_ranks(mpi: str, built: Path, tmp_path: Path) -> None:
    mpi_jobs.require_mpi(mpi)
    settings = {"LD_PRELOAD": str(mpi_jobs.profiler(mpi)), "HAICHI_PROF": f"file={tmp_path / 'profile'}"}
    executable = mpi_jobs.program(mpi, "endless.c", built)
    # Ranks differ by at most one round, so all have reached ROUNDS.
    run = mpi_jobs.run_mpi(mpi, RANKS, [executable, tmp_path / "notes", ROUNDS + 3], tmp_path, **settings)
    assert run.returncode != 0
    for rank in range(RANKS):
        wait_for_end(notes_of(tmp_path, rank)[0])
    check_parts(tmp_path, (1, "aborted"))


@pytest.mark.parametrize("mpi", mpi_jobs.MPIS)
def test_a_missing_part_is_named(mpi: str, built: Path, tmp_path: Path) -> None:
    mpi_jobs.require_mpi(mpi)
    settings = {"LD_PRELOAD": str(mpi_jobs.profiler(mpi)), "HAICHI_PROF": f"file={tmp_path / 'profile'}"}
    executable = mpi_jobs.program(mpi, "endless.c", built)
    mpi_jobs.run_mpi(mpi, RANKS, [executable, tmp_path / "notes", ROUNDS], tmp_path, **settings)
    (tmp_path / "profile.2.part").unlink()
    shown = mpi_jobs.show_log(tmp_path / "profile.0.part")
    assert shown["ranks"] == RANKS and shown["ranks_with_data"] == RANKS - 1
    assert [rank["rank"] for rank in shown["per_rank"]] == [0, 1, 3]
    assert "1 of 4 ranks left no data: rank 2" in shown["warnings"]
