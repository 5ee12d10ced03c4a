"""libhaichi-rails sets the advised variables in programs of both MPIs, unless the user has set them or the job is
another one."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
LIBRARIES = Path(os.environ["HAICHI_PRELOAD_LIBRARIES"])
MPIS = ["openmpi", "mpich"]
NAMES = ["UCX_MAX_RNDV_RAILS", "MV2_NUM_HCAS", "OMPI_MCA_btl_openib_max_btls"]


def needed(program: str) -> str:
    path = shutil.which(program)
    if path is None:
        pytest.skip(f"{program} is not installed")
    return path


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("rails")


def run(mpi: str, folder: Path, file: Path, ranks: int = 2, **settings: str) -> tuple[list[str], str]:
    """Returns the variables that rank 1 sees, and the messages."""
    library = LIBRARIES / "rails" / f"libhaichi-rails-{mpi}.so"
    if not library.exists():
        pytest.skip(f"the library for {mpi} was not built")
    program = folder / f"shows-{mpi}"
    if not program.exists():
        command = [needed(f"mpicc.{mpi}"), str(HERE / "shows.c"), "-o", str(program)]
        subprocess.run(command, check=True, timeout=60)
    environment = {k: v for k, v in os.environ.items() if k not in NAMES and not k.startswith("HAICHI_")}
    environment |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_btl": "self,vader"}
    environment |= {"LD_PRELOAD": str(library), "HAICHI_RAILS": str(file), **settings}
    options = ["--oversubscribe"] if mpi == "openmpi" else []
    command = [needed(f"mpiexec.{mpi}"), *options, "-n", str(ranks), str(program), *NAMES]
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
    assert ran.returncode == 0, ran.stderr
    seen = [line[2:] for line in ran.stdout.splitlines() if line.startswith("1 ")]
    return [variable for variable in seen if not variable.endswith("=")], ran.stderr


@pytest.fixture()
def file(tmp_path: Path) -> Path:
    path = tmp_path / "rails"
    path.write_text(
        "haichi-rails/1\n"
        "ranks 4 nodes 0 UCX_MAX_RNDV_RAILS=4\n"
        "ranks 2 nodes 1 UCX_MAX_RNDV_RAILS=1 OMPI_MCA_btl_openib_max_btls=1\n"
    )
    return path


@pytest.mark.parametrize("mpi", MPIS)
def test_variables_are_set_unless_the_user_has_set_them(folder: Path, file: Path, mpi: str) -> None:
    seen, messages = run(mpi, folder, file)
    assert sorted(seen) == ["OMPI_MCA_btl_openib_max_btls=1", "UCX_MAX_RNDV_RAILS=1"]
    line = "haichi-rails: 2 ranks on 1 node: set UCX_MAX_RNDV_RAILS=1 OMPI_MCA_btl_openib_max_btls=1\n"
    assert messages == line
    seen, messages = run(mpi, folder, file, UCX_MAX_RNDV_RAILS="2")
    assert sorted(seen) == ["OMPI_MCA_btl_openib_max_btls=1", "UCX_MAX_RNDV_RAILS=2"]
    assert "set OMPI_MCA_btl_openib_max_btls=1; kept UCX_MAX_RNDV_RAILS=2 (advised: 1)\n" in messages


@pytest.mark.parametrize("mpi", MPIS)
def test_other_jobs_and_wrong_files_change_nothing(folder: Path, file: Path, mpi: str) -> None:
    seen, messages = run(mpi, folder, file, ranks=3)
    assert seen == []
    assert messages.count("haichi-rails") == 1
    assert (
        f"warning: no variable set: the job has 3 ranks on 1 node, but {file} is for 4 ranks, 2 ranks on 1" in messages
    )
    file.write_text("haichi-rails/1\nranks 2 nodes 1 UCX\n")
    seen, messages = run(mpi, folder, file)
    assert seen == [] and f"{file}:2: expected a variable of an MPI library and a number" in messages
    assert "found 'UCX'" in messages
    for word in ("PATH=1", "MV2_NUM_HCAS=-9"):
        file.write_text(f"haichi-rails/1\nranks 2 nodes 1 {word}\n")
        assert f"found '{word}'" in run(mpi, folder, file)[1]
    assert "expected a regular file" in run(mpi, folder, Path("/dev/zero"))[1]
    assert run(mpi, folder, file, HAICHI_RAILS="") == ([], "")
