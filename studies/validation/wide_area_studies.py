"""Two clusters joined by a wide-area link: the link and the NAS programs, computed by studies/wide_area."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from cg_studies import QUICK, Effort, Measured, of_samples

STUDY = Path(__file__).resolve().parents[1] / "wide_area"
sys.path.append(str(STUDY))

import nas_tables  # noqa: E402
from closed_forms import value  # noqa: E402
from link_tables import BRIDGES, FAR, KIB, both_ways, delays  # noqa: E402
from micro_benchmarks import ping_pong  # noqa: E402
from study_machines import one_cluster, two_clusters  # noqa: E402

LARGE = 16 * KIB * KIB
CALL = "studies/wide_area"


def link(folder: Path) -> dict[str, Measured]:
    direct, bridge = one_cluster(), two_clusters()

    def rate(size: int, crosses: bool = True) -> float:
        machine, far = (bridge, FAR) if crosses else (direct, 1)
        return size / ping_pong(folder, machine, far, size) / 1e6

    def dip(crosses: bool) -> str:
        return "a dip at 8 KB" if rate(8 * KIB + 1, crosses) < rate(8 * KIB, crosses) else "a bend at 8 KB"

    call = f"micro_benchmarks.ping_pong() of {CALL}"
    files = f"machine files of {CALL}"
    no_delay, one_ms = (float(row[1]) for row in delays(folder, (0, 1)).rows)
    fall = "falls clearly" if one_ms < 0.75 * no_delay else "falls hardly"
    knee = "a knee at 256 KB" if abs(rate(256 * KIB + 1) / rate(256 * KIB) - 1) > 0.05 else "none at 256 KB"
    return {
        "wan.direct": Measured(2e6 * ping_pong(folder, direct, 1, 8), call),
        "wan.bridge": Measured(2e6 * ping_pong(folder, bridge, FAR, 8), call),
        "wan.peak": Measured(LARGE / ping_pong(folder, direct, 1, LARGE, 1) / 1e6, call),
        "wan.bridge-peak": Measured(rate(LARGE), call),
        "wan.both-ways": Measured(float(both_ways(folder, (0,)).rows[0][3]), f"link_tables.both_ways() of {CALL}"),
        "wan.1ms": Measured(fall, f"link_tables.delays() of {CALL}"),
        "wan.dip": Measured(dip(True), call),
        "wan.dip-direct": Measured(dip(False), call),
        "wan.knee": Measured(knee, call),
        "wan.buffers": Measured(2 * value(bridge["node"]["send_buffer"]) / KIB, files),
        "wan.zero-copy": Measured(value(direct["node"]["eager_limit"]) / KIB, files),
        "wan.bridge-zero-copy": Measured(value(bridge["node"]["eager_limit"]) / KIB, files),
    }


def programs(folder: Path, bridges: Sequence[int]) -> dict[str, Measured]:
    runs = nas_tables.Runs(folder)
    # Scores for each number of bridges, at delays of 0, 4 and 20 ms.
    of = {name: [runs.scores(name, (0, 4, 20), k) for k in bridges] for name in ("ep", "cg", "mg", "lu", "is", "ft")}

    def call(name: str, delay: str) -> str:
        return f"nas_tables.Runs.scores('{name}', {delay}, k), k = {', '.join(map(str, bridges))}, of {CALL}"

    gain = max(score for scores in of["is"] for score in scores)
    follows = all(more[0] > 1.3 * less[0] for less, more in zip(of["ft"], of["ft"][1:], strict=False))
    kept = min(scores[1] / scores[0] for scores in of["ft"])
    ft = ("follows" if follows else "does not follow") + " bandwidth, "
    ft += "hardly delay" if kept > 0.9 else f"and delay: at 4 ms down to {100 * kept:.0f} %"
    return {
        "wan.ep": of_samples([score for scores in of["ep"] for score in scores], call("ep", "all")),
        "wan.cg": of_samples([scores[1] for scores in of["cg"]], call("cg", "4 ms")),
        "wan.mg": of_samples([scores[1] for scores in of["mg"]], call("mg", "4 ms")),
        "wan.lu": of_samples([scores[0] for scores in of["lu"]], call("lu", "0 ms")),
        "wan.is": Measured("no gain" if gain < 1.05 else f"up to {gain:.2f}", call("is", "all")),
        "wan.ft": Measured(ft, call("ft", "all")),
    }


def wide_area(folder: Path, effort: Effort) -> dict[str, Measured]:
    return link(folder) | programs(folder, (1, 4) if effort == QUICK else BRIDGES)
