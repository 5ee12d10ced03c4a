"""What `haichi.compare` can be asked for: its parameters, and the options of ``haichi compare``."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Literal, NamedTuple, TypedDict

from haichi.base.options import (
    Algorithms,
    Anything,
    Choice,
    Factor,
    Flag,
    Form,
    Iterations,
    MessageSize,
    Option,
    Rows,
    Seconds,
    Several,
    TrafficForm,
    Whole,
    rows_of,
)
from haichi.comparison.results import Comparison
from haichi.comparison.strategies import DEFAULT_STRATEGIES, split_strategies
from haichi.errors import OptionError
from haichi.model.job_spec import JobOptions
from haichi.model.simulation import MOST_COMPUTE_FACTOR


class _Names(Anything):
    """``A,B,...``; commas inside brackets belong to a name."""

    def read(self, option: str, *words: str) -> Any:
        return split_strategies(words[0])


class _Seeds(Anything):
    """How many, or which."""

    def read(self, option: str, *words: str) -> Any:
        listed = [Whole(0, 2**63 - 1).read(option, word) for word in words[0].split(",")]
        return listed if len(listed) > 1 else Whole(1).read(option, words[0])


class _Shapes(Several):
    """``A,B,...`` for all workloads, or ``NAME=A,B,...`` for each."""

    def read(self, option: str, *words: str) -> Any:
        named = dict(word.split("=", 1) for word in words if "=" in word)
        if not named and len(words) == 1:
            return words[0].split(",")
        if len(named) < len(words):
            raise OptionError(f"{option} is given once, or once for each workload", f"as {option} cg64=1x2x4x2x3x2")
        return {name: shapes.split(",") for name, shapes in named.items()}


class ComparisonProgress(NamedTuple):
    """How far a comparison is."""

    cells_done: int
    cells: int
    failed: int
    taken_over: int  #: of those done: found in the journal, not computed again


class CompareOptions(TypedDict, total=False):
    """What is asked of all jobs, by the program too."""

    strategies: Annotated[
        Sequence[str] | None,
        Option(
            f"starts, searches, objectives to anneal on, map:FILE; default: {','.join(DEFAULT_STRATEGIES)}, without "
            "what needs axes where the machine has none",
            "A,B,..",
            _Names(),
            python="""starts (``"default"``, ``"no-ring"``, ``"random"``, ``"greedy"``, ...), objectives, which are
                annealed on (``"tac3"``, ``"weighted(hop-bytes=0.7,tac3=0.3)"``, ``"./libx.so:name"``), searches
                (``"anneal"`` for auto, ``"tabu"`` for hop-bytes), or maps that exist already (``"map:FILE"``);
                None: those of the program.""",
        ),
    ]
    seeds: Annotated[
        int | Sequence[int],
        Option(
            "so many, from 1; or which, as in 3,5,8; default: 10",
            "N|LIST",
            _Seeds(),
            default=10,
            python="so many from 1, or which. Strategies that do not depend on the seed are computed once.",
        ),
    ]
    equal: Annotated[
        Literal["evaluations", "seconds"],
        Option(
            "what every search has equally many of: evaluations or seconds; default: evaluations",
            "WHAT",
            Choice("measure", ("evaluations", "seconds")),
            default="evaluations",
            python="""every search makes equally many ``"evaluations"``, or may take equally many ``"seconds"``
                (`time_limit`, on one processor; results are then not reproducible).""",
        ),
    ]
    evaluations: Annotated[
        int,
        Option(
            "evaluations per restart (per window of the schedule rmatt)",
            "N",
            Whole(1, 2**63 - 1, or_zero=True),
            default=0,
            python="per restart of a search; 0: by the schedule's rule.",
        ),
    ]
    time_limit: Annotated[
        float | None,
        Option(
            "of every search, as in 10s, with --equal seconds; default: 10s",
            "TIME",
            Seconds(),
            name="--time",
            python="""seconds of every search, with ``equal="seconds"``; None: 10.""",
        ),
    ]
    schedule: Annotated[
        str, Option("temperatures and end: auto, paper or rmatt; default: auto", "NAME", default="auto")
    ]
    restarts: Annotated[
        int,
        Option(
            "independent searches, of which the best counts",
            "N",
            Whole(1, or_zero=True),
            default=0,
            python="independent searches, of which the best counts; 0: a number that depends only on the job.",
        ),
    ]
    simulate: Annotated[bool, Option("simulate every placement, packet by packet", kind=Flag(), default=False)]
    form: Annotated[
        TrafficForm,
        Option(
            "what of a log is simulated: its calls, one by one as they were made, or the communication sets of its "
            "kernel; calls if it is not said",
            "sets|calls",
            Form(),
            default="auto",
            name="--as",
            python="""what of a log is simulated: its ``"calls"``, one by one as they were made, or the communication
                ``"sets"`` of its kernel; ``"auto"``: calls where a job has them.""",
        ),
    ]
    barrier: Annotated[
        Literal["none", "sets", "both"],
        Option(
            "simulate sets without barriers (none), with one before every set (sets), or both; default: both",
            "WHICH",
            Choice("choice of barriers", ("none", "sets", "both")),
            default="both",
            python="""how sets are simulated: ``"none"``, without barriers, ``"sets"``, with one before every set,
                or ``"both"``.""",
        ),
    ]
    sim_iterations: Annotated[
        Literal["auto", "all"] | int,
        Option(
            "iterations of sets that are simulated: auto, all or a number; default: auto",
            "N",
            Iterations(),
            default="auto",
            python="how many iterations of sets are simulated, as `Job.simulate` takes it.",
        ),
    ]
    compute: Annotated[
        Literal["mean", "drawn", "none"],
        Option(
            "computing time between calls: the mean of what the log has at each place of the program, drawn between "
            "its least and its greatest, or none; default: mean",
            "mean|drawn|none",
            Choice("rule of computing time", ("mean", "drawn", "none")),
            default="mean",
            python="""computing time between the calls of a log: the ``"mean"`` of what it has at each place of the
                program, ``"drawn"`` between its least and its greatest, or ``"none"``.""",
        ),
    ]
    compute_factor: Annotated[float, Option("times this; default: 1", "F", Factor(MOST_COMPUTE_FACTOR), default=1)]
    compute_seed: Annotated[
        int,
        Option(
            "of --compute drawn, for every placement the same draw; default: 1",
            "N",
            Whole(0, 2**63 - 1),
            default=1,
            python="""of ``compute="drawn"``, for every placement the same draw.""",
        ),
    ]
    algorithms: Annotated[
        Mapping[str, str] | None,
        Option(
            "of the calls: by which algorithm collectives become messages, up to which sizes, as in haichi ccs",
            "OP=ALGORITHM",
            Algorithms(),
            name="--collective",
            python="""of the calls: by which algorithms collectives become messages, as that of
                `haichi.extract_sets`.""",
        ),
    ]
    processes: Annotated[
        int,
        Option(
            "that compute cells here; default: one for each processor",
            "N",
            Whole(1, or_zero=True),
            default=0,
            python="how many compute cells here; 0: all processors.",
        ),
    ]
    dask: Annotated[
        str | None,
        Option(
            "compute cells by the workers of this Dask scheduler, as in tcp://HOST:8786",
            "ADDRESS",
            python="""address of a Dask scheduler; cells are computed by its workers, which must have the same haichi
                and see the files named here.""",
        ),
    ]


class CompareArguments(CompareOptions, total=False):
    """Keyword arguments of `haichi.compare`."""

    journal: Annotated[
        str | os.PathLike[str] | None,
        Option(
            "a file for what is done; a comparison that was killed goes on where it stopped when it is asked again",
            kind=Anything(),
        ),
    ]
    earlier: Annotated[
        Comparison | None, Option("results whose cells are taken over where they are the same", kind=Anything())
    ]
    views: Annotated[
        bool, Option("also make the pictures' data, which `Comparison.report` needs", kind=Flag(), default=True)
    ]
    progress: Annotated[
        Callable[[ComparisonProgress], object] | None,
        Option("called after every cell, in the caller's thread; what it raises ends the comparison", kind=Anything()),
    ]


_OF_ONE_MAP = ("shape", "hosts")

JOB_ROWS: Rows = {
    "machine": Option(
        "a preset (haichi list machines), graph:FILE, or a machine file", "MACHINE", short="-m", is_required=True
    ),
    "shapes": Option(
        "the job's cuboids, one size per axis, or NAME=A,B,.. for each workload; default: the whole machine",
        "A,B,..",
        _Shapes(),
    ),
    **{name: row for name, row in rows_of(JobOptions).items() if name not in _OF_ONE_MAP},
    "workloads": Option(
        "who sends how much to whom: haichi-workload/1 or a matrix, one or several",
        "WORKLOAD",
        Several(),
        name="--workload",
        short="-w",
        is_required=True,
    ),
    "message_size": Option("make every non-empty message this large, as in 1MiB", "BYTES", MessageSize()),
    "workload_format": Option(
        "of the workloads (haichi list workload-formats); default: each by its content", "FORMAT"
    ),
}
"""Of ``haichi compare``: its jobs."""
