"""What a user may write, with types: checked by mypy --strict and run by test_simulate.py."""

import sys

import numpy as np
import numpy.typing as npt

import haichi


def slowest_rank(run: haichi.SimulatedRun) -> int:
    times: npt.NDArray[np.float64] = run.end_seconds
    return int(times.argmax())


def show(progress: haichi.SimulationProgress) -> None:
    sys.stderr.write(f"{progress.iterations_done} of {progress.iterations}\n")


def compare() -> tuple[float, float]:
    workload = haichi.Workload.from_pattern("cg", ranks=16, iterations=2)
    found = haichi.optimize(workload, "torus:4x4", seed=3, evaluations=1000, validate=True)
    assert found.simulated is not None and found.simulated.default is not None
    simulation = haichi.simulate(
        workload, "torus:4x4", found, barrier="both", iterations="all", stats_bin=None, progress=show
    )
    without, with_barriers = simulation.runs
    link: haichi.LinkTraffic = without.hottest_links[0]
    assert 0 <= slowest_rank(with_barriers) < 16 and link.bytes > 0
    rows: list[dict[str, object]] = simulation.to_dict()["runs"]
    assert len(rows) == 2
    return without.seconds, found.simulated.run.seconds
