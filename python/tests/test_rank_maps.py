"""Checks and conversions of rank maps without a workload."""

import json
import logging
from pathlib import Path

import numpy as np
import pytest

import haichi

SHAPE = {"machine": "fx10-kyushu", "shape": "1x1x2x2x3x2"}


def test_conversions_are_those_of_placements(tmp_path: Path) -> None:
    job = haichi.Job(haichi.Workload.from_pattern("ring", ranks=24), **SHAPE)
    placed = job.place(np.arange(24)[::-1])
    placed.write(tmp_path / "a.map")
    for to in ("tofu6d", "json", "csv"):
        placed.write(tmp_path / "expected", format=to)
        expected = (tmp_path / "expected").read_text()
        assert haichi.convert(tmp_path / "a.map", to=to, output=tmp_path / "b.map", **SHAPE) == expected
        assert (tmp_path / "b.map").read_text() == expected
        assert haichi.convert(placed, to=to, **SHAPE) == haichi.convert(placed.node_of_rank, to=to, **SHAPE) == expected


def test_the_format_of_a_placement_is_that_of_haichi_map(tmp_path: Path) -> None:
    ring = haichi.Workload.from_pattern("ring", ranks=4)
    for machine, start in (("torus:2x2", "("), ("fattree:2x2", "{")):
        haichi.Job(ring, machine).place([0, 1, 2, 3]).write(tmp_path / "app.map")
        assert (tmp_path / "app.map").read_text().startswith(start)


def test_any_machine_and_node_lists() -> None:
    networkx = pytest.importorskip("networkx")
    ring = haichi.Machine.from_graph(networkx.cycle_graph(4), bandwidth=1e9)
    assert json.loads(haichi.convert([3, 1], ring, to="json"))["node_of_rank"] == [3, 1]
    text = haichi.convert([1, 0], "torus:2x2", to="openmpi", hosts=["a", "b", "c", "d"])
    assert text.index("b") < text.index("a", text.index("b"))


def test_wrong_conversions(tmp_path: Path) -> None:
    for arguments, error, message in (
        (([4], "torus:2x2", "json"), haichi.OptionError, "rank 0"),
        (([0, 0], "torus:2x2", "json"), haichi.OptionError, "node 0"),
        (([0], "torus:2x2", "jsn"), haichi.OptionError, "'jsn'"),
        ((tmp_path / "none", "torus:2x2", "json"), haichi.InputError, "none"),
    ):
        with pytest.raises(error, match=message):
            haichi.convert(*arguments[:2], to=arguments[2])
    with pytest.raises(haichi.OptionError):
        haichi.convert([0], "torus:2x2", to="json", output=tmp_path / "no" / "directory")


def test_checks(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    good, bad = tmp_path / "good.map", tmp_path / "bad.map"
    haichi.convert(np.arange(24), to="fujitsu", output=good, **SHAPE)
    lines = good.read_text().splitlines()
    bad.write_text("\n".join([*lines[:3], lines[2], *lines[4:]]) + "\n")
    accepted = haichi.check(good, **SHAPE)
    assert accepted and accepted.ranks == 24 and accepted.format == "fujitsu" and accepted.problems == 0
    assert all(check.result == "ok" for check in accepted.checks)
    rejected = haichi.check(bad, **SHAPE)
    assert not rejected and rejected.problems == 1
    problem = next(check for check in rejected.checks if check.result == "problem")
    assert problem.file == str(bad) and problem.line == 4 and f"problem  {problem.text}" in str(rejected)
    with pytest.raises(haichi.InputError, match="none"):
        haichi.check(tmp_path / "none", **SHAPE)
    with pytest.raises(TypeError, match="check\\(\\) has no parameter 'shap'; did you mean 'shape'"):
        haichi.check(good, "fx10-kyushu", shap="1x1x2x2x3x2")  # type: ignore[call-arg]
