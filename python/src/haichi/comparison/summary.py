"""Who wins a comparison, by how much against the spread over seeds, and what that is worth to a user."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from haichi.comparison.strategies import BASELINE

_LEAST_GAIN = 0.01
"""Below one percent nobody will notice: the share of the time from which mapping is said to help."""


class Times(NamedTuple):
    """Seconds of all iterations under one strategy, one per seed; `spread` is their standard deviation."""

    strategy: str
    barrier: str | None
    seconds: tuple[float, ...]
    failed: int
    is_seeded: bool

    @property
    def mean(self) -> float:
        return statistics.fmean(self.seconds)

    @property
    def spread(self) -> float | None:
        """0 where the seed plays no role; None where one seed was tried."""
        if not self.is_seeded:
            return 0.0
        return statistics.stdev(self.seconds) if len(self.seconds) > 1 else None


class Factor(NamedTuple):
    """How many times faster one strategy is than another."""

    value: float
    spread: float | None

    @property
    def is_larger(self) -> bool | None:
        """Whether the difference is larger than the spread; None where that is not known."""
        return None if self.spread is None else abs(self.value - 1) > self.spread

    def __str__(self) -> str:
        return f"{self.value:.2f}" if self.spread is None else f"{self.value:.2f} ± {self.spread:.2f}"


def measure_of(cells: Iterable[dict[str, Any]]) -> str:
    return "simulated_seconds" if any("simulated" in cell for cell in cells) else "tac3_seconds"


def times_of(
    strategy: str, cells: Sequence[dict[str, Any]], workload: dict[str, Any], measure: str, is_seeded: bool
) -> Times | None:
    """Of the cells of one workload, shape and strategy; of several ways to simulate, the one with the smaller mean.
    None where every cell failed."""
    done = [cell for cell in cells if cell["status"] == "done"]
    failed = sum(cell["status"] == "failed" for cell in cells)
    if not done:
        return None
    if measure == "simulated_seconds":
        by_barrier = {
            barrier: tuple(cell["simulated"][barrier]["seconds"] for cell in done) for barrier in done[0]["simulated"]
        }
        barrier = min(by_barrier, key=lambda name: statistics.fmean(by_barrier[name]))
        return Times(strategy, barrier, by_barrier[barrier], failed, is_seeded)
    computing = workload["compute_seconds"]
    seconds = tuple(workload["iterations"] * (cell["metrics"]["tac3_seconds"] + computing) for cell in done)
    return Times(strategy, None, seconds, failed, is_seeded)


def factor(faster: Times, slower: Times) -> Factor:
    """Mean over mean; relative spreads add as those of independent quantities."""
    if faster.mean == 0:
        return Factor(1.0 if slower.mean == 0 else math.inf, 0.0)
    value = slower.mean / faster.mean
    if faster.spread is None or slower.spread is None:
        return Factor(value, None)
    relative = [times.spread / times.mean for times in (faster, slower) if times.spread and times.mean]
    return Factor(value, value * math.hypot(*relative))


def summarise_job(
    workload: dict[str, Any], shape: str | None, times: Sequence[Times], baseline: Times | None, measure: str
) -> dict[str, Any]:
    """The entry of ``summary.jobs``; `baseline` is the default placement, whether it was asked for or not."""
    ranking = sorted(times, key=lambda entry: entry.mean)
    job: dict[str, Any] = {
        "workload": workload["name"],
        "shape": shape,
        "measure": measure,
        "strategies": [_strategy_entry(entry) for entry in ranking],
        "winner": ranking[0].strategy if ranking else None,
        "factors": {},
    }
    if not ranking:
        return job | {"verdict": "every cell failed", "advice": "do not know: every cell failed"}
    winner = ranking[0]
    factors = {entry.strategy: factor(winner, entry) for entry in ranking[1:]}
    job["factors"] = {
        name: {"value": number.value, "spread": number.spread, "is_larger": number.is_larger}
        for name, number in factors.items()
    }
    job["verdict"] = _verdict(winner, factors)
    if baseline is None:
        return job | {"advice": "do not know: the default placement failed"}
    return job | savings([(winner, baseline, workload["iterations"])], winner.strategy, measure)


def _strategy_entry(times: Times) -> dict[str, Any]:
    return {
        "strategy": times.strategy,
        "barrier": times.barrier,
        "mean": times.mean,
        "spread": times.spread,
        "least": min(times.seconds),
        "most": max(times.seconds),
        "seeds": len(times.seconds),
        "failed": times.failed,
    }


def _verdict(winner: Times, factors: dict[str, Factor]) -> str:
    """A clause per other strategy: by how much, and whether that is more than chance."""
    clauses = []
    for name, number in factors.items():
        if str(number).startswith("1.00") and not number.is_larger:
            clauses.append(f"as fast as {name}")
        elif number.spread is None:
            clauses.append(f"{number} times faster than {name} (one seed: the spread is not known)")
        elif number.is_larger:
            clauses.append(f"{number} times faster than {name}")
        else:
            clauses.append(f"not different from {name} beyond the spread ({number})")
    if not clauses:
        return f"{winner.strategy} alone was compared"
    return f"{winner.strategy} is " + "; ".join(clauses)


def savings(pairs: Sequence[tuple[Times, Times, int]], strategy: str, measure: str) -> dict[str, Any]:
    """What (winner, default placement, iterations) of one or more jobs, each run once, say together: hours, their
    uncertainty, and the line for the user."""
    before = sum(baseline.mean for _, baseline, _ in pairs)
    saved = before - sum(winner.mean for winner, _, _ in pairs)
    spreads = [times.spread for winner, baseline, _ in pairs for times in (winner, baseline)]
    spread = None if None in spreads else math.hypot(*(value for value in spreads if value is not None))
    share = saved / before if before > 0 else 0.0
    share_spread = None if spread is None or before <= 0 else spread / before
    entry: dict[str, Any] = {
        "seconds_before": before,
        "hours_saved": saved / 3600,
        "hours_saved_spread": None if spread is None else spread / 3600,
        "share_saved": share,
        "helps": share >= _LEAST_GAIN and (spread is None or saved > spread) and strategy != BASELINE,
    }
    runs = f"one run of each of the {len(pairs)} jobs"
    if len(pairs) == 1:
        iterations = pairs[0][2]
        runs = "one iteration" if iterations == 1 else f"a run of {iterations:,} iterations"
    source = "simulated" if measure == "simulated_seconds" else "by the formula of tac3; --simulate is surer"
    if entry["helps"]:
        barrier = pairs[0][0].barrier
        held = " with a barrier before every set" if len(pairs) == 1 and barrier == "sets" else ""
        hours = _with_spread(10 * share, share_spread, 10)
        advice = (
            f"map with {strategy}{held}: it saves {hours} hours of every 10 that the default placement takes "
            f"({_with_spread(saved, spread)} of {_seconds(before)} s for {runs}; {source})"
        )
    elif strategy == BASELINE or saved <= 0:
        advice = f"mapping will not help here: nothing is faster than the default placement ({source})"
    else:
        advice = (
            f"mapping will not help here: the best, {strategy}, would save {_with_spread(saved, spread)} of "
            f"{_seconds(before)} s for {runs} ({source})"
        )
    return entry | {"advice": advice}


def _seconds(value: float) -> str:
    return f"{value:.3g}" if value < 1000 else f"{value:,.0f}"


def _with_spread(value: float, spread: float | None, scale: float = 1) -> str:
    """With as many decimals as the smaller of both needs."""
    if spread is None:
        return f"{value:.3g} (spread not known)"
    scaled = spread * scale
    smallest = scaled if scaled > 0 else abs(value) / 100
    decimals = min(max(0, 1 - math.floor(math.log10(smallest))), 12) if smallest > 0 else 0
    return f"{value:,.{decimals}f} ± {scaled:,.{decimals}f}"


def summarise_overall(
    jobs: Sequence[tuple[dict[str, Any], dict[str, Times], Times | None]], measure: str
) -> dict[str, Any]:
    """Over (workload, times by strategy, default placement) of all jobs: geometric means of the factors, of the
    strategies that every job has."""
    complete = [name for name in jobs[0][1] if all(name in times for _, times, _ in jobs)] if jobs else []
    if not complete:
        return {"winner": None, "factors": {}, "verdict": "no strategy did every job", "advice": "do not know"}
    logs = {
        name: math.fsum(math.log(max(times[name].mean, 1e-300)) for _, times, _ in jobs) / len(jobs)
        for name in complete
    }
    winner = min(complete, key=lambda name: logs[name])
    factors = {
        name: _mean_factor([factor(times[winner], times[name]) for _, times, _ in jobs])
        for name in sorted(complete, key=lambda name: logs[name])
        if name != winner
    }
    entry: dict[str, Any] = {
        "winner": winner,
        "factors": {
            name: {"value": number.value, "spread": number.spread, "is_larger": number.is_larger}
            for name, number in factors.items()
        },
        "verdict": _verdict(jobs[0][1][winner], factors),
    }
    pairs = [
        (times[winner], baseline, workload["iterations"]) for workload, times, baseline in jobs if baseline is not None
    ]
    if len(pairs) < len(jobs):
        return entry | {"advice": "do not know: a default placement failed"}
    return entry | savings(pairs, winner, measure)


def _mean_factor(factors: Sequence[Factor]) -> Factor:
    """Geometric mean; the spread of a mean of logarithms."""
    if any(not math.isfinite(number.value) or number.value <= 0 for number in factors):
        return Factor(math.inf, None)
    value = math.exp(math.fsum(math.log(number.value) for number in factors) / len(factors))
    relative = [None if number.spread is None else number.spread / number.value for number in factors]
    if None in relative:
        return Factor(value, None)
    return Factor(value, value * math.hypot(*(entry for entry in relative if entry is not None)) / len(factors))
