"""Computes expected times of the micro-benchmarks from the numbers of a machine file, without the simulator.

A NIC works for the time N on each packet before it sends the packet. A packet of p bytes enters a gateway node at the
links' rate, is held for the delay, and leaves at the gateway node's rate:

    way(s)    = n N + L + s / link                                        within a cluster, n packets
    way(s)    = N + 2 L + B + delay + p / link + s / bridge + (n - 1) t   through a gateway node
    eager     = call + s / memory + way(s)                                a message from call to delivery
    zero copy = call + 2 r way(0) + way(s)                                r round trips before the data
    peak      = packet / (packet / link + N)                              within a cluster, bytes per second
    peak      = packet / (packet / bridge + t)                            of a gateway node
    both ways = min(2 peak, bus)                                          of a gateway node, in both directions
    stream    = min(peak, send buffer / (way(packet) + way(0)))           of eager messages
    stream    = s / (2 r way(0) + way(s) + way(0))                        of zero-copy messages, one by one

L is the latency of a switch, B the latency of a gateway node, t its packet time, and p = min(s, packet). A held packet
leaves at the next tick of the gateway node's timer, so each way may take one tick longer. In a ping-pong, the NIC sends
the notice of arrival before the reply, so the reply waits until the NIC has worked on this notice.

While a packet is on the bus of a gateway node, packets of the other direction wait. A notice of arrival may therefore
be late by packet / bus. Each notice of arrival also takes the time t on the gateway node. The forms omit both times.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

UNITS = {"ps": 1e-12, "ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
UNITS |= {"B": 1, "kB": 1e3, "KiB": 2**10, "MB": 1e6, "MiB": 2**20, "MB/s": 1e6, "GB/s": 1e9}


def value(text: str) -> float:
    found = re.fullmatch(r"([0-9.]+)\s*([A-Za-z/]+)", text)
    if found is None:
        raise ValueError(f"no quantity: {text}")
    return float(found[1]) * UNITS[found[2]]


@dataclass(frozen=True)
class ClosedForms:
    machine: Mapping[str, Any]
    crosses: bool  # whether routes cross a bridge

    def _of(self, section: str, key: str) -> float:
        return value(self.machine[section][key])

    def _of_bridge(self, key: str) -> float:
        return value(self.machine["topology"]["bridges"][key])

    @property
    def nic_work(self) -> float:
        """Work of a NIC on each packet that it sends."""
        return value(self.machine["node"].get("nic_packet_time", "0s"))

    @property
    def packet(self) -> float:
        return self._of("packet", "payload")

    @property
    def rate(self) -> float:
        """Rate of full packets on the slowest part of the route."""
        link = self.packet / (self.packet / self._of("link", "bandwidth") + self.nic_work)
        return min(link, self.packet / self._through_bridge(self.packet)) if self.crosses else link

    def both_ways(self) -> float:
        """Total rate of two opposite streams of full packets through one gateway node."""
        bus = self.machine["topology"]["bridges"].get("shared_bus")
        return min(2 * self.rate, value(bus)) if bus else 2 * self.rate

    def _through_bridge(self, size: float) -> float:
        """Time of a packet on the link after a bridge."""
        return size / self._of_bridge("bandwidth") + self._of_bridge("packet_time")

    @property
    def tick(self) -> float:
        """Maximum additional time of one way."""
        return self._of_bridge("timer") if self.crosses else 0.0

    def way(self, size: float) -> float:
        switch = self._of("router", "switch_latency")
        packets = max(1, math.ceil(size / self.packet))
        if not self.crosses:
            return packets * self.nic_work + switch + size / self._of("link", "bandwidth")
        into = min(size, self.packet) / self._of("link", "bandwidth")
        held = self._of_bridge("latency") + self._of_bridge("delay")
        before = (packets - 1) * self._of_bridge("packet_time")
        return self.nic_work + 2 * switch + held + into + size / self._of_bridge("bandwidth") + before

    @property
    def handshakes(self) -> float:
        return 2 * int(self.machine["node"]["rendezvous_round_trips"]) * self.way(0)

    def is_eager(self, size: float) -> bool:
        return size <= self._of("node", "eager_limit")

    def buffered_rate(self) -> float:
        """Rate limit of the send buffer: its size divided by the time of a packet and of its notice of arrival."""
        return self._of("node", "send_buffer") / (self.way(self.packet) + self.way(0))

    def _after_notice(self, start: float, packet: float) -> float:
        """Returns the start of a reply, delayed until the NIC and the gateway node have sent the notice of arrival."""
        start = max(start, self.nic_work)
        if not self.crosses:
            return start
        return start + max(0.0, self._of_bridge("packet_time") - start - packet / self._of("link", "bandwidth"))

    def half_round_trip(self, size: float) -> float:
        """Half the round trip of a ping-pong."""
        call = self._of("node", "mpi_call_overhead")
        if not self.is_eager(size):
            return self._after_notice(call, 0) + self.handshakes + self.way(size)
        start = self._after_notice(call + size / self._of("node", "memory_bandwidth"), min(size, self.packet))
        pieces = math.ceil(size / self.packet)
        in_flight = int(self._of("node", "send_buffer") // self.packet)
        round_trip = self.way(self.packet) + self.way(0)
        if not self.crosses or pieces <= in_flight or in_flight * self.packet / self.rate >= round_trip:
            return start + self.way(size)
        # Each round sends as many packets as the send buffer holds. The last round sends them back to back.
        rounds, remaining = divmod(pieces - 1, in_flight)
        last = size - (pieces - 1) * self.packet
        return start + rounds * round_trip + remaining * self.packet / self.rate + self.way(last)

    def ping_pong_bandwidth(self, size: float) -> float:
        return size / self.half_round_trip(size)

    def eager_stream(self) -> float:
        """Rate of eager messages between two ranks, in bytes per second."""
        return min(self.rate, self.buffered_rate())

    def zero_copy_stream(self, size: float, overlap: bool = False) -> float:
        if overlap:
            return self.rate
        return size / (self.handshakes + self.way(size) + self.way(0))

    def many_streams(self, pairs: int, bridges: int) -> float:
        """Rate of eager messages between `pairs` pairs of ranks, as limited by buffers, bridges or links."""
        return min(bridges * self.rate, pairs * self.eager_stream())
