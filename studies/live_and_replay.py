"""Runs eleven MPI programs live with haichi's profiler, and replays the profiler's logs.

    python3 studies/live_and_replay.py build/release

Each pair of ranks has its own link (`hyperx:N,1`), so the bytes of a link are those of a pair. The script prints a
Markdown table. It has the used links of the live run, with those between nodes and routers, their bytes, and the
packets. Another column states whether the replay has the same bytes on each link and the same packets. The last columns
are simulated times. Requires mpicc.mpich.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

PROGRAMS = Path(__file__).resolve().parents[1] / "examples" / "programs"
RUNS: list[tuple[str, int, tuple[str, ...], tuple[str, ...]]] = [
    ("alltoall", 6, ("library", "20000"), ()),
    ("alltoall", 16, ("library", "9"), ()),
    ("barrier", 11, ("library", "2"), ()),
    ("cg", 16, ("2",), ()),
    ("cg", 16, ("2",), ("--collectives", "openmpi")),
    ("fft", 16, ("16",), ()),
    ("fft", 16, ("16",), ("--collectives", "alltoall=bruck")),
    ("master_worker", 6, ("20",), ()),
    ("random_ring", 12, ("4000", "3"), ()),
    ("ring", 16, ("70000",), ()),
    ("stencil2d", 16, ("9", "4"), ()),
    ("stencil3d", 12, ("4", "3"), ()),
    ("sweep", 16, ("5", "3"), ()),
    ("rdma/bruck", 13, ("40", "messages"), ()),
]


def output_of(command: Sequence[object], **variables: str) -> str:
    return subprocess.run(
        [*map(str, command)], check=True, stdout=subprocess.PIPE, text=True, env=os.environ | variables
    ).stdout


def run_of(text: str) -> dict[str, Any]:
    """Reads the run from the JSON report that follows the program's output."""
    begin = text.rindex("{", 0, text.index('"schema"'))
    (run,) = json.loads(text[begin:])["runs"]
    found: dict[str, Any] = run
    return found


def bytes_of_links(run: dict[str, Any]) -> dict[str, int]:
    return {link["link"]: link["bytes"] for link in run["most_loaded_links"]}


def row(build: Path, folder: Path, name: str, ranks: int, arguments: Sequence[str], options: Sequence[str]) -> str:
    haichi = build / "cli" / "haichi"
    executable = folder / Path(name).name
    compiler = [haichi, "mgencc"] if name.startswith("rdma/") else ["mpicc.mpich"]
    flags = ["-std=c11", "-D_DEFAULT_SOURCE", "-O2"]
    output_of([*compiler, *flags, PROGRAMS / f"{name}.c", "-o", executable, "-lm"])
    machine = ["-m", f"hyperx:{ranks},1"]
    report = ["--json", "--most-loaded", ranks * ranks]
    live = [haichi, "run", *machine, "-n", ranks, "--payload", "all", *options]
    profiler = build / "commlog" / "profiler" / "libhaichi-prof-mpich.so"
    output_of([*live, "--", executable, *arguments], LD_PRELOAD=str(profiler), HAICHI_PROF=f"file={executable}")
    alone = run_of(output_of([*live, *report, "--", executable, *arguments]))
    replayed = run_of(output_of([haichi, "simulate", *machine, "-w", f"{executable}.haichi-log", *report]))
    without = ["--compute", "none"]
    silent = run_of(output_of([haichi, "simulate", *machine, "-w", f"{executable}.haichi-log", *report, *without]))
    links = bytes_of_links(alone)
    is_equal = links == bytes_of_links(replayed) and alone["packets"] == replayed["packets"]
    times = [run["seconds"] * 1e6 for run in (alone, replayed, silent)]
    words = " ".join([Path(name).name, *arguments, *(f"`{option}`" for option in options)])
    return (
        f"| {words} | {ranks} | {len(links)} | {sum(links.values()):,} | {alone['packets']:,} | "
        f"{'equal' if is_equal else 'DIFFERENT'} | {times[0]:.2f} | {times[1]:.2f} | {times[2]:.2f} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    build = parser.parse_args().build.resolve()
    print("| program | ranks | links | bytes | packets | replay | live, us | replayed, us | `--compute none`, us |")
    print("|---|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for number, (name, ranks, arguments, options) in enumerate(RUNS):
            own = Path(folder) / str(number)  # because the profiler does not overwrite a log
            own.mkdir()
            print(row(build, own, name, ranks, arguments, options), flush=True)


if __name__ == "__main__":
    main()
