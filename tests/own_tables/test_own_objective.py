"""An objective that exists only in tests/own_tables works in the whole program: one file, one table entry."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

JOB = ("-m", "torus:4x4", "-w", "ring.json")


def haichi(*words: object, cwd: Path, code: int = 0) -> subprocess.CompletedProcess[str]:
    command = [os.environ["HAICHI_WITH_OWN_OBJECTIVE"], *map(str, words)]
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True)
    assert done.returncode == code, done.stderr
    return done


def report(*words: object, cwd: Path) -> Any:
    return json.loads(haichi(*words, "--json", cwd=cwd).stdout)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    haichi("pattern", "random-ring", "--ranks", 16, "-o", "ring.json", cwd=tmp_path)
    return tmp_path


def test_it_is_listed(place: Path) -> None:
    assert (
        "number of messages with routes of more than one hop (unit: messages)"
        in haichi("list", "objectives", cwd=place).stdout
    )
    assert "did you mean 'far-messages'?" in haichi("map", *JOB, "--objective", "far-message", cwd=place, code=2).stderr


def test_it_is_searched_verified_and_proven(place: Path) -> None:
    found = report("map", *JOB, "--objective", "far-messages", "--verify", "step", "-f", "json", "-o", "map", cwd=place)
    assert found["objective"] == "far-messages" and found["unit"] == "messages"
    assert found["value"] == found["metrics"]["far_messages"] == 0 and found["optimal"] is True
    assert found["default"]["value"] == found["default"]["far_messages"] > 0


def test_the_exhaustive_search_agrees(place: Path) -> None:
    haichi("pattern", "alltoall-pairwise", "--ranks", 6, "-o", "six.json", cwd=place)
    job = ("-m", "mesh:2x3", "-w", "six.json", "--objective", "far-messages")
    assert (
        report("map", *job, cwd=place)["value"] == report("map", *job, "--strategy", "exhaustive", cwd=place)["value"]
    )


def test_reports_of_other_searches_tell_it(place: Path) -> None:
    found = report("map", *JOB, "--objective", "hop-bytes", "-f", "json", "-o", "map", cwd=place)
    assert found["metrics"]["far_messages"] >= 0
    evaluated = report("evaluate", *JOB, "--map", "map", cwd=place)
    rows = {row["objective"]: row for row in evaluated["objectives"]}
    assert rows["far-messages"]["value"] == found["metrics"]["far_messages"]
    assert rows["far-messages"]["lower_bound"] == 0


def test_it_may_be_required_and_be_a_term_and_be_robust(place: Path) -> None:
    haichi("map", *JOB, "--objective", "far-messages", "--require", "far-messages<=0", cwd=place)
    words = haichi("map", *JOB, "--strategy", "random", "--require", "far-messages<=0", cwd=place, code=3).stderr
    assert "required far-messages <= 0, found" in words
    both = report("map", *JOB, "--objective", "weighted(far-messages=1,tac3=0.1)", "--verify", "step", cwd=place)
    assert both["objective"] == "weighted(far-messages=1,tac3=0.1)" and both["metrics"]["far_messages"] == 0
    shapes = ("--shapes", "4x4,2x8", "--robust", "max", "--objective", "far-messages", "--evaluations", 2000)
    robust = report("map", "-m", "torus:8x8", "-w", "ring.json", *shapes, cwd=place)
    assert robust["objective"] == "far-messages" and robust["value"] >= robust["lower_bound"] == 0


def test_its_winner_is_simulated(place: Path) -> None:
    found = report("map", *JOB, "--objective", "far-messages", "--simulate", cwd=place)
    assert found["simulated"]["seconds_per_iteration"] > 0
