"""Fits a calibration to files with benchmark results."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby, takewhile
from pathlib import Path

from haichi import _core
from haichi.calibration.benchmarks import BENCHMARKS
from haichi.calibration.eager_limit import Profile, profile
from haichi.calibration.fit import Array, Problem, scipy_optimize
from haichi.calibration.identify import GIVEN_UP_FIRST, Held, hold_what_is_unknown
from haichi.calibration.parameters import PARAMETERS, Content, Parameter, eager_limit_of, preset_value
from haichi.calibration.placed import Distances, PlacedPoint, file_and_hops
from haichi.calibration.readers import read_results
from haichi.calibration.simulated import Setting, Simulator
from haichi.calibration.start import start_values
from haichi.errors import InputError, OptionError
from haichi.model.machine import Machine

DEFAULT_LIKE = "switch:2"
_FEWEST_POINTS = 3


@dataclass(frozen=True)
class Source:
    """A file with benchmark results."""

    path: str
    format: str
    hops: int
    """The number of links between the nodes of both ranks; 0 if the ranks shared a node."""
    points: int
    left_out: tuple[str, ...]


@dataclass(frozen=True)
class Value:
    """The value of a parameter, and the origin of the value."""

    parameter: Parameter
    value: float
    """In seconds, or in seconds per byte. 0 seconds per byte means no limit."""
    error: float | None
    """The standard error of a fitted value; None for other values. A fitted value always has an error below half of the
    value."""
    held: Held | None
    """Why the value was not fitted although some points could depend on the parameter."""

    @property
    def is_fitted(self) -> bool:
        return self.error is not None

    def is_held_with(self, other: Value) -> bool:
        """True if the data determines `other` only in combination with this held value."""
        return self.held is not None and other.parameter.name in self.held.together


@dataclass(frozen=True)
class Calibration:
    """The result of `calibrate`."""

    like: str
    """The machine that provides the values that are not fitted."""
    content: Content
    """The content of the machine file of `like`."""
    sources: tuple[Source, ...]
    points: tuple[PlacedPoint, ...]
    simulated_seconds: Array
    """The simulated time of each point."""
    values: tuple[Value, ...]
    eager_limit: int
    eager: Profile
    preset_limit: int
    rms: float
    """The root mean square of log(simulated / measured time)."""
    dma_is_apart: bool
    simulations: int
    machine: Content
    """The content of the fitted machine file, without notes."""

    @property
    def errors(self) -> Array:
        """The relative error of each point: simulated / measured time - 1."""
        return self.simulated_seconds / [entry.seconds for entry in self.points] - 1

    @cached_property
    def labels(self) -> dict[str, str]:
        """A short name for each path."""
        return _labels([source.path for source in self.sources])

    def value(self, name: str) -> Value:
        return next(value for value in self.values if value.parameter.name == name)


def calibrate(
    results: Sequence[str],
    *,
    like: str = DEFAULT_LIKE,
    largest: int | None = None,
    progress: Callable[[str], None] | None = None,
) -> Calibration:
    """Fits a machine to measured benchmark results, as ``haichi calibrate`` does.

    Parameters
    ----------
    results: files, each ``FILE`` or ``FILE@HOPS``. HOPS is the number of links between the nodes of both ranks; 0 means
        that the ranks share a node. Default: the distance of the two nearest nodes.
    like: a preset or a machine file. It provides the topology and all values that are not fitted.
    largest: in bytes. Larger messages are ignored. For example, no parameter describes the effect of caches.
    progress: called with a line of text after every fit.

    Raises InputError for files without benchmark results, OptionError for distances that the machine does not have, and
    UnsupportedError without SciPy.
    """
    if not results:
        raise OptionError("results are missing", "name the files with the output of the benchmarks")
    scipy_optimize()  # reports a missing SciPy before any work
    content, name = like_content(like)
    machine = Machine.from_json(json.dumps(content, indent=1), name=name)
    distances = Distances.of(machine)
    sources, points = _read(results, distances, machine, largest)
    dma_is_apart = any(p.name == "dma_bandwidth" and p.needs(point) for p in PARAMETERS for point in points)
    with tempfile.TemporaryDirectory(prefix="haichi-") as folder:
        simulator = Simulator(content, name, distances, dma_is_apart, Path(folder))
        problem = Problem(points, simulator, progress or (lambda line: None))
        return _fitted(problem, content, like, sources)


def like_content(like: str) -> tuple[Content, str]:
    """Returns the content and the name of a machine file. Raises OptionError and InputError."""
    machine = Machine(like)
    if machine.text is not None:
        return json.loads(machine.text), like
    return json.loads(_core.preset_text(like)), f"{like.partition(':')[0]}.json"


def _read(
    results: Sequence[str], distances: Distances, machine: Machine, largest: int | None
) -> tuple[list[Source], list[PlacedPoint]]:
    sources: list[Source] = []
    points: list[PlacedPoint] = []
    for word in results:
        path, stated = file_and_hops(word)
        if any(os.path.samefile(path, source.path) for source in sources if os.path.exists(path)):
            raise OptionError(f"{word}: duplicate file", "give each file once, with one distance")
        found = read_results(path)
        hops = distances.nearest if stated is None else stated
        distances.check(hops, word, machine)
        placed = [
            PlacedPoint(**vars(point), hops=hops)
            for point in found.points
            if largest is None or point.size_bytes <= largest
        ]
        left_out = list(found.left_out)
        if len(placed) < len(found.points):
            left_out.append(f"{len(found.points) - len(placed)} messages have more than {largest} bytes")
        sources.append(Source(path, found.format, hops, len(placed), tuple(left_out)))
        points += placed
    if not points:
        raise OptionError(
            f"invalid largest: {largest} (all messages have more bytes)", "use a size from the result files"
        )
    return sources, points


def _fitted(problem: Problem, content: Content, like: str, sources: Sequence[Source]) -> Calibration:
    points = problem.points
    free = [parameter.name for parameter in PARAMETERS if any(map(parameter.needs, points))]
    if len(points) < min(len(free), _FEWEST_POINTS):
        raise InputError(
            f"a fit of {len(free)} parameters requires at least {_FEWEST_POINTS} measured points, found {len(points)}",
            "measure more message sizes",
        )
    preset = {parameter.name: preset_value(content, parameter) for parameter in PARAMETERS}
    excess = sorted(free, key=GIVEN_UP_FIRST.index)[: max(len(free) - len(points), 0)]
    free = [name for name in free if name not in excess]
    preset_limit = eager_limit_of(content)

    def start(limit: int) -> dict[str, float]:
        values = start_values(points, content, limit)
        values |= {name: preset[name] for name in values if name not in free}
        if not problem.simulator.dma_is_apart:
            del values["dma_bandwidth"]
        return values

    eager = profile(problem, free, preset_limit, start)
    problem = eager.problem
    limits = sorted({*eager.rivals[:1], *eager.rivals[-1:]})
    known = hold_what_is_unknown(problem, eager.fitted, preset, limits)
    fitted, errors = known.fitted, known.errors
    held = known.held + [Held(name, preset[name], "preset", tuple(free)) for name in excess]
    held_by_name = {entry.name: entry for entry in held}
    values = tuple(
        Value(
            parameter,
            fitted.setting.values.get(parameter.name, preset[parameter.name]),
            errors.get(parameter.name),
            held_by_name.get(parameter.name),
        )
        for parameter in PARAMETERS
    )
    set_values = {name: fitted.setting.values[name] for name in [*fitted.free, *held_by_name]}
    simulator = problem.simulator
    return Calibration(
        like=like,
        content=content,
        sources=tuple(sources),
        points=points,
        simulated_seconds=problem.times(fitted.setting),
        values=values,
        eager_limit=fitted.setting.eager_limit,
        eager=eager,
        preset_limit=preset_limit,
        rms=problem.rms(fitted.setting),
        dma_is_apart=simulator.dma_is_apart,
        simulations=simulator.runs,
        machine=simulator.content(Setting(set_values, fitted.setting.eager_limit)),
    )


def title(point: PlacedPoint) -> str:
    """A heading for the points with the benchmark and the distance of this point."""
    place = "one node" if point.hops == 0 else f"{point.hops} link{'s' if point.hops > 1 else ''}"
    return BENCHMARKS[point.benchmark].title + ("" if point.is_barrier else f", {place}")


def by_benchmark(calibration: Calibration) -> Iterator[tuple[str, list[tuple[PlacedPoint, float, float]]]]:
    """Yields a heading for each benchmark of each file, with its points. Each point has its simulated seconds and its
    relative error."""
    rows = zip(calibration.points, calibration.simulated_seconds.tolist(), calibration.errors.tolist(), strict=True)
    for (path, what), group in groupby(rows, lambda row: (row[0].file, title(row[0]))):
        yield f"{calibration.labels[path]}: {what}", list(group)


def _labels(paths: Sequence[str]) -> dict[str, str]:
    """A name for each file: its last path components, as many as distinguish it from the other files."""
    parts = {path: os.path.normpath(path).split(os.sep) for path in paths}

    def label(path: str) -> str:
        own = parts[path]
        shared = (parts[other] for other in paths if other != path)
        length = 1 + max((_shared_end(own, other) for other in shared), default=0)
        return os.sep.join(own[-length:])

    return {path: label(path) for path in paths}


def _shared_end(first: Sequence[str], second: Sequence[str]) -> int:
    """The number of equal components at the end of two paths."""
    pairs = zip(reversed(first), reversed(second), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
