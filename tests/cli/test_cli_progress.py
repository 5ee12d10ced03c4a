"""Progress of a run, as lines of JSON on a file descriptor."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from haichi_program import BIN, fail, succeed

SEARCH = ("map", "-m", "torus:8x8x8", "-w", "workload.json", "--json", "--no-timing", "--objective", "hop-bytes")
SHORT = ("--strategy", "anneal", "--evaluations", "300000", "--restarts", "2")


@pytest.fixture()
def folder(tmp_path: Path) -> Path:
    succeed("pattern", "random-geometric", "--ranks", "512", "-o", "workload.json", cwd=tmp_path)
    return tmp_path


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def run_with_progress(*arguments: str, cwd: Path) -> tuple[str, list[dict[str, Any]]]:
    """Returns standard output and the progress lines."""
    with (cwd / "progress").open("w") as file:
        ran = subprocess.run(
            [BIN, *arguments, f"--progress-fd={file.fileno()}"],
            cwd=cwd,
            text=True,
            capture_output=True,
            timeout=120,
            pass_fds=[file.fileno()],
        )
    assert (ran.returncode, ran.stderr) == (0, "")
    return ran.stdout, lines_of(cwd / "progress")


def test_the_last_line_of_a_search_is_its_result(folder: Path) -> None:
    output, lines = run_with_progress(*SEARCH, *SHORT, cwd=folder)
    report = json.loads(output)
    assert lines[-1] == {
        "phase": "search",
        "share": 1,
        "objective": "hop-bytes",
        "best": report["value"],
        "bound": report["lower_bound"],
        "evaluations": report["evaluations"],
        "restarts_done": 2,
        "restarts": 2,
    }
    assert [line["best"] for line in lines] == sorted((line["best"] for line in lines), reverse=True)
    assert output == succeed(*SEARCH, *SHORT, cwd=folder).stdout


def test_every_search_says_what_it_searches_by(folder: Path) -> None:
    _, lines = run_with_progress("map", "-m", "torus:8x8x8", "-w", "workload.json", "--json", "--time=4s", cwd=folder)
    searched = [line["objective"] for line in lines if line["phase"] == "search"]
    assert len(set(searched)) > 1 and "auto" not in searched


def test_an_exhaustive_and_a_tabu_search_count_as_well(folder: Path) -> None:
    succeed("pattern", "ring", "--ranks", "8", "-o", "ring.json", cwd=folder)
    for strategy, machine, workload in (("exhaustive", "mesh:9", "ring.json"), ("tabu", "torus:8x8x8", SEARCH[4])):
        words = ("map", "-m", machine, "-w", workload, "--strategy", strategy, "--objective", "hop-bytes", "--json")
        more = ("--evaluations", "100") if strategy == "tabu" else ()
        output, lines = run_with_progress(*words, *more, cwd=folder)
        evaluations = [line["evaluations"] for line in lines]
        assert evaluations == sorted(evaluations), strategy
        assert not evaluations or evaluations[-1] <= json.loads(output)["evaluations"]


def test_simulations_and_advice_tell_theirs(folder: Path) -> None:
    succeed("pattern", "cg", "--ranks", "64", "-o", "cg.json", cwd=folder)
    job = ("-m", "torus:4x4x4", "-w", "cg.json", "--json")
    _, lines = run_with_progress("simulate", *job, "--message-size", "128KiB", "--sim-iterations", "10", cwd=folder)
    assert {line["phase"] for line in lines} == {"simulation"}
    assert [line["simulated_seconds"] for line in lines] == sorted(line["simulated_seconds"] for line in lines)
    _, lines = run_with_progress(
        "advise", "barrier", *job, "--sizes", "4KiB", "--simulations", "2", "--packet-hops", "1e6", cwd=folder
    )
    assert lines[-1]["phase"] == "advice" and lines[-1]["runs_done"] == lines[-1]["runs"]


def test_a_reader_that_sleeps_holds_up_nothing(folder: Path) -> None:
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    while True:
        try:
            os.write(writer, b"x" * 4096)
        except BlockingIOError:
            break
    os.set_blocking(writer, True)
    command = [BIN, *SEARCH, *SHORT, f"--progress-fd={writer}"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=60, pass_fds=[writer])
    os.close(reader)
    subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=60, pass_fds=[writer])
    os.close(writer)


@pytest.mark.parametrize(("number", "why"), [("1", "standard output"), ("9", "is not open"), ("x", "whole number")])
def test_descriptors_that_cannot_be_written_to_are_refused(folder: Path, number: str, why: str) -> None:
    assert why in fail(2, *SEARCH, "--progress-fd", number, cwd=folder)
