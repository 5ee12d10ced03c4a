"""From sbatch to srun on a real Slurm: each rank runs on the node in the map.

The batch scripts are those of docs/howto/slurm.md: `haichi map --slurm`, then the line that it prints. With
HAICHI_SLURM_TRANSCRIPT=FILE the test also writes each script and its output.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from cluster import Cluster, why_not

HAICHI = Path(os.environ.get("HAICHI_BIN", "build/release/cli/haichi")).absolute()

pytestmark = pytest.mark.skipif(bool(why_not()), reason=f"Slurm: {why_not()}")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    # munged's socket has a path of at most 107 characters.
    running = Cluster(tmp_path_factory.mktemp("c"))
    running.environment["PATH"] = f"{HAICHI.parent}:{running.environment['PATH']}"
    with running:
        yield running


def ring(ranks: int) -> str:
    """Rank r exchanges data with r + ranks / 2, which the default placement puts on another leaf switch."""
    half = ranks // 2
    messages = [[rank, (rank + half) % ranks, 1 << 20] for rank in range(ranks)]
    return json.dumps({"schema": "haichi-workload/1", "ranks": ranks, "sets": [{"messages": messages}]})


def place_of_ranks(output: str) -> list[str]:
    """The node of each rank that printed `RANK number node`."""
    found = sorted((int(words[1]), words[2]) for line in output.splitlines() if (words := line.split())[:1] == ["RANK"])
    assert [rank for rank, _ in found] == list(range(len(found)))
    return [node for _, node in found]


def run_job(cluster: Cluster, place: Path, options: str, lines: str, ranks: int) -> str:
    """Submits a script with the sbatch options and lines, and returns its output."""
    (place / "app.json").write_text(ring(ranks))
    script = place / "job.sh"
    directives = "".join(f"#SBATCH {option}\n" for option in options.split())
    script.write_text(f"#!/bin/bash\n{directives}set -euo pipefail\n{lines}\n")
    output = cluster.submit(script)
    if transcript := os.environ.get("HAICHI_SLURM_TRANSCRIPT"):
        with Path(transcript).open("a") as file:
            file.write(f"$ cat job.sh\n{script.read_text()}$ sbatch --wait job.sh; cat job.out\n{output}\n")
    return output


SEARCH = "--objective hop-bytes --evaluations 20000"
MAP = f"haichi map --slurm -w app.json {SEARCH}"


def shell_program(place: Path) -> None:
    """Makes ./app, which prints its rank and node."""
    app = place / "app"
    app.write_text('#!/bin/sh\necho RANK "$SLURM_PROCID" "$SLURMD_NODENAME"\n')
    app.chmod(0o755)


def mpi_program(place: Path, mpi: str) -> None:
    """Makes ./app, which prints its rank in MPI_COMM_WORLD and its node, built with this MPI."""
    compiler = shutil.which(f"mpicc.{mpi}")
    if compiler is None or shutil.which(f"mpirun.{mpi}") is None:
        pytest.skip(f"requires {mpi}")
    subprocess.run([compiler, Path(__file__).with_name("where.c"), "-o", place / "app"], check=True)


@pytest.mark.parametrize(
    ("options", "ranks", "nodes"),
    [
        ("--nodes=8 --ntasks-per-node=4", 32, 8),
        ("--nodes=16 --ntasks=32 --ntasks-per-node=2 --cpus-per-task=2", 32, 16),
        ("--nodelist=n[2,4-9,16] --ntasks=16 --exclusive", 16, 8),
        ("--nodes=4 --ntasks=14 --exclusive", 14, 4),
        ("--nodes=4 --ntasks=14", 14, 4),
        ("--nodes=3 --ntasks=10", 10, 3),
        ("--nodes=3 --ntasks=10 --ntasks-per-node=4", 10, 3),
        ("--nodes=8 --ntasks-per-node=4", 12, None),
        ("--nodes=1 --ntasks=4", 4, 1),
    ],
)
def test_srun_starts_each_rank_where_the_map_says(
    cluster: Cluster, tmp_path: Path, options: str, ranks: int, nodes: int | None
) -> None:
    shell_program(tmp_path)
    # Without `nodes`, the map decides their number, so the script runs the line that haichi prints.
    cpus = "--cpus-per-task=2 " if "--cpus-per-task=2" in options else ""
    line = f"SLURM_HOSTFILE=hostfile srun --nodes={nodes} --ntasks={ranks} {cpus}--distribution=arbitrary ./app"
    start = line if nodes else 'eval "$(grep srun map.txt)"'
    output = run_job(cluster, tmp_path, options, f"{MAP} -o hostfile 2>&1 | tee map.txt\n{start}", ranks)
    hosts = (tmp_path / "hostfile").read_text().split()
    assert place_of_ranks(output) == hosts and len(hosts) == ranks
    if nodes:
        assert f"for the job script:\n{line}\n" in output


def test_mpich_runs_under_srun_where_the_map_says(cluster: Cluster, tmp_path: Path) -> None:
    mpi_program(tmp_path, "mpich")
    line = "SLURM_HOSTFILE=hostfile srun --nodes=8 --ntasks=16 --distribution=arbitrary ./app"
    lines = f"{MAP} -o hostfile\nexport SLURM_MPI_TYPE=pmi2\n{line}"
    output = run_job(cluster, tmp_path, "--nodes=8 --ntasks-per-node=2", lines, 16)
    assert place_of_ranks(output) == (tmp_path / "hostfile").read_text().split()
    assert f"for the job script:\n{line}\n" in output


def test_mpich_runs_under_hydra_where_the_map_says(cluster: Cluster, tmp_path: Path) -> None:
    mpi_program(tmp_path, "mpich")
    # The names of the nodes are unknown outside Slurm, so this ssh starts the command by a job step on the node.
    ssh = tmp_path / "bin" / "ssh"
    ssh.parent.mkdir()
    ssh.write_text(
        '#!/bin/sh\n[ "$1" = -x ] && shift\nhost=$1; shift\n'
        'exec srun --overlap --nodes=1 --ntasks=1 --nodelist="$host" sh -c "$*"\n'
    )
    ssh.chmod(0o755)
    line = "mpiexec -launcher ssh -n 16 -f hosts ./app"
    # Hydra would pass the script's node name to all ranks.
    settings = "PATH=$PWD/bin:$PATH\nunset SLURMD_NODENAME"
    lines = f"{settings}\n{MAP} -f hydra -o hosts\n{line.replace('mpiexec', 'mpiexec.hydra')}"
    output = run_job(cluster, tmp_path, "--nodes=8 --ntasks-per-node=2", lines, 16)
    wanted = [line.removesuffix(":1") for line in (tmp_path / "hosts").read_text().split()]
    assert place_of_ranks(output) == wanted and len(wanted) == 16
    assert f"for the job script:\n{line}\n" in output


def test_open_mpi_runs_under_mpirun_where_the_map_says(cluster: Cluster, tmp_path: Path) -> None:
    mpi_program(tmp_path, "openmpi")
    # The nodes share one /tmp and /dev/shm, in which the daemons of several nodes would use the same names.
    settings = "export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl=self,tcp"
    line = "mpirun -n 16 --rankfile rankfile ./app"
    lines = f"{settings}\n{MAP} -f openmpi -o rankfile\n{line}"
    output = run_job(cluster, tmp_path, "--nodes=8 --ntasks-per-node=2", lines, 16)
    wanted = [line.split("=")[1].split()[0] for line in (tmp_path / "rankfile").read_text().splitlines()]
    assert place_of_ranks(output) == wanted and len(wanted) == 16
    assert f"for the job script:\n{line}\n" in output


def test_unequal_tasks_stay_within_the_tasks_of_each_node(cluster: Cluster, tmp_path: Path) -> None:
    # srun's own distribution is the default placement.
    shell_program(tmp_path)
    default = "haichi map --slurm -w app.json --objective hop-bytes --strategy default -o default"
    output = run_job(cluster, tmp_path, "--nodes=3 --ntasks=10", f"srun ./app\n{default}\n{MAP} -o hostfile", 10)
    own = place_of_ranks(output)
    counts = sorted(own.count(node) for node in set(own))
    assert len(set(counts)) > 1, "the tasks per node are equal, so the test shows nothing"
    assert (tmp_path / "default").read_text().split() == own
    found = (tmp_path / "hostfile").read_text().split()
    assert sorted(found) == sorted(own)
    assert f"{counts[0]} to {counts[-1]} on each" in output
