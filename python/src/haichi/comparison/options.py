"""What `haichi.compare` can be asked for: its parameters, and the options of ``haichi compare``."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, TypedDict

from haichi.comparison.strategies import DEFAULT_STRATEGIES, split_strategies
from haichi.errors import OptionError
from haichi.options import Choice, Flag, Iterations, Kind, MessageSize, Option, Seconds, Several, Whole


class _Names(Kind):
    """``A,B,...``; commas inside brackets belong to a name."""

    def read(self, option: str, *words: str) -> Any:
        return split_strategies(words[0])


class _Seeds(Kind):
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


Shapes = Sequence[str | Sequence[int]]


class JobOptions(TypedDict, total=False):
    """Of the jobs; in the words of the program's other commands."""

    shapes: Annotated[
        Shapes | Mapping[str, Shapes] | None,
        Option(
            "the job's cuboids, one size per axis, or NAME=A,B,.. for each workload; default: the whole machine",
            "A,B,..",
            _Shapes(),
            python="the shapes of the job, or of each workload by its name; None: the whole machine, or `nodes`.",
        ),
    ]
    nodes: Annotated[
        str | os.PathLike[str] | None,
        Option("the job's nodes instead of a cuboid: one per line, number or coordinates", "FILE"),
    ]
    origin: Annotated[
        str | Sequence[int] | None, Option("corner of the cuboid on the machine; default: zeros", "AxBx...")
    ]
    faulty: Annotated[
        str | os.PathLike[str] | None,
        Option(
            "nodes that are down, one per line as in --nodes: they take no rank, and no route passes them",
            "FILE",
            python="a file with nodes that are down: they take no rank, and no route passes them.",
        ),
    ]
    ppn: Annotated[
        int,
        Option("most ranks on a node; default: 1", "N", Whole(1, 2**20), default=1, python="most ranks on a node."),
    ]
    routing: Annotated[
        str | None,
        Option("static routing, as in dor:XYZACB,tie=+ (haichi list routings); default: the machine's", "ROUTING"),
    ]
    fold: Annotated[
        str | os.PathLike[str],
        Option(
            "logical coordinates and rank order: default, mesh, row-major, 1d, 2d, or a coordinate table's file",
            "FOLD",
            default="default",
        ),
    ]
    count_nic: Annotated[bool, Option("injection and ejection of a node count as links", kind=Flag(), default=False)]
    message_size: Annotated[
        str | int | None, Option("make every non-empty message this large, as in 1MiB", "BYTES", MessageSize())
    ]
    workload_format: Annotated[
        str,
        Option(
            "of the workloads (haichi list workload-formats); default: each by its content",
            "FORMAT",
            default="",
            python="of workloads that are files; empty: each by its content.",
        ),
    ]


class CompareOptions(JobOptions, total=False):
    """Keyword arguments of `haichi.compare`."""

    strategies: Annotated[
        Sequence[str],
        Option(
            f"starts, searches, objectives to anneal on, map:FILE; default: {','.join(DEFAULT_STRATEGIES)}",
            "A,B,..",
            _Names(),
            default=DEFAULT_STRATEGIES,
            python="""starts (``"default"``, ``"no-ring"``, ``"random"``, ``"greedy"``, ...), objectives, which are
                annealed on (``"tac3"``, ``"weighted(hop-bytes=0.7,tac3=0.3)"``, ``"./libx.so:name"``), searches
                (``"anneal"`` for tac3, ``"tabu"`` for hop-bytes), or maps that exist already (``"map:FILE"``).""",
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
    barrier: Annotated[
        Literal["none", "sets", "both"],
        Option(
            "simulate without barriers (none), with one before every set (sets), or both; default: both",
            "WHICH",
            Choice("choice of barriers", ("none", "sets", "both")),
            default="both",
            python="""how placements are simulated: ``"none"``, without barriers, ``"sets"``, with one before every set,
                or ``"both"``.""",
        ),
    ]
    sim_iterations: Annotated[
        Literal["auto", "all"] | int,
        Option(
            "iterations that are simulated: auto, all or a number; default: auto",
            "N",
            Iterations(),
            default="auto",
            python="how many iterations are simulated, as `simulate` takes it.",
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
