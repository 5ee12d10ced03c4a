"""Tests the lines that a job script needs to use the placement of a job."""

import os
import subprocess
from pathlib import Path


def test_lines_for_job_scripts(server, run_program, tmp_path: Path) -> None:
    shape = {"machine": "fx10-kyushu", "shape": "1x2x4x2x3x2"}
    job = server.client().submit("map", pattern={"name": "cg", "ranks": 64}, strategy="default", **shape).wait()
    _, lines = server.ask("GET", f"/v1/jobs/{job.id}/jobscript?file=cg.map")
    assert lines.splitlines()[0] == '#PJM -L "node=2x6x8:torus"'
    assert job.job_lines(file="cg.map") == lines
    assert "rank-map-hostfile=cg.map" in lines and "proc=64" in lines
    (tmp_path / "cg.map").write_text(job.rank_map("fujitsu"))
    (tmp_path / "job.sh").write_text(lines)
    run_program(
        tmp_path, "check", "--map=cg.map", "--job=job.sh", *(f"--{name}={value}" for name, value in shape.items())
    )
    for wrong in ("file=a%20b", "file=../x", "file=..", "file=-x", "scheduler=x", "scheduler=json"):
        assert server.ask("GET", f"/v1/jobs/{job.id}/jobscript?{wrong}")[0] == 422


def test_a_pjm_script_states_the_nodes_of_a_job(server, tmp_path: Path) -> None:
    script = tmp_path / "job.sh"
    script.write_text('#!/bin/sh\n#PJM -L "node=2x6x8:torus:strict-io"\n#PJM --mpi "proc=64"\n')
    cg = {"pattern": {"name": "cg", "ranks": 64}, "strategy": "default", "machine": "fx10-kyushu"}
    job = server.client().submit("map", job=script, **cg).wait()
    assert job.result()["shape"] == [1, 2, 4, 2, 3, 2]
    assert len(job.rank_map("fujitsu").splitlines()) == 64
    assert job.job_lines().startswith('#PJM -L "node=2x6x8:torus:strict-io"')


def test_pjm_must_not_turn_a_request_whose_map_would_be_worse(server) -> None:
    search = {"pattern": {"name": "cg", "ranks": 64}, "machine": "fx10-kyushu", "strategy": "anneal"}
    search |= {"objective": "tac3", "evaluations": 20_000, "restarts": 1}
    job = server.client().submit("map", shape="1x2x4x2x3x2", **search).wait()
    assert job.result()["rotated"]["strict"] and job.result()["request"] == [2, 6, 8]
    assert job.job_lines() == job.result()["job_lines"]
    assert job.job_lines().startswith('#PJM -L "node=2x6x8:torus:strict"')


def test_shapes_are_named_by_the_machine_or_by_pjm(server) -> None:
    cg = {"pattern": {"name": "cg", "ranks": 64}, "machine": "fx10-kyushu", "strategy": "default"}
    job = server.client().submit("map", shapes="1x2x4x2x3x2,4x6x4", **cg).wait()
    for number, names in enumerate((("1x2x4x2x3x2", "2x6x8"), ("2x2x2x2x3x2", "4x6x4"))):
        for name in names:
            assert job.rank_map("fujitsu", shape=name) == job.rank_map("fujitsu", shape=names[0])
            assert f"node={names[1]}:torus" in job.job_lines(shape=name), number
    status, told = server.ask("GET", f"/v1/jobs/{job.id}/rankmap?format=csv&shape=2x2")
    assert status == 422 and "shape must be one of 1x2x4x2x3x2, 2x2x2x2x3x2" in str(told)


def test_job_lines_name_the_nodes_of_the_job_that_runs_them(server, tmp_path: Path) -> None:
    """Slurm may later allocate other nodes than those that the request names."""
    ring = {
        "pattern": {"name": "ring", "ranks": 4},
        "machine": "mesh:4",
        "strategy": "random",
        "objective": "hop-bytes",
    }
    job = server.client().submit("map", hosts="server[0-3]", cores_per_rank=2, **ring).wait()
    _, lines = server.ask("GET", f"/v1/jobs/{job.id}/jobscript?scheduler=slurm&file=ring.csv")
    request = ["#SBATCH --nodes=4", "#SBATCH --ntasks=4", "#SBATCH --ntasks-per-node=1", "#SBATCH --cpus-per-task=2"]
    assert lines.splitlines()[:4] == request and "server" not in lines
    (tmp_path / "ring.csv").write_text(job.rank_map("csv"))
    commands = tmp_path / "bin"
    commands.mkdir()
    for name, script in (("scontrol", "printf 'a1\\nb2\\nc3\\nd4\\n'"), ("srun", 'cat "$SLURM_HOSTFILE"; echo "$@"')):
        (commands / name).write_text(f"#!/bin/sh\n{script}\n")
        (commands / name).chmod(0o755)
    environment = os.environ | {"PATH": f"{commands}:{os.environ['PATH']}", "SLURM_JOB_NODELIST": "x"}
    ran = subprocess.run(["bash", "-e"], input=lines, cwd=tmp_path, env=environment, text=True, capture_output=True)
    names = ["a1", "b2", "c3", "d4"]
    wanted = [names[int(line.split(",")[1])] for line in job.rank_map("csv").splitlines()[1:]]
    options = "--nodes=4 --ntasks=4 --cpus-per-task=2 --distribution=arbitrary ./app"
    assert ran.stdout.splitlines() == [*wanted, options], ran.stderr


def test_every_launcher_has_job_lines(server) -> None:
    ring = {
        "pattern": {"name": "ring", "ranks": 4},
        "machine": "mesh:4",
        "strategy": "default",
        "objective": "hop-bytes",
    }
    job = server.client().submit("map", **ring).wait()
    launchers = {
        "openmpi": "mpirun -n 4 --rankfile m ./app",
        "cray": "export MPICH_RANK_REORDER_METHOD=3 MPICH_RANK_REORDER_FILE=m",
        "flux": 'flux run --exclusive --nodes=4 --ntasks=4 --taskmap=manual:"$(cat m)" ./app',
        "erf": "jsrun --erf_input m ./app",
        "hydra": "mpiexec -launcher ssh -n 4 -f m.hosts ./app",
        "pals": "mpiexec -n 4 --ppn 1 --hostfile m.hosts ./app",
    }
    for launcher, line in launchers.items():
        _, lines = server.ask("GET", f"/v1/jobs/{job.id}/jobscript?scheduler={launcher}&file=m")
        assert line in lines.splitlines()
