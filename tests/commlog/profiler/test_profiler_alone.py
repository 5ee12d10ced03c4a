"""The profiler must not harm a job. It reads no endless configuration, overwrites no log, warns once per job, and keeps
the messages to processes outside the job."""

from __future__ import annotations

import os
import re
import subprocess
import time
from pathlib import Path

import mpi_programs as mpi_jobs
import pytest


def told_by(run: subprocess.CompletedProcess[str]) -> list[str]:
    return [line for line in run.stderr.splitlines() if "haichi-prof" in line]


def run_profiled(
    mpi: str, built: Path, place: Path, ranks: int = 2, **variables: str
) -> subprocess.CompletedProcess[str]:
    mpi_jobs.require_mpi(mpi)
    executable = mpi_jobs.program(mpi, "exchanges.c", built)
    settings = {"LD_PRELOAD": str(mpi_jobs.profiler(mpi)), "HAICHI_PROF": f"file={place / 'profile'}"} | variables
    run = mpi_jobs.run_mpi(mpi, ranks, [executable], place, **settings)
    assert run.returncode == 0, run.stderr
    return run


@pytest.mark.parametrize("what", ["/dev/zero", "/dev/stdin", "/dev/tty", "pipe", "large", "/", "missing"])
def test_a_configuration_that_is_no_small_file_is_refused_at_once(what: str, built: Path, tmp_path: Path) -> None:
    path = Path(what) if what.startswith("/") else tmp_path / what
    if what == "pipe":
        os.mkfifo(path)
    if what == "large":
        with path.open("wb") as file:
            file.truncate(10 << 30)
    begin = time.monotonic()
    run = run_profiled("openmpi", built, tmp_path, HAICHI_PROF_CONFIG=str(path))
    assert time.monotonic() - begin < 30
    told = told_by(run)
    assert len(told) == 1 and f"ignoring HAICHI_PROF_CONFIG: cannot read '{path}': " in told[0], told
    assert (tmp_path / "profile.haichi-log").exists()


def test_a_configuration_that_is_none_is_told_of_briefly(built: Path, tmp_path: Path) -> None:
    (tmp_path / "garbage").write_bytes(b"\x1b[31m nonsense\n" * 5000)
    run = run_profiled("openmpi", built, tmp_path, HAICHI_PROF_CONFIG=str(tmp_path / "garbage"))
    assert len(told_by(run)) == 4 and "\x1b" not in run.stderr
    assert "4997 more messages about the configuration are left out" in run.stderr
    run = run_profiled("openmpi", built, tmp_path, HAICHI_PROF="/dev/zero")
    assert [line.split(": ", 1)[1] for line in told_by(run)] == [
        "ignoring '/dev/zero': expected key=value; name a configuration file with HAICHI_PROF_CONFIG"
    ]


@pytest.mark.parametrize("mpi", mpi_jobs.MPIS)
def test_a_second_job_of_a_name_gets_another(mpi: str, built: Path, tmp_path: Path) -> None:
    assert told_by(run_profiled(mpi, built, tmp_path)) == []
    first = (tmp_path / "profile.haichi-log").read_bytes()
    for number in [2, 3]:
        told = told_by(run_profiled(mpi, built, tmp_path))
        assert len(told) == 1 and f"profile-{number}.haichi-log" in told[0]
    assert (tmp_path / "profile.haichi-log").read_bytes() == first
    names = ["profile-2.haichi-log", "profile-3.haichi-log", "profile.haichi-log"]
    assert sorted(path.name for path in tmp_path.iterdir()) == names
    # A part of any rank belongs to another job.
    (tmp_path / "profile-4.1.part").write_text("precious")
    run_profiled(mpi, built, tmp_path)
    assert (tmp_path / "profile-4.1.part").read_text() == "precious"
    assert (tmp_path / "profile-5.haichi-log").exists()


@pytest.mark.parametrize("mpi", mpi_jobs.MPIS)
def test_jobs_of_one_name_at_one_time_keep_all_logs(mpi: str, built: Path, tmp_path: Path) -> None:
    mpi_jobs.require_mpi(mpi)
    executable = mpi_jobs.program(mpi, "exchanges.c", built)
    settings = {"LD_PRELOAD": str(mpi_jobs.profiler(mpi)), "HAICHI_PROF": f"file={tmp_path / 'profile'}"}
    jobs = [mpi_jobs.start_mpi(mpi, 2, [executable], tmp_path, **settings) for _ in range(4)]
    for job in jobs:
        _, err = job.communicate(timeout=120)
        assert job.returncode == 0, err
    # If two jobs request the same number at once, both may take the next one.
    logs = sorted(tmp_path.iterdir())
    assert len(logs) == 4 and all(re.fullmatch(r"profile(-\d+)?\.haichi-log", log.name) for log in logs)
    assert all(mpi_jobs.show_log(log)["ranks_with_data"] == 2 for log in logs)


@pytest.mark.parametrize("mpi", mpi_jobs.MPIS)
def test_messages_to_spawned_processes_are_kept(mpi: str, built: Path, tmp_path: Path) -> None:
    mpi_jobs.require_mpi(mpi)
    executable = mpi_jobs.program(mpi, "spawns.c", built)
    # Open MPI's shared memory does not reach spawned processes. Debian's MPICH 4.0.2 cannot spawn.
    settings = {"OMPI_MCA_btl": "self,vader,tcp"}
    alone = mpi_jobs.run_mpi(mpi, 2, [executable], tmp_path, **settings)
    if alone.returncode != 0:
        pytest.skip(f"this {mpi} cannot spawn: {alone.stderr[-200:]}")
    log = mpi_jobs.run_profiled(mpi, executable, 2, tmp_path, **settings)
    spawned = list(tmp_path.glob("profile-spawned-*.haichi-log"))
    assert len(spawned) == 1
    for job in [log, spawned[0]]:
        shown = mpi_jobs.show_log(job)
        assert shown["lost_messages"] == 0 and shown["warnings"] == []
        traffic = {"sent_messages": 10, "sent_bytes": 1000, "received_messages": 10, "received_bytes": 1000}
        assert [rank["peers"] for rank in shown["per_rank"]] == [[{"peer": -2} | traffic]] * 2
        assert shown["outside"] == {"peer": -2} | {key: 2 * value for key, value in traffic.items()}
        text = subprocess.run([mpi_jobs.BIN, "log", "show", job], capture_output=True, text=True, timeout=60).stdout
        assert "outside this job (spawned or connected processes): sent 20 messages of 1.95 KiB" in text
        assert "a process outside the job" in text


@pytest.mark.parametrize(("mpi", "other"), [("openmpi", "mpich"), ("mpich", "openmpi")])
def test_a_profiler_of_another_mpi_says_so_once(mpi: str, other: str, built: Path, tmp_path: Path) -> None:
    run = run_profiled(mpi, built, tmp_path, ranks=3, LD_PRELOAD=str(mpi_jobs.profiler(other)))
    assert len(told_by(run)) == 1 and "but the program uses another MPI" in run.stderr
    assert list(tmp_path.iterdir()) == []
