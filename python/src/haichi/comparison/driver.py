"""`haichi.compare`: splits a request into cells, computes these with an executor and a journal, and collects the
results."""

from __future__ import annotations

import contextlib
import logging
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from typing import Any, Literal, NamedTuple, SupportsIndex, Unpack

import numpy as np

from haichi import _core
from haichi.base.json_text import one_line
from haichi.base.option_types import ComparisonOptions
from haichi.base.options import given_options, takes
from haichi.comparison.cell import Cell, Outcome, compute_cell
from haichi.comparison.executors import DaskWorkers, Executor, LocalProcesses, LostWorkerError
from haichi.comparison.files import SCHEMA, checked_outcome
from haichi.comparison.journal import Journal
from haichi.comparison.map_command import map_command
from haichi.comparison.plan import (
    Jobs,
    NamedJobs,
    Plan,
    jobs_by_name,
    request_entry,
    search_effort,
    seed_list,
    wanted_simulation,
    workload_entry,
)
from haichi.comparison.results import Comparison
from haichi.comparison.strategies import AUTO, BASELINE, default_strategies, parse_strategies, parse_strategy
from haichi.comparison.summary import (
    Times,
    advise_overall,
    measure_of,
    summarise_job,
    summarise_overall,
    times_of,
)
from haichi.comparison.views import ViewRequest, placement_views
from haichi.errors import Error, InternalError
from haichi.model.machine import warn_of_buffers

_LOG = logging.getLogger("haichi")

_MOST_NODES_FOR_ALL_VIEWS = 2000


@dataclass
class _Outcomes:
    """Outcomes by cell key. Cells with equal keys are computed once."""

    by_key: dict[str, Outcome] = field(default_factory=dict)
    taken_over: int = 0


class ComparisonProgress(NamedTuple):
    """The progress of a comparison."""

    cells_done: int
    cells: int
    failed: int
    taken_over: int  #: number of finished cells from the journal or earlier results


ProgressCallback = Callable[[ComparisonProgress], object]


@takes(ComparisonOptions)
def compare(
    jobs: Jobs,
    *,
    journal: str | os.PathLike[str] | None = None,
    earlier: Comparison | None = None,
    views: bool = True,
    progress: ProgressCallback | None = None,
    **options: Unpack[ComparisonOptions],
) -> Comparison:
    """Compares placement strategies over jobs and seeds, as ``haichi compare`` does.

    Parameters
    ----------
    jobs: one job, a sequence of jobs, or a dict of jobs by workload name. The jobs may differ in workloads, shapes and
        machines. With several machines, "NAME on MACHINE" in the results names a workload on a machine.
    journal: a file that records finished cells. A killed comparison continues when it is started again with its
    journal.
    earlier: earlier results, from which equal cells are taken.
    views: also computes the data of the pictures, which `Comparison.report` requires.
    progress: called after every cell, in the caller's thread. An exception from it ends the comparison.
    {options}

    `strategies` may also be a list, or a dict from names to strategies. Each is a name, an array with the node of each
    rank, a placement, or a function. ``function(job)`` or ``function(job, seed)`` returns an array or a placement. A
    function may also be an objective as in `Job.optimize`. haichi calls functions in this process, before the first
    cell is computed. Their exceptions end the comparison.

    A failed cell is reported in the results, and the comparison continues. After Ctrl-C the results contain the
    finished cells (`Comparison.interrupted`).
    Raises OptionError, InputError and UnsupportedError for errors that are found before the first cell is computed, in
    names, jobs or the journal.
    """
    given = given_options("compare", ComparisonOptions, options)
    # A text is split into its entries; a sequence stays as it is.
    listed = {}
    if not isinstance(given.get("seeds", ""), str | SupportsIndex):
        listed["seeds"] = list(given["seeds"])
    if not isinstance(given.get("strategies", ""), str):
        listed["strategies"] = given["strategies"]
    values = _core.comparison_options({name: value for name, value in given.items() if name not in listed}) | listed
    return compare_specs(jobs_by_name(jobs), values, journal, earlier, views, progress)


def compare_specs(
    jobs: NamedJobs,
    given: Mapping[str, Any],
    journal: str | os.PathLike[str] | None = None,
    earlier: Comparison | None = None,
    views: bool = True,
    progress: ProgressCallback | None = None,
) -> Comparison:
    """`compare` for jobs that are not loaded yet. A job that cannot be loaded is an error of its cells. `given` has the
    checked option values."""
    strategies = given.get("strategies")
    if strategies is None:
        listed = [job for of_name in jobs.values() for job in of_name]
        strategies = default_strategies(all(job.machine.axes and "nodes" not in job.options for job in listed))
    plan = Plan(
        jobs=jobs,
        strategies=parse_strategies(strategies),
        seeds=seed_list(given.get("seeds", ["10"])),
        effort=search_effort(given),
        simulation=wanted_simulation(given),
        equal=given.get("equal", "evaluations"),
    )
    if "barrier" not in given and any(strategy.search == AUTO for strategy in plan.strategies):
        # The strategy `auto` chooses by simulated times without barriers. With barriers, the results would not show its
        # gain.
        plan.simulation = replace(plan.simulation, of_sets=replace(plan.simulation.of_sets, runs=("none",)))
    plan.check_sets()
    plan.check_simulation()
    if plan.simulation:
        for job in plan.first_jobs:
            with contextlib.suppress(Error):  # the cells of the job report the error
                warn_of_buffers(job.machine)
    book = None if journal is None else Journal(journal)
    dask = given.get("dask")
    with contextlib.closing(book or contextlib.ExitStack()):
        executor: Executor = LocalProcesses(given.get("processes", 0)) if dask is None else DaskWorkers(dask)
        with contextlib.closing(executor):
            return _run(plan, executor, book, _done_cells(earlier), views, progress)


def _run(
    plan: Plan,
    executor: Executor,
    book: Journal | None,
    earlier: dict[str, Outcome],
    with_views: bool,
    progress: ProgressCallback | None,
) -> Comparison:
    listed = plan.cells()
    keys = {id(cell): cell.key() for cell in listed}
    baselines = plan.baselines()
    baseline_keys = [cell.key() for cell in baselines]
    outcomes = _Outcomes(dict(earlier) | ({} if book is None else book.outcomes))
    interrupted = False
    views: dict[str, Any] = {"views": [], "networks": [], "message_lists": []}
    try:
        # Cells are ordered by job, so that a process reads each log once.
        per_job = len(plan.strategies) * len(plan.seeds)
        ordered = [
            cell
            for number, baseline in enumerate(baselines)
            for cell in (*listed[number * per_job : (number + 1) * per_job], baseline)
        ]
        known = keys | dict(zip(map(id, baselines), baseline_keys, strict=True))
        _compute(ordered, [known[id(cell)] for cell in ordered], executor, book, outcomes, progress)
    except KeyboardInterrupt:
        interrupted = True
    cells = [
        _entry(name, cell, keys[id(cell)], outcomes.by_key.get(keys[id(cell)]))
        for name, cell in zip(plan.names(), listed, strict=True)
    ]
    found = [outcomes.by_key.get(key, {"status": "missing"}) for key in baseline_keys]
    summary = _summary(plan, cells, found)
    trouble = ""
    if with_views and not interrupted:
        try:
            requests = list(_view_requests(plan, cells, found, summary))
            views = _merged(_results(executor.run(placement_views, [[request] for request in requests])))
        except KeyboardInterrupt:
            interrupted = True
        except Error as error:  # the results are useful even without pictures
            trouble = f"cannot make the pictures: {error}"
    content: dict[str, Any] = {"schema": SCHEMA, "haichi": version("haichi"), "request": request_entry(plan)}
    if interrupted:
        content["interrupted"] = True
    if trouble:
        content["warning"] = trouble
    content["workloads"] = plan.workload_entries()
    content["objectives"] = _objective_entries(cells)
    return Comparison(content | {"cells": cells, "summary": summary} | views)


def _compute(
    cells: Sequence[Cell],
    keys: Sequence[str],
    executor: Executor,
    book: Journal | None,
    outcomes: _Outcomes,
    progress: ProgressCallback | None,
) -> None:
    """Computes the missing cells into `outcomes`, one by one, so that an interruption keeps the finished cells."""
    distinct = dict(zip(keys, cells, strict=True))
    outcomes.by_key = {key: outcome for key, outcome in outcomes.by_key.items() if key in distinct}
    outcomes.taken_over = len(outcomes.by_key)
    failed = 0

    def tell() -> None:
        if progress is not None:
            progress(ComparisonProgress(len(outcomes.by_key), len(distinct), failed, outcomes.taken_over))

    tell()
    left = [key for key in distinct if key not in outcomes.by_key]
    # With fewer cells than processors, each search uses several processors. Results do not depend on this number. A
    # search with a time limit would depend on it, so each of these gets one processor.
    threads = max(1, executor.processes // max(1, len(left)))
    tasks = [
        cell if cell.effort.time_limit is not None else replace(cell, threads=threads)
        for cell in (distinct[key] for key in left)
    ]
    _LOG.info(
        "comparison: %d cells, %d of them finished earlier, %d at the same time, %d threads each",
        *(len(distinct), outcomes.taken_over, executor.processes, threads),
    )
    for index, result in executor.run(compute_cell, tasks):
        outcome = _outcome(result)
        _log_cell(distinct[left[index]], outcome)
        outcomes.by_key[left[index]] = outcome
        failed += outcome["status"] == "failed"
        if book is not None:
            book.add(left[index], outcome)
        tell()


def _log_cell(cell: Cell, outcome: Outcome) -> None:
    name = cell.job.workload_name or "workload"
    where = name if cell.job.shape is None else f"{name} on {cell.job.shape}"
    what = f"cell {where}, {cell.strategy.name}, seed {cell.seed}"
    if outcome["status"] == "failed":
        _LOG.info("%s: failed: %s", what, outcome["error"])
    else:
        _LOG.debug("%s: %s", what, outcome["status"])


def _outcome(result: Any) -> Outcome:
    if isinstance(result, LostWorkerError):
        hint = "this often means too little memory: use a smaller workload or fewer processes"
        return {"status": "failed", "error": str(result), "hint": hint}
    if isinstance(result, Error):
        return {"status": "failed", "error": str(result), "hint": result.hint}
    outcome: Outcome = result
    return outcome


def _results(pairs: Iterator[tuple[int, Any]]) -> list[dict[str, Any]]:
    """Returns the results in the order of the tasks."""
    found: dict[int, dict[str, Any]] = {}
    for index, result in pairs:
        if isinstance(result, LostWorkerError | Error):
            raise InternalError(f"cannot make the data of a picture: {result}")
        found[index] = result
    return [found[index] for index in sorted(found)]


def _merged(parts: Sequence[dict[str, Any]]) -> dict[str, list[Any]]:
    """Merges the data of pictures that were made one by one. Equal networks and message lists are stored once."""
    merged: dict[str, list[Any]] = {"views": [], "networks": [], "message_lists": []}
    numbers: dict[str, int] = {}
    for part in parts:
        for view in part["views"]:
            for key, table in (("network", "networks"), ("messages", "message_lists")):
                value = part[table][view[key]]
                number = numbers.setdefault(one_line(value), len(merged[table]))
                if number == len(merged[table]):
                    merged[table].append(value)
                view[key] = number
            merged["views"].append(view)
    return merged


_HEAD = ("workload", "shape", "strategy", "seed")


def _entry(name: str, cell: Cell, key: str, outcome: Outcome | None) -> dict[str, Any]:
    head = dict(zip(_HEAD, (name, cell.job.shape, cell.strategy.name, cell.seed), strict=True))
    return head | (outcome or {"status": "missing"}) | {"key": key}


def _objective_entries(cells: Sequence[dict[str, Any]]) -> list[dict[str, str]]:
    """The table entries of all objectives that some cell has a value for, in the order of the table."""
    told = {name for cell in cells for name in cell.get("objectives", {})}
    return [
        {"name": row.name, "unit": row.unit, "sentence": row.sentence} for row in _core.objectives() if row.name in told
    ]


def _done_cells(earlier: Comparison | None) -> dict[str, Outcome]:
    """Finished cells of earlier results, by key."""
    found: dict[str, Outcome] = {}
    for cell in [] if earlier is None else earlier.cells:
        with contextlib.suppress(ValueError, TypeError, KeyError):  # from an older version or edited: compute it again
            outcome = {name: value for name, value in cell.items() if name not in (*_HEAD, "key")}
            found[cell["key"]] = checked_outcome(outcome)
    return found


def _summary(plan: Plan, cells: Sequence[dict[str, Any]], baselines: Sequence[Outcome]) -> dict[str, Any]:
    measure = measure_of(cells)
    jobs = []
    entries = []
    per_strategy = len(plan.seeds)
    position = 0
    for (name, job), baseline in zip(plan.all_jobs(), baselines, strict=True):
        described = workload_entry(name, job.workload)
        times: dict[str, Times] = {}
        for strategy in plan.strategies:
            mine = cells[position : position + per_strategy]
            position += per_strategy
            is_seeded = strategy.uses_seed
            found = times_of(strategy.name, mine, described, measure, is_seeded)
            if found is not None:
                times[strategy.name] = found
        usual = times_of(BASELINE, [baseline], described, measure, False)
        failed = [strategy.name for strategy in plan.strategies if strategy.name not in times]
        jobs.append((times, usual))
        entries.append(summarise_job(described, job.shape, list(times.values()), usual, measure, failed))
    overall = summarise_overall([times for times, _ in jobs]) | advise_overall(jobs, entries, measure)
    missing = sum(cell["status"] == "missing" for cell in cells)
    if missing:
        for entry in (*entries, overall):
            entry |= {"helps": None, "advice": f"not known yet, because {missing} of {len(cells)} cells are missing"}
            if entry["winner"] is None:
                entry["verdict"] = "no strategy is finished yet"
    return {"jobs": entries, "overall": overall}


_Shown = tuple[str, int, Literal["before", "after", "other"], Outcome]


def _view_requests(
    plan: Plan, cells: Sequence[dict[str, Any]], baselines: Sequence[Outcome], summary: dict[str, Any]
) -> Iterator[ViewRequest]:
    """Yields pictures to draw: the default placement, and for each strategy the seed with the smallest time."""
    for (name, spec), baseline in zip(plan.all_jobs(), baselines, strict=True):
        if baseline["status"] != "done":
            continue
        shape = spec.shape
        job = next(entry for entry in summary["jobs"] if (entry["workload"], entry["shape"]) == (name, shape))
        chosen: list[_Shown] = [(BASELINE, plan.seeds[0], "before", baseline)]
        for entry in job["strategies"]:
            strategy = entry["strategy"]
            is_winner = strategy == (job["recommended"] or job["winner"])
            if strategy == BASELINE or not (is_winner or baseline["nodes"] <= _MOST_NODES_FOR_ALL_VIEWS):
                continue
            mine = [
                cell
                for cell in cells
                if (cell["workload"], cell["shape"], cell["strategy"]) == (name, shape, strategy)
                and cell["status"] == "done"
            ]
            best = min(mine, key=lambda cell: _cell_seconds(cell, entry["barrier"]))
            chosen.append((strategy, best["seed"], "after" if is_winner else "other", best))
        by_name = {strategy.name: strategy for strategy in (parse_strategy(BASELINE), *plan.strategies)}
        for strategy, seed, role, outcome in chosen:
            yield ViewRequest(
                job=spec,
                node_of_rank=np.asarray(outcome["node_of_rank"], np.int32),
                workload_name=name,
                strategy=strategy,
                seed=seed,
                role=role,
                convergence=outcome["convergence"],
                command=map_command(spec, by_name[strategy], seed, plan.effort),
                runs=plan.simulation.of(spec).runs,
                spread=plan.simulation.of(spec).spread,
                replay=plan.simulation.replay,
                whole_run_seconds=outcome.get("simulated", {}).get("calls", {}).get("seconds"),
            )


def _cell_seconds(cell: dict[str, Any], barrier: str | None) -> float:
    seconds: float = cell["metrics"]["tac3_seconds"] if barrier is None else cell["simulated"][barrier]["seconds"]
    return seconds
