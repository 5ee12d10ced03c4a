"""Simulates the particle exchange of the RDMA study with the assumed inputs of nbody_inputs.json. Prints the tables of
README.md.

    .venv/bin/python studies/rdma/nbody.py
"""

from __future__ import annotations

import json
import statistics
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from rdma_programs import compiled, seconds

INPUTS: dict[str, Any] = json.loads(Path(__file__).with_name("nbody_inputs.json").read_text())
PUBLISHED_MS = {"sync": 15.2, "free": 13.2}


@dataclass(frozen=True)
class Times:
    """Milliseconds of the exchange, one value per draw."""

    sync: list[float]
    free: list[float]

    def ratios(self) -> list[float]:
        """Time with synchronisation relative to the time without."""
        return [sync / free for sync, free in zip(self.sync, self.free, strict=True)]


def drawn_counts(particles: int, seed: int) -> npt.NDArray[np.int_]:
    """Returns the number of particles that process i (row) holds for process j (column)."""
    processes = INPUTS["processes"]
    random = np.random.default_rng(seed)
    (fewest, most), (least, largest) = INPUTS["held"], INPUTS["leaving"]
    held = (random.uniform(fewest, most, processes) * particles / processes).astype(int)
    for_each = (held * random.uniform(least, largest, processes) / (processes - 1)).astype(int)
    counts = np.tile(for_each[:, None], processes)
    np.fill_diagonal(counts, held - (processes - 1) * for_each)
    return counts


def write_fits(file: Path, counting: bool) -> None:
    lines = [f"particle {INPUTS['particle_bytes']}"]
    for name in ("count", "pack", "unpack"):
        fit = INPUTS[name] if name != "count" or counting else {"seconds": 0, "seconds_per_particle": 0}
        lines.append(f"{name} {fit['seconds']} {fit['seconds_per_particle']}")
    file.write_text("\n".join(lines) + "\n")


def exchange(folder: Path, particles: int, seeds: int, *, counting: bool = True) -> Times:
    """Simulates the exchange with and without synchronisation for the seeds 1, 2, ...

    If `counting` is False, counting the particles takes no simulated time.
    """
    program, fits, counts = compiled("nbody_exchange", folder), folder / "fits.txt", folder / "counts.txt"
    write_fits(fits, counting)
    times = Times([], [])
    per_node = INPUTS["processes"] // INPUTS["nodes"]
    for seed in range(1, seeds + 1):
        np.savetxt(counts, drawn_counts(particles, seed), fmt="%d")
        for way, values in (("sync", times.sync), ("free", times.free)):
            run = seconds(program, way, fits, counts, nodes=INPUTS["nodes"], ranks_per_node=per_node)
            values.append(run * 1e3)
    return times


def spread(values: list[float]) -> str:
    return f"{statistics.fmean(values):.2f} ({min(values):.2f} to {max(values):.2f})"


def line(name: str, times: Times) -> str:
    return f"| {name} | {spread(times.sync)} | {spread(times.free)} | {spread(times.ratios())} |"


def main() -> None:
    base, seeds = INPUTS["particles"], INPUTS["seeds"]
    print("| particles | with synchronisation, ms | without, ms | with / without |")
    print("|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for particles in sorted([base, *INPUTS["other_particles"]]):
            print(line(f"{particles:,}", exchange(folder, particles, seeds)))
        print(line(f"{base:,}, counting takes no time", exchange(folder, base, seeds, counting=False)))
    sync, free = PUBLISHED_MS["sync"], PUBLISHED_MS["free"]
    print(f"| not published (the study, simulated) | {sync} | {free} | {sync / free:.2f} |")


if __name__ == "__main__":
    main()
