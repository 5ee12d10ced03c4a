"""Simulates barriers on the switch of the RDMA study with 2 to 32 ranks. Draws barriers.png and prints the table of
README.md. Compares every time with its closed formula (tests/mgen/live/barrier_formulas.py).

    .venv/bin/python studies/rdma/barriers.py build/release/cli/haichi build/barriers.png
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from matplotlib.figure import Figure

REPOSITORY = Path(__file__).parents[2]
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
    haichi, picture = sys.argv[1:]
    machine = json.loads((REPOSITORY / "machines" / "switch.json").read_text())
    microseconds: dict[tuple[str, str, int], float] = {}
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "barrier"
        source = REPOSITORY / "examples" / "programs" / "rdma" / "barrier.c"
        subprocess.run([haichi, "mgencc", "-O2", str(source), "-o", str(program)], check=True)
        for ranks in range(2, 33):
            machine["topology"]["children"] = [ranks]
            file = Path(folder) / f"switch-{ranks}.json"
            file.write_text(json.dumps(machine))
            numbers = formulas.OneSwitch.of_file(file)
            for (algorithm, way), formula in FORMULAS.items():
                words = ["run", "-m", str(file), "-n", str(ranks), "--json", "--", str(program), algorithm, way]
                run = subprocess.run([haichi, *words], check=True, capture_output=True, text=True)
                time_ps = round(json.loads(run.stdout)["runs"][0]["seconds"] * 1e12)
                assert time_ps == formula(numbers, ranks), (algorithm, way, ranks)
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
