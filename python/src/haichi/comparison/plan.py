"""The plan of a comparison: the checked arguments of `haichi.compare`, and the resulting cells."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from haichi import _core
from haichi.base.numbers import whole_option
from haichi.comparison.cell import Cell, SearchEffort, SimulatedAs, SimulationPlan, common_options
from haichi.comparison.strategies import BASELINE, Strategy, free_name, parse_strategy
from haichi.errors import OptionError
from haichi.job.job import Job
from haichi.model.job_spec import JobSpec, file_name, job_options, size_text
from haichi.model.machine import Machine, as_machine
from haichi.model.traffic import Traffic
from haichi.model.workload import Workload

_DEFAULT_SECONDS = 10.0


NamedJobs = dict[str, list[JobSpec]]
"""The jobs of each workload name, one per shape."""


@dataclass(frozen=True)
class WantedSimulation:
    """The requested simulations of placements."""

    of_sets: SimulationPlan
    """The options for communication sets. If it has no runs, placements are not simulated."""
    form: str
    replay: dict[str, Any]
    """The call-replay options that the user gave."""
    given_of_sets: tuple[str, ...]
    """The names of the options for communication sets that the user gave."""

    def __bool__(self) -> bool:
        return bool(self.of_sets.runs)

    def of(self, job: JobSpec) -> SimulationPlan:
        return SimulationPlan(("calls",), replay=self.replay) if self.form_of(job) == "calls" else self.of_sets

    def form_of(self, job: JobSpec) -> str:
        return job.simulated_form(self.form) if self else "sets"


@dataclass
class Plan:
    """The checked request."""

    jobs: NamedJobs
    strategies: list[Strategy]
    seeds: list[int]
    effort: SearchEffort
    simulation: WantedSimulation
    equal: str

    def check_sets(self) -> None:
        """Raises UnsupportedError for a log without communication sets. Cells are always evaluated by sets, even if
        calls are simulated."""
        for job, *_ in self.jobs.values():
            job.traffic.tell_of_sets()

    def check_simulation(self) -> None:
        """Raises OptionError if a job has no calls to simulate, or if no job can use a given option."""
        for name, job in self.all_jobs():
            try:
                self.simulation.form_of(job)
            except OptionError as error:
                raise OptionError(f"{name}: {error}", error.hint) from error
        if self.simulation.given_of_sets and not self.simulates_sets:
            name = self.simulation.given_of_sets[0]
            raise OptionError(
                f"§{name} requires communication sets, but the calls of the logs are simulated",
                "simulate the sets of their main loops with §form sets",
            )
        if self.simulation.replay and not self.simulates_calls:
            name = next(iter(self.simulation.replay)).replace("_", "-")
            raise OptionError(
                f"§{name} requires the calls of logs, but communication sets are simulated",
                "use logs as workloads, without §form sets",
            )

    @property
    def simulates_calls(self) -> bool:
        return any(self.simulation.form_of(job) == "calls" for _, job in self.all_jobs())

    @property
    def simulates_sets(self) -> bool:
        return any(self.simulation.form_of(job) == "sets" for _, job in self.all_jobs())

    def cells(self) -> list[Cell]:
        """The cells, in the order of the results. Calls the Python functions of strategies."""
        if any(strategy.function is not None for strategy in self.strategies):
            first = Job._of(self.first_job)
            self.strategies = [strategy.recognised(first) for strategy in self.strategies]
        return [
            self.cell(job, placed, seed)
            for _, job in self.all_jobs()
            for strategy in self.strategies
            for placed, seed in self._by_seed(job, strategy)
        ]

    def _by_seed(self, job: JobSpec, strategy: Strategy) -> Iterator[tuple[Strategy, int]]:
        if strategy.function is None:
            yield from ((strategy, seed) for seed in self.seeds)
            return
        loaded = Job._of(job)
        search = self.effort.options()
        placed = strategy.placed(loaded, self.seeds[0], search)
        yield placed, self.seeds[0]
        for seed in self.seeds[1:]:
            yield strategy.placed(loaded, seed, search) if strategy.uses_seed else placed, seed

    def baselines(self) -> list[Cell]:
        """A cell per job with the default placement, which users get without haichi."""
        return [self.cell(job, parse_strategy(BASELINE), self.seeds[0]) for _, job in self.all_jobs()]

    def cell(self, job: JobSpec, strategy: Strategy, seed: int) -> Cell:
        return Cell(job, strategy, seed, self.effort, self.simulation.of(job))

    def all_jobs(self) -> Iterator[tuple[str, JobSpec]]:
        """Each job with the name of its workload, in the order of the results."""
        for name, jobs in self.jobs.items():
            for job in jobs:
                yield name, job

    def names(self) -> list[str]:
        """The workload name of each cell, in the order of `cells`."""
        return [name for name, _ in self.all_jobs() for _ in self.strategies for _ in self.seeds]

    @property
    def first_job(self) -> JobSpec:
        """All jobs on its machine share its options, except workload and shape."""
        return next(job for _, job in self.all_jobs())

    @property
    def first_jobs(self) -> list[JobSpec]:
        """The first job on each machine."""
        firsts: dict[Machine, JobSpec] = {}
        for _, job in self.all_jobs():
            firsts.setdefault(job.machine, job)
        return list(firsts.values())

    def workload_entries(self) -> list[dict[str, Any]]:
        """The entries of the workloads in the results. A log has its simulated form; with several machines, each has
        its machine."""
        has_several = len(self.first_jobs) > 1
        return [
            workload_entry(name, job.workload)
            | ({"machine": job.machine.name} if has_several else {})
            | ({"as": self.simulation.form_of(job)} if self.simulation and job.traffic.log is not None else {})
            for name, (job, *_) in self.jobs.items()
        ]


def request_entry(plan: Plan) -> dict[str, Any]:
    by_name = {name: [job.shape for job in jobs] for name, jobs in plan.jobs.items()}
    shapes = list(by_name.values())
    common = common_options(plan.first_job)
    machines = [{"name": job.machine.name} | common_options(job) for job in plan.first_jobs]
    return (
        {
            "machine": ", ".join(entry["name"] for entry in machines),
            "workloads": list(plan.jobs),
            "shapes": shapes[0] if all(entry == shapes[0] for entry in shapes) else by_name,
            "strategies": [strategy.name for strategy in plan.strategies],
            "seeds": plan.seeds,
            "equal": plan.equal,
            "evaluations": plan.effort.evaluations,
            "time_limit_seconds": plan.effort.time_limit,
            "schedule": plan.effort.schedule,
            "restarts": plan.effort.restarts,
            "simulate": bool(plan.simulation),
            "barriers": list(plan.simulation.of_sets.runs) if plan.simulates_sets else [],
            "sim_iterations": plan.simulation.of_sets.iterations,
            **(plan.simulation.of_sets.spread if plan.simulates_sets else {}),
            "ranks_per_node": common.pop("ppn"),
        }
        | common
        | ({"machines": machines} if len(machines) > 1 else {})
        | ({"replay": plan.simulation.replay} if plan.simulation.replay else {})
    )


def workload_entry(name: str, workload: Workload) -> dict[str, Any]:
    messages = workload.messages
    sets = len(workload.labels)
    counts = np.bincount(messages.set, minlength=sets)
    sums = np.zeros(sets, np.int64)
    np.add.at(sums, messages.set, messages.bytes)
    return {
        "name": name,
        "ranks": workload.ranks,
        "iterations": workload.iterations,
        "messages": len(messages.source),
        "total_bytes": workload.total_bytes,
        "compute_seconds": float(sum(workload.compute_seconds)),
        "sets": [
            {"label": label, "messages": int(count), "bytes": int(total)}
            for label, count, total in zip(workload.labels, counts, sums, strict=True)
        ],
    }


def jobs_of_files(
    workloads: Sequence[str], machine: str, shapes: Shapes, size: int | None, format: str, given: Mapping[str, Any]
) -> NamedJobs:
    """Reads every workload once, and makes a job for every shape. Jobs are loaded later. If a job then cannot be
    loaded, its cells report the error. Raises the errors of `haichi.Machine` and `haichi.Workload.from_file`, and
    OptionError for shapes."""
    loaded = as_machine(machine)
    _check_files(given)
    if shapes is not None and given.get("nodes") is not None:
        raise OptionError(
            "§shapes cannot be combined with §nodes", "remove one of them; a node list already names the job's nodes"
        )
    common = job_options(given)
    named: dict[str, Traffic] = {}
    for path in workloads:
        read = Traffic.read(path, format)
        named[free_name(file_name(path), named)] = read if size is None else read.with_message_size(size)
    specs = {name: JobSpec(traffic, loaded, common) for name, traffic in named.items()}
    return {
        name: [specs[name].with_shape(shape) for shape in listed]
        for name, listed in _shapes_by_workload(shapes, named).items()
    }


def jobs_by_name(jobs: Jobs) -> NamedJobs:
    """Names each job: by the given name, by the name of its workload file, or by a number. With several machines, a
    name of several jobs includes the machine. Raises OptionError for duplicate jobs. Raises it also for jobs on a
    machine that differ in more than workloads and shapes."""
    named: NamedJobs = {}
    if isinstance(jobs, Mapping):
        for name, given in jobs.items():
            listed = [given] if isinstance(given, Job) else list(given)
            named[str(name)] = [_spec_of(job) for job in listed]
    else:
        for job in [jobs] if isinstance(jobs, Job) else jobs:
            named.setdefault(_name_of_workload(_spec_of(job), named), []).append(_spec_of(job))
    named = _by_machine(named, is_named=isinstance(jobs, Mapping))
    specs = [(name, spec) for name, listed in named.items() for spec in listed]
    if not specs:
        raise OptionError("compare requires at least one job")
    _check_common(specs)
    return named


def _by_machine(named: NamedJobs, is_named: bool) -> NamedJobs:
    """Makes a name per workload and machine if there are several machines. A name that the user gave to jobs on one
    machine stays."""
    if len({spec.machine for listed in named.values() for spec in listed}) <= 1:
        return named
    split: NamedJobs = {}
    for name, listed in named.items():
        of_machine: dict[Machine, list[JobSpec]] = {}
        for spec in listed:
            of_machine.setdefault(spec.machine, []).append(spec)
        for machine, specs in of_machine.items():
            stays = is_named and len(of_machine) == 1
            split[free_name(name if stays else f"{name} on {machine.name}", split)] = specs
    return split


def _spec_of(job: object) -> JobSpec:
    if not isinstance(job, Job):
        raise TypeError(f"jobs must contain haichi.Job, not {job!r}")
    return job._spec


def _name_of_workload(spec: JobSpec, named: NamedJobs) -> str:
    """The name for the workload of a job. Jobs with the same workload share a name."""
    stem = spec.workload_name or f"workload {len(named) + 1}"
    for name, listed in named.items():
        first = listed[0].traffic
        if first.files == spec.traffic.files and first.is_same(spec.traffic):
            return name
    return free_name(stem, named)


def _check_common(specs: Sequence[tuple[str, JobSpec]]) -> None:
    common_of: dict[Machine, dict[str, Any]] = {}
    seen: set[tuple[str, str | None]] = set()
    for name, spec in specs:
        common = common_of.setdefault(spec.machine, common_options(spec))
        for option, value in common_options(spec).items():
            if value != common.get(option):
                raise OptionError(
                    f"jobs of one comparison on {spec.machine.name} require the same {option}, "
                    f"found {common.get(option)!r} and {value!r}"
                )
        namesake = next(other for of, other in specs if of == name)
        if not spec.traffic.is_same(namesake.traffic):
            raise OptionError(f"the jobs named {name!r} have different workloads")
        if (name, spec.shape) in seen:
            raise OptionError(f"duplicate job: {name!r} on {spec.shape or 'all nodes'}")
        seen.add((name, spec.shape))


Shapes = Sequence[str] | Mapping[str, Sequence[str]] | None
Jobs = Job | Iterable[Job] | Mapping[str, Job | Iterable[Job]]


def _shapes_by_workload(shapes: Shapes, workloads: Mapping[str, object]) -> dict[str, list[str | None]]:
    """The shapes of each workload. A list of shapes applies to all workloads."""
    if shapes is None:
        return {name: [None] for name in workloads}
    if not isinstance(shapes, Mapping):
        return {name: _distinct_shapes(shapes) for name in workloads}
    for name in shapes:
        if name not in workloads:
            raise OptionError(f"unknown workload in shapes: {name!r}", f"the workloads are {', '.join(workloads)}")
    for name in workloads:
        if name not in shapes:
            raise OptionError(f"shapes by workload require an entry for {name!r}")
    return {name: _distinct_shapes(shapes[name]) for name in workloads}


def _distinct_shapes(shapes: Sequence[str]) -> list[str | None]:
    return distinct("shape", [size_text(shape) for shape in shapes])


def _check_files(given: Mapping[str, Any]) -> None:
    """Raises OptionError for standard input, because every cell would read it."""
    for name, value in given.items():
        if value == "-":
            raise OptionError(f"§{name} cannot be standard input, because every cell reads it", "use a file")


def distinct(what: str, names: list[str]) -> list[Any]:
    if not names:
        raise OptionError(f"compare requires at least one {what}")
    for name in names:
        if not name:
            raise OptionError(f"a {what} is empty")
        if names.count(name) > 1:
            raise OptionError(f"duplicate {what}: {name!r}")
    return names


_MOST_SEEDS = 10_000


def seed_list(seeds: Sequence[Any]) -> list[int]:
    """The seeds as integers. A single number n as text means the seeds 1 to n."""
    if len(seeds) == 1 and isinstance(seeds[0], str):
        return list(range(1, whole_option("seeds", int(seeds[0]), 1, _MOST_SEEDS) + 1))
    if not 1 <= len(seeds) <= _MOST_SEEDS:
        raise OptionError(f"invalid number of seeds: {len(seeds)} (use 1 to {_MOST_SEEDS:,})")
    listed = [int(seed) if isinstance(seed, str) else whole_option("a seed", seed, 0, 2**63 - 1) for seed in seeds]
    if len(set(listed)) < len(listed):
        raise OptionError("duplicate seed")
    return listed


def search_effort(given: Mapping[str, Any]) -> SearchEffort:
    time = given.get("time")
    if given.get("equal") == "seconds":
        if "evaluations" in given:
            raise OptionError("§evaluations cannot be combined with §equal seconds", "use §equal evaluations")
        time = _DEFAULT_SECONDS if time is None else time
    elif time is not None:
        raise OptionError("§time cannot be combined with §equal evaluations", "use §equal seconds")
    usual = SearchEffort()
    return SearchEffort(
        given.get("evaluations", usual.evaluations),
        time,
        given.get("schedule", usual.schedule),
        given.get("restarts", usual.restarts),
    )


_SPREAD = ("compute_spread", "compute_spread_seed")
_OF_SETS = ("barrier", "sim_iterations", *_SPREAD)
_OF_CALLS = ("compute", "compute_factor", "compute_seed", "collectives")


def wanted_simulation(given: Mapping[str, Any]) -> WantedSimulation:
    choices: dict[str, tuple[SimulatedAs, ...]] = {"none": ("none",), "sets": ("sets",), "both": ("none", "sets")}
    runs = choices[given.get("barrier", "both")] if given.get("simulate") else ()
    replay = {name: given[name] for name in _OF_CALLS if name in given}
    _core.SimulationOptions(replay)  # rejects combinations of options before the first cell
    iterations = str(given.get("sim_iterations", SimulationPlan().iterations))
    spread = {name: given[name] for name in _SPREAD if name in given}
    of_sets = SimulationPlan(runs, int(iterations) if iterations.isdecimal() else iterations, spread)
    named = tuple(name.replace("_", "-") for name in _OF_SETS if name in given)
    return WantedSimulation(of_sets, given.get("form", "auto"), replay, named)
