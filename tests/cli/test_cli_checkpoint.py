"""A search with a time limit is killed, and another one continues from its checkpoint."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from haichi_program import BIN, JOB, fail, haichi, succeed

SEARCH = ["map", *JOB, "-w", "cg64.json", "--checkpoint", "kept.json", "--threads", "1"]


def killed(place: Path, *arguments: str, objectives: int = 0) -> dict[str, Any]:
    """Kills a run that has saved a placement and completed searches by `objectives` objectives.

    Returns its checkpoint.
    """
    kept = place / "kept.json"
    run = subprocess.Popen([BIN, *SEARCH, *arguments], cwd=place, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def has_enough() -> bool:
        searches = json.loads(kept.read_text())["searches"] if kept.exists() else []
        complete = {search["objective"] for search in searches if search["is_complete"]}
        return bool(searches) and len(complete) >= objectives

    while not has_enough():
        assert run.poll() is None
        time.sleep(0.01)
    run.send_signal(signal.SIGKILL)
    run.wait()
    found: dict[str, Any] = json.loads(kept.read_text())
    return found


@pytest.mark.parametrize("objective", ["tac3", "predicted-time", "rmatt-3d", "simulated-time"])
def test_a_killed_search_goes_on_from_its_best(place: Path, objective: str) -> None:
    options = ["--time", "3s", "--objective", objective, "--json"]
    before = killed(place, *options)
    (search,) = before["searches"]
    run = succeed(*SEARCH, *options, cwd=place)
    assert "continuing from kept.json" in run.stderr
    report = json.loads(run.stdout)
    assert report["seconds_of_earlier_runs"] == before["seconds"] > 0
    assert report["wall_seconds"] + before["seconds"] < 3 + 1.5
    assert report["time_limit_seconds"] == 3 and report["reproducible"] is False
    if objective != "simulated-time":  # its searches use another objective
        key = "value" if objective != "rmatt-3d" else "search_value"
        there = succeed("map", *JOB, "-w", "cg64.json", *options[2:4], *start(place, search), cwd=place)
        kept = json.loads(there.stdout)
        assert report[key] <= kept[key]
    assert not (place / "kept.json").exists()


def start(place: Path, search: dict[str, Any]) -> list[str]:
    """Options that evaluate the saved placement."""
    mapping = {"schema": "haichi-mapping/1", "node_of_rank": search["node_of_rank"]}
    (place / "kept.map").write_text(json.dumps(mapping))
    return ["--start", "kept.map", "--evaluations", "1", "--restarts", "1", "--json"]


def test_complete_searches_are_not_made_again(place: Path) -> None:
    before = killed(place, "--time", "5s", objectives=2)
    complete = [search for search in before["searches"] if search["is_complete"]]
    assert len(complete) >= 2 and len({search["objective"] for search in complete}) >= 2
    run = succeed(*SEARCH, "--time", "5s", "-v", cwd=place)
    for search in complete:
        assert f"info: checkpoint: {search['objective']} value " in run.stderr
    assert run.stderr.count("search complete") == len(complete)


def test_an_interrupted_search_keeps_its_checkpoint(place: Path) -> None:
    arguments = [BIN, *SEARCH, "--time", "60s", "--objective", "tac3", "-o", "cg64.map"]
    run = subprocess.Popen(arguments, cwd=place, stderr=subprocess.DEVNULL)
    while not (place / "kept.json").exists():
        time.sleep(0.01)
    run.send_signal(signal.SIGTERM)
    assert run.wait() == 130
    assert (place / "cg64.map").exists() and (place / "kept.json").exists()
    assert sorted(path.name for path in place.iterdir()) == ["cg64.json", "cg64.map", "kept.json"]


def test_time_that_is_over_leaves_what_was_kept(place: Path) -> None:
    before = killed(place, "--time", "60s", "--objective", "tac3")
    run = succeed(*SEARCH, "--time", "1s", "--objective", "tac3", "--json", cwd=place)
    assert json.loads(run.stdout)["value"] <= before["searches"][0]["value"]


def test_other_files_are_not_taken_for_checkpoints(place: Path) -> None:
    options = ["--time", "5s", "--objective", "hop-bytes", "-o", "cg64.map"]
    for text in ("", "{", "[]", '{"schema": "haichi-mapping/1"}', '{"schema": "haichi-checkpoint/1"}'):
        (place / "kept.json").write_text(text)
        assert "kept.json is not a checkpoint of haichi map" in fail(2, *SEARCH, *options, cwd=place)
        assert (place / "kept.json").read_text() == text
    killed_text = '{"schema":"haichi-checkpoint/1","seconds":1,"searches":[%s]}'
    search = {"objective": "hop-bytes", "seed": 1, "is_complete": False, "value": 1, "node_of_rank": list(range(64))}
    for other in (search, search | {"node_of_rank": [0]}, search | {"node_of_rank": [999] * 64}):
        (place / "kept.json").write_text(killed_text % json.dumps(other))
        run = haichi(*SEARCH, *options, cwd=place)
        assert run.returncode == 2 and "error: kept.json is the checkpoint of another job" in run.stderr
    assert not (place / "cg64.map").exists()


def test_where_checkpoints_do_not_apply(place: Path) -> None:
    assert "--checkpoint requires --time" in fail(2, *SEARCH, cwd=place)
    shapes = ["map", *JOB[:2], "-w", "cg64.json", "--shapes", "1x2x4x2x3x2", "--time", "1s", "--json"]
    assert "--shapes cannot be combined with --checkpoint" in fail(2, *shapes, "--checkpoint", "c", cwd=place)
    both = [*SEARCH, "--time", "1s", "-o", "kept.json"]
    assert "two outputs have this name" in fail(2, *both, cwd=place)
    nowhere = ["map", *JOB, "-w", "cg64.json", "--time", "1s", "--checkpoint", "no/where", "-o", "x"]
    assert "cannot write no/where" in fail(2, *nowhere, cwd=place)


def test_a_checkpoint_that_cannot_be_written_ends_no_search(place: Path) -> None:
    folder = place / "kept"
    folder.mkdir()
    arguments = ["map", *JOB, "-w", "cg64.json", "--objective", "tac3", "--time", "3s", "--json"]
    run = subprocess.Popen(
        [BIN, *arguments, "--checkpoint", "kept/c.json"], cwd=place, text=True, stdout=-1, stderr=subprocess.PIPE
    )
    while not (folder / "c.json").exists():
        time.sleep(0.01)
    for path in folder.iterdir():
        path.unlink()
    folder.rmdir()
    _, words = run.communicate()
    assert run.returncode == 0 and words.count("warning: the checkpoint was not written") == 1, words


def test_a_checkpoint_changes_no_result_of_a_run_that_reaches_its_end(place: Path) -> None:
    """The search stops at the bound, so the result is reproducible in spite of the time limit."""
    options = ["--objective", "tac3", "--then", "none", "--time", "60s", "-o", "cg64.map"]
    assert haichi(*SEARCH, *options, cwd=place).returncode == 0
    assert (place / "cg64.map").exists() and not (place / "kept.json").exists()
