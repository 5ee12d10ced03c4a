"""How placements are looked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any, Literal, NamedTuple, TypedDict

from haichi import _core
from haichi.base.file_names import encoded
from haichi.base.numbers import number_option
from haichi.base.options import Anything, Kind, Option, Whole
from haichi.errors import OptionError
from haichi.model.placement import ObjectiveCallable, PlacementLike, as_map

_LONGEST_SECONDS = 2**63 / 1e12
_LARGEST_WEIGHT = 1e300


class SearchProgress(NamedTuple):
    """How far a search is."""

    fraction_done: float  #: 0 to 1
    best_value: float  #: in the unit of the objective
    restarts_done: int
    restarts: int
    lower_bound: float | None  #: in the unit of the objective; None: it has none
    evaluations: int  #: of all restarts, so far
    objective: str  #: where several searches follow each other, that of the present one


SearchCallback = Callable[[SearchProgress], object]


def search_callback(progress: SearchCallback | None) -> Callable[..., object] | None:
    if progress is None:
        return None
    if not callable(progress):
        raise TypeError(f"progress must be a function, not {progress!r}")
    return lambda *values: progress(SearchProgress(*values))


class _TimeLimit(Kind):
    def checked(self, name: str, value: Any) -> Any:
        if isinstance(value, str) and value == "auto":
            return value
        limit = number_option(name, value, _LONGEST_SECONDS)
        if limit == 0:
            raise OptionError(f"{name} must be above 0", "None: no limit")
        return limit


class _Weight(Kind):
    def checked(self, name: str, value: Any) -> Any:
        return number_option(name, value, _LARGEST_WEIGHT)


class _Names(Kind):
    def checked(self, name: str, value: Any) -> Any:
        return super().checked(name, value if isinstance(value, str) else ",".join(value))


class SearchOptions(TypedDict, total=False):
    """Keyword arguments of `Job.optimize` and `haichi.optimize_shapes`."""

    then: Annotated[
        str | Sequence[str] | None,
        Option(
            """objectives that decide between equal values, in their order, ``"hop-bytes,max-hops"`` or a sequence;
            ``"none"``: nothing; None: ``"hop-bytes"`` after tac3, tac3-bytes, max-link-load and max-hops""",
            kind=_Names(),
        ),
    ]

    strategy: Annotated[
        str,
        Option(
            """a first placement, ``"anneal"``, ``"tabu"``, ``"exhaustive"`` or ``"auto"`` (`haichi.list_strategies`);
            `Placement.strategy` says which one it was""",
            default="auto",
        ),
    ]
    start: Annotated[
        PlacementLike | None,
        Option(
            "where the search starts: a strategy's name, a map file, the node of each rank, or a placement; None: "
            "the best of default, grid, greedy and bisection",
            kind=Anything(),
        ),
    ]
    seed: Annotated[
        int,
        Option(
            "equal inputs and seeds give equal results, whatever the number of threads (not with `time_limit`)",
            kind=Whole(0, 2**64 - 1),
            default=1,
        ),
    ]
    restarts: Annotated[
        int,
        Option(
            "independent searches, the best of which counts; 0: a number that depends only on the job",
            kind=Whole(0, 1_000_000),
            default=0,
        ),
    ]
    threads: Annotated[int, Option("0: all processors", kind=Whole(0, 4096), default=0)]
    evaluations: Annotated[int, Option("per restart; 0: by the schedule's rule", kind=Whole(0, 2**63 - 1), default=0)]
    time_limit: Annotated[
        float | Literal["auto"] | None,
        Option(
            """seconds, above 0, instead of a number of evaluations; ``"auto"``: a hundredth of what a better placement
            can save over all iterations""",
            kind=_TimeLimit(),
        ),
    ]
    schedule: Annotated[
        str,
        Option(
            """``"auto"``, ``"paper"`` or ``"rmatt"`` (until the objective stays the same over `evaluations`)""",
            default="auto",
        ),
    ]
    moves: Annotated[
        str | Sequence[str] | None,
        Option("""kinds of moves, ``"uniform,focused"`` or a sequence; None: the default mix""", kind=_Names()),
    ]
    companion: Annotated[
        float | None,
        Option("weight of the smooth companion in the search, 0 for none; None: the default", kind=_Weight()),
    ]
    verify: Annotated[
        str,
        Option(
            """``"off"``, ``"end"`` or ``"step"``: compares incremental values with ones computed from scratch""",
            default="off",
        ),
    ]


def core_objective(objective: str | ObjectiveCallable, then: object = None) -> _core.Objective:
    """By its name, or what it is if it is none of haichi's."""
    if callable(objective):
        core = _core.Objective(encoded("objective", getattr(objective, "__name__", "function")), objective)
    else:
        core = _core.Objective(encoded("objective", objective), None)
    if then is not None:
        core.set_then(encoded("then", str(then)))
    return core


def core_options(objective: str | ObjectiveCallable, given: SearchOptions) -> _core.MapOptions:
    """Of options that are complete."""
    search = _core.SearchOptions(
        seed=given["seed"],
        restarts=given["restarts"],
        threads=given["threads"],
        evaluations=given["evaluations"],
        schedule=encoded("schedule", given["schedule"]),
    )
    limit = given["time_limit"]
    search.time_by_savings = limit == "auto"
    search.time_limit_seconds = None if limit is None or limit == "auto" else limit
    search.companion_weight = given["companion"]
    if given["moves"] is not None:
        search.set_moves(encoded("moves", str(given["moves"])))
    search.set_verify(encoded("verify", given["verify"]))
    start = given["start"]
    return _core.MapOptions(
        objective=core_objective(objective, given["then"]),
        strategy=encoded("strategy", given["strategy"]),
        start=None if start is None else as_map("start", start),
        search=search,
    )
