"""The machines of the study: the preset two-clusters with other values, one cluster alone, and two joined switches."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

PRESET = json.loads((Path(__file__).resolve().parents[2] / "machines/two-clusters.json").read_text())
ONE_CLUSTER_EAGER_LIMIT = "16KiB"  # the study's limit without bridges


def two_clusters(
    bridges: int = 1,
    delay_ms: float = 0,
    nodes: int = 16,
    bridge: Mapping[str, Any] | None = None,
    node: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Returns the preset with this number of gateway nodes and this delay. `bridge` and `node` set further values."""
    machine = copy.deepcopy(PRESET)
    del machine["notes"]
    machine["topology"]["clusters"] = [{"kind": "tree", "children": [nodes]}] * 2
    machine["topology"]["bridges"] |= {"count": bridges, "delay": f"{delay_ms:g}ms"} | dict(bridge or {})
    machine["node"] |= dict(node or {})
    return machine


def one_cluster(nodes: int = 16, node: Mapping[str, Any] | None = None) -> dict[str, Any]:
    machine = copy.deepcopy(PRESET)
    del machine["notes"]
    machine["name"] = "one-cluster"
    machine["topology"] = {"kind": "tree", "children": [nodes]}
    machine["node"] |= {"eager_limit": ONE_CLUSTER_EAGER_LIMIT} | dict(node or {})
    return machine


def two_switches(links: int, nodes: int = 16) -> dict[str, Any]:
    """Two clusters without gateway nodes, whose switches are joined by ordinary links. They give the reference line."""
    machine = one_cluster(nodes)
    machine["name"] = "two-switches"
    machine["topology"] = {"kind": "graph", "file": f"two-switches-{nodes}-{links}.graphml"}
    machine["routing"] = {"kind": "shortest-path"}
    return machine


def _graph_of_two_switches(name: str) -> str:
    nodes, links = (int(word) for word in name.removesuffix(".graphml").split("-")[2:])
    lines = [
        '<graphml><key id="t" for="node" attr.name="terminal" attr.type="boolean"/><graph edgedefault="undirected">'
    ]
    lines += [f'<node id="n{node}"><data key="t">true</data></node>' for node in range(2 * nodes)]
    lines += [f'<node id="s{switch}"/>' for switch in range(2)]
    lines += [f'<edge source="n{node}" target="s{node // nodes}"/>' for node in range(2 * nodes)]
    lines += ['<edge source="s0" target="s1"/>'] * links
    return "\n".join([*lines, "</graph></graphml>", ""])


def faster_bridge(times: float) -> dict[str, str]:
    """Returns values of a gateway node that handles bytes and packets `times` times as fast, with equal latency."""
    bridge = PRESET["topology"]["bridges"]
    rates = {key: f"{float(bridge[key].removesuffix('MB/s')) * times:.6g}MB/s" for key in ("bandwidth", "shared_bus")}
    return rates | {"packet_time": f"{float(bridge['packet_time'].removesuffix('us')) / times:.6g}us"}


def write(machine: Mapping[str, Any], path: Path) -> Path:
    """Writes the machine file, and its graph file into the same directory."""
    if "file" in machine["topology"]:
        (path.parent / machine["topology"]["file"]).write_text(_graph_of_two_switches(machine["topology"]["file"]))
    path.write_text(json.dumps(machine, indent=1) + "\n")
    return path
