"""The lines for job scripts, run by a shell with launchers that start all ranks on this host."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest
from haichi_program import fail, succeed

JOB = ("-m", "mesh:3", "--ppn", 2)
NODE_OF_RANK = [2, 0, 2, 1]
NAMES = ["a1", "b2", "c3"]

REMOTE_SHELL = """#!/bin/bash
while [[ $1 == -* ]]; do shift; done
export HOST_OF_RANK=$1 TMPDIR=$SESSIONS/$1; shift
mkdir "$TMPDIR"
if [[ $* == *prted* ]]; then  # Open MPI 5 identifies a node by the host name of its daemon.
    [ $UID -eq 0 ] || as_root=--map-root-user
    exec unshare $as_root --uts bash -c "echo $HOST_OF_RANK > /proc/sys/kernel/hostname; $*"
fi
exec bash -c "$*"
"""
# Open MPI 4.1's daemon may crash if a rank has ended when its standard input arrives.
APP = """#!/bin/sh
sleep 0.5
echo "${PMI_RANK:-$OMPI_COMM_WORLD_RANK} $HOST_OF_RANK"
"""
SRUN = """#!/bin/sh
awk '{ print NR - 1, $1 }' "$SLURM_HOSTFILE"
"""


@pytest.fixture()
def allocation(tmp_path: Path) -> Path:
    """A directory with a map, and commands as in a Slurm job on three nodes."""
    (tmp_path / "map.csv").write_text("rank,node\n" + "".join(f"{r},{n}\n" for r, n in enumerate(NODE_OF_RANK)))
    (tmp_path / "bin").mkdir()
    scontrol = f"#!/bin/sh\nprintf '%s\\n' {' '.join(NAMES)}\n"
    for name, script in {"scontrol": scontrol, "srun": SRUN, "rsh": REMOTE_SHELL, "../app": APP}.items():
        (tmp_path / "bin" / name).write_text(script)
        (tmp_path / "bin" / name).chmod(0o755)
    return tmp_path


def host_of_rank(allocation: Path, script: str) -> dict[int, str]:
    """The hosts as the started ranks print them."""
    # Daemons of Open MPI on one host would share a directory. The names of sockets in it must be short.
    sessions = tempfile.mkdtemp(dir="/tmp")
    environment = {
        "PATH": f"{allocation / 'bin'}:{os.environ['PATH']}",
        "SLURM_JOBID": "1",
        "SLURM_NNODES": "3",
        "SLURM_NODELIST": ",".join(NAMES),
        "SLURM_JOB_NODELIST": ",".join(NAMES),
        "SLURM_TASKS_PER_NODE": "2(x3)",
        "SESSIONS": sessions,
        "HYDRA_LAUNCHER_EXEC": str(allocation / "bin" / "rsh"),
        "OMPI_MCA_plm": "rsh",
        "OMPI_MCA_plm_rsh_agent": str(allocation / "bin" / "rsh"),
        "PRTE_MCA_plm": "ssh",  # Open MPI 5
        "PRTE_MCA_plm_ssh_agent": str(allocation / "bin" / "rsh"),
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    }
    (allocation / "script").write_text(script)
    ran = subprocess.run(
        ["bash", "-e", "script"],
        stdin=subprocess.DEVNULL,
        cwd=allocation,
        env=os.environ | environment,
        text=True,
        capture_output=True,
        timeout=60,
    )
    shutil.rmtree(sessions)
    assert ran.returncode == 0, ran.stderr
    return {int(rank): host for rank, host in (line.split() for line in ran.stdout.splitlines() if line)}


def job_lines(allocation: Path, *options: object) -> str:
    said = succeed("convert", *JOB, "--map", "map.csv", "-o", "map", *options, cwd=allocation).stderr
    return said.partition("for the job script:\n")[2]


@pytest.mark.parametrize(
    ("launcher", "program", "installed"),
    [
        ("slurm", "srun", "sh"),
        ("hydra", "mpiexec", "mpiexec.hydra"),
        ("openmpi", "mpirun", "mpirun.openmpi"),
    ],
)
@pytest.mark.parametrize("options", [("--launcher",), ("--hosts", "names", "-t")])
def test_the_lines_start_each_rank_on_its_node(
    allocation: Path, launcher: str, program: str, installed: str, options: tuple[str, ...]
) -> None:
    if shutil.which(installed) is None:
        pytest.skip(f"{installed} is not installed")
    (allocation / "names").write_text("\n".join(NAMES))
    lines = job_lines(allocation, *options, launcher)
    assert f"{program} " in lines
    if program != "srun":
        command = allocation / "bin" / program
        command.write_text(f'#!/bin/sh\nexec {shutil.which(installed)} "$@"\n')  # Hydra looks for its files beside it
        command.chmod(0o755)
    assert host_of_rank(allocation, lines) == {rank: NAMES[node] for rank, node in enumerate(NODE_OF_RANK)}


def test_map_prints_the_lines_of_the_launcher(tmp_path: Path) -> None:
    succeed("pattern", "ring", "--ranks", 4, "-o", "ring.json", cwd=tmp_path)
    options = ("-w", "ring.json", "--strategy", "default", "--launcher", "flux", "-o", "ring.map")
    said = succeed("map", *JOB, *options, cwd=tmp_path).stderr
    assert said.endswith('flux run --exclusive --nodes=2 --ntasks=4 --taskmap=manual:"$(cat ring.map)" ./app\n')
    assert (tmp_path / "ring.map").read_text() == "[[0,2,2,1]]\n"


def test_a_launcher_determines_the_format(allocation: Path) -> None:
    map_of_job = ("convert", *JOB, "--map", "map.csv")
    assert "--launcher cannot be combined with --to" in fail(
        2, *map_of_job, "-t", "csv", "--launcher", "flux", cwd=allocation
    )
    assert "no launcher reads the format json" in fail(2, *map_of_job, "--launcher", "json", cwd=allocation)
    assert "--to is missing" in fail(2, *map_of_job, cwd=allocation)
