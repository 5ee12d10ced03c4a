"""The archive of haichi_mpi_source_archive has all files that the libraries for MPI programs need on another system."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(os.environ.get("HAICHI_BUILD", "")) / "mpi_archive/make_archive.cmake"
LIBRARIES = ("prof", "renumber", "barriers", "rails")


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not os.environ.get("HAICHI_BUILD") or not SCRIPT.is_file():
        pytest.skip("this build has no libraries for MPI programs")
    ended = subprocess.run(["cmake", "-P", SCRIPT], capture_output=True, text=True, check=True)
    place = tmp_path_factory.mktemp("archive")
    archive = re.findall(r"\S+\.tar\.gz", ended.stdout + ended.stderr)[0]
    subprocess.run(["tar", "xf", archive, "-C", place], check=True)
    (directory,) = place.iterdir()
    return directory


def test_every_included_header_is_in_the_archive(sources: Path) -> None:
    makefile = (sources / "Makefile").read_text()
    waiting = [name for words in re.findall(r"^\w+_SOURCES := (.+)$", makefile, re.MULTILINE) for name in words.split()]
    assert {"commlog/profiler/merge.cc", "commlog/rails/rails.cc"} <= set(waiting)
    systems, missing = set(), set()
    for name in waiting:  # the list grows during the loop
        for kind, header in re.findall(r'^#include (["<])(.+)[">]', (sources / name).read_text(), re.MULTILINE):
            if kind == "<":
                systems.add(header)
            elif not (sources / header).is_file():
                missing.add((name, header))
            elif header not in waiting:
                waiting.append(header)
    assert not missing
    libraries = {header.partition("/")[0] for header in systems if "/" in header or header.endswith(".hpp")}
    assert libraries == {"nlohmann", "sys"}, "the archive contains only the headers of nlohmann-json"


@pytest.mark.parametrize("mpi", ["openmpi", "mpich"])
def test_the_makefile_detects_the_mpi(sources: Path, mpi: str) -> None:
    wrapper = f"mpicc.{mpi}"
    if not shutil.which(wrapper) or not shutil.which("make"):
        pytest.skip(f"requires make and {wrapper}")
    command = ["make", "-n", f"MPICC={wrapper}", f"MPIF90=mpif90.{mpi}"]
    ended = subprocess.run(command, cwd=sources, capture_output=True, text=True, check=True)
    for library in LIBRARIES:
        assert f"-o build/libhaichi-{library}-{mpi}.so" in ended.stdout


def test_a_missing_mpi_is_reported(sources: Path) -> None:
    if not shutil.which("make"):
        pytest.skip("requires make")
    command = ["make", "-n", "MPICC=false", "MPI_INCLUDE=/nowhere"]
    ended = subprocess.run(command, cwd=sources, capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert "cannot compile mpi.h: set MPICC or MPI_INCLUDE (MPI_INCLUDE=/nowhere)" in ended.stderr
