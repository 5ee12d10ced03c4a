"""Closed formulas for the duration of barriers, computed only from a machine file's values, without calling haichi.

The machine is a tree of one switch with one rank per node, on which messages of a barrier share no link. All ranks
start at 0, and the barrier ends when the last rank continues. All times are integer picoseconds. The flight of a
message lasts from its hand-over to the NIC until its delivery. The rules are described in docs/develop/simulator.md.

    ring                in each of n - 1 rounds, all ranks send to the next rank at once and receive from the previous
    recursive doubling  in step s, ranks r and r xor 2^s exchange; the extra ranks from 2^k on send to a partner
                        below 2^k before these steps and receive from it after them: two more steps
    dissemination       in step s, rank r sends to r + 2^s mod n and receives from r - 2^s mod n: ceil(log2 n) steps

A message is sent by MPI_Send and received by MPI_Recv, exchanged by MPI_Sendrecv, or put and polled for.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

SCALES = {"s": 10**12, "ms": 10**9, "us": 10**6, "ns": 10**3, "ps": 1}
SIZES = {"B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "KiB": 2**10, "MiB": 2**20}


def number_and_unit(text: str) -> tuple[str, str]:
    found = re.fullmatch(r"([0-9.]+) *([A-Za-z]+)(?:/s)?", text)
    assert found is not None, text
    return found[1], found[2]


def exact(number: str, scale: int) -> int:
    whole, _, decimals = number.partition(".")
    value, rest = divmod(int(whole + decimals) * scale, 10 ** len(decimals))
    assert rest == 0, number
    return value


def time_ps(text: str | None) -> int:
    if text is None:
        return 0
    number, unit = number_and_unit(text)
    return exact(number, SCALES[unit])


def size(text: str | None) -> int | None:
    """Returns a number of bytes or bytes per second."""
    if text is None:
        return None
    number, unit = number_and_unit(text)
    return exact(number, SIZES[unit])


def transfer_ps(size_bytes: int, rate: int | None) -> int:
    """Returns the transfer time, rounded up to a picosecond, or zero if there is no rate limit."""
    return 0 if rate is None else -(-size_bytes * 10**12 // rate)


@dataclass(frozen=True)
class OneSwitch:
    """Times from a machine file for a message of `message_bytes` between two nodes of its one switch."""

    call_ps: int
    """Time of an MPI call that copies nothing."""
    send_ps: int
    """Time of an eager send, including its copy."""
    rdma_ps: int
    """Time of a put, and of a poll."""
    flight_ps: int
    control_ps: int
    """Flight of the control packet that acknowledges a put."""

    def __post_init__(self) -> None:
        assert self.call_ps <= self.send_ps + self.flight_ps, "who has nothing else to do waits when a message comes"

    @classmethod
    def of_file(cls, path: Path, message_bytes: int = 0) -> OneSwitch:
        return cls.of(json.loads(path.read_text()), message_bytes)

    @classmethod
    def of(cls, machine: dict[str, dict[str, str]], message_bytes: int = 0) -> OneSwitch:
        assert machine["topology"]["kind"] == "tree" and len(machine["topology"]["children"]) == 1
        link, router, node = machine["link"], machine.get("router", {}), machine["node"]
        packet = machine.get("packet", {})
        assert message_bytes <= (size(packet.get("payload")) or 2048), "one packet"
        assert message_bytes <= (size(node.get("eager_limit")) or 16384), "an eager message"
        header = size(packet.get("header")) or 0

        # A host has no router and no cable: the packet incurs the latency of the switch once.
        latency = sum(
            time_ps(router.get(name))
            for name in ("routing_time", "vc_allocation_time", "switch_allocation_time", "switch_latency")
        )
        link_rate = size(link["bandwidth"])
        nic_rate = size(node.get("nic_bandwidth")) or link_rate
        switch_rate = size(router.get("bandwidth")) or link_rate
        memory_rate = size(node.get("memory_bandwidth"))
        rates = [each for each in (size(node.get("dma_bandwidth")), memory_rate) if each is not None]
        dma = transfer_ps(message_bytes, min(rates) if rates else None)
        # The tail follows the head after the packet's transfer time on the slowest channel, with DMA on both sides
        # included.
        rate = min(link_rate, nic_rate, switch_rate)
        tail = max(dma, transfer_ps(message_bytes + header, rate))
        assert dma <= latency, "what a node sends has left before the packet that it receives comes"

        call = time_ps(node.get("mpi_call_overhead"))
        copies = node.get("send_copy", "eager") != "never"
        return cls(
            call_ps=call,
            send_ps=time_ps(node.get("eager_overhead", node.get("mpi_call_overhead")))
            + (transfer_ps(message_bytes, memory_rate) if copies else 0),
            rdma_ps=time_ps(node.get("rdma_overhead", node.get("mpi_call_overhead"))),
            flight_ps=latency + tail,
            control_ps=latency + transfer_ps(header, rate),
        )


# ---- Two-sided ------------------------------------------------------------------------------------------------------


def ring(machine: OneSwitch, ranks: int) -> int:
    """Like dissemination, but with one round for each other rank."""
    return (ranks - 1) * (machine.call_ps + machine.send_ps + machine.flight_ps)


def recursive_doubling(machine: OneSwitch, ranks: int) -> int:
    """An exchange costs the receive and the send; its message arrives one flight later. A step without waiting costs
    only the calls: late ranks, which first wait for an extra rank, find their partners' messages already there.
    """
    calls, one_way = machine.call_ps + machine.send_ps, machine.send_ps + machine.flight_ps
    return doubling_ps(ranks, calls, calls + machine.flight_ps, one_way)


def dissemination(machine: OneSwitch, ranks: int) -> int:
    return (ranks - 1).bit_length() * (machine.call_ps + machine.send_ps + machine.flight_ps)


# ---- By RDMA --------------------------------------------------------------------------------------------------------


def ring_by_put(machine: OneSwitch, ranks: int) -> int:
    """A poll ends when the call has ended and the previous rank's put has arrived. After the last round, a rank
    completes its puts with one call, which also waits for the control packet of the last put.
    """
    round_ps = max(2 * machine.rdma_ps, machine.rdma_ps + machine.flight_ps)
    acknowledged = (ranks - 2) * round_ps + machine.rdma_ps + machine.flight_ps + machine.control_ps
    return max((ranks - 1) * round_ps + machine.call_ps, acknowledged)


def recursive_doubling_by_put(machine: OneSwitch, ranks: int) -> int:
    """The poll starts while the put is in flight."""
    one_way = machine.rdma_ps + machine.flight_ps
    return doubling_ps(ranks, 2 * machine.rdma_ps, one_way, one_way)


def dissemination_by_put(machine: OneSwitch, ranks: int) -> int:
    return (ranks - 1).bit_length() * max(2 * machine.rdma_ps, machine.rdma_ps + machine.flight_ps)


# ---- Both ways ------------------------------------------------------------------------------------------------------


def tree(machine: OneSwitch, ranks: int, by_put: bool) -> int:
    """A binary tree; the parent of rank r is (r - 1) // 2. Each rank's time follows from its neighbours' times."""
    tell, hear = (machine.rdma_ps, machine.rdma_ps) if by_put else (machine.send_ps, machine.call_ps)
    children = [[c for c in (2 * r + 1, 2 * r + 2) if c < ranks] for r in range(ranks)]
    told_parent = [0] * ranks
    for rank in reversed(range(ranks)):
        for child in children[rank]:
            told_parent[rank] = max(told_parent[rank] + hear, told_parent[child] + machine.flight_ps)
        told_parent[rank] += tell if rank > 0 else 0
    end = list(told_parent)
    for rank in range(ranks):
        for child in children[rank]:
            end[rank] += tell
            end[child] = max(told_parent[child] + hear, end[rank] + machine.flight_ps)
    return max(end)


def doubling_ps(ranks: int, own_ps: int, partner_ps: int, one_way_ps: int) -> int:
    """A rank ends a step at the earliest `own_ps` after its previous step, and `partner_ps` after its partner's.

    With m extra ranks, ranks below m start `one_way_ps` late. The longest path between two of these ranks crosses to
    the partner in bit_length(m - 1) steps. In all other steps, the path stays on its rank. The extra rank receives its
    message after this path. The longest path to any rank crosses in all steps.
    """
    steps = ranks.bit_length() - 1
    extra = ranks - 2**steps
    step = max(own_ps, partner_ps)
    if extra == 0:
        return steps * step
    crossed = (extra - 1).bit_length()
    told = 2 * one_way_ps + (steps - crossed) * own_ps + crossed * step
    return max(told, one_way_ps + steps * step)
