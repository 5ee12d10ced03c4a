"""--objective simulated-time: the packet simulator ranks placements that a search found."""

from __future__ import annotations

import json
import signal
import time
from pathlib import Path

import pytest
from haichi_program import JOB, check_map, fail, start_until, succeed

ASKED = ["-w", "cg64.json", "--objective", "simulated-time"]
SMALL = ["--message-size", "4KiB", "--evaluations", 400, "--start", "random"]


def ranked(place: Path, *arguments: object) -> dict:
    return json.loads(succeed("map", *JOB, *ASKED, *arguments, "--json", cwd=place).stdout)


def test_the_fastest_of_the_candidates_wins(place: Path) -> None:
    report = ranked(place, *SMALL)
    assert (report["objective"], report["searched_objective"], report["unit"]) == ("simulated-time", "tac3", "seconds")
    assert report["lower_bound"] is None and not report["optimal"]
    check_map(report["node_of_rank"], 64, 96)
    candidates = report["candidates"]
    assert [c["placement"] for c in candidates].count("default") == 1
    assert 2 <= len(candidates) <= 5
    times = [c["simulated_seconds_per_iteration"] for c in candidates]
    assert report["value"] == min(times)
    searched = [c["searched_value"] for c in candidates if c["placement"] == "searched"]
    assert searched == sorted(searched)
    assert report["metrics"]["tac3_seconds"] == candidates[times.index(min(times))]["searched_value"]
    assert report["default"]["value"] == candidates[1]["simulated_seconds_per_iteration"]
    (place / "ranked.json").write_text(json.dumps(report))
    run = succeed(
        "evaluate",
        *JOB,
        *ASKED,
        *SMALL[:2],
        "--map",
        "ranked.json",
        "--simulate",
        "--json",
        "--most-loaded",
        0,
        cwd=place,
    )
    evaluated = json.loads(run.stdout)
    assert evaluated["value"] == report["value"] and evaluated["default"]["value"] == report["default"]["value"]
    assert {row["objective"]: row["value"] for row in evaluated["objectives"]}["simulated-time"] == report["value"]


def test_threads_do_not_change_a_byte(place: Path) -> None:
    arguments = [*JOB, *ASKED, *SMALL, "--json", "--no-timing"]
    one, three = (succeed("map", *arguments, "--threads", n, cwd=place).stdout for n in (1, 3))
    assert one == three


def test_a_placement_without_search_is_compared_with_the_default_one(place: Path) -> None:
    report = ranked(place, "--strategy", "greedy", "--message-size", "64KiB")
    assert [c["placement"] for c in report["candidates"]] == ["searched", "default"]
    report = ranked(place, "--strategy", "default", "--message-size", "64KiB")
    assert [c["placement"] for c in report["candidates"]] == ["default"]
    assert report["value"] == report["default"]["value"]


def test_words_tell_the_candidates(place: Path) -> None:
    run = succeed("map", *JOB, *ASKED, *SMALL, "-o", "ranked.map", cwd=place)
    assert " s (default placement)" in run.stderr and " s by tac3)" in run.stderr


def test_a_time_limit_counts_simulations(place: Path) -> None:
    began = time.monotonic()
    report = ranked(place, "--message-size", "256MiB", "--time", "2s")
    assert time.monotonic() - began < 60
    assert not report["reproducible"] and "interrupted" not in report
    # A simulation of such messages takes minutes, so no candidates were compared.
    assert report["objective"] == "tac3"
    assert all(c["simulated_seconds_per_iteration"] is None for c in report["candidates"])


def test_an_interrupted_ranking_keeps_the_best_of_the_search(place: Path) -> None:
    # A simulation of such messages takes minutes.
    run = start_until("simulation", "map", *JOB, *ASKED, "--message-size", "1GiB", "--json", cwd=place)
    run.send_signal(signal.SIGINT)
    words = run.communicate(timeout=60)
    assert run.returncode == 130, words
    report = json.loads(words[0])
    assert report["interrupted"] is True and report["objective"] == "tac3"
    check_map(report["node_of_rank"], 64, 96)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--objective", "weighted(simulated-time=1)"], "weighted() cannot contain simulated-time"),
        (["--objective", "simulated-tim"], "did you mean 'simulated-time'?"),
        (["--objective", "simulated-time", "--strategy", "tabu"], "tabu search supports only hop-bytes"),
    ],
)
def test_what_it_cannot_do_is_refused(place: Path, arguments: list[str], words: str) -> None:
    assert words in fail(2, "map", *JOB, "-w", "cg64.json", *arguments, cwd=place)


def test_robust_maps_and_evaluations_without_simulation_are_refused(mapped: Path) -> None:
    shapes = ["--shapes", "1x2x4x2x3x2,2x2x2x2x3x2", "--robust", "max"]
    assert "--robust does not support simulated-time" in fail(2, "map", *JOB[:2], *ASKED, *shapes, cwd=mapped)
    assert "add --simulate" in fail(2, "evaluate", *JOB, *ASKED, "--map", "cg64.map", cwd=mapped)


def test_it_is_in_the_list_of_objectives(place: Path) -> None:
    listed = json.loads(succeed("list", "objectives", "--json", cwd=place).stdout)["objectives"]
    assert [row["name"] for row in listed][-2:] == ["weighted", "simulated-time"]
    assert "predicted-time" in [row["name"] for row in listed]
