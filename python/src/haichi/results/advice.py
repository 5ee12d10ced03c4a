"""Advice in numbers: the job shape, sets with a barrier, the number of NICs, and whether to spread over clusters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, TypeVar, cast

from haichi.base import notebook

_T = TypeVar("_T")


def of_report(kind: type[_T], entry: Mapping[str, Any], **more: Any) -> _T:
    """A dataclass from the values of a report with the names of its fields; lists become tuples."""
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
    """Half the distance from the fastest to the slowest, plus the possible effect of iterations that were not
    simulated."""
    by_seed: tuple[float, ...]


@dataclass(frozen=True)
class ShapeChoice:
    """A shape that the job may have. Values that were not computed are None."""

    shape: tuple[int, ...]
    request: tuple[int, ...]
    """The request for the scheduler. On Tofu the scheduler may lay out its axes in another order, so several shapes may
    share a request. On other machines it is the shape."""
    mean_distance: float
    """The maximum hops between two of its nodes on shortest routes."""
    idle_nodes: int | None = None
    value: float | None = None
    """Value of the objective for the best placement found."""
    optimal: bool = False
    contention_sum: int | None = None
    """The most messages on a link, summed over the sets."""
    set_contention: tuple[int, ...] | None = None
    without_barriers: TimesOfSeeds | None = None
    with_barriers: TimesOfSeeds | None = None


@dataclass(frozen=True, repr=False, kw_only=True)
class ShapeAdvice:
    """The best job shape, from `haichi.advise_shape`."""

    advice: str
    """``"one"``: `requests` has the best one. ``"several"``: `requests` cannot be distinguished and beat all others.
    ``"any"``: no simulated request beats another by more than the spread. ``"unknown"``."""
    requests: tuple[tuple[int, ...], ...]
    gain: float
    """The additional time of the next best request, as a fraction of the best time."""
    spread: float
    """Spread of this difference, in the same unit."""
    sentence: str
    shapes: tuple[ShapeChoice, ...]
    """Best first; shapes that were not simulated come last."""
    nodes: int
    """Nodes of all shapes; more than requested if no allowed shape has exactly as many."""
    interrupted: bool = False
    report: dict[str, Any] = field(compare=False)
    """``haichi-advice/1``."""

    def __repr__(self) -> str:
        return f"ShapeAdvice({self.sentence!r}, nodes={self.nodes}, shapes={len(self.shapes)})"

    def _repr_html_(self) -> str:
        """An HTML table for notebooks."""
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
    """Counted from 1; empty without barriers."""
    seconds: tuple[float, ...]


@dataclass(frozen=True)
class BarrierAnswer:
    """The sets before which a barrier pays, at one message size."""

    message_size: int | None
    """Bytes; None for the sizes of the workload."""
    advice: str
    """``"sets"`` if barriers before `sets` save time, ``"none"`` if barriers cost time, ``"unknown"`` otherwise. The
    reason is in `sentence`."""
    sets: tuple[int, ...]
    """The best choice with any barrier, counted from 1, in the form of `Job.simulate(barrier="1,3")`."""
    gain_seconds: float
    """Saved seconds, mean over the draws; negative for a loss."""
    spread_seconds: float
    simulations: int
    choices: tuple[BarrierTimes, ...]
    sentence: str
    break_even_seconds: float | None = None
    """The maximum cost at which a barrier pays, if the machine does not define the cost."""
    put_barrier_seconds: float | None = None
    """In this case: the time of a barrier by put and poll."""


@dataclass(frozen=True, repr=False, kw_only=True)
class BarrierAdvice:
    """The sets before which barriers pay, from `Job.advise_barrier`."""

    answers: tuple[BarrierAnswer, ...]
    """One answer per message size, ascending."""
    pays_from_bytes: int | None = None
    """The smallest requested message size from which barriers pay."""
    set_contention: tuple[int, ...]
    sentence: str
    interrupted: bool = False
    report: dict[str, Any] = field(compare=False)
    """``haichi-advice/1``."""

    @property
    def answer(self) -> BarrierAnswer:
        """The single answer. Raises AttributeError if several sizes were requested."""
        if len(self.answers) != 1:
            raise AttributeError(f"answer requires a single message size, found {len(self.answers)} answers")
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
        """An HTML table for notebooks."""
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
    """The recommended number of NICs per node for a job with this number of processes."""

    processes: int
    advice: str
    """``"measured"``: `rails`; ``"more"``: all; ``"fewer"``: one; ``"unknown"``."""
    reasons: tuple[str, ...]
    settings: tuple[str, ...]
    """Environment variables that configure the library accordingly."""
    rails: int | None = None
    gain: float | None = None
    """Speedup over the run with the fewest NICs measured."""


@dataclass(frozen=True, repr=False, kw_only=True)
class RailAdvice:
    """The recommended number of NICs, from `haichi.advise_rails`."""

    answers: tuple[RailAnswer, ...]
    measured: bool
    """True if times of runs with different numbers of NICs decided, not profiles."""
    trend: str | None = None
    """A conclusion for larger jobs from measured runs."""
    warnings: tuple[str, ...]
    sentence: str
    report: dict[str, Any] = field(compare=False)
    """``haichi-advice/1``."""

    def __repr__(self) -> str:
        return f"RailAdvice({self.sentence!r}, measured={self.measured})"

    def _repr_html_(self) -> str:
        """An HTML table for notebooks."""
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
    """A job in one cluster, or over several. Values that were not simulated are None."""

    clusters: tuple[int, ...]
    ranks: int
    nodes: int
    ranks_per_node: int
    default_seconds: float | None = None
    """Seconds of the default placement."""
    mapped_seconds: tuple[float, ...] = ()
    """Seconds by the seed whose search found the placement."""
    seconds: float | None = None
    """The minimum of both."""


@dataclass(frozen=True, repr=False, kw_only=True)
class SpreadAdvice:
    """Whether to spread a job over clusters, from `haichi.advise_spread`."""

    advice: str
    """``"spread"``: all clusters are faster. ``"stay"``: one cluster is faster. ``"equal"``: they cannot be
    distinguished. ``"unknown"``: see `sentence`."""
    gain: float | None = None
    """The time in the best single cluster divided by the time over all clusters."""
    tolerance: float | None = None
    """Spread of the gain."""
    pays_up_to_delay_seconds: float | None = None
    """The maximum delay between clusters at which spreading pays; None: any delay up to a second, or none."""
    pays_from_compute_seconds: float | None = None
    """If the workload has no computation time: computation per rank and iteration from which spreading pays."""
    in_one: tuple[SpreadTimes, ...]
    """Times in single clusters."""
    over_all: SpreadTimes
    simulations: int
    sentence: str
    interrupted: bool = False
    report: dict[str, Any] = field(compare=False)
    """``haichi-advice/1``."""

    def __repr__(self) -> str:
        return f"SpreadAdvice({self.sentence!r}, gain={self.gain})"

    def _repr_html_(self) -> str:
        """An HTML table for notebooks."""
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
