"""The fitted parameters: their keys in a machine file, the points that depend on them, and measurements that determine
them."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from haichi import _core
from haichi.calibration.benchmarks import BENCHMARKS
from haichi.calibration.placed import PlacedPoint

Content = dict[str, Any]
"""Content of a machine file."""
Values = Mapping[str, float]
"""Values by parameter name, in seconds or seconds per byte, so that times are sums. 0 seconds per byte means no
limit."""


@dataclass(frozen=True)
class Parameter:
    """A parameter that can be fitted."""

    name: str
    title: str
    unit: Literal["seconds", "seconds per byte"]
    path: tuple[str, str]
    """The key of the value in a machine file."""
    concerns: Callable[[PlacedPoint], bool]
    """True if a point can depend on the parameter."""
    needs: Callable[[PlacedPoint], bool]
    """True for points that determine the parameter. Without any such point, the parameter is unknown."""
    tells: str
    """A description of the measurements that determine the parameter."""

    @property
    def pointer(self) -> str:
        return "/".join(("", *self.path))


def _is_remote(point: PlacedPoint) -> bool:
    return point.hops > 0 and not point.is_barrier


def _is_local(point: PlacedPoint) -> bool:
    return point.hops == 0 and not point.is_barrier


def _is_message(point: PlacedPoint) -> bool:
    return not point.is_barrier


def _is_alone(point: PlacedPoint) -> bool:
    """False for streams. They hide the latency of most messages, so a latency fitted to streams would describe other
    effects."""
    return not BENCHMARKS[point.benchmark].is_stream


def _has_bytes(point: PlacedPoint) -> bool:
    return point.size_bytes > 0 and not point.is_barrier


def _goes_both_ways(point: PlacedPoint) -> bool:
    return _is_remote(point) and BENCHMARKS[point.benchmark].both_ways and point.size_bytes > 0


PARAMETERS = (
    Parameter(
        "call_overhead",
        "call overhead",
        "seconds",
        ("node", "mpi_call_overhead"),
        _is_message,
        _is_message,
        "streams of small messages (osu_bw, Uniband), where calls alone set the rate",
    ),
    Parameter(
        "hop_latency",
        "latency per hop",
        "seconds",
        ("router", "switch_latency"),
        _is_remote,
        lambda point: _is_remote(point) and _is_alone(point),
        "ping-pongs at two distances (FILE@HOPS), or one with a stream of small messages",
    ),
    Parameter(
        "bandwidth",
        "bandwidth",
        "seconds per byte",
        ("link", "bandwidth"),
        _is_remote,
        lambda point: _is_remote(point) and point.size_bytes > 0,
        "messages of 1 MiB and more between two nodes",
    ),
    Parameter(
        "dma_bandwidth",
        "DMA, both directions",
        "seconds per byte",
        ("node", "dma_bandwidth"),
        _is_remote,
        _goes_both_ways,
        "both directions at once (osu_bibw, Biband), if they are slower than twice one direction",
    ),
    Parameter(
        "copies",
        "copies of eager messages",
        "seconds per byte",
        ("node", "memory_bandwidth"),
        _has_bytes,
        _has_bytes,
        "eager messages of several sizes, and rendezvous messages, which are not copied",
    ),
    Parameter(
        "rendezvous_overhead",
        "rendezvous overhead",
        "seconds",
        ("node", "rendezvous_overhead"),
        _has_bytes,
        _has_bytes,
        "messages below and above the eager limit",
    ),
    Parameter(
        "shared_memory_latency",
        "latency within a node",
        "seconds",
        ("node", "shared_memory_latency"),
        _is_local,
        lambda point: _is_local(point) and _is_alone(point),
        "a ping-pong of two ranks of a node (FILE@0), with a stream of small messages",
    ),
    Parameter(
        "shared_memory_bandwidth",
        "bandwidth within a node",
        "seconds per byte",
        ("node", "shared_memory_bandwidth"),
        _is_local,
        lambda point: _is_local(point) and point.size_bytes > 0,
        "large messages between two ranks of a node (FILE@0)",
    ),
    Parameter(
        "barrier",
        "barrier",
        "seconds",
        ("node", "barrier"),
        lambda point: point.is_barrier,
        lambda point: point.is_barrier,
        "a barrier (osu_barrier, or Barrier of IMB)",
    ),
)
BY_NAME = {parameter.name: parameter for parameter in PARAMETERS}
EAGER_LIMIT = ("node", "eager_limit")
DEFAULT_EAGER_LIMIT = 16 * 1024
_FASTEST_BYTES_PER_S = 1e14
"""Bandwidths from this value on count as unlimited."""
_ONE_WAY = (("link", "bandwidth"), ("router", "bandwidth"), ("node", "nic_bandwidth"))
_DMA = ("node", "dma_bandwidth")


def preset_value(like: Content, parameter: Parameter) -> float:
    """The value of the parameter in the machine file `like`."""
    if parameter.name == "bandwidth":
        return 1 / min(_bandwidths(like, (*_ONE_WAY, _DMA)).values())
    text = like.get(parameter.path[0], {}).get(parameter.path[1])
    if text is None:
        return 0.0
    if parameter.unit == "seconds":
        return _core.parse_time_ps(text.encode(), parameter.pointer) / 1e12
    return 1 / _bandwidth(text, parameter.pointer)


def eager_limit_of(like: Content) -> int:
    text = like.get("node", {}).get(EAGER_LIMIT[1])
    return DEFAULT_EAGER_LIMIT if text is None else int(_core.parse_bytes(text.encode(), "eager_limit"))


def _bandwidth(text: str, name: str) -> float:
    """Parses a text such as ``"5GB/s"`` to bytes per second."""
    return float(_core.parse_bytes(text.removesuffix("/s").encode(), name))


def _bandwidths(content: Content, paths: tuple[tuple[str, str], ...]) -> dict[tuple[str, str], float]:
    found = {path: content.get(path[0], {}).get(path[1]) for path in paths}
    return {path: _bandwidth(text, "/".join(path)) for path, text in found.items() if text is not None}


def with_values(like: Content, values: Values, eager_limit: int, dma_is_apart: bool) -> Content:
    """The machine file `like` with these values. `dma_is_apart`: the DMA has its own fitted bandwidth. Otherwise the
    DMA is part of the route, whose slowest part gets the fitted bandwidth."""
    content = copy.deepcopy(like)
    for name, value in values.items():
        parameter = BY_NAME[name]
        section = content.setdefault(parameter.path[0], {})
        if name == "bandwidth":
            _set_bandwidth(content, value, (*_ONE_WAY,) if dma_is_apart else (*_ONE_WAY, _DMA))
        elif parameter.unit == "seconds":
            section[parameter.path[1]] = time_text(value)
        elif value > 1 / _FASTEST_BYTES_PER_S:
            section[parameter.path[1]] = bandwidth_text(1 / value)
        else:
            section.pop(parameter.path[1], None)
    content.setdefault("node", {})[EAGER_LIMIT[1]] = f"{eager_limit}B"
    return content


def _set_bandwidth(content: Content, value: float, way: tuple[tuple[str, str], ...]) -> None:
    """Sets the bandwidth of the slowest part of the route. Other parts with less than this bandwidth are raised to
    it."""
    stated = _bandwidths(content, way)
    slowest = min(stated, key=lambda path: (stated[path], way.index(path)))
    bandwidth = 1 / value
    for path, known in stated.items():
        if path == slowest or known < bandwidth:
            content[path[0]][path[1]] = bandwidth_text(bandwidth)


def bandwidth_paths(like: Content, dma_is_apart: bool) -> list[str]:
    """JSON pointers of the parts that `with_values` may set for the bandwidth, the slowest part first."""
    way = (*_ONE_WAY,) if dma_is_apart else (*_ONE_WAY, _DMA)
    stated = _bandwidths(like, way)
    return ["/" + "/".join(path) for path in sorted(stated, key=lambda path: (stated[path], way.index(path)))]


def time_text(seconds: float) -> str:
    return f"{round(seconds * 1e12)}ps"


def bandwidth_text(bytes_per_s: float) -> str:
    return f"{round(min(max(bytes_per_s, 1), _FASTEST_BYTES_PER_S))}B/s"
