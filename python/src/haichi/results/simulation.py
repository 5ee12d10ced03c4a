"""Results of simulations."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, NamedTuple, TypeVar, cast

import numpy as np
import numpy.typing as npt

from haichi import _core
from haichi.base import notebook
from haichi.base.optional_packages import data_frame, drawing_axes
from haichi.errors import OptionError
from haichi.model.placement import Placement

RowsOfRuns = Literal["ranks", "runs", "links"]
FloatArray = npt.NDArray[np.float64]
_T = TypeVar("_T")


class LinkTraffic(NamedTuple):
    """The traffic of a link during the simulation."""

    link: str  #: the name of the link, or ``ejection (node)`` for the channel from the network into a node
    bytes: int  #: including packet headers
    efficiency: float  #: bytes / (time * bandwidth)


class RunFractions(NamedTuple):
    """How the ranks spend the run, as fractions of its length. The fractions sum to less than 1 if ranks end before the
    run does."""

    computing: float
    calls: float
    waiting: float


@dataclass(frozen=True, repr=False, eq=False)
class SimulatedRun:
    """The simulation of a placement in one form, with or without barriers. Arrays have an entry per rank and are
    read-only.

    The rank times, bytes, packets and links cover only the simulated part, which takes `simulated_seconds`.
    """

    form: Literal["sets", "calls", "program"]
    """The simulated form: communication sets, the calls of a log, or a program. For calls and programs, the whole run
    is one iteration."""
    barrier: str
    """``"none"``, ``"sets"`` (barriers before every set), or ``"1,3"`` (barriers before these sets, counted from 1)."""
    seconds: float
    """The time from the start to the end of the last rank, for all iterations."""
    seconds_per_iteration: float
    """The mean time of an iteration; NaN if an interruption came before the end of the first iteration."""
    iterations: int
    """The number of iterations of the workload."""
    simulated_iterations: int
    extrapolated: bool
    """True if only some iterations were simulated. `seconds` then assumes their mean time for the others."""
    settled_by_mean: bool
    """True if iteration times did not repeat, but their mean settled within 1 %."""
    interrupted: bool
    """True if Ctrl-C ended the simulation. `seconds` is then an extrapolation, or `simulated_seconds` if no iteration
    ended."""
    simulated_seconds: float
    payload_bytes: int
    """The bytes of messages that enter the network. Control messages of the rendezvous protocol are not included, but
    are counted as packets."""
    packets: int
    packet_hops: int
    """The number of link traversals and of arrivals at nodes, over all packets."""
    on_node_bytes: int
    """The bytes of messages within a node or from a rank to itself. Such messages produce no packets."""
    links: int
    used_links: int
    """The number of links with traffic."""
    saturated_links: int
    """The number of links with an efficiency above 0.99."""
    mean_link_bandwidth_bytes_per_s: float
    """The mean over the used links."""
    link_efficiency: float
    """The mean efficiency of all links."""
    used_link_efficiency: float
    most_loaded_links: tuple[LinkTraffic, ...]
    """The links with the highest efficiencies, in descending order."""
    compute_seconds: FloatArray
    call_seconds: FloatArray
    """The time in MPI calls: CPU overheads and copies."""
    wait_seconds: FloatArray
    """The time that a rank waits in waits and barriers."""
    end_seconds: FloatArray
    """The time at which each rank finished, or the end of the run. It is the sum of the other three times."""
    wall_seconds: float
    """The wall time of the simulation."""
    calls: int = 0
    """The number of calls of the log or program, by all ranks."""
    fractions_of_run: RunFractions | None = None
    """The means over all ranks; None for sets."""
    left_out: Mapping[str, int | bool] = field(default_factory=dict)
    """The number of calls of the log that were omitted, by kind. If the sets of a log are simulated without computation
    times, the only entry is ``computing``, with the value True."""

    def __repr__(self) -> str:
        return f"SimulatedRun({self._summary()})"

    def _summary(self) -> str:
        text = f"{self._title()}: {self.seconds:.6g} s"
        if self.form == "sets":
            text += f", {self.seconds_per_iteration:.6g} s per iteration"
        if self.interrupted:
            text += ", interrupted"
        return f"{text}, {self._extent()}"

    def _title(self) -> str:
        if self.form == "program":
            return "the program"
        if self.form == "calls":
            return "call by call"
        names = {"none": "without barriers", "sets": "with a barrier before every set"}
        return names.get(self.barrier, f"with a barrier before set {self.barrier}")

    def _extent(self) -> str:
        if self.form != "sets":
            return f"{self.calls:,} calls"
        return f"{self.simulated_iterations} of {self.iterations} simulated"


def _rank_array(values: list[float]) -> FloatArray:
    array = np.array(values, np.float64)
    array.flags.writeable = False
    return array


_OF_PROGRAMS = {"program", "exit_code", "computing"}


def run_fields(entry: dict[str, Any]) -> dict[str, Any]:
    """Converts an entry of a report's ``runs`` to the fields of a SimulatedRun."""
    fields: dict[str, Any] = {
        key: value
        for key, value in entry.items()
        if key not in (_OF_PROGRAMS | {"as", "ranks", "packet_hops_per_second"})
    }
    fields["form"] = entry.get("as", "sets")
    if fields["form"] == "program":
        once = {"iterations": 1, "simulated_iterations": 1, "extrapolated": False}
        fields |= {"barrier": "none", "seconds_per_iteration": entry["seconds"], **once}
    if "fractions_of_run" in entry:
        fields["fractions_of_run"] = RunFractions(**entry["fractions_of_run"])
    if fields["seconds_per_iteration"] is None:
        fields["seconds_per_iteration"] = math.nan
    fields.setdefault("settled_by_mean", False)
    fields.setdefault("interrupted", False)
    fields.setdefault("on_node_bytes", 0)
    fields["most_loaded_links"] = tuple(LinkTraffic(**link) for link in entry["most_loaded_links"])
    for key, values in entry["ranks"].items():
        fields[key] = _rank_array(values)
    return fields


def frame_of_runs(runs: Sequence[SimulatedRun], node_of_rank: npt.NDArray[np.int32], rows: RowsOfRuns) -> Any:
    """Implements `Simulation.to_dataframe`."""
    if rows == "runs":
        return data_frame(
            {name: [getattr(run, name) for run in runs] for name in ("barrier", "form", *_NUMBERS_OF_RUN)}
        )
    if rows == "links":
        links = [(run.barrier, *link) for run in runs for link in run.most_loaded_links]
        names = ("barrier", *LinkTraffic._fields)
        return data_frame({name: [row[column] for row in links] for column, name in enumerate(names)})
    if rows != "ranks":
        raise OptionError(f"invalid rows: {rows!r}", "use ranks, runs or links")
    head = {
        "barrier": np.repeat([run.barrier for run in runs], len(node_of_rank)),
        "rank": np.tile(np.arange(len(node_of_rank), dtype=np.int32), len(runs)),
        "node": np.tile(node_of_rank, len(runs)),
    }
    return data_frame(head | {name: np.concatenate([getattr(run, name) for run in runs]) for name in _TIMES_OF_RANK})


class _OfRun(Generic[_T]):
    """An attribute of the only run (see `Simulation.run`)."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, simulation: Simulation | None, owner: type) -> _T:
        return cast(_T, self if simulation is None else getattr(simulation.run, self._name))


@dataclass(frozen=True, repr=False, eq=False)
class Simulation:
    """The result of `Job.simulate`. It has one run, or with ``barrier="both"`` one run without barriers and one with
    barriers.

    If there is a single run, its times are also attributes of this object. With two runs, use `runs`.
    """

    runs: tuple[SimulatedRun, ...]
    placement: Placement
    """The simulated placement."""
    interrupted: bool
    """True if Ctrl-C ended the simulation. Runs after the interrupted run are missing."""
    _core: _core.Simulation = field(repr=False)

    @property
    def run(self) -> SimulatedRun:
        """The only run. Raises AttributeError if there are two runs."""
        if len(self.runs) != 1:
            raise AttributeError(
                f"expected a single run, found {len(self.runs)}: use runs[0] (no barriers) or runs[1] (barriers)"
            )
        return self.runs[0]

    @property
    def form(self) -> Literal["sets", "calls", "program"]:
        return self.runs[0].form

    seconds = _OfRun[float]()
    calls = _OfRun[int]()
    fractions_of_run = _OfRun[RunFractions | None]()
    left_out = _OfRun[Mapping[str, int | bool]]()
    seconds_per_iteration = _OfRun[float]()
    simulated_iterations = _OfRun[int]()
    extrapolated = _OfRun[bool]()
    settled_by_mean = _OfRun[bool]()
    most_loaded_links = _OfRun[tuple[LinkTraffic, ...]]()
    compute_seconds = _OfRun[FloatArray]()
    call_seconds = _OfRun[FloatArray]()
    wait_seconds = _OfRun[FloatArray]()
    end_seconds = _OfRun[FloatArray]()

    def to_json(self, *, timing: bool = True) -> str:
        """The report in the format ``haichi-simulation/1``, as ``haichi simulate --json`` prints it.

        Without `timing`, equal simulations give equal texts.
        """
        return self._core.json(timing)

    def to_dict(self, *, timing: bool = True) -> dict[str, Any]:
        """The report as a dict."""
        report: dict[str, Any] = json.loads(self.to_json(timing=timing))
        return report

    def to_dataframe(self, rows: RowsOfRuns = "ranks") -> Any:
        """A pandas.DataFrame. All times are in seconds, and the column barrier names the run.

        Parameters
        ----------
        rows: ``"ranks"`` gives a row per run and rank, with its node, compute_seconds, call_seconds, wait_seconds and
            end_seconds. ``"runs"`` gives a row per run, with its totals. ``"links"`` gives a row per run and link of
            `most_loaded_links`, with link, bytes and efficiency. The option `most_loaded` sets the number of links.

        Raises OptionError for other values of `rows`, and UnsupportedError without pandas.
        """
        return frame_of_runs(self.runs, self.placement.node_of_rank, rows)

    def plot(self, *, ax: Any = None) -> Any:
        """Draws the computation time, the time in calls and the waiting time of every rank into the matplotlib axes
        `ax`. Returns the axes.

        ``ax=None`` makes a new figure. Raises AttributeError if there are two runs, and UnsupportedError without
        matplotlib.
        """
        run = self.run
        axes = drawing_axes(ax)
        parts = (run.compute_seconds, run.call_seconds, run.wait_seconds)
        axes.stackplot(np.arange(len(run.end_seconds)), *parts, labels=("computation", "in calls", "waiting"))
        axes.set(xlabel="rank", ylabel="seconds")
        axes.margins(x=0)
        axes.legend(frameon=False)
        return axes

    def _title(self) -> str:
        name = "default placement" if self.placement.is_default else "given placement"
        return f"{name}, ranks={len(self.placement.node_of_rank)}" + (", interrupted" if self.interrupted else "")

    def __repr__(self) -> str:
        return "\n  ".join([f"Simulation({self._title()})", *(run._summary() for run in self.runs)])

    def _repr_html_(self) -> str:
        """An HTML table for notebooks."""
        head = [
            "",
            "seconds",
            "per iteration",
            "iterations",
            "computation",
            "in calls",
            "waiting",
            "highest link efficiency",
        ]
        rows = [
            [
                run._title(),
                f"{run.seconds:.6g}",
                f"{run.seconds_per_iteration:.6g}" if run.form == "sets" else "",
                run._extent(),
                *(_share(part, run) for part in (run.compute_seconds, run.call_seconds, run.wait_seconds)),
                f"{run.most_loaded_links[0].link}: {run.most_loaded_links[0].efficiency:.1%}"
                if run.most_loaded_links
                else "",
            ]
            for run in self.runs
        ]
        return notebook.table(self._title(), rows, head)


_TIMES_OF_RANK = ("compute_seconds", "call_seconds", "wait_seconds", "end_seconds")
_NUMBERS_OF_RUN = (
    "seconds",
    "seconds_per_iteration",
    "iterations",
    "simulated_iterations",
    "simulated_seconds",
    "extrapolated",
    "interrupted",
    "payload_bytes",
    "packets",
    "packet_hops",
    "on_node_bytes",
    "links",
    "used_links",
    "saturated_links",
    "link_efficiency",
    "used_link_efficiency",
    "calls",
)


def _share(part: FloatArray, run: SimulatedRun) -> str:
    """The part as a percentage of the ranks' own times, or for calls and programs as a percentage of the whole run."""
    total = run.simulated_seconds * len(part) if run.form != "sets" else float(run.end_seconds.sum())
    return f"{float(part.sum()) / total:.1%}" if total > 0 else ""


def simulation_of(placement: Placement, core: _core.Simulation) -> Simulation:
    return Simulation(
        runs=tuple(SimulatedRun(**run_fields(entry)) for entry in json.loads(core.json(True))["runs"]),
        placement=placement,
        interrupted=core.interrupted,
        _core=core,
    )


@dataclass(frozen=True, eq=False)
class SimulatedPlacement:
    """The simulations without barriers of a placement and, for comparison, of the default placement."""

    run: SimulatedRun
    default: SimulatedRun | None
    """The simulation of the default placement; None after an interruption."""


def simulated_placement(core: _core.Evaluation) -> SimulatedPlacement | None:
    text = core.simulated_runs()
    if text is None:
        return None
    entries = json.loads(text)
    runs, default = (
        [SimulatedRun(**run_fields(entry)) for entry in entries[name]] for name in ("runs", "default_runs")
    )
    return SimulatedPlacement(runs[0], default[0] if default else None)
