"""What a simulation tells of a placement."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, NamedTuple, TypeVar, cast

import numpy as np
import numpy.typing as npt

from haichi import _core
from haichi.base import notebook
from haichi.model.placement import Placement

FloatArray = npt.NDArray[np.float64]
_T = TypeVar("_T")


class LinkTraffic(NamedTuple):
    """What passed a link while the simulation ran."""

    link: str  #: its name, or ``ejection (node)``: the way from the network into a node
    bytes: int  #: with headers
    efficiency: float  #: bytes / (time * bandwidth)


class RunShares(NamedTuple):
    """Where the time of the ranks goes, as shares of the whole run; what is missing to 1 they had ended before."""

    computing: float
    calls: float
    waiting: float


@dataclass(frozen=True, repr=False, eq=False)
class SimulatedRun:
    """One simulation of a placement, with or without barriers. Arrays have an entry per rank and are read-only.

    What is counted - ranks' times, bytes, packets, links - is of the simulated part, `simulated_seconds` long.
    """

    form: Literal["sets", "calls", "program"]
    """What was simulated: communication sets; the calls of a log, which are one iteration, the whole run; or a program,
    the same."""
    barrier: str
    """``"none"``, ``"sets"``: before every set, or ``"1,3"``: before these, counted from 1."""
    seconds: float
    """From the start to the end of the last rank, all iterations."""
    seconds_per_iteration: float
    """Not a number when an interruption came before the first iteration ended."""
    iterations: int
    """Of the workload."""
    simulated_iterations: int
    extrapolated: bool
    """Fewer iterations were simulated than there are; the others take their mean time."""
    settled_by_mean: bool
    """The time of iterations did not repeat, but its mean settled within 1 %."""
    interrupted: bool
    """Ended by Ctrl-C; `seconds` follows from what is known, or is `simulated_seconds` when no iteration ended."""
    simulated_seconds: float
    payload_bytes: int
    """That went into the network; the control messages of rendezvous have none, but are packets."""
    packets: int
    packet_hops: int
    """Passages over a link or into a node."""
    on_node_bytes: int
    """Payload of messages between ranks of one node, and of ranks to themselves: they make no packets."""
    links: int
    used_links: int
    """Links that carried anything."""
    saturated_links: int
    """Links with an efficiency above 0.99."""
    mean_link_bandwidth_bytes_per_s: float
    """Of the used links."""
    link_efficiency: float
    """Mean over all links."""
    used_link_efficiency: float
    hottest_links: tuple[LinkTraffic, ...]
    """Most efficient first."""
    compute_seconds: FloatArray
    call_seconds: FloatArray
    """In MPI calls: overheads and copies."""
    wait_seconds: FloatArray
    """In waits and barriers."""
    end_seconds: FloatArray
    """The sum of the other three: when the rank finished, else the end of the run."""
    wall_seconds: float
    """What the simulation took."""
    calls: int = 0
    """Of a log or a program, made by all ranks."""
    share_of_run: RunShares | None = None
    """Of calls: means over the ranks."""
    left_out: Mapping[str, int | bool] = field(default_factory=dict)
    """By kind, how often: what the log has and the simulation does not do. Sets of a log leave out ``computing``."""

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
    """Of an entry of a report's ``runs``."""
    fields: dict[str, Any] = {
        key: value
        for key, value in entry.items()
        if key not in (_OF_PROGRAMS | {"as", "ranks", "packet_hops_per_second"})
    }
    fields["form"] = entry.get("as", "sets")
    if fields["form"] == "program":
        once = {"iterations": 1, "simulated_iterations": 1, "extrapolated": False}
        fields |= {"barrier": "none", "seconds_per_iteration": entry["seconds"], **once}
    if "share_of_run" in entry:
        fields["share_of_run"] = RunShares(**entry["share_of_run"])
    if fields["seconds_per_iteration"] is None:
        fields["seconds_per_iteration"] = math.nan
    fields.setdefault("settled_by_mean", False)
    fields.setdefault("interrupted", False)
    fields.setdefault("on_node_bytes", 0)
    fields["hottest_links"] = tuple(LinkTraffic(**link) for link in entry["hottest_links"])
    for key, values in entry["ranks"].items():
        fields[key] = _rank_array(values)
    return fields


class _OfRun(Generic[_T]):
    """An attribute of the only run, as `Simulation.run`."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, simulation: Simulation | None, owner: type) -> _T:
        return cast(_T, self if simulation is None else getattr(simulation.run, self._name))


@dataclass(frozen=True, repr=False, eq=False)
class Simulation:
    """What `Job.simulate` gives: one run or, by ``barrier="both"``, one without and one with barriers.

    The times of a single run are here as well; of two, ask one of `runs`.
    """

    runs: tuple[SimulatedRun, ...]
    placement: Placement
    """That was simulated."""
    interrupted: bool
    """Ended by Ctrl-C; runs behind the interrupted one are missing."""
    _core: _core.Simulation = field(repr=False)

    @property
    def run(self) -> SimulatedRun:
        """The only run. Raises AttributeError when there are two."""
        if len(self.runs) != 1:
            raise AttributeError(f"there are {len(self.runs)} runs: ask runs[0] without barriers, or runs[1] with them")
        return self.runs[0]

    @property
    def form(self) -> Literal["sets", "calls", "program"]:
        return self.runs[0].form

    seconds = _OfRun[float]()
    calls = _OfRun[int]()
    share_of_run = _OfRun[RunShares | None]()
    left_out = _OfRun[Mapping[str, int | bool]]()
    seconds_per_iteration = _OfRun[float]()
    simulated_iterations = _OfRun[int]()
    extrapolated = _OfRun[bool]()
    settled_by_mean = _OfRun[bool]()
    hottest_links = _OfRun[tuple[LinkTraffic, ...]]()
    compute_seconds = _OfRun[FloatArray]()
    call_seconds = _OfRun[FloatArray]()
    wait_seconds = _OfRun[FloatArray]()
    end_seconds = _OfRun[FloatArray]()

    def to_json(self, *, timing: bool = True) -> str:
        """The report ``haichi-simulation/1``, the text that ``haichi simulate --json`` prints.

        Without `timing` equal simulations give equal texts.
        """
        return self._core.json(timing)

    def to_dict(self, *, timing: bool = True) -> dict[str, Any]:
        """The same as a dict."""
        report: dict[str, Any] = json.loads(self.to_json(timing=timing))
        return report

    def _title(self) -> str:
        name = "default placement" if self.placement.is_default else "given placement"
        return f"{name}, ranks={len(self.placement.node_of_rank)}" + (", interrupted" if self.interrupted else "")

    def __repr__(self) -> str:
        return "\n  ".join([f"Simulation({self._title()})", *(run._summary() for run in self.runs)])

    def _repr_html_(self) -> str:
        """A table, for notebooks."""
        head = ["", "seconds", "per iteration", "iterations", "computing", "in calls", "waiting", "busiest link"]
        rows = [
            [
                run._title(),
                f"{run.seconds:.6g}",
                f"{run.seconds_per_iteration:.6g}" if run.form == "sets" else "",
                run._extent(),
                *(_share(part, run) for part in (run.compute_seconds, run.call_seconds, run.wait_seconds)),
                f"{run.hottest_links[0].link}: {run.hottest_links[0].efficiency:.1%}" if run.hottest_links else "",
            ]
            for run in self.runs
        ]
        return notebook.table(self._title(), rows, head)


def _share(part: FloatArray, run: SimulatedRun) -> str:
    """Of the ranks' time; of calls, of the whole run."""
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
    """A placement and, for comparison, the default one, simulated without barriers."""

    run: SimulatedRun
    default: SimulatedRun | None
    """Of the default placement; None after an interruption."""


def simulated_placement(core: _core.Evaluation) -> SimulatedPlacement | None:
    text = core.simulated_runs()
    if text is None:
        return None
    entries = json.loads(text)
    runs, default = (
        [SimulatedRun(**run_fields(entry)) for entry in entries[name]] for name in ("runs", "default_runs")
    )
    return SimulatedPlacement(runs[0], default[0] if default else None)
