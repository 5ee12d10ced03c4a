"""Advice on shapes, clusters and NICs, from simulations and logs."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any, SupportsIndex, Unpack

from haichi import _core
from haichi.base.option_types import JobOptions, RailAdviceOptions, ShapeAdviceOptions, SpreadAdviceOptions
from haichi.base.options import given_options, part_of, takes
from haichi.model.loaded_job import job_spec
from haichi.model.machine import MachineLike, warn_of_buffers
from haichi.model.traffic import Traffic
from haichi.model.workload import WorkloadLike
from haichi.results.advice import (
    BarrierAdvice,
    BarrierAnswer,
    BarrierTimes,
    RailAdvice,
    RailAnswer,
    ShapeAdvice,
    ShapeChoice,
    SpreadAdvice,
    SpreadTimes,
    TimesOfSeeds,
    of_report,
)


@takes(ShapeAdviceOptions)
def advise_shape(
    workload: WorkloadLike,
    machine: MachineLike,
    **options: Unpack[ShapeAdviceOptions],
) -> ShapeAdvice:
    """Finds the best allowed job shape for a workload on a number of nodes, as ``haichi advise shape`` does.

    Parameters
    ----------
    workload, machine: as in `haichi.Job`.
    {options}

    If no shape has exactly `node_count` nodes, the next larger number is used. Other Python threads run during the
    search. Ctrl-C ends the search and returns the results so far. Raises InputError and OptionError, and
    UnsupportedError for machines other than a mesh or torus.
    """
    given = given_options("advise_shape", ShapeAdviceOptions, options)
    asked = _core.ShapeAdviceOptions(_advice_part(given))
    spec = job_spec(workload, machine, part_of(JobOptions, given))
    spec.traffic.tell_of_sets()
    warn_of_buffers(spec.machine)
    report = json.loads(_core.advise_shape(spec.core(), asked))
    shapes = tuple(_shape_choice(row) for row in report["shapes"])
    return of_report(ShapeAdvice, report, shapes=shapes, report=report)


@takes(SpreadAdviceOptions)
def advise_spread(
    workload: WorkloadLike,
    machine: MachineLike,
    spread_workload: WorkloadLike | None = None,
    **options: Unpack[SpreadAdviceOptions],
) -> SpreadAdvice:
    """Compares a job in one cluster with the job over all clusters, as ``haichi advise spread`` does.

    Parameters
    ----------
    workload: the job in one cluster. For a log file, its calls are simulated.
    machine: a machine with at least two clusters.
    spread_workload: the same work on the ranks of all clusters. None: the ranks of `workload`, with fewer per node.
    {options}

    If the job has more ranks across all clusters than in one, these ranks divide the same total computation. Other
    Python threads run during the simulations. Ctrl-C ends them and returns the results so far. Raises InputError and
    OptionError, and UnsupportedError for machines without clusters.
    """
    given = given_options("advise_spread", SpreadAdviceOptions, options)
    asked = _core.SpreadAdviceOptions(_advice_part(given))
    spec = job_spec(workload, machine, part_of(JobOptions, given))
    spec.traffic.tell_of_sets()
    if spread_workload is not None:
        spread = Traffic.of(spread_workload)
        spread.tell_of_sets()
        asked.set_spread(spread._core)
    warn_of_buffers(spec.machine)
    report = json.loads(_core.advise_spread(spec.core(), asked))
    in_one = tuple(of_report(SpreadTimes, place) for place in report["in_one"])
    over_all = of_report(SpreadTimes, report["over_all"])
    return of_report(SpreadAdvice, report, in_one=in_one, over_all=over_all, report=report)


def _advice_part(given: dict[str, Any]) -> dict[str, Any]:
    job = part_of(JobOptions, given)
    return {name: value for name, value in given.items() if name not in job}


def barrier_advice(placement: _core.Placement, options: _core.BarrierAdviceOptions) -> BarrierAdvice:
    report = json.loads(_core.advise_barrier(placement, options))
    answers = tuple(
        of_report(BarrierAnswer, entry, choices=tuple(of_report(BarrierTimes, choice) for choice in entry["choices"]))
        for entry in report["answers"]
    )
    return of_report(BarrierAdvice, report, answers=answers, report=report)


@takes(RailAdviceOptions)
def advise_rails(
    logs: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | Mapping[str | os.PathLike[str], SupportsIndex],
    **options: Unpack[RailAdviceOptions],
) -> RailAdvice:
    """Recommends how many NICs (rails) of a node a job should use, as ``haichi advise rails`` does.

    Parameters
    ----------
    logs: logs of runs, or a dict from the log of each run to the number of NICs that the run used. The recommendation
        uses the times if runs with equal numbers of ranks used different numbers of NICs. Otherwise it uses the
        profiles.
    {options}
    """
    given = given_options("advise_rails", RailAdviceOptions, options)
    if isinstance(logs, Mapping) and logs:
        given = {"rails": list(logs.values())} | given
    paths: Sequence[Any] = [logs] if isinstance(logs, str | os.PathLike) else list(logs)
    named: list[tuple[str, str, int | None]] = [
        (os.fspath(log), os.path.basename(os.fspath(log)), None) for log in paths
    ]
    report = json.loads(_core.advise_rails(named, given))
    answers = tuple(of_report(RailAnswer, entry) for entry in report["answers"])
    return of_report(RailAdvice, report, answers=answers, report=report)


def _shape_choice(row: dict[str, Any]) -> ShapeChoice:
    simulated = {key: of_report(TimesOfSeeds, row[key]) for key in ("without_barriers", "with_barriers") if key in row}
    return of_report(ShapeChoice, row, **simulated)
