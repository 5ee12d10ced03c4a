"""Data for pictures of placements: links and their loads, routes, and link utilisation over time."""

from __future__ import annotations

import csv
import hashlib
import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TextIO

import numpy as np
import numpy.typing as npt

from haichi import _core
from haichi.base.packed_arrays import pack_array
from haichi.comparison.cell import SimulatedAs
from haichi.comparison.map_command import MAP_FILE
from haichi.errors import InputError
from haichi.job.job import Job
from haichi.model.job_spec import JobSpec
from haichi.model.placement import Placement
from haichi.model.simulation import LinkStatistics
from haichi.model.workload import Messages
from haichi.results.simulation import SimulatedRun

_MOST_ENTRIES = 4_000_000
"""The maximum number of links in all routes of a placement, and in the loads of all sets."""
_TIMED_LINKS = 400
_BINS = 300
_MOST_BINS = 400
_MOST_STATISTICS_LINES = 3_000_000
_SHOWN_ITERATIONS = 3
_SMALL_JOB_NODES = 2_000
"""For larger jobs, the pictures show a single simulated iteration, because each takes minutes."""
_ONE_HUNDRED_PERCENT = 255


@dataclass(frozen=True, eq=False)
class ViewRequest:
    """A placement to draw."""

    job: JobSpec
    node_of_rank: npt.NDArray[np.int32]
    workload_name: str
    strategy: str
    seed: int
    role: Literal["before", "after", "other"]
    """`before` is the default placement, and `after` is the best placement."""
    convergence: Sequence[tuple[int, float]] = ()
    """The progress of the search: pairs of evaluations and best value so far."""
    command: str | None = None
    """The command line that reproduces the placement."""
    runs: Sequence[SimulatedAs] = ()
    """The simulations to plot over time."""
    spread: Mapping[str, Any] = field(default_factory=dict)
    """Options that vary the computation times of communication sets."""
    replay: Mapping[str, Any] = field(default_factory=dict)
    """The call-replay options."""
    whole_run_seconds: float | None = None
    """The simulated seconds of the replay; None if unknown."""
    threads: int = 1
    """The number of threads for simulations. Results do not depend on it."""


@dataclass(frozen=True, eq=False)
class _Network:
    outline: Mapping[str, Any]
    number_of_channel: Mapping[tuple[int, str], int] = field(repr=False)
    """The compact number of each link, by its source vertex and its name in the simulator's statistics."""
    fabric_links: int
    """The number of links that are not NICs."""


def placement_views(requests: Sequence[ViewRequest]) -> dict[str, Any]:
    """The parts ``views``, ``networks`` and ``message_lists`` of a comparison (``haichi-comparison/1``).

    Networks and message lists that placements share are stored once. Equal requests give equal values. Memory and
    output size are bounded: routes are omitted if they have more than 4,000,000 links in total. The loads of all sets
    have the same limit; above it, the links with the lowest loads are omitted. Raises the errors of `Job` and
    `Job.simulate`.
    """
    networks = _Numbered()
    messages = _Numbered()
    views = []
    for request in requests:
        job = Job._of(request.job.reading_once())
        placement = job.place(request.node_of_rank)
        outline = _core.network_outline(placement._core)
        views.append(_view(request, job, placement, outline, networks, messages))
    return {"views": views, "networks": networks.values, "message_lists": messages.values}


class _Numbered:
    """Stores each distinct value once, in the order of its first use."""

    def __init__(self) -> None:
        self.values: list[dict[str, Any]] = []
        self._number: dict[bytes, int] = {}

    def number(self, value: dict[str, Any]) -> int:
        digest = hashlib.sha256(json.dumps(value, sort_keys=True).encode()).digest()
        number = self._number.setdefault(digest, len(self.values))
        if number == len(self.values):
            self.values.append(value)
        return number


def _view(
    request: ViewRequest,
    job: Job,
    placement: Placement,
    outline: dict[str, Any],
    networks: _Numbered,
    messages: _Numbered,
) -> dict[str, Any]:
    workload = job.workload
    message_list = workload.messages
    first, link = _core.message_routes(placement._core)
    view: dict[str, Any] = {
        "workload": request.workload_name,
        "shape": request.job.shape,
        "strategy": request.strategy,
        "seed": request.seed,
        "role": request.role,
        "network": networks.number(_packed_network(outline)),
        "messages": messages.number(_packed_messages(message_list)),
        "node_of_rank": pack_array(placement.node_of_rank, "int32"),
        "set_links": _set_links(message_list, first, link, len(workload.labels), outline["link_bandwidth_bytes_per_s"]),
        "routes": None,
        "convergence": [[int(evaluations), float(value)] for evaluations, value in request.convergence],
    }
    if request.role != "other":
        view["rank_map"] = _rank_map(placement)
        view["command"] = request.command
    if len(link) <= _MOST_ENTRIES:
        view["routes"] = {"first": pack_array(first, "int64"), "link": pack_array(link, "int32")}
    if request.runs:
        network = _named(outline)
        view["simulated"] = {run: _simulated(request, job, placement, network, run) for run in request.runs}
    return view


def _rank_map(placement: Placement) -> dict[str, str]:
    """The rank map in the usual format of the machine's scheduler, and the lines of a job script that use this map."""
    format, text, job_lines = placement._core.usual_rank_map(MAP_FILE)
    return {"file": MAP_FILE, "format": format, "text": text, "job_lines": job_lines}


def _packed_network(outline: dict[str, Any]) -> dict[str, Any]:
    types = {
        "vertex_level": "int32",
        "vertex_of_node": "int32",
        "link_source": "int32",
        "link_destination": "int32",
        "link_axis": "int8",
        "link_sign": "int8",
        "link_panel": "int32",
        "link_bandwidth_bytes_per_s": "int64",
    }
    packed = {name: pack_array(outline[name], dtype) for name, dtype in types.items()}
    axes = [list(axis) for axis in outline["axes"]]
    panels = [
        {"title": title, "caption": caption, "form": form, "group": pack_array(group, "int32")}
        for title, caption, form, group in outline["panels"]
    ]
    return {"axes": axes, **packed, "link_names": list(outline["link_names"]), "panels": panels}


def _packed_messages(messages: Messages) -> dict[str, Any]:
    return {
        "source": pack_array(messages.source, "int32"),
        "destination": pack_array(messages.destination, "int32"),
        "bytes": pack_array(messages.bytes, "int64"),
        "set": pack_array(messages.set, "int32"),
    }


def _set_links(
    messages: Messages,
    first: npt.NDArray[np.int64],
    link: npt.NDArray[np.int32],
    sets: int,
    bandwidth: npt.NDArray[np.int64],
) -> list[dict[str, Any]]:
    """The used links of each set, in ascending order, with their messages and bytes. If there are too many links, those
    stay whose bytes take longest at their bandwidth."""
    links = len(bandwidth)
    route_begin = np.searchsorted(messages.set, np.arange(sets + 1))  # messages are sorted by set
    loads = []
    most = max(_MOST_ENTRIES // max(sets, 1), 1)
    for number in range(sets):
        begin, end = route_begin[number], route_begin[number + 1]
        route_links = link[first[begin] : first[end]]
        bytes_of = np.repeat(messages.bytes[begin:end], np.diff(first[begin : end + 1]))
        count = np.bincount(route_links, minlength=links)
        load = np.zeros(links, np.int64)
        np.add.at(load, route_links, bytes_of)
        used = np.flatnonzero(count)
        left_out = max(len(used) - most, 0)
        if left_out:
            heaviest = np.lexsort((used, -(load[used] / np.maximum(bandwidth[used], 1))))[:most]
            used = np.sort(used[heaviest])
        entry: dict[str, Any] = {
            "link": pack_array(used, "int32"),
            "messages": pack_array(count[used], "int32"),
            "bytes": pack_array(load[used], "int64"),
        }
        if left_out:
            entry["left_out"] = int(left_out)
        loads.append(entry)
    return loads


def _named(outline: dict[str, Any]) -> _Network:
    source = outline["link_source"].tolist()
    if outline["axes"]:
        names = [axis[0] for axis in outline["axes"]]
        keys = [
            f"{names[axis]}{'+' if sign > 0 else '-'}" if axis >= 0 else ""
            for axis, sign in zip(outline["link_axis"].tolist(), outline["link_sign"].tolist(), strict=True)
        ]
    else:
        keys = outline["link_names"]
    fabric = int(np.count_nonzero(outline["link_source"] != outline["link_destination"]))
    return _Network(outline, {key: number for number, key in enumerate(zip(source, keys, strict=True))}, fabric)


def _simulated(
    request: ViewRequest, job: Job, placement: Placement, network: _Network, simulated_as: SimulatedAs
) -> dict[str, Any]:
    def run(iterations: int, statistics: LinkStatistics | None = None) -> SimulatedRun:
        """Simulates this number of iterations. A simulation of calls always covers the whole run, which counts as one
        iteration."""
        of_calls = simulated_as == "calls"
        of_sets = {"form": "sets", "barrier": simulated_as, "sim_iterations": iterations, **request.spread}
        given: dict[str, Any] = {"form": "calls", **request.replay} if of_calls else of_sets
        return job.simulate(placement, threads=request.threads, most_loaded=0, statistics=statistics, **given).run

    iterations = 1
    seconds = request.whole_run_seconds if simulated_as == "calls" else None
    if simulated_as != "calls":
        small = len(network.outline["vertex_of_node"]) <= _SMALL_JOB_NODES
        iterations = min(_SHOWN_ITERATIONS if small else 1, job.workload.iterations)
    # The bins depend on the length of the run, which a first simulation finds.
    links = max(len(network.number_of_channel), 1)
    bins = min(_BINS, max(_MOST_STATISTICS_LINES // links, 20))
    bin_ps = max(round(iterations * (seconds or run(1).simulated_seconds) * 1e12) // bins, 1)
    try:
        # A file without a name disappears even if this process is killed.
        with tempfile.TemporaryFile("w+", newline="", encoding="utf-8") as statistics:
            path = f"/proc/self/fd/{statistics.fileno()}"
            shown = run(iterations, LinkStatistics(path, bin_ps * 1e-12))
            times = _time_space(statistics, network, bin_ps)
    except (OSError, InputError) as error:
        if isinstance(error, InputError) and path not in str(error):
            raise
        raise InputError(
            f"cannot write statistics for the pictures to {_temporary_folder()}",
            "free some space, or set TMPDIR to another directory",
        ) from error
    ranks = {
        name: pack_array(getattr(shown, name), "float32")
        for name in ("compute_seconds", "call_seconds", "wait_seconds")
    }
    return {"seconds": shown.simulated_seconds, "iterations": iterations, "ranks": ranks, **times}


def _temporary_folder() -> str:
    try:
        return tempfile.gettempdir()
    except OSError:  # no directory is writable
        return os.environ.get("TMPDIR", "/tmp")


def _time_space(statistics: TextIO, network: _Network, bin_ps: int) -> dict[str, Any]:
    """The efficiency of the most used links over time, and the mean over all links, from the statistics of a
    simulation."""
    bins: list[int] = []
    numbers: list[int] = []
    efficiencies: list[float] = []
    for row in csv.DictReader(statistics):
        channel = row["channel"]
        if network.outline["axes"]:
            channel = channel.partition(" ")[0]  # axis and direction suffice: the vertex identifies the link
        number = network.number_of_channel.get((int(row["router"]), channel))
        if number is not None:  # ejection channels are not links
            bins.append(int(row["bin"]))
            numbers.append(number)
            efficiencies.append(float(row["efficiency"]))
    count = max(bins, default=-1) + 1
    # Later iterations may take longer than the first, so bins are joined if there are too many.
    joined = max(-(-count // _MOST_BINS), 1)
    bin_of = np.array(bins, np.int64) // joined
    columns = int(bin_of.max(initial=-1)) + 1
    number_of = np.array(numbers, np.int64)
    share = np.array(efficiencies, np.float64) / joined
    sums = np.bincount(number_of, weights=share, minlength=1)
    busy = np.flatnonzero(sums)
    shown = np.sort(busy[np.lexsort((busy, -sums[busy]))[:_TIMED_LINKS]])
    row_of = np.full(len(sums), -1, np.int64)
    row_of[shown] = np.arange(len(shown))
    drawn = row_of[number_of] >= 0
    efficiency = np.zeros((len(shown), columns), np.float64)
    np.add.at(efficiency, (row_of[number_of[drawn]], bin_of[drawn]), share[drawn])
    levels = np.minimum(np.rint(efficiency * _ONE_HUNDRED_PERCENT), _ONE_HUNDRED_PERCENT)
    mean = np.bincount(bin_of, weights=share, minlength=columns) / max(network.fabric_links, 1)
    return {
        "begin_seconds": 0.0,
        "bin_seconds": bin_ps * joined / 1e12,
        "links": {
            "link": pack_array(shown, "int32"),
            "efficiency": pack_array(levels, "uint8"),
            "left_out": len(busy) - len(shown),
        },
        "mean_efficiency": pack_array(mean, "float32"),
    }
