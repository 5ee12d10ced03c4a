"""Kills the server, or a worker or the scheduler of its Dask cluster, at random moments and checks the jobs.

    python kill_processes.py --jobs 50 --kills 20 [--what server|worker|scheduler|any] [--dask]

After each kill the process restarts. At the end, the script checks that every job has the result of an undisturbed run,
that attempts of a job did not overlap, and that no process remains.
"""

import argparse
import random
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

JOBS = {"kind": "map", "machine": "fx10-kyushu", "shape": "1x2x4x2x3x2", "objective": "tac3", "restarts": 1}

LONGER = {"schedule": "paper", "evaluations": 3_000_000}
"""Options of a search that takes longer than the start of a worker."""


def fields_of(seed: int) -> dict[str, Any]:
    return JOBS | {"seed": seed, "pattern": {"name": "cg", "ranks": 64}}


def processes_in(data: Path) -> dict[int, str]:
    """Returns the processes whose current directory belongs to a job."""
    found = {}
    for path in Path("/proc").glob("[0-9]*"):
        try:
            folder = (path / "cwd").readlink()
        except OSError:
            continue
        if folder.is_relative_to(data / "jobs"):
            found[int(path.name)] = str(folder)
    return found


def overlaps(attempts: list[dict[str, Any]]) -> bool:
    """Returns True if an attempt began before the end of the previous one. `attempts` has the lines of a job's attempt
    log, in order. An attempt whose process was killed has no end."""
    spans: list[list[float]] = []
    for line in attempts:
        if line["event"] == "start":
            spans.append([line["at"], line["at"], line["attempt"]])
        elif not spans or spans[-1][2] != line["attempt"]:
            return True  # an attempt ended during another attempt
        else:
            spans[-1][1] = line["at"]
    return any(later[0] < earlier[1] for earlier, later in zip(spans, spans[1:], strict=False))


def kill_at_random(server: Any, kills: int, draw: random.Random, pause: float) -> None:
    for _ in range(kills):
        time.sleep(draw.uniform(0, pause))
        server.kill()
        server.start()


def check(server: Any, jobs: dict[int, str], results: dict[int, str]) -> None:
    """Raises AssertionError if results, attempts or remaining processes are wrong."""
    for seed, name in jobs.items():
        job = server.client().job(name).wait()
        assert job.result_text() == results[seed], f"the result of {name} differs"
        attempts = server.attempts(name)
        assert not overlaps(attempts), attempts
        ended = [line for line in attempts if line["event"] == "end" and line.get("outcome")]
        assert len(ended) == 1, f"{name} has {len(ended)} outcomes"
    assert len(list(server.client().jobs())) == len(jobs)
    assert processes_in(server.data) == {}


def undisturbed(server: Any, seeds: range, **more: Any) -> dict[int, str]:
    jobs = {seed: server.client().submit(**fields_of(seed), **more) for seed in seeds}
    return {seed: job.wait().result_text() for seed, job in jobs.items()}


def kill_of_cluster(what: str, server: Any, cluster: Any, kills: int, draw: random.Random, pause: float) -> None:
    for _ in range(kills):
        time.sleep(draw.uniform(0, pause))
        killed = draw.choice(["server", "worker", "scheduler"]) if what == "any" else what
        if killed == "server":
            server.kill()
            server.start()
        elif killed == "worker":
            cluster.kill_worker(draw)
        else:
            cluster.kill_scheduler()


def run_on_dask(folder: Path, what: str, jobs: int, kills: int, draw: random.Random, pause: float) -> int:
    """Kills processes of a Dask cluster that runs jobs. Returns the number of attempts. Raises AssertionError if a
    check fails."""
    from conftest import Server  # in this directory
    from dask_cluster import Cluster, Watch

    folder.mkdir(exist_ok=True)
    calm = Server(folder / "calm", "--workers", "2")
    results = undisturbed(calm, range(jobs), **LONGER)
    calm.stop()
    cluster = Cluster(folder / "cluster")
    watch = Watch(folder / "cluster")
    server = None
    try:
        cluster.wait()
        server = Server(folder / "data", "--workers", "2", "--dask", cluster.address)
        names = {seed: server.client().submit(**fields_of(seed), **LONGER).id for seed in range(jobs)}
        kill_of_cluster(what, server, cluster, kills, draw, pause)
        check(server, names, results)
        watch.end()
        return sum(server.client().job(name).status()["attempts"] for name in names.values())
    finally:
        if server is not None:
            server.kill()
        cluster.close()


def main() -> None:
    from conftest import Server  # in this directory

    parser = argparse.ArgumentParser()
    parser.add_argument("--jobs", type=int, default=50)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--what", choices=("server", "worker", "scheduler", "any"), default="server")
    parser.add_argument("--dask", action="store_true", help="jobs run on a Dask cluster")
    parser.add_argument("--pause", type=float, default=6, help="with --dask: most seconds between two kills")
    given = parser.parse_args()
    draw = random.Random(given.seed)
    if given.dask or given.what != "server":
        with tempfile.TemporaryDirectory() as folder:
            count = run_on_dask(Path(folder), given.what, given.jobs, given.kills, draw, given.pause)
        print(f"{given.kills} kills ({given.what}), {given.jobs} jobs on Dask, {count} attempts: all well")
        return
    with tempfile.TemporaryDirectory() as folder:
        calm = Server(Path(folder) / "calm", "--workers", "2")
        began = time.monotonic()
        results = undisturbed(calm, range(given.jobs))
        calm_seconds = time.monotonic() - began
        calm.stop()
        server = Server(Path(folder) / "data", "--workers", "2")
        jobs = {seed: server.client().submit(**fields_of(seed)).id for seed in range(given.jobs)}
        kill_at_random(server, given.kills, draw, pause=2 * calm_seconds / given.kills)
        check(server, jobs, results)
        attempts = [len([line for line in server.attempts(name) if line["event"] == "start"]) for name in jobs.values()]
        server.stop()
    print(f"{given.kills} kills, {given.jobs} jobs, {sum(attempts)} attempts (up to {max(attempts)}): all well")


if __name__ == "__main__":
    main()
