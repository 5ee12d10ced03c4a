"""The patterns of examples/programs pass their own checks under MPICH and on the simulated machine, in plausible
times."""

from __future__ import annotations

import math
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest
from live_runs import BIN, REPOSITORY, WARNINGS, haichi, mpich

SOURCES = REPOSITORY / "examples" / "programs"
PATTERNS: dict[str, list[list[object]]] = {
    "ring": [[], [100_000, 3]],
    "random_ring": [[64, 2]],
    "alltoall": [["pairwise", 40], ["bruck", 4], ["library", 9]],
    "barrier": [[name, 2] for name in ("dissemination", "recursive-doubling", "ring", "tree", "library")],
    "stencil2d": [[9, 4]],
    "stencil3d": [[4, 3]],
    "cg": [[2]],
    "fft": [[16]],
    "sweep": [[5, 3]],
    "master_worker": [[20]],
}
CASES = [(name, arguments) for name, given in PATTERNS.items() for arguments in given]
KEPT = "--payload", "all"

pytestmark = pytest.mark.skipif(shutil.which("mpicc.mpich") is None, reason="mpicc.mpich is not installed")


@cache
def example(name: str, folder: Path, by_mgencc: bool = False) -> Path:
    compiler = [BIN, "mgencc", "-Wall", "-Wextra", "-Werror"] if by_mgencc else ["mpicc.mpich", *WARNINGS]
    path = folder / f"example_{name}{'_mgen' if by_mgencc else ''}"
    command = [*compiler, "-std=c11", "-D_DEFAULT_SOURCE", "-O2", SOURCES / f"{name}.c", "-o", path, "-lm"]
    run = subprocess.run([*map(str, command)], capture_output=True, text=True, timeout=120)
    assert run.returncode == 0 and run.stderr == "", run.stderr
    return path


def microseconds(text: str) -> float:
    """The time printed by the program."""
    found = re.fullmatch(r"[^\n]+: verified\ntime ([\d.]+) us\n", text)
    assert found, text
    return float(found[1])


def simulated(name: str, folder: Path, ranks: int, *arguments: object, machine: str = "torus:4x4x4") -> float:
    run = haichi(ranks, example(name, folder), *arguments, options=[*KEPT], machine=machine)
    assert run.returncode == 0, run.stderr
    return microseconds(run.stdout)


@pytest.mark.parametrize(("name", "arguments"), CASES)
@pytest.mark.parametrize("ranks", [2, 6, 16])
def test_a_pattern_verifies(name: str, arguments: list[object], ranks: int, built: Path) -> None:
    if name == "fft" and ranks == 6:
        arguments = [16]
        ranks = 8
    assert 0.5 < simulated(name, built, ranks, *arguments) < 10_000


@pytest.mark.parametrize("name", PATTERNS)
def test_a_pattern_verifies_under_mpich(name: str, built: Path) -> None:
    run = mpich(4, example(name, built), *PATTERNS[name][0])
    assert run.returncode == 0, run.stderr
    assert microseconds(run.stdout) > 0


@pytest.mark.parametrize("name", PATTERNS)
def test_a_pattern_by_mgencc_computes_in_simulated_time(name: str, built: Path) -> None:
    computes = name in ("stencil2d", "stencil3d", "cg", "fft", "sweep", "master_worker")
    run = haichi(4, example(name, built, by_mgencc=True), *PATTERNS[name][0], options=["--no-timing"])
    assert run.returncode == 0, run.stderr
    with_computing = microseconds(run.stdout)
    without = simulated(name, built, 4, *PATTERNS[name][0])
    if name != "barrier":  # its ranks compute before the measured barrier
        assert with_computing > without if computes else with_computing == without
    # The same file also runs under MPICH.
    if name == "master_worker":
        assert mpich(3, example(name, built, by_mgencc=True)).returncode == 0


def test_every_program_is_listed() -> None:
    names = {path.stem for path in SOURCES.glob("*.c")}
    page = (REPOSITORY / "docs" / "reference" / "mgen.md").read_text()
    assert names == set(PATTERNS)
    assert names == {name for name in names if f"| `{name} [" in page}


# --- closed forms: on a switch all pairs of ranks are equivalent, and messages of a step share no link

SWITCH = "switch:64"
CLOCK_US = 0.1
"""The time of one clock reading."""


def on_switch(name: str, folder: Path, ranks: int, *arguments: object) -> float:
    return simulated(name, folder, ranks, *arguments, machine=SWITCH)


@pytest.mark.parametrize("algorithm", ["dissemination", "recursive-doubling"])
def test_a_barrier_of_log_steps_takes_as_many_times_one_step(algorithm: str, built: Path) -> None:
    step = on_switch("barrier", built, 2, algorithm) - CLOCK_US
    for ranks in (4, 16, 64):
        assert on_switch("barrier", built, ranks, algorithm) == pytest.approx(
            math.log2(ranks) * step + CLOCK_US, abs=0.002
        )
    # If the number of ranks is not a power of two, dissemination needs the next power's steps, and starts differ.
    if algorithm == "dissemination":
        assert 4 * step <= on_switch("barrier", built, 11, algorithm) < 5 * step


def test_a_ring_barrier_takes_one_step_per_other_rank(built: Path) -> None:
    times = [on_switch("barrier", built, ranks, "ring") for ranks in (8, 16, 32)]
    step = (times[1] - times[0]) / 8
    assert times[0] == pytest.approx(7 * step + CLOCK_US, abs=0.002)
    assert times[2] == pytest.approx(times[1] + 16 * step, abs=0.002)
    assert on_switch("barrier", built, 32, "dissemination") < times[2]


def test_pairwise_all_to_all_takes_a_step_per_partner(built: Path) -> None:
    times = [on_switch("alltoall", built, ranks, "pairwise", 64) for ranks in (8, 16, 32)]
    step = (times[1] - times[0]) / 8
    assert times[2] == pytest.approx(times[1] + 16 * step, rel=1e-3)
    # Small blocks favour few messages, large blocks favour few bytes.
    assert on_switch("alltoall", built, 32, "bruck", 4) < on_switch("alltoall", built, 32, "pairwise", 4)
    assert on_switch("alltoall", built, 32, "bruck", 20_000) > on_switch("alltoall", built, 32, "pairwise", 20_000)


def test_a_ring_around_a_torus_does_not_depend_on_its_length(built: Path) -> None:
    times = [simulated("ring", built, ranks, 5000, machine=f"torus:{ranks}") for ranks in (4, 8, 16)]
    assert times == [times[0]] * 3
    # 1e6 bytes need at least their transfer time on an 8 GB/s link.
    assert simulated("ring", built, 8, 1_000_000, machine="torus:8") > 1e6 / 8e9 * 1e6
