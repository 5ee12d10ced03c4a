"""From sbatch to srun on a real Slurm: each rank runs on the node in the map.

The batch scripts are those of docs/howto/slurm.md: `haichi map --slurm`, then the line that it prints. With
HAICHI_SLURM_TRANSCRIPT=FILE the test also writes what it ran and what came out.
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

HAICHI = os.environ.get("HAICHI_BIN", "build/release/cli/haichi")

pytestmark = pytest.mark.skipif(bool(why_not()), reason=f"Slurm: {why_not()}")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    # munged's socket has a path of at most 107 characters.
    with Cluster(tmp_path_factory.mktemp("c")) as running:
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
    place.mkdir(exist_ok=True)
    (place / "app.json").write_text(ring(ranks))
    script = place / "job.sh"
    directives = "".join(f"#SBATCH {option}\n" for option in options.split())
    script.write_text(f"#!/bin/bash\n{directives}set -euo pipefail\n{lines}\n")
    output = cluster.submit(script)
    if transcript := os.environ.get("HAICHI_SLURM_TRANSCRIPT"):
        with Path(transcript).open("a") as file:
            file.write(f"$ cat job.sh\n{script.read_text()}$ sbatch --wait job.sh; cat job.out\n{output}\n")
    return output


def map_command(extra: str = "", to: str = "hostfile") -> str:
    haichi = Path(HAICHI).absolute()
    search = "--objective hop-bytes --evaluations 20000"
    return f"{haichi} map --slurm -w app.json {search} {extra} -o {to} 2> map.txt; cat map.txt"


def printed_line(word: str, program: str) -> str:
    """A shell line that runs the printed line with this word, for another program."""
    return f"""eval "$(grep -m1 {word} map.txt | sed "s|[.]/app|{program}|")\""""


def mpi_program(place: Path, mpi: str) -> str:
    """A program that prints its rank and node, built with this MPI."""
    compiler = shutil.which(f"mpicc.{mpi}")
    if compiler is None or shutil.which(f"mpirun.{mpi}") is None:
        pytest.skip(f"requires {mpi}")
    program = place / f"where.{mpi}"
    subprocess.run([compiler, Path(__file__).with_name("where.c"), "-o", program], check=True)
    return str(program)


@pytest.mark.parametrize(
    ("options", "ranks"),
    [
        ("--nodes=8 --ntasks-per-node=4", 32),
        ("--nodes=16 --ntasks=32 --ntasks-per-node=2 --cpus-per-task=2", 32),
        ("--nodelist=n[2,4-9,16] --ntasks=16 --exclusive", 16),
        ("--nodes=4 --ntasks=14 --exclusive", 14),
        ("--nodes=4 --ntasks=14", 14),
        ("--nodes=3 --ntasks=10", 10),
        ("--nodes=3 --ntasks=10 --ntasks-per-node=4", 10),
        ("--nodes=8 --ntasks-per-node=4", 12),
        ("--nodes=1 --ntasks=4", 4),
    ],
)
def test_srun_starts_each_rank_where_the_map_says(cluster: Cluster, tmp_path: Path, options: str, ranks: int) -> None:
    (tmp_path / "where.sh").write_text('echo RANK "$SLURM_PROCID" "$SLURMD_NODENAME"\n')
    start = printed_line("srun", "sh where.sh")
    output = run_job(cluster, tmp_path, options, f"{map_command()}\n{start}", ranks)
    hosts = (tmp_path / "hostfile").read_text().split()
    assert place_of_ranks(output) == hosts and len(hosts) == ranks


def test_mpich_runs_under_srun_where_the_map_says(cluster: Cluster, tmp_path: Path) -> None:
    program = mpi_program(tmp_path, "mpich")
    start = printed_line("srun", f"--mpi=pmi2 {program}")
    output = run_job(cluster, tmp_path, "--nodes=8 --ntasks-per-node=2", f"{map_command()}\n{start}", 16)
    assert place_of_ranks(output) == (tmp_path / "hostfile").read_text().split()


def test_open_mpi_runs_under_mpirun_where_the_map_says(cluster: Cluster, tmp_path: Path) -> None:
    program = mpi_program(tmp_path, "openmpi")
    # The nodes share one /tmp and /dev/shm, in which the daemons of several nodes would use the same names.
    settings = "export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl=self,tcp"
    start = printed_line("mpirun", program)
    lines = f"{settings}\n{map_command('-f openmpi', 'rankfile')}\n{start}"
    output = run_job(cluster, tmp_path, "--nodes=8 --ntasks-per-node=2", lines, 16)
    wanted = [line.split("=")[1].split()[0] for line in (tmp_path / "rankfile").read_text().splitlines()]
    assert place_of_ranks(output) == wanted


def test_unequal_tasks_stay_within_the_tasks_of_each_node(cluster: Cluster, tmp_path: Path) -> None:
    # srun's own distribution is the default placement.
    (tmp_path / "where.sh").write_text('echo RANK "$SLURM_PROCID" "$SLURMD_NODENAME"\n')
    default = map_command("--strategy default", "default").replace(" --evaluations 20000", "")
    lines = f"srun sh where.sh\n{default}\n{map_command()}"
    output = run_job(cluster, tmp_path, "--nodes=3 --ntasks=10", lines, 10)
    own = place_of_ranks(output)
    counts = sorted(own.count(node) for node in set(own))
    assert len(set(counts)) > 1, "the tasks per node are equal, so the test shows nothing"
    assert (tmp_path / "default").read_text().split() == own
    found = (tmp_path / "hostfile").read_text().split()
    assert sorted(found) == sorted(own)
    assert f"{counts[0]} to {counts[-1]} on each" in output
