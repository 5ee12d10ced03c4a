"""The closed formulas of barriers, compared with their steps rank by rank."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

import barrier_formulas as formulas
import pytest
from barrier_formulas import OneSwitch

SWITCH = Path(__file__).parents[3] / "machines" / "switch.json"


def study(node_latency: str, message_bytes: int = 0) -> OneSwitch:
    machine = json.loads(SWITCH.read_text())
    machine["node"]["mpi_call_overhead"] = node_latency
    return OneSwitch.of(machine, message_bytes)


MACHINES = {
    **{latency: study(latency) for latency in ("0us", "0.8us", "1us", "1.2us")},
    "8 bytes": study("1us", 8),
    "a flight longer than a call": study("100ns"),
    "all costs different": OneSwitch(call_ps=211, send_ps=367, rdma_ps=155, flight_ps=907, control_ps=701),
    "a flight shorter than a call": OneSwitch(call_ps=507, send_ps=367, rdma_ps=501, flight_ps=155, control_ps=97),
}


@dataclass
class Steps:
    """The clock of every rank and the arrival time of each message; sends are made before receives."""

    machine: OneSwitch
    by_put: bool
    ranks: int
    now: list[int] = field(default_factory=list)
    there: dict[tuple[int, int], int] = field(default_factory=dict)
    acknowledged: dict[int, int] = field(default_factory=dict)  # the last put of each rank

    def __post_init__(self) -> None:
        self.now = [0] * self.ranks

    def send(self, source: int, target: int) -> None:
        self.now[source] += self.machine.rdma_ps if self.by_put else self.machine.send_ps
        self.there[source, target] = self.now[source] + self.machine.flight_ps
        self.acknowledged[source] = self.there[source, target] + self.machine.control_ps

    def receive(self, source: int, target: int) -> None:
        self.now[target] += self.machine.rdma_ps if self.by_put else self.machine.call_ps
        self.now[target] = max(self.now[target], self.there.pop((source, target)))

    def exchange(self, to_of_rank: dict[int, int]) -> None:
        """MPI_Sendrecv posts its receive first; a put precedes the poll."""
        for rank, to in to_of_rank.items():
            self.now[rank] += 0 if self.by_put else self.machine.call_ps
            self.send(rank, to)
            self.now[rank] += self.machine.rdma_ps if self.by_put else 0
        for rank, to in to_of_rank.items():
            self.now[to] = max(self.now[to], self.there.pop((rank, to)))

    def complete_puts(self) -> None:
        for rank, acknowledged in self.acknowledged.items():
            self.now[rank] = max(self.now[rank] + self.machine.call_ps, acknowledged)

    def end(self) -> int:
        assert not self.there
        return max(self.now)


def ring(steps: Steps) -> int:
    for _ in range(steps.ranks - 1):
        steps.exchange({rank: (rank + 1) % steps.ranks for rank in range(steps.ranks)})
    if steps.by_put:
        steps.complete_puts()
    return steps.end()


def recursive_doubling(steps: Steps) -> int:
    inner = 2 ** (steps.ranks.bit_length() - 1)
    for extra in range(inner, steps.ranks):
        steps.send(extra, extra - inner)
        steps.receive(extra, extra - inner)
    distance = 1
    while distance < inner:
        steps.exchange({rank: rank ^ distance for rank in range(inner)})
        distance *= 2
    for extra in range(inner, steps.ranks):
        steps.send(extra - inner, extra)
        steps.receive(extra - inner, extra)
    return steps.end()


def dissemination(steps: Steps) -> int:
    distance = 1
    while distance < steps.ranks:
        steps.exchange({rank: (rank + distance) % steps.ranks for rank in range(steps.ranks)})
        distance *= 2
    return steps.end()


@pytest.mark.parametrize("name", MACHINES)
def test_closed_formulas_are_what_the_steps_come_to(name: str) -> None:
    machine = MACHINES[name]
    for ranks in range(2, 33):
        for by_put, closed in (
            (False, (formulas.ring, formulas.recursive_doubling, formulas.dissemination)),
            (True, (formulas.ring_by_put, formulas.recursive_doubling_by_put, formulas.dissemination_by_put)),
        ):
            for of_steps, formula in zip((ring, recursive_doubling, dissemination), closed, strict=True):
                assert formula(machine, ranks) == of_steps(Steps(machine, by_put, ranks)), (formula.__name__, ranks)


def test_the_study_has_a_flight_of_140_ns_and_8_bytes_at_2_8_gb_per_second() -> None:
    assert study("1us") == OneSwitch(1_000_000, 1_000_000, 1_000_000, 140_000, 140_000)
    assert study("1.2us", 8).flight_ps == 140_000 + 2_858  # 8 / 2.8 GB/s is 2,857.1 ps


def test_a_ring_grows_linearly_and_doubling_in_its_steps() -> None:
    machine = study("1us")
    ring_steps = {formulas.ring(machine, n + 1) - formulas.ring(machine, n) for n in range(2, 32)}
    assert ring_steps == {2_140_000}
    assert [formulas.recursive_doubling(machine, 2**k) for k in range(1, 6)] == [2_140_000 * k for k in range(1, 6)]
    assert [formulas.recursive_doubling_by_put(machine, 2**k) for k in range(1, 6)] == [
        2_000_000 * k for k in range(1, 6)
    ]
    for formula in (formulas.recursive_doubling, formulas.recursive_doubling_by_put):
        for ranks in (3, 5, 6, 7, 9, 17, 31):
            assert formula(machine, ranks) > formula(machine, 2 ** (ranks.bit_length() - 1))
