"""The profiler writes through no link, waits for no pipe, and leaves no temporary files, even if others write there."""

from __future__ import annotations

import os
import stat
import subprocess
from pathlib import Path

import mpi_programs as mpi_jobs
import pytest

RANKS = 2


def run_profiled(mpi: str, built: Path, place: Path, options: str = "") -> None:
    mpi_jobs.require_mpi(mpi)
    settings = {"LD_PRELOAD": str(mpi_jobs.profiler(mpi)), "HAICHI_PROF": f"file={place / 'profile'}{options}"}
    run = mpi_jobs.run_mpi(mpi, RANKS, [mpi_jobs.program(mpi, "exchanges.c", built)], place, **settings)
    assert run.returncode == 0, run.stderr


@pytest.mark.parametrize("mpi", mpi_jobs.MPIS)
def test_links_in_its_place_are_kept_and_not_followed(mpi: str, built: Path, tmp_path: Path) -> None:
    names = ["profile.haichi-log", "profile-2.0.part", "profile-3.1.part", "profile.haichi-log.tmp"]
    victim = tmp_path / "victim"
    victim.write_text("precious")
    for name in names:
        (tmp_path / name).symlink_to(victim)
    run_profiled(mpi, built, tmp_path)
    assert victim.read_text() == "precious"
    log = tmp_path / "profile-4.haichi-log"
    assert stat.S_ISREG(log.lstat().st_mode)
    umask = os.umask(0)
    os.umask(umask)
    assert stat.S_IMODE(log.lstat().st_mode) == 0o666 & ~umask
    assert mpi_jobs.show_log(log)["ranks"] == RANKS
    assert {path.name for path in tmp_path.iterdir()} == {"victim", log.name, *names}


def test_a_part_that_is_a_pipe_is_refused(built: Path, tmp_path: Path) -> None:
    run_profiled("openmpi", built, tmp_path, ",keep_parts=on")
    os.mkfifo(tmp_path / "profile.2.part")
    part = tmp_path / "profile.0.part"
    run = subprocess.run([mpi_jobs.BIN, "log", "show", part], capture_output=True, text=True, timeout=60)
    assert run.returncode == 2 and "profile.2.part: expected a regular file, found a pipe" in run.stderr
