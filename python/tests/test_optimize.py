"""Optimising and evaluating through the Python package."""

import json
import signal
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import haichi


def test_cg_on_shape_1_reaches_the_bound(cg64, on_shape_1):
    result = haichi.optimize(cg64, **on_shape_1)
    assert result.optimal
    assert result.metrics["set_contention"] == [1, 1, 1, 1]
    assert result.value == result.lower_bound == pytest.approx(4 * 2**20 / 5e9, rel=1e-12)
    assert result.node_of_rank.dtype == np.int32
    assert len(set(result.node_of_rank.tolist())) == 64
    assert result.node_of_rank.max() < 96


def test_evaluate_agrees_with_optimize(cg64, on_shape_1):
    found = haichi.optimize(cg64, **on_shape_1, seed=3)
    measured = haichi.evaluate(cg64, node_of_rank=found.node_of_rank, **on_shape_1)
    assert measured.metrics == found.metrics
    assert measured.value == found.value
    assert measured.optimal
    np.testing.assert_array_equal(measured.node_of_rank, found.node_of_rank)


@pytest.mark.parametrize("format", ["fujitsu", "tofu6d", "nsim", "json"])
def test_a_written_map_evaluates_the_same(cg64, on_shape_1, tmp_path: Path, format):
    found = haichi.optimize(cg64, **on_shape_1, strategy="random", seed=5)
    path = tmp_path / "map"
    found.write(path, format=format)
    measured = haichi.evaluate(cg64, node_of_rank=path, format=format, **on_shape_1)
    np.testing.assert_array_equal(measured.node_of_rank, found.node_of_rank)
    assert measured.metrics == found.metrics


def test_equal_seeds_give_equal_results_for_any_number_of_threads(cg64, on_shape_1):
    runs = [
        haichi.optimize(cg64, **on_shape_1, objective="hop-bytes", evaluations=20_000, restarts=4, threads=threads)
        for threads in (1, 2, 4)
    ]
    for run in runs[1:]:
        np.testing.assert_array_equal(run.node_of_rank, runs[0].node_of_rank)
        assert run.metrics == runs[0].metrics


def test_two_runs_side_by_side_give_what_they_give_alone(cg64, on_shape_1):
    def run(seed: int) -> haichi.Result:
        return haichi.optimize(cg64, **on_shape_1, objective="hop-bytes", evaluations=20_000, threads=1, seed=seed)

    alone = [run(1), run(2)]
    together: dict[int, haichi.Result] = {}
    threads = [threading.Thread(target=lambda s=s: together.update({s: run(s)})) for s in (1, 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for seed in (1, 2):
        np.testing.assert_array_equal(together[seed].node_of_rank, alone[seed - 1].node_of_rank)


def test_other_threads_run_during_a_search(cg64, on_shape_1):
    """With the GIL held, the counting thread would get no turn until the search ends."""
    done = threading.Event()
    turns = 0

    def count() -> None:
        nonlocal turns
        while not done.is_set():
            turns += 1
            time.sleep(0.001)

    counter = threading.Thread(target=count)
    counter.start()
    try:
        turns_before = turns
        haichi.optimize(cg64, **on_shape_1, objective="hop-bytes", time_limit=0.5, threads=1)
        turns_during = turns - turns_before
    finally:
        done.set()
        counter.join()
    assert turns_during > 20


def test_ctrl_c_ends_the_search_with_the_best_so_far(cg64, on_shape_1):
    started = time.monotonic()
    timer = threading.Timer(0.3, signal.raise_signal, [signal.SIGINT])
    timer.start()
    result = haichi.optimize(cg64, **on_shape_1, objective="hop-bytes", time_limit=60, threads=1)
    timer.join()
    assert result.interrupted
    assert result.report["interrupted"] is True
    assert time.monotonic() - started < 20
    assert len(set(result.node_of_rank.tolist())) == 64


def test_a_numpy_matrix_is_a_workload_of_one_set():
    matrix = np.zeros((4, 4), dtype=np.int64)
    matrix[0, 1] = matrix[1, 2] = matrix[2, 3] = matrix[3, 0] = 1000
    result = haichi.optimize(matrix, "torus:4", objective="hop-bytes")
    assert result.value == result.metrics["hop_bytes"] == 4000
    assert result.report["ranks"] == result.report["nodes"] == 4


def test_several_ranks_per_node_share_nodes():
    matrix = np.full((8, 8), 100)
    result = haichi.optimize(matrix, "torus:4", ppn=2, objective="hop-bytes")
    assert np.bincount(result.node_of_rank, minlength=4).tolist() == [2, 2, 2, 2]


def test_report_is_the_schema_and_result_says_the_same(cg64, on_shape_1):
    result = haichi.optimize(cg64, **on_shape_1)
    report = result.report
    assert report["schema"] == "haichi-report/1"
    assert report["node_of_rank"] == result.node_of_rank.tolist()
    assert report["value"] == result.value
    assert report["shape"] == [1, 2, 4, 2, 3, 2]
    assert json.loads(json.dumps(report)) == report
    assert "tac3=" in repr(result) and "optimal" in repr(result)
    with pytest.raises(AttributeError):
        result.value = 0.0
    with pytest.raises(ValueError, match="read-only"):
        result.node_of_rank[0] = 1


def test_weighted_objective_and_verification(cg64, on_shape_1):
    result = haichi.optimize(
        cg64, **on_shape_1, objective="weighted(hop-bytes=0.5,tac3=0.5)", evaluations=2000, verify="step"
    )
    assert result.value < 1
    assert result.objective.startswith("weighted")


@pytest.mark.parametrize("entries", [haichi.list_machines, haichi.list_objectives, haichi.list_formats])
def test_lists_are_not_empty_and_described(entries):
    rows = entries()
    assert rows
    assert all(row.name and row.description for row in rows)


def test_lists_name_what_optimize_takes():
    assert "tac3" in [row.name for row in haichi.list_objectives()]
    assert "anneal" in [row.name for row in haichi.list_strategies()]
    assert "cg" in [row.name for row in haichi.list_patterns()]


def test_time_limit_auto_follows_from_the_savings() -> None:
    workload = haichi.Workload.from_pattern("cg", ranks=16, iterations=1)
    result = haichi.optimize(workload, "torus:4x4", objective="hop-bytes", time_limit="auto", restarts=1)
    assert result.report["time_limit_seconds"] == 0.5
    assert not result.report["reproducible"]


def test_a_function_of_the_placement_can_be_the_objective() -> None:
    workload = haichi.Workload.from_pattern("cg", ranks=16)
    messages = workload.messages
    calls = 0

    def farthest_first(node_of_rank: np.ndarray) -> float:
        nonlocal calls
        calls += 1
        assert node_of_rank.dtype == np.int32
        x, y = np.divmod(node_of_rank, 4)
        hops = np.abs(x[messages.source] - x[messages.destination])
        hops += np.abs(y[messages.source] - y[messages.destination])
        return float(hops @ messages.bytes)

    result = haichi.optimize(workload, "mesh:4x4", objective=farthest_first, evaluations=3000, restarts=2)
    assert calls >= 6000
    assert result.objective == "farthest_first"
    assert result.lower_bound is None
    # The function is hop-bytes on this mesh.
    assert result.value == haichi.evaluate(workload, "mesh:4x4", result.node_of_rank, objective="hop-bytes").value
    assert result.value < result.report["default"]["value"]


def test_an_error_in_the_objective_function_is_raised() -> None:
    def broken(node_of_rank: np.ndarray) -> float:
        raise ValueError("no value")

    with pytest.raises(ValueError, match="no value"):
        haichi.optimize(haichi.Workload.from_pattern("cg", ranks=16), "mesh:4x4", objective=broken)
