"""Results of the advise functions: job shapes, barriers, the number of NICs, and whether to spread a job over
clusters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, TypeVar, cast

from haichi.base import notebook

_T = TypeVar("_T")


def of_report(kind: type[_T], entry: Mapping[str, Any], **more: Any) -> _T:
    """Makes a dataclass from the entries of a report that have the names of its fields. Lists become tuples."""
    values = {**entry, **more}
    names = [one.name for one in fields(cast(Any, kind)) if one.name in values]
    return kind(**{name: _with_tuples(values[name]) for name in names})


def _with_tuples(value: Any) -> Any:
    return tuple(map(_with_tuples, value)) if isinstance(value, list) else value


@dataclass(frozen=True)
class TimesOfSeeds:
    """Simulated seconds of one shape. Each search has its own seed, and its placement is simulated."""

    seconds: float
    """The mean over the seeds."""
    spread_seconds: float
    """Half the difference between the slowest and the fastest time, plus the possible effect of iterations that were
    not simulated."""
    by_seed: tuple[float, ...]


@dataclass(frozen=True)
class ShapeChoice:
    """A shape that the job can have. None means that a value was not computed."""

    shape: tuple[int, ...]
    request: tuple[int, ...]
    """The request to the scheduler. On Tofu the scheduler may order the axes differently, so that several shapes share
    a request. On other machines the request is the shape."""
    mean_distance: float
    """The maximum hops between two of its nodes on shortest routes."""
    idle_nodes: int | None = None
    value: float | None = None
    """The value of the objective for the best placement found."""
    optimal: bool = False
    contention_sum: int | None = None
    """The most messages on a link in each set, summed over the sets."""
    set_contention: tuple[int, ...] | None = None
    without_barriers: TimesOfSeeds | None = None
    with_barriers: TimesOfSeeds | None = None


@dataclass(frozen=True, repr=False, kw_only=True)
class ShapeAdvice:
    """The best job shape, from `haichi.advise_shape`."""

    advice: str
    """The kind of answer. ``"one"``: `requests` has the best request. ``"several"``: the best requests, which cannot be
    distinguished. ``"any"``: no simulated request beats another by more than the spread. ``"unknown"``: the simulations
    do not decide."""
    requests: tuple[tuple[int, ...], ...]
    gain: float
    """The additional time of the next best request, as a fraction of the best time."""
    spread: float
    """The spread of `gain`, also as a fraction of the best time."""
    sentence: str
    shapes: tuple[ShapeChoice, ...]
    """All shapes, the best first. Shapes that were not simulated come last."""
    nodes: int
    """The number of nodes of each shape. It is larger than requested if no allowed shape has the requested number."""
    interrupted: bool = False
    report: dict[str, Any] = field(compare=False)
    """The report in the format ``haichi-advice/1``."""

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
    """Simulated seconds with barriers before some sets, one value per draw of the imbalance."""

    sets: tuple[int, ...]
    """The sets with a barrier, counted from 1; empty without barriers."""
    seconds: tuple[float, ...]


@dataclass(frozen=True)
class BarrierAnswer:
    """Whether barriers pay at one message size, and before which sets."""

    message_size: int | None
    """The message size in bytes; None means the sizes of the workload."""
    advice: str
    """``"sets"`` if barriers before `sets` save time, ``"none"`` if barriers cost time, and ``"unknown"`` otherwise.
    `sentence` states the reason."""
    sets: tuple[int, ...]
    """The best sets for barriers, even if barriers do not pay. Sets are counted from 1, as in
    `Job.simulate(barrier="1,3")`."""
    gain_seconds: float
    """The saved seconds, as a mean over the draws; negative if barriers cost time."""
    spread_seconds: float
    simulations: int
    choices: tuple[BarrierTimes, ...]
    sentence: str
    break_even_seconds: float | None = None
    """The highest cost at which a barrier still saves time. None if the machine defines the cost, or if not even free
    barriers save time."""
    put_barrier_seconds: float | None = None
    """The time of a barrier by put and poll, if the machine does not define the cost of a barrier."""


@dataclass(frozen=True, repr=False, kw_only=True)
class BarrierAdvice:
    """The sets before which barriers pay, from `Job.advise_barrier`."""

    answers: tuple[BarrierAnswer, ...]
    """One answer per message size, in ascending order of size."""
    pays_from_bytes: int | None = None
    """The smallest requested message size from which on barriers pay."""
    set_contention: tuple[int, ...]
    sentence: str
    interrupted: bool = False
    report: dict[str, Any] = field(compare=False)
    """The report in the format ``haichi-advice/1``."""

    @property
    def answer(self) -> BarrierAnswer:
        """The answer for the only message size. Raises AttributeError if several sizes were requested."""
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
    """The recommended number of NICs per node for a job with this number of ranks."""

    processes: int
    advice: str
    """The kind of answer. ``"measured"``: use `rails` NICs. ``"more"``: use all NICs. ``"fewer"``: use one NIC.
    ``"unknown"``: the logs do not decide."""
    reasons: tuple[str, ...]
    settings: tuple[str, ...]
    """The environment variables that make the MPI library use this number of NICs."""
    rails: int | None = None
    gain: float | None = None
    """The speedup over the run with the fewest NICs; None without such runs."""


@dataclass(frozen=True, repr=False, kw_only=True)
class RailAdvice:
    """The recommended number of NICs, from `haichi.advise_rails`."""

    answers: tuple[RailAnswer, ...]
    measured: bool
    """True if the answers come from the times of runs with different numbers of NICs. False if they come from
    profiles."""
    trend: str | None = None
    """A conclusion for larger jobs, from the times of runs."""
    warnings: tuple[str, ...]
    sentence: str
    report: dict[str, Any] = field(compare=False)
    """The report in the format ``haichi-advice/1``."""

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
    """The times of a job in one cluster or over several clusters. None means that a value was not simulated."""

    clusters: tuple[int, ...]
    ranks: int
    nodes: int
    ranks_per_node: int
    default_seconds: float | None = None
    """The time with the default placement."""
    mapped_seconds: tuple[float, ...] = ()
    """Seconds with the placement of each search. Each search has its own seed."""
    seconds: float | None = None
    """The smallest of these times."""


@dataclass(frozen=True, repr=False, kw_only=True)
class SpreadAdvice:
    """Whether to spread a job over clusters, from `haichi.advise_spread`."""

    advice: str
    """``"spread"`` if the job is faster over all clusters, ``"stay"`` if it is faster in one cluster, and ``"equal"``
    if the times cannot be distinguished. ``"unknown"``: see `sentence`."""
    gain: float | None = None
    """The time in the best single cluster divided by the time over all clusters."""
    tolerance: float | None = None
    """The spread of the gain."""
    pays_up_to_delay_seconds: float | None = None
    """The longest delay between clusters at which spreading pays. None if it pays at any delay up to a second, or at
    none."""
    pays_from_compute_seconds: float | None = None
    """The computation time per rank and iteration from which on spreading pays, if the workload has no computation
    times."""
    in_one: tuple[SpreadTimes, ...]
    """The times in single clusters."""
    over_all: SpreadTimes
    simulations: int
    sentence: str
    interrupted: bool = False
    report: dict[str, Any] = field(compare=False)
    """The report in the format ``haichi-advice/1``."""

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
