"""Whether a job that fits into one cluster is faster over all clusters of its machine."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, SupportsFloat

from haichi import _core
from haichi.advice import cell, html_table, number_from_1
from haichi.errors import OptionError
from haichi.job_spec import JobOptions, JobSpec, NodesLike
from haichi.machine import MachineLike, as_machine, warn_of_buffers
from haichi.numbers import number_option, whole_option
from haichi.options import Form, TrafficForm, complete
from haichi.search import core_objective
from haichi.traffic import Traffic
from haichi.workload import WorkloadLike

_LONGEST_COMPUTE_SECONDS = 2.0**21  # 24 days; a simulation holds 26


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


@dataclass(frozen=True, repr=False)
class SpreadAdvice:
    """Whether to spread a job over clusters, of `haichi.advise_spread`."""

    advice: str
    """``"spread"``: over all clusters it is faster; ``"stay"``: in one; ``"equal"``: they cannot be told apart;
    ``"unknown"``: see `sentence`."""
    gain: float | None
    """The time in the best single cluster over that over all."""
    tolerance: float | None
    """Of the gain."""
    pays_up_to_delay_seconds: float | None
    """The delay of what joins the clusters up to which spreading pays; None: at any up to a second, or at none."""
    pays_from_compute_seconds: float | None
    """Where the workload states no computing time: what a rank has to compute in an iteration for it to pay."""
    in_one: tuple[SpreadTimes, ...]
    """In single clusters."""
    over_all: SpreadTimes
    simulations: int
    sentence: str
    interrupted: bool
    report: dict[str, Any] = field(compare=False)
    """``haichi-advice/1``."""

    def __repr__(self) -> str:
        return f"SpreadAdvice({self.sentence!r}, gain={self.gain})"

    def _repr_html_(self) -> str:
        """A table, for notebooks."""
        rows = [
            [
                ", ".join(map(str, place.clusters)),
                *(cell(count) for count in (place.ranks, place.nodes, place.ranks_per_node)),
                _seconds(place.default_seconds),
                _seconds(min(place.mapped_seconds, default=None)),
            ]
            for place in (*self.in_one, self.over_all)
        ]
        head = ["clusters", "ranks", "nodes", "per node", "default, s", "mapped, s"]
        return html_table(self.sentence, head, rows)


def advise_spread(
    workload: WorkloadLike,
    machine: MachineLike,
    spread_workload: WorkloadLike | None = None,
    *,
    compute_seconds: SupportsFloat | None = None,
    form: TrafficForm = "auto",
    nodes: NodesLike | None = None,
    faulty: NodesLike | None = None,
    ppn: int = 1,
    objective: str = "hop-bytes",
    seed: int = 1,
    seeds: int = 3,
    packet_hops: float = _core.ADVICE_PACKET_HOPS,
    threads: int = 0,
    routing: str | None = None,
) -> SpreadAdvice:
    """Tells whether a job that fits into one cluster is faster over all of them, as ``haichi advise spread`` does.

    Parameters
    ----------
    workload: in one cluster; of a log that is given as a file its calls are simulated, as by `haichi.Job.simulate`.
    machine: of two clusters or more.
    spread_workload: the same work on the ranks of all clusters; None: the ranks of `workload`, fewer on a node.
    compute_seconds: that a rank computes in an iteration in one cluster, where the workload does not state it; more
        ranks over all clusters share it.
    form: what of logs is simulated, ``"sets"``, ``"calls"`` or ``"auto"``: calls where they are there.
    nodes, faulty, ppn, routing: as those of `haichi.Job`; `ppn`: at most so many ranks on a node.
    objective: that placements are searched by.
    seeds: placements in each cluster and over all, found by searches with the seeds from `seed` on.
    packet_hops: what all simulations together may take; there are fewer iterations if need be.
    threads: 0: all cores. The answer does not depend on it.

    Other Python threads run meanwhile; Ctrl-C ends it with what is known. Raises InputError, OptionError,
    UnsupportedError (machines without clusters).
    """
    options = _core.SpreadAdviceOptions()
    if compute_seconds is not None:
        options.compute_seconds = number_option("compute_seconds", compute_seconds, _LONGEST_COMPUTE_SECONDS)
    options.objective = core_objective(objective)
    options.seed = whole_option("seed", seed, 0, 2**63 - 1)
    options.seeds = whole_option("seeds", seeds, 1, 1000)
    options.packet_hops = number_from_1("packet_hops", packet_hops)
    options.threads = whole_option("threads", threads, 0, 4096)
    job = JobOptions(ppn=ppn, routing=routing, nodes=nodes, faulty=faulty)
    spec = JobSpec(Traffic.of(workload), as_machine(machine), complete("advise_spread", JobOptions, job))
    simulated = spec.simulated_form(Form().checked("form", form))
    options.set_form(simulated)
    spec.traffic.tell_of_sets()
    if spread_workload is not None:
        spread = Traffic.of(spread_workload)
        if simulated == "calls" and not spread.has_calls:
            raise OptionError("the calls of one workload and the sets of the other cannot be compared", "form='sets'")
        spread.tell_of_sets()
        options.set_spread(spread._core)
    warn_of_buffers(spec.machine)
    report = json.loads(_core.advise_spread(spec.core(), options))
    return SpreadAdvice(
        advice=report["advice"],
        gain=report.get("gain"),
        tolerance=report.get("tolerance"),
        pays_up_to_delay_seconds=report.get("pays_up_to_delay_seconds"),
        pays_from_compute_seconds=report.get("pays_from_compute_seconds"),
        in_one=tuple(_times(place) for place in report["in_one"]),
        over_all=_times(report["over_all"]),
        simulations=report["simulations"],
        sentence=report["sentence"],
        interrupted=report.get("interrupted", False),
        report=report,
    )


def _seconds(seconds: float | None) -> str:
    return "" if seconds is None else f"{seconds:.4g}"


def _times(place: dict[str, Any]) -> SpreadTimes:
    values: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in place.items()}
    return SpreadTimes(**values)
