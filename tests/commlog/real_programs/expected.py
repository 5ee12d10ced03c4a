"""Writes expected.json: the communication of one main loop iteration, for each program and number of ranks."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import debian_packages
import mini_apps
import nas_benchmarks
from expectation import Expectation

# By program: the function and the numbers of ranks.
EXPECTED: dict[str, tuple[Callable[[int], list[Expectation]], list[int]]] = {
    "LAMMPS": (debian_packages.lammps, [16, 64]),
    "OpenFOAM icoFoam": (debian_packages.icofoam, [16, 64]),
    "CoMD": (mini_apps.comd, [16, 64]),
    "LULESH": (mini_apps.lulesh, [27, 64]),
    "miniFE": (mini_apps.minife, [16, 64]),
    "HPCCG": (mini_apps.hpccg, [16, 64]),
    "miniMD": (mini_apps.minimd, [16, 64]),
    "CloverLeaf": (mini_apps.cloverleaf, [16, 64]),
    "PRK Stencil": (mini_apps.prk_stencil, [16, 64]),
    "PRK Synch_p2p": (mini_apps.prk_p2p, [16, 64]),
    "PRK Transpose": (mini_apps.prk_transpose, [16, 64]),
    "NPB CG": (nas_benchmarks.cg, [16, 64]),
    "NPB LU": (nas_benchmarks.lu, [16, 64]),
    "NPB MG": (nas_benchmarks.mg, [16, 64]),
}


def text() -> str:
    """Returns one line for each program, number of ranks and loop."""
    lines = []
    for program, (function, all_ranks) in EXPECTED.items():
        for ranks in all_ranks:
            for expectation in function(ranks):
                entry = {"program": program, "ranks": ranks, **expectation.summary()}
                lines.append("  " + json.dumps(entry))
    return "[\n" + ",\n".join(lines) + "\n]\n"


if __name__ == "__main__":
    Path(__file__).with_name("expected.json").write_text(text())
    sys.exit(0)
