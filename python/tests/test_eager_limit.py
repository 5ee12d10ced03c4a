"""The search for jumps in times takes linear time. Fitting two lines for each size gives equal results."""

import random
import time
from collections import defaultdict

import numpy as np
import pytest

from haichi.calibration.eager_limit import clear_step, jumps
from haichi.calibration.placed import PlacedPoint


def placed(size: int, seconds: float, file: str = "a", hops: int = 2) -> PlacedPoint:
    return PlacedPoint(file, 1, "latency", 2, size, seconds, 1e-3, hops)


def by_definition(points: list[PlacedPoint]) -> list[int]:
    """Finds jumps by their definition: fits a line below and a line above each size by least squares."""
    series: dict[tuple[str, int], list[PlacedPoint]] = defaultdict(list)
    for point in points:
        series[point.file, point.hops].append(point)
    gains: dict[int, float] = defaultdict(float)
    for of_series in series.values():
        sizes = np.array([point.size_bytes for point in of_series], float)
        times = np.array([point.seconds for point in of_series])

        def misfit(chosen: np.ndarray, sizes: np.ndarray = sizes, times: np.ndarray = times) -> float:
            rows = np.column_stack([np.ones(chosen.sum()), sizes[chosen]]) / times[chosen, None]
            found = np.linalg.lstsq(rows, np.ones(chosen.sum()), rcond=None)[0]
            return float(np.sum((rows @ found - 1) ** 2))

        for limit in sorted(set(sizes.tolist())):
            below = sizes <= limit
            if min(below.sum(), (~below).sum()) >= 3 and limit >= 256:
                gains[int(limit)] += misfit(sizes > -1) - misfit(below) - misfit(~below)
    return sorted(gains, key=lambda limit: (-gains[limit], limit))[:2]


@pytest.mark.parametrize("seed", range(60))
def test_jumps_are_those_of_least_squares(seed: int) -> None:
    """The sizes are in random order, some occur twice, and they are in one file or two."""
    draw = random.Random(seed)
    points = []
    for file in ("a", "b")[: 1 + seed % 2]:
        sizes = [0, *(2**power + draw.choice((0, 0, 0, 1)) for power in range(draw.randrange(6, 23)))]
        sizes += draw.sample(sizes, 3)
        draw.shuffle(sizes)
        limit = draw.choice(sizes)
        for size in sizes:
            seconds = 1e-6 + size / 2.5e9 + (size > limit) * draw.choice((0, 2e-6, 5e-6))
            points.append(placed(size, seconds * draw.uniform(0.99, 1.01), file))
    assert jumps(points) == by_definition(points)


def test_exact_times_jump_where_they_do() -> None:
    sizes = [2**power for power in range(23)]
    assert jumps([placed(size, 1e-6 + size / 2.5e9 + (size > 8192) * 5e-6) for size in sizes])[0] == 8192


def test_the_time_grows_with_the_points() -> None:
    points = [placed(size, 1e-6 + size / 2.5e9 + (size > 16384) * 5e-6) for size in range(1, 30_001)]
    began = time.process_time()
    assert jumps(points)[0] == 16384
    assert time.process_time() - began < 2  # an earlier version fitted all points for each size, which took minutes


def series(jump_us: float, limit: int, hops: int = 2) -> list[PlacedPoint]:
    sizes = [2**power for power in range(20)]
    return [placed(size, 2e-6 + size / 5e9 + (size > limit) * jump_us * 1e-6, "a", hops) for size in sizes]


@pytest.mark.parametrize(
    ("points", "last"),
    [
        (series(5, 16384), 16384),
        (series(5, 64), None),  # inline messages
        (series(0, 16384), None),
        (series(1, 16384), None),  # the jump is shorter than a handshake
        (series(5, 16384) + series(9, 4096, hops=0), 16384),  # the network has precedence over the node
        (series(9, 4096, hops=0), 4096),
        (series(5, 16384) + series(4, 8192, hops=4), None),  # neither jump is much larger than the other
    ],
    ids=range(7),
)
def test_a_clear_step_is_that_of_a_handshake(points: list[PlacedPoint], last: int | None) -> None:
    step = clear_step(points)
    assert (None if step is None else points[step.last].size_bytes) == last
    if step is not None:
        assert points[step.first].size_bytes == 2 * points[step.last].size_bytes


def test_times_after_a_gap_between_sizes_are_not_a_step() -> None:
    sizes = (1, 24576, 32768, 65533, 65536, 8388605, 8388608)
    assert clear_step([placed(size, 250e-6 + size / 53e6 + (size > 65536) * 50e-3) for size in sizes]) is None
