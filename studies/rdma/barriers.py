"""Simulates barriers on the switch of the RDMA study with 2 to 32 ranks. Draws barriers.png and prints the table of
README.md. Compares every time with its closed-form expression (tests/mgen/live/barrier_formulas.py).

    .venv/bin/python studies/rdma/barriers.py build/barriers.png
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from matplotlib.figure import Figure
from rdma_programs import REPOSITORY, compiled, seconds

sys.path.insert(0, str(REPOSITORY / "tests" / "mgen" / "live"))

import barrier_formulas as formulas  # noqa: E402

FORMULAS = {
    ("ring", "messages"): formulas.ring,
    ("ring", "put"): formulas.ring_by_put,
    ("recursive-doubling", "messages"): formulas.recursive_doubling,
    ("recursive-doubling", "put"): formulas.recursive_doubling_by_put,
    ("dissemination", "messages"): formulas.dissemination,
    ("dissemination", "put"): formulas.dissemination_by_put,
    ("tree", "messages"): lambda machine, ranks: formulas.tree(machine, ranks, False),
    ("tree", "put"): lambda machine, ranks: formulas.tree(machine, ranks, True),
}
STYLES = {"ring": "#cf3b36", "recursive-doubling": "#4a90c4", "dissemination": "#e8973a", "tree": "#5b8c5a"}
IN_TABLE = (2, 3, 4, 8, 12, 16, 24, 32)


def main() -> None:
    (picture,) = sys.argv[1:]
    machine = formulas.OneSwitch.of_file(REPOSITORY / "machines" / "switch.json")
    microseconds: dict[tuple[str, str, int], float] = {}
    with tempfile.TemporaryDirectory() as folder:
        program = compiled("barrier", Path(folder))
        for ranks in range(2, 33):
            for (algorithm, way), formula in FORMULAS.items():
                time_ps = round(seconds(program, algorithm, way, nodes=ranks) * 1e12)
                assert time_ps == formula(machine, ranks), (algorithm, way, ranks)
                microseconds[algorithm, way, ranks] = time_ps / 1e6

    figure = Figure(figsize=(7.2, 4.0))
    axes = figure.add_subplot()
    for algorithm, way in FORMULAS:
        times = [microseconds[algorithm, way, ranks] for ranks in range(2, 33)]
        style = "-" if way == "put" else "--"
        axes.plot(range(2, 33), times, style, color=STYLES[algorithm], label=f"{algorithm}, {way}", linewidth=1.4)
    axes.set(xlabel="ranks", ylabel="microseconds", yscale="log", xlim=(2, 32))
    axes.legend(fontsize=7, ncols=2, frameon=False)
    axes.grid(alpha=0.3)
    figure.tight_layout()
    figure.savefig(picture, dpi=150, metadata={"Software": None})

    print("| barrier | " + " | ".join(f"{ranks}" for ranks in IN_TABLE) + " |")
    print("|---" * (len(IN_TABLE) + 1) + "|")
    for algorithm, way in FORMULAS:
        times = (f"{microseconds[algorithm, way, ranks]:.2f}" for ranks in IN_TABLE)
        print(f"| {algorithm}, {way} | " + " | ".join(times) + " |")


if __name__ == "__main__":
    main()
