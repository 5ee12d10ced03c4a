"""The machines of the study: the preset two-clusters with other values, and one cluster alone."""

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
    """The preset with this number of bridges and this delay. `bridge` and `node` replace other values."""
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


def faster_bridge(times: float) -> dict[str, str]:
    """Bridge that handles bytes and packets `times` times as fast, with the same latency."""
    bridge = PRESET["topology"]["bridges"]
    rate, packet_time = float(bridge["bandwidth"].removesuffix("MB/s")), float(bridge["packet_time"].removesuffix("us"))
    return {"bandwidth": f"{rate * times:.6g}MB/s", "packet_time": f"{packet_time / times:.6g}us"}


def write(machine: Mapping[str, Any], path: Path) -> Path:
    path.write_text(json.dumps(machine, indent=1) + "\n")
    return path
