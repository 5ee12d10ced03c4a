"""haichi's profiler under a simulated run: its log matches the program's log under MPICH, except for times."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from live_runs import BIN, haichi, mpich_with, program
from test_example_programs import example

PROFILER = os.environ.get("HAICHI_PROFILER_MPICH", "")

pytestmark = pytest.mark.skipif(not PROFILER, reason="HAICHI_PROFILER_MPICH: no profiler for MPICH")


def shown(log: Path) -> dict[str, Any]:
    run = subprocess.run([BIN, "log", "show", "--json", log], capture_output=True, text=True, timeout=60)
    assert run.returncode == 0, run.stderr
    whole: dict[str, Any] = json.loads(run.stdout)
    return whole


def counts(log: dict[str, Any]) -> dict[str, Any]:
    """For every rank: calls, messages and bytes by function, messages and bytes by peer."""
    found: dict[str, Any] = {}
    for rank in log["per_rank"]:
        assert rank["state"] == "finished"
        for function in rank["functions"]:
            # The number of polls depends on times.
            calls = "any" if "Test" in function["name"] else function["calls"]
            values = [calls, function["sent"], function["received"]]
            found[f"rank {rank['rank']} {function['name']}"] = values
        for peer in rank["peers"]:
            found[f"rank {rank['rank']} peer {peer['peer']}"] = {k: v for k, v in peer.items() if k != "peer"}
    return found


def profiled(folder: Path) -> dict[str, str]:
    return {"LD_PRELOAD": PROFILER, "HAICHI_PROF": f"file={folder / 'log'}"}


@pytest.mark.parametrize(
    ("ranks", "name", "arguments"),
    [
        (4, "ring.c", ["70000"]),
        (16, "ring.c", ["8"]),
        (5, "bruck.c", ["12"]),
        (6, "comms.c", []),
        (3, "derived.c", []),
        (3, "persistent.c", []),
        (4, "fortran.f90", []),
    ],
)
def test_counts_are_those_of_a_run_under_mpich(
    ranks: int, name: str, arguments: list[str], built: Path, tmp_path: Path
) -> None:
    executable = program(name, built)
    logs = []
    for name in ("real", "ours"):
        folder = tmp_path / name
        folder.mkdir()
        if name == "real":
            done = mpich_with(profiled(folder), ranks, executable, *arguments)
        else:
            done = haichi(ranks, executable, *arguments, variables=profiled(folder))
        assert done.returncode == 0, done.stderr
        # One log, and no leftover parts.
        assert [file.name for file in folder.iterdir()] == ["log.haichi-log"], done.stderr
        logs.append(shown(folder / "log.haichi-log"))
    real, ours = map(counts, logs)
    assert ours == real
    # Some entries have messages, of collectives or point-to-point.
    assert any(isinstance(entry, list) and entry[1]["messages"] > 0 for entry in ours.values())


def test_times_are_simulated_and_profiling_takes_none(built: Path, tmp_path: Path) -> None:
    executable = program("ring.c", built)
    variables = profiled(tmp_path)
    run = haichi(8, executable, "70000", variables=variables)
    assert run.returncode == 0, run.stderr
    alone = haichi(8, executable, "70000", options=["--json"])
    (report,) = json.loads(alone.stdout)["runs"]
    log = shown(tmp_path / "log.haichi-log")
    # The time from the end of MPI_Init to MPI_Finalize. The profiler's own messages in MPI_Init end at different times.
    assert log["run_seconds"] == pytest.approx(report["seconds"], rel=0.05)
    assert log["computing_seconds"] <= 1e-6
    again = haichi(8, executable, "70000", variables=variables | {"HAICHI_PROF": f"file={tmp_path / 'again'}"})
    assert again.stdout == run.stdout
    assert counts(shown(tmp_path / "again.haichi-log")) == counts(log)
    assert shown(tmp_path / "again.haichi-log")["run_seconds"] == log["run_seconds"]


def carried(run: subprocess.CompletedProcess[str]) -> tuple[dict[str, int], int, int]:
    """Bytes by link, payload and packets, from a report after the program's output."""
    assert run.returncode == 0, run.stderr
    begin = run.stdout.rindex("{", 0, run.stdout.index('"schema"'))
    (report,) = json.loads(run.stdout[begin:])["runs"]
    links = {link["link"]: link["bytes"] for link in report["most_loaded_links"]}
    return links, report["payload_bytes"], report["packets"]


@pytest.mark.parametrize(
    ("ranks", "name", "arguments", "options"),
    [
        (6, "alltoall", ["library", "20000"], []),
        (16, "alltoall", ["library", "9"], []),
        (11, "barrier", ["library", "2"], []),
        (16, "cg", ["2"], []),
        (16, "fft", ["16"], []),
        (12, "random_ring", ["4000", "3"], []),
        (16, "ring", ["70000"], []),
        (16, "stencil2d", ["9", "4"], []),
        (12, "stencil3d", ["4", "3"], []),
        (16, "sweep", ["5", "3"], []),
        (6, "master_worker", ["20"], []),
        (16, "cg", ["2"], ["--collectives", "openmpi"]),
        (16, "fft", ["16"], ["--collectives", "alltoall=bruck"]),
    ],
)
def test_a_run_that_is_replayed_from_its_log_sends_the_same_to_every_rank(
    ranks: int, name: str, arguments: list[str], options: list[object], built: Path, tmp_path: Path
) -> None:
    """Uses a full mesh, where each pair of ranks has its own link."""
    executable = example(name, built)
    machine = f"hyperx:{ranks},1"
    report = ["--json", "--most-loaded", 10_000]
    live_options = ["--payload", "all", *options]
    profile = haichi(ranks, executable, *arguments, options=live_options, variables=profiled(tmp_path), machine=machine)
    assert profile.returncode == 0, profile.stderr
    live = carried(haichi(ranks, executable, *arguments, options=[*live_options, *report], machine=machine))
    words = [BIN, "simulate", "-m", machine, "-w", tmp_path / "log.haichi-log", *report]
    replayed = subprocess.run([*map(str, words)], capture_output=True, text=True, timeout=60)
    assert carried(replayed) == live


def test_a_map_made_from_a_simulated_run(built: Path, tmp_path: Path) -> None:
    executable = program("bruck.c", built)
    assert haichi(16, executable, "4096", variables=profiled(tmp_path)).returncode == 0
    map_file = tmp_path / "app.map"
    machine = ["-m", "torus:4x4x4"]
    sets = tmp_path / "app.json"
    for words in (
        ["ccs", tmp_path / "log.haichi-log", "-o", sets],
        ["map", *machine, "-w", sets, "--evaluations", "2000", "--quiet", "-o", map_file],
    ):
        run = subprocess.run([BIN, *map(str, words)], capture_output=True, text=True, timeout=120)
        assert run.returncode == 0, (words, run.stderr)
    placed = haichi(16, executable, "4096", options=["--map", map_file])
    assert placed.returncode == 0, placed.stderr
    assert placed.stdout == haichi(16, executable, "4096").stdout
