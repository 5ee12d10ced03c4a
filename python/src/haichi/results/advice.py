"""Questions answered with numbers: which job shape, before which sets a barrier, how many network interfaces, and
whether to spread over clusters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, TypeVar, cast

from haichi.base import notebook

_T = TypeVar("_T")


def of_report(kind: type[_T], entry: Mapping[str, Any], **more: Any) -> _T:
    """A dataclass of the values that a part of a report has by the names of its fields, lists as tuples."""
    values = {**entry, **more}
    names = [one.name for one in fields(cast(Any, kind)) if one.name in values]
    return kind(**{name: _with_tuples(values[name]) for name in names})


def _with_tuples(value: Any) -> Any:
    return tuple(map(_with_tuples, value)) if isinstance(value, list) else value


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


@dataclass(frozen=True, repr=False, kw_only=True)
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
    interrupted: bool = False
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
                notebook.number(row.idle_nodes),
                "" if row.value is None else f"{row.value:.6g}",
                notebook.number(row.contention_sum),
                _times_cell(row.without_barriers),
                _times_cell(row.with_barriers),
            ]
            for row in self.shapes
        ]
        return notebook.table(self.sentence, rows, head)


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


@dataclass(frozen=True, repr=False, kw_only=True)
class BarrierAdvice:
    """Before which sets barriers pay, of `Job.advise_barrier`."""

    answers: tuple[BarrierAnswer, ...]
    """One for each message size, ascending."""
    pays_from_bytes: int | None = None
    """The message size from which on barriers pay, of those asked for."""
    set_contention: tuple[int, ...]
    sentence: str
    interrupted: bool = False
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
            return notebook.table(self.sentence, rows, ["barriers before", "seconds"])
        rows = [
            [
                notebook.number(one.message_size),
                one.advice,
                _sets_cell(one.sets),
                f"{one.gain_seconds:.4g}",
                f"{one.spread_seconds:.4g}",
            ]
            for one in self.answers
        ]
        return notebook.table(self.sentence, rows, ["message size", "advice", "before", "seconds saved", "spread"])


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


@dataclass(frozen=True, repr=False, kw_only=True)
class RailAdvice:
    """How many network interfaces to use, of `haichi.advise_rails`."""

    answers: tuple[RailAnswer, ...]
    measured: bool
    """From times of runs with different numbers of rails; else from profiles."""
    trend: str | None = None
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
            [
                str(one.processes),
                one.advice,
                notebook.number(one.rails),
                "; ".join(one.reasons),
                " or ".join(one.settings),
            ]
            for one in self.answers
        ]
        return notebook.table(self.sentence, rows, ["processes", "advice", "rails", "because", "setting"])


@dataclass(frozen=True)
class SpreadTimes:
    """A job in one cluster, or over several. What was not simulated is None."""

    clusters: tuple[int, ...]
    ranks: int
    nodes: int
    ranks_per_node: int
    default_seconds: float | None = None
    """Of the default placement."""
    mapped_seconds: tuple[float, ...] = ()
    """By the seed whose search found the placement."""
    seconds: float | None = None
    """The least of them."""


@dataclass(frozen=True, repr=False, kw_only=True)
class SpreadAdvice:
    """Whether to spread a job over clusters, of `haichi.advise_spread`."""

    advice: str
    """``"spread"``: over all clusters it is faster; ``"stay"``: in one; ``"equal"``: they cannot be told apart;
    ``"unknown"``: see `sentence`."""
    gain: float | None = None
    """The time in the best single cluster over that over all."""
    tolerance: float | None = None
    """Of the gain."""
    pays_up_to_delay_seconds: float | None = None
    """The delay of what joins the clusters up to which spreading pays; None: at any up to a second, or at none."""
    pays_from_compute_seconds: float | None = None
    """Where the workload states no computing time: what a rank has to compute in an iteration for it to pay."""
    in_one: tuple[SpreadTimes, ...]
    """In single clusters."""
    over_all: SpreadTimes
    simulations: int
    sentence: str
    interrupted: bool = False
    report: dict[str, Any] = field(compare=False)
    """``haichi-advice/1``."""

    def __repr__(self) -> str:
        return f"SpreadAdvice({self.sentence!r}, gain={self.gain})"

    def _repr_html_(self) -> str:
        """A table, for notebooks."""
        rows = [
            [
                ", ".join(map(str, place.clusters)),
                *(notebook.number(count) for count in (place.ranks, place.nodes, place.ranks_per_node)),
                _seconds(place.default_seconds),
                _seconds(min(place.mapped_seconds, default=None)),
            ]
            for place in (*self.in_one, self.over_all)
        ]
        head = ["clusters", "ranks", "nodes", "per node", "default, s", "mapped, s"]
        return notebook.table(self.sentence, rows, head)


def _joined(sizes: tuple[int, ...]) -> str:
    return "x".join(map(str, sizes))


def _times_cell(times: TimesOfSeeds | None) -> str:
    return "" if times is None else f"{times.seconds:.4g} s ± {times.spread_seconds:.2g}"


def _sets_cell(sets: tuple[int, ...]) -> str:
    return ", ".join(map(str, sets)) or "none"


def _seconds(seconds: float | None) -> str:
    return "" if seconds is None else f"{seconds:.4g}"
