"""Compares the rates of simulated streams with the limits of the presets' links, NICs and DMA."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cg_studies import Measured

import haichi

MACHINES = Path(__file__).parents[2] / "machines"
STREAM = 2**24
LIMITS = ("nic_bandwidth", "dma_bandwidth", "memory_bandwidth")

STREAMED = (
    "torus:8", "mesh:8", "fattree:2x8", "tree:2x4", "nsim-fattree:2x8", "dragonfly:2,4,2", "dragonfly-plus:4,4,2,5",
    "hyperx:4x4,2", "switch:8", "k", "fx10-kyushu", "fx100:2x2x2", "fugaku", "t2k",
)  # fmt: skip
"""One preset of each kind of machine."""


def machine_file(preset: str) -> dict[str, Any]:
    """Returns the machine file of a preset. A size in the name of the preset is ignored."""
    file: dict[str, Any] = json.loads((MACHINES / f"{preset.split(':')[0]}.json").read_text())
    return file


def on_first_nodes(workload: haichi.Workload, machine: haichi.Machine) -> haichi.Job:
    """The workload on the first nodes of the machine, or of a part of it with at most eight nodes per axis."""
    shape = [min(axis.size, 8) for axis in machine.axes]
    return haichi.Job(workload, machine, shape=shape) if shape else haichi.Job(workload, machine)


def link(preset: str) -> Measured:
    """Measures the rate of a link in GB/s, with headers, when only links and buffers limit a stream."""
    file = machine_file(preset)
    del file["notes"]
    for key in LIMITS:
        file["node"].pop(key, None)
    header = _bytes(file["packet"].get("header", "0B"))
    runs = []
    for size in (STREAM, STREAM // 2):
        workload = haichi.Workload.from_messages([0], [1], size, ranks=2)
        runs.append(on_first_nodes(workload, haichi.Machine.from_dict(file)).simulate().run)
    long, short = runs
    sent = STREAM // 2 + (long.packets - short.packets) * header
    call = f"haichi.Job(one message of 16 MiB, {preset.split(':')[0]}.json without {', '.join(LIMITS)}).simulate(): "
    return Measured(sent / (long.seconds - short.seconds) / 1e9, call + "minus the same for 8 MiB")


@dataclass(frozen=True)
class Stream:
    """A stream of messages from one rank to the next."""

    rate: float  #: GB/s
    allowed: float  #: rate of the slowest part
    by: str  #: name of the slowest part

    @property
    def share(self) -> float:
        return self.rate / self.allowed


def streams(preset: str) -> tuple[Stream, Stream]:
    """Simulates a 16 MiB message to the next node, and a ring of 8 nodes with such a message to each next node."""
    found = []
    for ranks, targets, directions in ((2, [1], 1), (8, [1, 2, 3, 4, 5, 6, 7, 0], 2)):
        workload = haichi.Workload.from_messages(list(range(len(targets))), targets, STREAM, ranks=ranks)
        rate = STREAM / on_first_nodes(workload, haichi.Machine(preset)).simulate().run.seconds / 1e9
        allowed, by = _slowest(machine_file(preset), directions)
        found.append(Stream(rate, allowed, by))
    return found[0], found[1]


def _slowest(file: dict[str, Any], directions: int) -> tuple[float, str]:
    """Returns the lowest payload rate on the route, and the part that has it. DMA serves all directions of a node."""
    node, payload = file["node"], _bytes(file["packet"]["payload"])
    full = payload + _bytes(file["packet"].get("header", "0B"))
    on_link = min(_rate(file["link"]["bandwidth"]), _rate(file["router"].get("bandwidth", file["link"]["bandwidth"])))
    parts = {"link": on_link * payload / full}
    if "nic_bandwidth" in node:
        parts["NIC"] = _rate(node["nic_bandwidth"]) * node.get("trunk", 1) * payload / full
    for name, key in (("DMA", "dma_bandwidth"), ("memory", "memory_bandwidth")):
        if key in node:
            parts[name] = _rate(node[key]) / directions
    by = min(parts, key=parts.__getitem__)
    return parts[by], by


def _rate(text: str) -> float:
    """Rate in GB/s, the unit of all presets."""
    return float(text.removesuffix("GB/s"))


def _bytes(text: str) -> int:
    return int(text.removesuffix("B"))


def line_rates() -> dict[str, tuple[Stream, Stream]]:
    return {preset: streams(preset) for preset in STREAMED}


TABLE = """\
Rates of streams in GB/s of payload, beside the rate of the slowest part on their route. The first stream is one
message of 16 MiB to the next node. In the ring each of 8 nodes sends one message to the next, so DMA serves two
directions. All buffers cover the round trip of credits. CPU overhead and latency take the missing part. If a ring has
less than 95 %, packets also wait while DMA moves a received packet:
"""


def table(rates: dict[str, tuple[Stream, Stream]]) -> list[str]:
    lines = [TABLE, "| preset | to a neighbour | limit | fraction | ring | limit | fraction |", "|---|" + "---|" * 6]
    for preset, pair in rates.items():
        cells = [f"{s.rate:.3f} | {s.allowed:.3f} ({s.by}) | {100 * s.share:.1f} %" for s in pair]
        lines.append(f"| `{preset}` | {' | '.join(cells)} |")
    call = "haichi.Job(haichi.Workload.from_messages(range(8), [1, 2, 3, 4, 5, 6, 7, 0], 2**24), PRESET).simulate()"
    return [*lines, "", f"`{call}`", ""]
