"""Kills the server, or processes of jobs, at random moments, and looks at what became of the jobs.

    python kill_processes.py --jobs 50 --kills 20

After each kill the server is started again. In the end every job has one result, equal to that of an undisturbed run;
attempts of a job did not overlap; nothing runs any more.
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


def fields_of(seed: int) -> dict[str, Any]:
    return JOBS | {"seed": seed, "pattern": {"name": "cg", "ranks": 64}}


def processes_in(data: Path) -> dict[int, str]:
    """Processes whose current folder is that of a job."""
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
    """Whether an attempt began before the one before had ended. Lines are in the order in which they were written, and
    an attempt whose process was killed itself has no end."""
    spans: list[list[float]] = []
    for line in attempts:
        if line["event"] == "start":
            spans.append([line["at"], line["at"], line["attempt"]])
        elif not spans or spans[-1][2] != line["attempt"]:
            return True  # an end in the midst of another attempt
        else:
            spans[-1][1] = line["at"]
    return any(later[0] < earlier[1] for earlier, later in zip(spans, spans[1:], strict=False))


def kill_at_random(server: Any, kills: int, draw: random.Random, pause: float) -> None:
    for _ in range(kills):
        time.sleep(draw.uniform(0, pause))
        server.kill()
        server.start()


def check(server: Any, jobs: dict[int, str], results: dict[int, str]) -> None:
    """Raises AssertionError."""
    for seed, name in jobs.items():
        job = server.client().job(name).wait()
        assert job.result_text() == results[seed], f"the result of {name} differs"
        attempts = server.attempts(name)
        assert not overlaps(attempts), attempts
        ended = [line for line in attempts if line["event"] == "end" and line.get("outcome")]
        assert len(ended) == 1, f"{name} has {len(ended)} outcomes"
    assert len(list(server.client().jobs())) == len(jobs)
    assert processes_in(server.data) == {}


def undisturbed(server: Any, seeds: range) -> dict[int, str]:
    jobs = {seed: server.client().submit(**fields_of(seed)) for seed in seeds}
    return {seed: job.wait().result_text() for seed, job in jobs.items()}


def main() -> None:
    from conftest import Server  # beside this file

    parser = argparse.ArgumentParser()
    parser.add_argument("--jobs", type=int, default=50)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    draw = random.Random(given.seed)
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
