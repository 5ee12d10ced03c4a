"""Tables of the study's link: latency, bandwidth, and the effect of remedies. The bandwidth depends on message size,
direction, delay and number of gateway nodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from closed_forms import ClosedForms
from micro_benchmarks import ping_pong, streams
from study_machines import faster_bridge, one_cluster, two_clusters
from tables import Table

DELAYS_MS = (0, 1, 2, 4, 10, 20)
BRIDGES = (1, 2, 4, 8)
FAR = 16  # the first node of the second cluster
KIB = 1024
SIZES = (8, 256, 1024, 4 * KIB, 8 * KIB, 8 * KIB + 1, 12 * KIB, 16 * KIB, 16 * KIB + 1, 32 * KIB, 64 * KIB, 128 * KIB)
SIZES += (256 * KIB, 256 * KIB + 1, 512 * KIB, 1024 * KIB, 4096 * KIB, 16384 * KIB)
EAGER = 64 * KIB
ZERO_COPY = 1024 * KIB


def sizes(folder: Path, of: Sequence[int] = SIZES) -> Table:
    table = Table(
        "sizes",
        "Ping-pong: half a round trip in us and MB/s, by bytes, without delay",
        ("bytes", "direct us", "closed form", "direct MB/s", "gateway us", "closed form of it", "gateway MB/s"),
    )
    direct, bridge = one_cluster(), two_clusters()
    for size in of:
        row: list[Any] = [size]
        for machine, far, crosses in ((direct, 1, False), (bridge, FAR, True)):
            half = ping_pong(folder, machine, far, size)
            row += [1e6 * half, 1e6 * ClosedForms(machine, crosses).half_round_trip(size), size / half / 1e6]
        table.rows.append(row)
    return table


def _rate(folder: Path, machine: Mapping[str, Any], pairs: Sequence[tuple[int, int]], size: int, count: int) -> float:
    """Steady rate in MB/s, measured over the second half of the messages."""
    times = [
        len(pairs) * size * number / streams(folder, machine, pairs, size, number) for number in (count, 2 * count)
    ]
    return len(pairs) * size * count / (times[1] - times[0]) / 1e6


def delays(folder: Path, of: Sequence[float] = DELAYS_MS) -> Table:
    table = Table(
        "delays",
        "One rank to one rank through a gateway node: MB/s by delay",
        ("delay ms", "eager 64 KiB", "closed form", "zero copy 1 MiB", "closed form of it"),
    )
    for delay in of:
        machine = two_clusters(1, delay)
        forms = ClosedForms(machine, crosses=True)
        eager = _rate(folder, machine, [(0, FAR)], EAGER, 32)
        zero_copy = _rate(folder, machine, [(0, FAR)], ZERO_COPY, 4)
        table.rows.append(
            [delay, eager, forms.eager_stream() / 1e6, zero_copy, forms.zero_copy_stream(ZERO_COPY) / 1e6]
        )
    return table


def both_ways(folder: Path, delays_ms: Sequence[float] = DELAYS_MS) -> Table:
    table = Table(
        "both_ways",
        "Through one gateway node, eager messages of 64 KiB from 8 ranks to 8 ranks: MB/s by delay",
        ("delay ms", "one direction", "closed form", "both directions", "at most"),
    )
    there = [(node, FAR + node) for node in range(8)]
    back = [(FAR + 8 + node, 8 + node) for node in range(8)]
    for delay in delays_ms:
        machine = two_clusters(1, delay)
        forms = ClosedForms(machine, crosses=True)
        row: list[Any] = [delay]
        for pairs, most in ((there, forms.rate), (there + back, forms.both_ways())):
            row += [_rate(folder, machine, pairs, EAGER, 8), min(most, len(pairs) * forms.buffered_rate()) / 1e6]
        table.rows.append(row)
    return table


def bridges(folder: Path, of: Sequence[int] = BRIDGES, delays_ms: Sequence[float] = DELAYS_MS) -> Table:
    table = Table(
        "bridges",
        "16 ranks to 16 ranks through k gateway nodes, eager messages of 64 KiB: MB/s of all",
        ("k", *(f"{delay:g} ms" for delay in delays_ms), *(f"closed form, {delay:g} ms" for delay in delays_ms)),
    )
    pairs = [(node, FAR + node) for node in range(16)]
    for count in of:
        measured, expected = [], []
        for delay in delays_ms:
            machine = two_clusters(count, delay)
            measured.append(_rate(folder, machine, pairs, EAGER, 16))
            expected.append(ClosedForms(machine, crosses=True).many_streams(len(pairs), count) / 1e6)
        table.rows.append([count, *measured, *expected])
    return table


WHAT_IFS: dict[str, dict[str, dict[str, Any]]] = {
    "as it is": {},
    "handshakes that overlap": {"node": {"sends": "overlap"}},
    "buffers of 1 MiB": {"node": {"send_buffer": "1MiB"}},
    "buffers of 8 MiB": {"node": {"send_buffer": "8MiB"}},
    "gateway nodes twice as fast": {"bridge": faster_bridge(2)},
    "gateway nodes half as fast": {"bridge": faster_bridge(0.5)},
}


def what_ifs(folder: Path, delays_ms: Sequence[float] = DELAYS_MS) -> Table:
    table = Table(
        "what_ifs",
        "Remedies, MB/s from one rank to one rank, by delay; eager messages of 64 KiB, zero copy of 1 MiB",
        ("what", "messages", *(f"{delay:g} ms" for delay in delays_ms), *(f"closed form, {d:g} ms" for d in delays_ms)),
    )
    for what, values in WHAT_IFS.items():
        for kind, size, count in (("eager", EAGER, 128), ("zero copy", ZERO_COPY, 8)):
            measured, expected = [], []
            for delay in delays_ms:
                machine = two_clusters(1, delay, **values)
                forms = ClosedForms(machine, crosses=True)
                measured.append(_rate(folder, machine, [(0, FAR)], size, count))
                overlap = machine["node"]["sends"] == "overlap"
                rate = forms.eager_stream() if kind == "eager" else forms.zero_copy_stream(size, overlap)
                expected.append(rate / 1e6)
            table.rows.append([what, kind, *measured, *expected])
    return table
