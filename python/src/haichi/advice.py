"""Questions answered with numbers: which job shape, before which sets a barrier, how many network interfaces
(`spread_advice`: whether to spread over clusters)."""

from __future__ import annotations

import html
import json
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, SupportsIndex

from haichi import _core
from haichi.errors import OptionError
from haichi.file_names import encoded
from haichi.job_spec import JobOptions, JobSpec
from haichi.machine import MachineLike, as_machine, warn_of_buffers
from haichi.numbers import whole_option
from haichi.options import MessageSize, complete
from haichi.search import core_objective
from haichi.traffic import Traffic
from haichi.workload import WorkloadLike


@dataclass(frozen=True)
class TimesOfSeeds:
    """Simulated seconds of one shape, by the seed whose search found the placement."""

    seconds: float
    """The mean."""
    spread_seconds: float
    """Half the distance from the fastest to the slowest, and what iterations that were not simulated may change."""
    by_seed: tuple[float, ...]


@dataclass(frozen=True)
class ShapeChoice:
    """A shape that the job may have. What was not looked at is None."""

    shape: tuple[int, ...]
    request: tuple[int, ...]
    """What to ask the scheduler for. On Tofu it may lay out the request's axes in another order, so that several shapes
    may have the same request. Elsewhere it is the shape."""
    mean_distance: float
    """Hops between two nodes of it, were routes shortest."""
    idle_nodes: int | None = None
    value: float | None = None
    """Of the objective, for the best placement found."""
    optimal: bool = False
    contention_sum: int | None = None
    """Most messages on any link, added over the sets."""
    set_contention: tuple[int, ...] | None = None
    without_barriers: TimesOfSeeds | None = None
    with_barriers: TimesOfSeeds | None = None


@dataclass(frozen=True, repr=False)
class ShapeAdvice:
    """Which job shape suits, of `haichi.advise_shape`."""

    advice: str
    """``"one"``: `requests` holds the one that wins; ``"several"``: those that cannot be told apart and beat the rest;
    ``"any"``: no simulated one is better than another beyond the spread; ``"unknown"``."""
    requests: tuple[tuple[int, ...], ...]
    gain: float
    """By how much the next one is slower, as a share of its time."""
    spread: float
    """Of this difference, in the same unit."""
    sentence: str
    shapes: tuple[ShapeChoice, ...]
    """Best first; not simulated ones last."""
    nodes: int
    """Of all shapes; more than asked for when no allowed shape has exactly as many."""
    interrupted: bool
    report: dict[str, Any] = field(compare=False)
    """``haichi-advice/1``."""

    def __repr__(self) -> str:
        return f"ShapeAdvice({self.sentence!r}, nodes={self.nodes}, shapes={len(self.shapes)})"

    def _repr_html_(self) -> str:
        """A table, for notebooks."""
        head = ["request", "shape", "idle nodes", self.report["objective"], "contention", "no barriers", "barriers"]
        rows = [
            [
                _joined(row.request),
                _joined(row.shape),
                cell(row.idle_nodes),
                "" if row.value is None else f"{row.value:.6g}",
                cell(row.contention_sum),
                _times_cell(row.without_barriers),
                _times_cell(row.with_barriers),
            ]
            for row in self.shapes
        ]
        return html_table(self.sentence, head, rows)


@dataclass(frozen=True)
class BarrierTimes:
    """Simulated seconds with barriers before some sets, by draw of the imbalance."""

    sets: tuple[int, ...]
    """Counted from 1; empty: no barrier."""
    seconds: tuple[float, ...]


@dataclass(frozen=True)
class BarrierAnswer:
    """Before which sets a barrier pays, at one message size."""

    message_size: int | None
    """Bytes; None: as the workload says."""
    advice: str
    """``"sets"``: barriers before `sets` pay; ``"none"``: barriers lose; ``"unknown"``: see `sentence`."""
    sets: tuple[int, ...]
    """The best choice with any barrier, counted from 1, as `Job.simulate(barrier="1,3")` takes them."""
    gain_seconds: float
    """What it saves, mean over the draws; negative: it loses."""
    spread_seconds: float
    simulations: int
    choices: tuple[BarrierTimes, ...]
    sentence: str
    break_even_seconds: float | None = None
    """What a barrier may cost at most, where the machine does not say what it does."""
    put_barrier_seconds: float | None = None
    """There: what a barrier by put and poll takes."""


@dataclass(frozen=True, repr=False)
class BarrierAdvice:
    """Before which sets barriers pay, of `Job.advise_barrier`."""

    answers: tuple[BarrierAnswer, ...]
    """One for each message size, ascending."""
    pays_from_bytes: int | None
    """The message size from which on barriers pay, of those asked for."""
    set_contention: tuple[int, ...]
    sentence: str
    interrupted: bool
    report: dict[str, Any] = field(compare=False)
    """``haichi-advice/1``."""

    @property
    def answer(self) -> BarrierAnswer:
        """The only one. Raises AttributeError when several sizes were asked for."""
        if len(self.answers) != 1:
            raise AttributeError(f"there are {len(self.answers)} answers, one for each message size")
        return self.answers[0]

    @property
    def advice(self) -> str:
        return self.answer.advice

    @property
    def sets(self) -> tuple[int, ...]:
        return self.answer.sets

    def __repr__(self) -> str:
        return f"BarrierAdvice({self.sentence!r}, answers={len(self.answers)})"

    def _repr_html_(self) -> str:
        """A table, for notebooks."""
        if len(self.answers) == 1:
            rows = [
                [_sets_cell(choice.sets), f"{choice.seconds[0]:.6g}"]
                for choice in sorted(self.answer.choices, key=lambda choice: choice.seconds[0])
            ]
            return html_table(self.sentence, ["barriers before", "seconds"], rows)
        rows = [
            [
                cell(one.message_size),
                one.advice,
                _sets_cell(one.sets),
                f"{one.gain_seconds:.4g}",
                f"{one.spread_seconds:.4g}",
            ]
            for one in self.answers
        ]
        return html_table(self.sentence, ["message size", "advice", "before", "seconds saved", "spread"], rows)


@dataclass(frozen=True)
class RailAnswer:
    """How many network interfaces a job of so many processes should use on each node."""

    processes: int
    advice: str
    """``"measured"``: `rails`; ``"more"``: all; ``"fewer"``: one; ``"unknown"``."""
    reasons: tuple[str, ...]
    settings: tuple[str, ...]
    """Environment variables that make the library do so."""
    rails: int | None = None
    gain: float | None = None
    """Times faster than the fewest rails that were measured."""


@dataclass(frozen=True, repr=False)
class RailAdvice:
    """How many network interfaces to use, of `haichi.advise_rails`."""

    answers: tuple[RailAnswer, ...]
    measured: bool
    """From times of runs with different numbers of rails; else from profiles."""
    trend: str | None
    """What measured runs say about larger jobs."""
    warnings: tuple[str, ...]
    sentence: str
    report: dict[str, Any] = field(compare=False)
    """``haichi-advice/1``."""

    def __repr__(self) -> str:
        return f"RailAdvice({self.sentence!r}, measured={self.measured})"

    def _repr_html_(self) -> str:
        """A table, for notebooks."""
        rows = [
            [str(one.processes), one.advice, cell(one.rails), "; ".join(one.reasons), " or ".join(one.settings)]
            for one in self.answers
        ]
        return html_table(self.sentence, ["processes", "advice", "rails", "because", "setting"], rows)


def advise_shape(
    workload: WorkloadLike,
    machine: MachineLike,
    nodes: SupportsIndex | None = None,
    *,
    ppn: int = 1,
    objective: str = "auto",
    seed: int = 1,
    seeds: int = 3,
    finalists: int = 4,
    packet_hops: float = _core.ADVICE_PACKET_HOPS,
    threads: int = 0,
    routing: str | None = None,
) -> ShapeAdvice:
    """Tells which allowed job shape of `nodes` nodes suits the workload, as ``haichi advise shape`` does.

    Parameters
    ----------
    workload, machine, ppn, routing: as those of `haichi.Job`.
    nodes: of the job; None: as many as the ranks need. Without a shape of exactly as many the next larger number.
    objective: that placements are searched by; ``"auto"``: tac3, or hop-bytes where all messages are one set.
    seeds: placements of each shape that are simulated, found by searches with the seeds from `seed` on.
    finalists: how many requests, after a quick search of all, are searched properly and simulated.
    packet_hops: what all simulations together may take; there are fewer of them, and of fewer iterations, if need be.
    threads: 0: all cores. The answer does not depend on it.

    Other Python threads run meanwhile; Ctrl-C ends it with what is known. Raises InputError, OptionError,
    UnsupportedError (machines that are no mesh or torus).
    """
    options = _core.ShapeAdviceOptions()
    options.objective = core_objective(objective)
    options.node_count = 0 if nodes is None else whole_option("nodes", nodes, 1, 2**31 - 1)
    options.seed = whole_option("seed", seed, 0, 2**63 - 1)
    options.seeds = whole_option("seeds", seeds, 1, 1000)
    options.finalists = whole_option("finalists", finalists, 1, 1000)
    options.packet_hops = number_from_1("packet_hops", packet_hops)
    options.threads = whole_option("threads", threads, 0, 4096)
    job = complete("advise_shape", JobOptions, JobOptions(ppn=ppn, routing=routing))
    spec = JobSpec(Traffic.of(workload), as_machine(machine), job)
    spec.traffic.tell_of_sets()
    warn_of_buffers(spec.machine)
    report = json.loads(_core.advise_shape(spec.core(), options))
    return ShapeAdvice(
        advice=report["advice"],
        requests=tuple(tuple(request) for request in report["requests"]),
        gain=report["gain"],
        spread=report["spread"],
        sentence=report["sentence"],
        shapes=tuple(_shape_choice(row) for row in report["shapes"]),
        nodes=report["nodes"],
        interrupted=report.get("interrupted", False),
        report=report,
    )


def barrier_options(
    imbalance: str | None,
    draws: int,
    seed: int,
    sizes: Sequence[str | SupportsIndex],
    simulations: int,
    packet_hops: float,
    threads: int,
) -> _core.BarrierAdviceOptions:
    options = _core.BarrierAdviceOptions()
    if imbalance:
        options.set_imbalance(encoded("imbalance", imbalance))
    options.draws = whole_option("draws", draws, 1, 100_000)
    options.seed = whole_option("seed", seed, 0, 2**63 - 1)
    options.sizes = [MessageSize().checked("sizes", size) for size in sizes]
    options.most_simulations = whole_option("simulations", simulations, 2, 100_000)
    options.packet_hops = number_from_1("packet_hops", packet_hops)
    options.threads = whole_option("threads", threads, 0, 4096)
    return options


def barrier_advice(placement: _core.Placement, options: _core.BarrierAdviceOptions) -> BarrierAdvice:
    report = json.loads(_core.advise_barrier(placement, options))
    return BarrierAdvice(
        answers=tuple(_barrier_answer(entry) for entry in report["answers"]),
        pays_from_bytes=report.get("pays_from_bytes"),
        set_contention=tuple(report["set_contention"]),
        sentence=report["sentence"],
        interrupted=report.get("interrupted", False),
        report=report,
    )


def advise_rails(
    logs: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | Mapping[str | os.PathLike[str], SupportsIndex],
    *,
    interfaces: int | None = None,
    format: str = "",
) -> RailAdvice:
    """Tells how many network interfaces (rails) of a node to use, as ``haichi advise rails`` does.

    logs: logs of runs: from their profiles; or a mapping from a log to the rails that its run used: measured times
        decide where runs of equally many processes used different numbers.
    interfaces: that a node has, where it is known.
    format: of the logs; empty: by their content.
    """
    named: list[tuple[str, str, int | None]]
    if isinstance(logs, Mapping):
        named = [
            (os.fspath(log), os.path.basename(os.fspath(log)), whole_option("rails", rails, 1, 1000))
            for log, rails in logs.items()
        ]
    else:
        paths: Sequence[Any] = [logs] if isinstance(logs, str | os.PathLike) else logs
        named = [(os.fspath(log), os.path.basename(os.fspath(log)), None) for log in paths]
    count = 0 if interfaces is None else whole_option("interfaces", interfaces, 1, 1000)
    report = json.loads(_core.advise_rails(named, format=format, interfaces=count))
    return RailAdvice(
        answers=tuple(
            RailAnswer(**{**entry, "reasons": tuple(entry["reasons"]), "settings": tuple(entry["settings"])})
            for entry in report["answers"]
        ),
        measured=report["measured"],
        trend=report.get("trend"),
        warnings=tuple(report["warnings"]),
        sentence=report["sentence"],
        report=report,
    )


def number_from_1(name: str, value: float) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError) as error:
        raise OptionError(f"{name} must be a number, not {value!r}") from error
    if not (number >= 1 and math.isfinite(number)):
        raise OptionError(f"{name} must be at least 1, not {value!r}")
    return number


def _shape_choice(row: dict[str, Any]) -> ShapeChoice:
    fields: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in row.items()}
    for key in ("without_barriers", "with_barriers"):
        if key in fields:
            fields[key] = TimesOfSeeds(**{**row[key], "by_seed": tuple(row[key]["by_seed"])})
    return ShapeChoice(**fields)


def _barrier_answer(entry: dict[str, Any]) -> BarrierAnswer:
    return BarrierAnswer(
        message_size=entry["message_size"],
        advice=entry["advice"],
        sets=tuple(entry["sets"]),
        gain_seconds=entry["gain_seconds"],
        spread_seconds=entry["spread_seconds"],
        simulations=entry["simulations"],
        choices=tuple(BarrierTimes(tuple(choice["sets"]), tuple(choice["seconds"])) for choice in entry["choices"]),
        sentence=entry["sentence"],
        break_even_seconds=entry.get("break_even_seconds"),
        put_barrier_seconds=entry.get("put_barrier_seconds"),
    )


def _joined(sizes: tuple[int, ...]) -> str:
    return "x".join(map(str, sizes))


def cell(value: int | None) -> str:
    return "" if value is None else f"{value:,}"


def _times_cell(times: TimesOfSeeds | None) -> str:
    return "" if times is None else f"{times.seconds:.4g} s ± {times.spread_seconds:.2g}"


def _sets_cell(sets: tuple[int, ...]) -> str:
    return ", ".join(map(str, sets)) or "none"


def html_table(caption: str, head: list[str], rows: list[list[str]]) -> str:
    def row(tag: str, cells: list[str]) -> str:
        return "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells) + "</tr>"

    lines = [row("th", head), *(row("td", cells) for cells in rows)]
    return f"<table><caption>{html.escape(caption)}</caption>{''.join(lines)}</table>"
