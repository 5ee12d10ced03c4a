"""Simulated times of the measured points on a machine."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from haichi import _core
from haichi.calibration.benchmarks import BENCHMARKS, trace
from haichi.calibration.parameters import PARAMETERS, Content, Values, with_values
from haichi.calibration.placed import Distances, PlacedPoint
from haichi.model.job_spec import JobSpec
from haichi.model.machine import Machine
from haichi.model.traffic import Traffic

_OPTIONS = _core.SimulationOptions({"form": "calls", "most_loaded": 0})
_WHOLE_WINDOW_BYTES = 256 * 1024
"""The largest window of a stream, in bytes, of which every message is simulated."""


@dataclass(frozen=True)
class Setting:
    """Values of all fitted parameters."""

    values: Values
    eager_limit: int


@dataclass
class Simulator:
    """Simulates points on the machine `like` with other values. It caches each time under the values that can affect
    it."""

    like: Content
    name: str
    """The name of the machine file. File names in the machine file are relative to its directory."""
    distances: Distances
    dma_is_apart: bool
    folder: Path
    """The directory of the benchmark traces."""
    _traffic: dict[tuple[str, int, int, int], Traffic] = field(default_factory=dict)
    _seconds: dict[tuple[object, ...], float] = field(default_factory=dict)
    _last: tuple[Setting, Machine] | None = None
    runs: int = 0
    """The number of simulations that were run."""

    def seconds(self, point: PlacedPoint, setting: Setting) -> float:
        """The simulated time, in the same unit as `Point.seconds`."""
        values = {p.name: setting.values[p.name] for p in PARAMETERS if p.name in setting.values and p.concerns(point)}
        # Only the side of the eager limit on which the messages lie matters: acknowledgements are always small.
        is_eager = point.size_bytes <= setting.eager_limit
        if is_eager:
            values.pop("rendezvous_overhead", None)
        key = (point.benchmark, point.size_bytes, point.hops, is_eager, *values.values())
        if key not in self._seconds:
            self._seconds[key] = self._simulated(point, self._machine(setting))
        return self._seconds[key]

    def content(self, setting: Setting) -> Content:
        """The content of the machine file."""
        return with_values(self.like, setting.values, setting.eager_limit, self.dma_is_apart)

    def _machine(self, setting: Setting) -> Machine:
        if self._last is None or self._last[0] != setting:
            text = json.dumps(self.content(setting), indent=1)
            self._last = (setting, Machine.from_json(text, name=self.name))
        return self._last[1]

    def _simulated(self, point: PlacedPoint, machine: Machine) -> float:
        """The simulated time of a point. Unless all rounds are alike, the second round is taken: the first begins with
        idle ranks and empty buffers."""
        benchmark = BENCHMARKS[point.benchmark]
        if not benchmark.both_ways and not benchmark.is_stream:  # the first round takes as long as all others
            return self._run(point, machine, 1, 1) / benchmark.shares
        if not benchmark.is_stream:
            return self._round(point, machine, 1) / benchmark.shares
        window = benchmark.window
        few = max(min(_WHOLE_WINDOW_BYTES // (2 * point.size_bytes or 1), window // 4), 4)
        if window * point.size_bytes <= _WHOLE_WINDOW_BYTES:
            return self._round(point, machine, window) / window
        # Once the first messages are in flight, each further message takes the same time.
        short, long = self._round(point, machine, few), self._round(point, machine, 2 * few)
        return (long + (long - short) / few * (window - 2 * few)) / window

    def _round(self, point: PlacedPoint, machine: Machine, window: int) -> float:
        first, both = (self._run(point, machine, window, rounds) for rounds in (1, 2))
        return both - first

    def _run(self, point: PlacedPoint, machine: Machine, window: int, rounds: int) -> float:
        traffic = self._read(point, window, rounds)
        nodes = [self.distances.node_at[hops] for hops in sorted({0, point.hops})]
        job = _core.Job(JobSpec(traffic, machine, {"nodes": nodes, "ppn": 2}).core())
        places = [0, 1] if point.hops > 0 else [0, 0]
        self.runs += 1
        simulation = _core.simulate(job.place(np.array(places), b""), _OPTIONS, inputs=[], progress=None)
        if simulation.interrupted:
            raise KeyboardInterrupt
        return float(json.loads(simulation.json(False))["runs"][0]["seconds"])

    def _read(self, point: PlacedPoint, window: int, rounds: int) -> Traffic:
        key = (point.benchmark, point.size_bytes, window, rounds)
        if key not in self._traffic:
            path = self.folder / "-".join(map(str, key))
            path.write_text(trace(*key))
            self._traffic[key] = Traffic.read(path)
        return self._traffic[key]
