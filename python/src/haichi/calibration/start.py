"""Start values of a fit, estimated from the points."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence

from haichi.calibration.benchmarks import BENCHMARKS
from haichi.calibration.parameters import PARAMETERS, Content, preset_value
from haichi.calibration.placed import PlacedPoint


def start_values(points: Sequence[PlacedPoint], like: Content, eager_limit: int) -> dict[str, float]:
    """Start values of all parameters. Parameters without points start with their value in `like`."""
    remote = [point for point in points if point.hops > 0 and not point.is_barrier]
    local = [point for point in points if point.hops == 0 and not point.is_barrier]
    messages = remote + local
    values = {parameter.name: preset_value(like, parameter) for parameter in PARAMETERS}
    call = _call_overhead(messages)
    if messages:
        values["call_overhead"] = call
        values["rendezvous_overhead"] = max(_jump(messages, eager_limit), 0.1 * call)
    if remote:
        nearest = min(point.hops for point in remote)
        first = _shortest(remote, lambda point: point.hops == nearest)
        values["hop_latency"] = max(first - call, 0.1 * first) / (nearest + 1)
    for name, of_place in (("bandwidth", remote), ("shared_memory_bandwidth", local)):
        if any(point.size_bytes > 0 for point in of_place):
            values[name] = _per_byte(of_place, lambda point: not BENCHMARKS[point.benchmark].both_ways)
    both_ways = [point for point in remote if BENCHMARKS[point.benchmark].both_ways and point.size_bytes > 0]
    if both_ways:
        values["dma_bandwidth"] = _per_byte(both_ways, lambda point: True) / 2
    if any(point.size_bytes > 0 for point in messages):
        values["copies"] = 0.3 * _per_byte(messages, lambda point: True)
    if local:
        first = _shortest(local, lambda point: True)
        values["shared_memory_latency"] = max(first - call, 0.1 * first)
    barriers = [point.seconds for point in points if point.is_barrier]
    if barriers:
        values["barrier"] = statistics.geometric_mean(barriers)
    return values


def _call_overhead(messages: Sequence[PlacedPoint]) -> float:
    """The smallest time per message of any stream, or half of the smallest time of a single message."""
    if not messages:
        return 0.0
    streams = [point.seconds for point in messages if BENCHMARKS[point.benchmark].is_stream]
    alone = [point.seconds / 2 for point in messages if not BENCHMARKS[point.benchmark].is_stream]
    return min(streams + alone)


def _shortest(points: Sequence[PlacedPoint], is_one: Callable[[PlacedPoint], bool]) -> float:
    """The shortest time of the points that satisfy `is_one`. Single messages take precedence over streams."""
    alone = [point for point in points if is_one(point) and not BENCHMARKS[point.benchmark].is_stream]
    return min(point.seconds for point in alone or points)


def _per_byte(points: Sequence[PlacedPoint], is_one: Callable[[PlacedPoint], bool]) -> float:
    """The least time per byte of the points that satisfy `is_one`."""
    with_bytes = [point for point in points if point.size_bytes > 0]
    chosen = [point for point in with_bytes if is_one(point)] or with_bytes
    return min(point.seconds / point.size_bytes for point in chosen)


def _jump(messages: Sequence[PlacedPoint], eager_limit: int) -> float:
    """The extra time of the first rendezvous message over the last eager one, minus a round trip of the shortest
    message."""
    alone = [point for point in messages if point.benchmark == "latency"]
    small = [point for point in alone if point.size_bytes <= eager_limit]
    large = [point for point in alone if point.size_bytes > eager_limit]
    if not small or not large:
        return 0.0
    last = max(small, key=lambda point: point.size_bytes)
    following = min(large, key=lambda point: point.size_bytes)
    growth = following.seconds - last.seconds * following.size_bytes / max(last.size_bytes, 1)
    return growth - 2 * min(point.seconds for point in alone)
