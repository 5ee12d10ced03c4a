"""Finds the winner of a comparison, its advantage relative to the spread over seeds, and the savings for a user."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from haichi.comparison.strategies import BASELINE

_LEAST_GAIN = 0.01
"""The least saved fraction of the time that counts as a gain. Nobody notices less than one per cent."""


NO_GAIN = "no significant gain; keep the default placement"
"""The verdict of `haichi map` in the same case."""


class Times(NamedTuple):
    """Times of one strategy in seconds, one per seed. Each is the time of all iterations, or of the whole run of a log.
    `spread` is the standard deviation."""

    strategy: str
    barrier: str | None
    """The simulation that gave the times: ``none``, ``sets`` or ``calls``; None if nothing was simulated."""
    seconds: tuple[float, ...]
    failed: int
    is_seeded: bool
    own_spread: float | None = None
    """The spread over the seeds that `auto` tried within a single cell."""

    @property
    def mean(self) -> float:
        return statistics.fmean(self.seconds)

    @property
    def spread(self) -> float | None:
        """The standard deviation over the seeds. 0 if the seed has no effect; None for a single seed of a search that
        does not state its spread."""
        if not self.is_seeded:
            return 0.0
        return statistics.stdev(self.seconds) if len(self.seconds) > 1 else self.own_spread


class Factor(NamedTuple):
    """How many times faster one strategy is than another, with its spread."""

    value: float
    spread: float | None

    @property
    def is_larger(self) -> bool | None:
        """True if the difference from 1 is larger than the spread; None if the spread is not known."""
        return None if self.spread is None else abs(self.value - 1) > self.spread

    def __str__(self) -> str:
        return f"{self.value:.2f}" if self.spread is None else f"{self.value:.2f} ± {self.spread:.2f}"


def measure_of(cells: Iterable[dict[str, Any]]) -> str:
    return "simulated_seconds" if any("simulated" in cell for cell in cells) else "tac3_seconds"


def times_of(
    strategy: str, cells: Sequence[dict[str, Any]], workload: dict[str, Any], measure: str, is_seeded: bool
) -> Times | None:
    """The times of one workload, shape and strategy. If the cells were simulated in several ways, the simulation with
    the smallest mean counts. None if no cell has finished."""
    done = [cell for cell in cells if cell["status"] == "done"]
    failed = sum(cell["status"] == "failed" for cell in cells)
    if not done:
        return None
    if measure == "simulated_seconds":
        by_barrier = {
            barrier: tuple(cell["simulated"][barrier]["seconds"] for cell in done) for barrier in done[0]["simulated"]
        }
        barrier = min(by_barrier, key=lambda name: statistics.fmean(by_barrier[name]))
        seconds = by_barrier[barrier]
        return Times(strategy, barrier, seconds, failed, is_seeded, _own_spread(done[0], seconds[0]))
    computing = workload["compute_seconds"]
    seconds = tuple(workload["iterations"] * (cell["metrics"]["tac3_seconds"] + computing) for cell in done)
    return Times(strategy, None, seconds, failed, is_seeded)


def _own_spread(cell: dict[str, Any], seconds: float) -> float | None:
    """The spread of the verdict that the cell's own search gave, converted to seconds."""
    verdict = cell.get("verdict")
    if verdict is None or verdict["spread"] is None or verdict["share_saved"] >= 1:
        return None
    if not verdict["helps"]:
        return 0.0  # every seed led to the default placement
    spread: float = verdict["spread"] * seconds / (1 - verdict["share_saved"])
    return spread


def factor(faster: Times, slower: Times) -> Factor:
    """The ratio of the mean times. Relative spreads are combined as for independent quantities."""
    if faster.mean == 0:
        return Factor(1.0 if slower.mean == 0 else math.inf, 0.0)
    value = slower.mean / faster.mean
    if faster.spread is None or slower.spread is None:
        return Factor(value, None)
    relative = [times.spread / times.mean for times in (faster, slower) if times.spread and times.mean]
    return Factor(value, value * math.hypot(*relative))


def summarise_job(
    workload: dict[str, Any],
    shape: str | None,
    times: Sequence[Times],
    baseline: Times | None,
    measure: str,
    failed: Sequence[str] = (),
) -> dict[str, Any]:
    """The entry of a job in ``summary.jobs``. `baseline` is the default placement, even if the user did not request it.
    `failed` names the strategies whose cells all failed."""
    ranking = sorted(times, key=lambda entry: entry.mean)
    job: dict[str, Any] = {
        "workload": workload["name"],
        "shape": shape,
        "measure": measure,
        "strategies": [_strategy_entry(entry) for entry in ranking],
        "failed": list(failed),
        "winner": ranking[0].strategy if ranking else None,
        "recommended": None,
        "factors": {},
    }
    if not ranking:
        return job | {"verdict": "every cell failed", "helps": None, "advice": "not known, because every cell failed"}
    winner = ranking[0]
    factors = {entry.strategy: factor(winner, entry) for entry in ranking[1:]}
    job["factors"] = {
        name: {"value": number.value, "spread": number.spread, "is_larger": number.is_larger}
        for name, number in factors.items()
    }
    job["verdict"] = _verdict(winner, factors)
    if baseline is None:
        return job | {"helps": None, "advice": "not known, because the default placement failed"}
    choice = recommended(ranking, baseline)
    if choice is not None:
        runs = "the whole run" if choice.barrier == "calls" else _runs_text(workload["iterations"])
        held = " and a barrier before every set" if choice.barrier == "sets" else ""
        job["recommended"] = choice.strategy
        of = "communication time" if choice.barrier != "calls" and not workload["compute_seconds"] else "run time"
        job["time"] = of
        return job | savings([(choice, baseline)], f"map with {choice.strategy}{held}", of, runs, measure)
    saved, spread = _saved(winner, baseline)
    less = _percent(saved, spread, baseline.mean)
    if failed:
        advice = (
            f"not known, because {', '.join(failed)} failed, and no other strategy is faster than the default placement"
        )
        return job | {"helps": None, "advice": advice}
    if all(entry.strategy == BASELINE for entry in ranking):
        return job | {
            "helps": False,
            "advice": "only the default placement was compared",
        }
    would = f"the best strategy, {winner.strategy}, takes {less} % less time"
    if winner.strategy == BASELINE or saved <= 0:
        would = "no strategy is faster than the default placement"
    elif saved > (spread or 0.0) and saved < _LEAST_GAIN * baseline.mean:
        would += f"; gains below {100 * _LEAST_GAIN:.0f} % do not count"
    return job | {"helps": False, "advice": f"{NO_GAIN}: {would} ({_SOURCES[measure]})"}


def recommended(ranking: Sequence[Times], baseline: Times) -> Times | None:
    """The fastest strategy that saves at least one per cent, and more than the spread. None if there is none."""
    for times in ranking:
        saved, spread = _saved(times, baseline)
        is_sure = spread is None or saved > spread
        if times.strategy != BASELINE and saved >= _LEAST_GAIN * baseline.mean and saved > 0 and is_sure:
            return times
    return None


def _saved(times: Times, baseline: Times) -> tuple[float, float | None]:
    """The saved seconds and their spread."""
    spreads = [times.spread, baseline.spread]
    known = [spread for spread in spreads if spread is not None]
    return baseline.mean - times.mean, math.hypot(*known) if len(known) == len(spreads) else None


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
    """One clause per other strategy, with the factor and whether it exceeds the spread."""
    clauses = []
    for name, number in factors.items():
        if str(number).startswith("1.00") and not number.is_larger:
            clauses.append(f"as fast as {name}")
        elif number.spread is None:
            clauses.append(f"{number} times faster than {name} (spread unknown with one seed)")
        elif number.is_larger and str(number).startswith("1.00"):
            clauses.append(f"less than 1 % faster than {name}")
        elif number.is_larger:
            clauses.append(f"{number} times faster than {name}")
        else:
            clauses.append(f"not significantly faster than {name} ({number} times, within the spread)")
    if not clauses:
        return f"{winner.strategy} is the only strategy"
    return f"{winner.strategy} is " + "; ".join(clauses)


_SOURCES = {
    "simulated_seconds": "simulated",
    "tac3_seconds": "by the formula of tac3; simulated times are more reliable",
}


def savings(pairs: Sequence[tuple[Times, Times]], how: str, of: str, runs: str, measure: str) -> dict[str, Any]:
    """The joint savings over jobs that each run once: hours, their uncertainty, and the line for the user. `pairs` has
    the times of the chosen strategy and of the default placement. The line begins with `how`; `of` is the kind of time
    that decreases."""
    before = math.fsum(baseline.mean for _, baseline in pairs)
    differences = [_saved(times, baseline) for times, baseline in pairs]
    saved = math.fsum(difference for difference, _ in differences)
    known = [spread for _, spread in differences if spread is not None]
    spread = math.hypot(*known) if len(known) == len(differences) else None
    less = _percent(saved, spread, before)
    unknown = "; spread unknown with one seed" if spread is None else ""
    return {
        "seconds_before": before,
        "hours_saved": saved / 3600,
        "hours_saved_spread": None if spread is None else spread / 3600,
        "share_saved": saved / before,
        "helps": True,
        "advice": f"{how}: {less} % less {of} than with the default placement "
        f"({_seconds(saved)} s of {_seconds(before)} s for {runs}; {_SOURCES[measure]}{unknown})",
    }


def _runs_text(iterations: int) -> str:
    return "one iteration" if iterations == 1 else f"a run of {iterations:,} iterations"


def _seconds(value: float) -> str:
    return f"{value:.3g}" if value < 999.5 else f"{value:,.0f}"


def _percent(saved: float, spread: float | None, before: float) -> str:
    """The saved per cent of the time `before`, with one decimal as in the verdict of `haichi map`."""
    percent = 100 / before if before > 0 else 0
    return f"{saved * percent:.1f}" + ("" if spread is None else f" ± {spread * percent:.1f}")


def summarise_overall(jobs: Sequence[dict[str, Times]]) -> dict[str, Any]:
    """Geometric means of the factors over all jobs. Only strategies with results for every job are included."""
    complete = [name for name in jobs[0] if all(name in times for times in jobs)]
    if not complete:
        return {"winner": None, "factors": {}, "verdict": "no strategy has results for every job"}
    logs = {name: math.fsum(math.log(max(times[name].mean, 1e-300)) for times in jobs) / len(jobs) for name in complete}
    winner = min(complete, key=lambda name: logs[name])
    factors = {
        name: _mean_factor([factor(times[winner], times[name]) for times in jobs])
        for name in sorted(complete, key=lambda name: logs[name])
        if name != winner
    }
    return {
        "winner": winner,
        "factors": {
            name: {"value": number.value, "spread": number.spread, "is_larger": number.is_larger}
            for name, number in factors.items()
        },
        "verdict": _verdict(jobs[0][winner], factors),
    }


def advise_overall(
    jobs: Sequence[tuple[dict[str, Times], Times | None]], entries: Sequence[dict[str, Any]], measure: str
) -> dict[str, Any]:
    """The joint advice for all jobs: map every job as its own line states, or keep the default placements.

    `jobs` has the times of each job by strategy, and those of its default placement. `entries` has the entry of each
    job in the summary.
    """
    if len(entries) == 1:
        keys = ("seconds_before", "hours_saved", "hours_saved_spread", "share_saved", "helps", "advice")
        return {key: entries[0][key] for key in keys if key in entries[0]}
    chosen = {entry["recommended"] for entry in entries if entry["helps"]}
    if chosen:
        pairs = [
            (times[entry["recommended"]] if entry["helps"] else baseline, baseline)
            for (times, baseline), entry in zip(jobs, entries, strict=True)
            if baseline is not None
        ]
        same = len(chosen) == 1 and all(entry["helps"] for entry in entries)
        how = f"map with {chosen.pop()}" if same else "map every job as its line states"
        of = {entry["time"] for entry in entries if entry["helps"]}
        return savings(
            pairs, how, of.pop() if len(of) == 1 else "time", f"one run of each of the {len(pairs)} jobs", measure
        )
    unsure = [entry["advice"] for entry in entries if entry["helps"] is None]
    if unsure:
        return {"helps": None, "advice": unsure[0]}
    return {"helps": False, "advice": f"{NO_GAIN} in each of the {len(entries)} jobs"}


def _mean_factor(factors: Sequence[Factor]) -> Factor:
    """The geometric mean of the factors. Its spread is computed for a mean of logarithms."""
    if any(not math.isfinite(number.value) or number.value <= 0 for number in factors):
        return Factor(math.inf, None)
    value = math.exp(math.fsum(math.log(number.value) for number in factors) / len(factors))
    relative = [None if number.spread is None else number.spread / number.value for number in factors]
    if None in relative:
        return Factor(value, None)
    return Factor(value, value * math.hypot(*(entry for entry in relative if entry is not None)) / len(factors))
