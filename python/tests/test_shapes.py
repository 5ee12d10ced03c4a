"""Searches over several shapes give the same results as `haichi map --shapes`."""

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

import haichi

SHAPES = ["1x2x4x2x3x2", "2x2x2x2x3x2"]
QUICK = {"objective": "hop-bytes", "evaluations": 2000, "restarts": 1}


@pytest.fixture(scope="module")
def jobs(cg64) -> list[haichi.Job]:
    return haichi.jobs(cg64, "fx10-kyushu", SHAPES)


def test_each_shape_gets_what_it_gets_alone(jobs) -> None:
    both = haichi.optimize_shapes(jobs, **QUICK)
    assert both.robust is None and not both.interrupted and both.shapes == tuple(SHAPES)
    for job, result in zip(jobs, both.evaluations, strict=True):
        alone = haichi.Job(job.workload, job.machine, shape=job.shape)
        found = alone.optimize(**QUICK)
        np.testing.assert_array_equal(result.placement.node_of_rank, found.node_of_rank)
        measured = alone.evaluate(found)
        assert (result.value, result.metrics) == (measured.value, measured.metrics)
        assert result.placement.job is job
    assert [shape["shape"] for shape in both.report["shapes"]] == [[1, 2, 4, 2, 3, 2], [2, 2, 2, 2, 3, 2]]


def test_shapes_may_be_texts_or_numbers(cg64) -> None:
    by_text = haichi.optimize_shapes(haichi.jobs(cg64, "fx10-kyushu", ",".join(SHAPES)), **QUICK)
    by_numbers = haichi.optimize_shapes(
        haichi.jobs(cg64, haichi.Machine("fx10-kyushu"), [(1, 2, 4, 2, 3, 2), np.array([2, 2, 2, 2, 3, 2])]), **QUICK
    )
    assert [r.value for r in by_text.evaluations] == [r.value for r in by_numbers.evaluations]


@pytest.mark.parametrize("measure", ["max", "mean"])
def test_a_robust_placement_is_worth_its_measure(jobs, measure) -> None:
    found = haichi.optimize_shapes(jobs, robust=measure, **QUICK)
    robust = found.robust
    assert robust is not None and robust.measure == measure and not robust.with_rotations
    values = [result.value for result in found.evaluations]
    assert robust.value == (max(values) if measure == "max" else pytest.approx(np.mean(values)))
    assert sorted(set(robust.position_of_rank.tolist())) == sorted(robust.position_of_rank.tolist())
    assert not robust.position_of_rank.flags.writeable and robust.position_of_rank.dtype == np.int32
    assert "one placement" in repr(found) and "one placement" in found._repr_html_()


def test_rotations_count_as_shapes(jobs) -> None:
    found = haichi.optimize_shapes(jobs, robust="max", rotations=True, **QUICK)
    rows = [row for shape in found.report["shapes"] for row in shape["rotations"]]
    assert found.robust is not None and found.robust.with_rotations
    assert found.robust.value == max(row["value"] for row in rows) and len(rows) > len(SHAPES)
    with pytest.raises(haichi.OptionError, match="robust"):
        haichi.optimize_shapes(jobs, rotations=True, **QUICK)


def test_the_program_writes_the_same_files(cg64, jobs, tmp_path: Path) -> None:
    binary = os.environ.get("HAICHI_BIN")
    if not binary:
        pytest.skip("HAICHI_BIN does not name the program")
    cg64.write(tmp_path / "cg.json")
    options = ["map", "-m", "fx10-kyushu", "-w", "cg.json", "--shapes", ",".join(SHAPES), "--objective", "hop-bytes"]
    options += ["--evaluations", "2000", "--restarts", "1"]
    for more in (["-o", "{shape}.map"], ["--robust", "max", "-o", "robust.map"]):
        subprocess.run([binary, *options, *more], cwd=tmp_path, check=True, capture_output=True, timeout=60)
    haichi.optimize_shapes(jobs, **QUICK).write(tmp_path / "py-{shape}.map")
    haichi.optimize_shapes(jobs, robust="max", **QUICK).write(tmp_path / "py-robust.map")
    for name in (*SHAPES, "robust"):
        assert (tmp_path / f"py-{name}.map").read_bytes() == (tmp_path / f"{name}.map").read_bytes()


def test_wrong_questions_are_refused(cg64, jobs, tmp_path: Path) -> None:
    for shapes, robust in ((["1x2x4x2x3x2", "1x1x4x2x3x2"], "max"), ([], None), (["1x2x"], None), (SHAPES, "best")):
        with pytest.raises(haichi.OptionError):
            haichi.optimize_shapes(haichi.jobs(cg64, "fx10-kyushu", shapes), robust=robust, **QUICK)
    with pytest.raises(haichi.OptionError, match="2 maps"):
        haichi.optimize_shapes(jobs, **QUICK).write(tmp_path / "one.map")


def test_progress_is_of_all_shapes_together(jobs) -> None:
    heard: list[haichi.SearchProgress] = []
    haichi.optimize_shapes(
        jobs,
        objective="hop-bytes",
        time=1.2,
        threads=1,
        progress=heard.append,
    )
    fractions = [progress.fraction_done for progress in heard]
    assert fractions == sorted(fractions) and fractions[0] < 0.5 < fractions[-1] <= 1


def test_the_report_is_json(jobs) -> None:
    found = haichi.optimize_shapes(jobs, **QUICK)
    assert json.loads(json.dumps(found.report)) == found.report
