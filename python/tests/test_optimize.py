"""Optimising and evaluating through the Python package."""

import json
import pickle
import signal
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import haichi


def test_cg_on_shape_1_reaches_the_bound(cg_job, cg_found):
    found = cg_found
    result = cg_job.evaluate(found)
    assert result.optimal
    assert result.metrics["set_contention"] == [1, 1, 1, 1]
    assert result.value == result.lower_bound == pytest.approx(4 * 2**20 / 5e9, rel=1e-12)
    assert found.node_of_rank.dtype == np.int32
    assert len(set(found.node_of_rank.tolist())) == 64
    assert found.node_of_rank.max() < 96
    assert (found.objective, found.strategy, found.job) == ("tac3", "anneal", cg_job)


def test_what_was_searched_for_is_measured(cg_job):
    found = cg_job.optimize("hop-bytes", evaluations=5000, restarts=1)
    measured = cg_job.evaluate(found)
    assert measured.objective == "hop-bytes"
    assert measured.value == measured.metrics["hop_bytes"]
    assert measured.placement is found
    given = cg_job.evaluate(found.node_of_rank)
    assert given.objective == "tac3"
    assert given.metrics == measured.metrics
    assert given.placement.strategy is None
    np.testing.assert_array_equal(given.placement.node_of_rank, found.node_of_rank)


@pytest.mark.parametrize("format", ["fujitsu", "tofu6d", "nsim", "json"])
def test_a_written_map_evaluates_the_same(cg_job, tmp_path: Path, format):
    found = cg_job.optimize(strategy="random", seed=5)
    path = tmp_path / "map"
    found.write(path, format=format)
    read = cg_job.place(path, format=format)
    np.testing.assert_array_equal(read.node_of_rank, found.node_of_rank)


def test_equal_seeds_give_equal_results_for_any_number_of_threads(cg_job):
    runs = [
        cg_job.optimize(objective="hop-bytes", evaluations=20_000, restarts=4, threads=threads) for threads in (1, 2, 4)
    ]
    for run in runs[1:]:
        np.testing.assert_array_equal(run.node_of_rank, runs[0].node_of_rank)
        assert run.evaluations == runs[0].evaluations


def test_two_runs_side_by_side_give_what_they_give_alone(cg_job):
    def run(seed: int) -> haichi.Placement:
        return cg_job.optimize(objective="hop-bytes", evaluations=20_000, threads=1, seed=seed)

    alone = [run(1), run(2)]
    together: dict[int, haichi.Placement] = {}
    threads = [threading.Thread(target=lambda s=s: together.update({s: run(s)})) for s in (1, 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for seed in (1, 2):
        np.testing.assert_array_equal(together[seed].node_of_rank, alone[seed - 1].node_of_rank)


def test_other_threads_run_during_a_search(cg_job, turns_of_others):
    assert turns_of_others(lambda: cg_job.optimize(objective="hop-bytes", time=0.5, threads=1)) > 20


def test_ctrl_c_ends_the_search_with_the_best_so_far(cg_job):
    started = time.monotonic()
    timer = threading.Timer(0.3, signal.raise_signal, [signal.SIGINT])
    timer.start()
    result = cg_job.optimize(objective="hop-bytes", time=60, threads=1)
    timer.join()
    assert result.interrupted
    assert cg_job.evaluate(result).report["interrupted"] is True
    assert time.monotonic() - started < 20
    assert len(set(result.node_of_rank.tolist())) == 64


def test_a_numpy_matrix_is_a_workload_of_one_set():
    matrix = np.zeros((4, 4), dtype=np.int64)
    matrix[0, 1] = matrix[1, 2] = matrix[2, 3] = matrix[3, 0] = 1000
    job = haichi.Job(matrix, "torus:4")
    result = job.evaluate(job.optimize("hop-bytes"))
    assert result.value == result.metrics["hop_bytes"] == 4000
    assert result.report["ranks"] == result.report["nodes"] == 4


def test_several_ranks_per_node_share_nodes():
    matrix = np.full((8, 8), 100)
    result = haichi.Job(matrix, "torus:4", ppn=2).optimize(objective="hop-bytes")
    assert np.bincount(result.node_of_rank, minlength=4).tolist() == [2, 2, 2, 2]


def test_report_is_the_schema_and_result_says_the_same(cg_job, cg_found):
    found = cg_found
    result = cg_job.evaluate(found)
    report = result.report
    assert report["schema"] == "haichi-report/1"
    assert report["node_of_rank"] == found.node_of_rank.tolist()
    assert report["value"] == result.value
    assert report["shape"] == [1, 2, 4, 2, 3, 2]
    assert json.loads(json.dumps(report)) == report
    assert "tac3=" in repr(result) and "optimal" in repr(result)
    assert repr(found).startswith("Placement(ranks=64, nodes=96, anneal for tac3, evaluations=")
    with pytest.raises(AttributeError):
        result.value = 0.0
    with pytest.raises(ValueError, match="read-only"):
        found.node_of_rank[0] = 1


def test_weighted_objective_and_verification(cg_job):
    found = cg_job.optimize("weighted(hop-bytes=0.5,tac3=0.5)", evaluations=2000, verify="step")
    result = cg_job.evaluate(found)
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
    job = haichi.Job(workload, "torus:4x4")
    result = job.evaluate(job.optimize(objective="hop-bytes", time="auto", restarts=1))
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

    job = haichi.Job(workload, "mesh:4x4")
    found = job.optimize(farthest_first, evaluations=3000, restarts=2)
    assert calls >= 6000
    result = job.evaluate(found)
    assert result.objective == "farthest_first"
    assert result.lower_bound is None
    # The function equals hop-bytes on this mesh.
    assert result.value == job.evaluate(found, objective="hop-bytes").value
    assert result.value < result.report["default"]["value"]


def test_an_error_in_the_objective_function_is_raised() -> None:
    def broken(node_of_rank: np.ndarray) -> float:
        raise ValueError("no value")

    with pytest.raises(ValueError, match="no value"):
        haichi.Job(haichi.Workload.from_pattern("cg", ranks=16), "mesh:4x4").optimize(objective=broken)


def test_what_names_a_thing_may_also_be_the_thing(cg64, cg_job, tmp_path: Path) -> None:
    found = cg_job.optimize("hop-bytes", strategy="random", seed=4)
    found.write(tmp_path / "map", format="json")
    options = {"evaluations": 500, "restarts": 1, "strategy": "anneal"}
    starts = [found, found.node_of_rank, found.node_of_rank.tolist(), tmp_path / "map", str(tmp_path / "map")]
    maps = [cg_job.optimize("hop-bytes", start=start, **options).node_of_rank.tolist() for start in starts]
    assert all(nodes == maps[0] for nodes in maps)
    assert maps[0] != cg_job.optimize("hop-bytes", start="greedy", **options).node_of_rank.tolist()


def test_nodes_are_a_file_numbers_or_coordinates(tmp_path: Path) -> None:
    ring = haichi.Workload.from_pattern("ring", ranks=4)
    numbers = [5, 4, 1, 0]
    coordinates = [[1, 1], [1, 0], [0, 1], [0, 0]]
    (tmp_path / "nodes").write_text("".join(f"{node}\n" for node in numbers))
    forms = [numbers, np.array(numbers), coordinates, np.array(coordinates), tmp_path / "nodes"]
    jobs = [haichi.Job(ring, "mesh:4x4", nodes=nodes, faulty=[15]) for nodes in forms]
    values = {job.evaluate(objective="hop-bytes").value for job in jobs}
    assert len(values) == 1
    assert all(job.nodes == 4 for job in jobs)
    for faulty in ([4], [(1, 0)], np.array([[1, 0]])):
        with pytest.raises(haichi.Error, match="faulty"):
            haichi.Job(ring, "mesh:4x4", nodes=numbers, faulty=faulty)
    for wrong, words in (
        ([0, 0], "duplicate node 0"),
        ([16], "16"),
        ([0.5], "nodes"),
        ([[[1]]], "nodes"),
        ([-1], "-1"),
    ):
        with pytest.raises(haichi.Error, match=words):
            haichi.Job(ring, "mesh:4x4", nodes=wrong)


def test_hosts_are_a_list_a_file_or_a_pattern(tmp_path: Path) -> None:
    ring = haichi.Workload.from_pattern("ring", ranks=4)
    (tmp_path / "hosts").write_text("a0\na1\na2\na3\n")
    texts = set()
    for hosts in (["a0", "a1", "a2", "a3"], tmp_path / "hosts", "a[0-3]"):
        haichi.Job(ring, "torus:4", hosts=hosts).place([2, 3, 0, 1]).write(tmp_path / "map", format="slurm")
        texts.add((tmp_path / "map").read_text())
    assert len(texts) == 1
    with pytest.raises(haichi.Error, match="3"):
        haichi.Job(ring, "torus:4", hosts=["a", "b", "c"])


def test_nodes_are_listed_by_name(tmp_path: Path) -> None:
    ring = haichi.Workload.from_pattern("ring", ranks=2)
    (tmp_path / "topology.conf").write_text("SwitchName=s0 Nodes=n[1-4]\n")
    machine = f"graph:{tmp_path}/topology.conf"
    for nodes in (["n4", "n2"], "n4,n2"):
        haichi.Job(ring, machine, nodes=nodes).place([0, 1]).write(tmp_path / "map", format="slurm")
        assert (tmp_path / "map").read_text() == "n4\nn2\n"
    with pytest.raises(haichi.InputError, match="no node with the name 'n5'"):
        haichi.Job(ring, machine, nodes=["n4", "n5"])


def test_a_placement_belongs_to_its_job(cg64, cg_job) -> None:
    found = cg_job.optimize(strategy="random")
    assert cg_job.place(found) is found
    larger = haichi.Job(cg64.with_message_size("4MiB"), cg_job.machine, shape=cg_job.shape)
    assert larger.evaluate(found).metrics["tac3_seconds"] > cg_job.evaluate(found).metrics["tac3_seconds"]
    other = haichi.Job(cg64, cg_job.machine, shape="2x2x2x2x3x2")
    with pytest.raises(haichi.OptionError, match="a job on other nodes"):
        other.evaluate(found)
    assert other.evaluate(found.node_of_rank).placement.job is other


def test_a_job_is_loaded_once_checked_and_pickles(cg64, cg_job) -> None:
    assert (cg_job.ranks, cg_job.nodes, cg_job.shape) == (64, 96, "1x2x4x2x3x2")
    assert cg_job.workload is cg64
    assert repr(cg_job) == "Job(ranks=64, nodes=96 of fx10-kyushu, shape=1x2x4x2x3x2)"
    again = pickle.loads(pickle.dumps(cg_job))
    assert again.evaluate().metrics == cg_job.evaluate().metrics
    mesh = {"kind": "mesh", "axes": [{"name": "X", "size": 64}]}
    content = {"schema": "haichi-machine/1", "topology": mesh, "link": {"bandwidth": "1GB/s"}}
    assert haichi.Job(cg64, content).nodes == 64
    for options, words in (({"shape": "1x2"}, "shape"), ({"shap": "1x2"}, "did you mean 'shape'"), ({"ppn": 0}, "ppn")):
        with pytest.raises((haichi.OptionError, TypeError), match=words):
            haichi.Job(cg64, "fx10-kyushu", **options)


def test_a_wrong_type_is_refused_by_the_name_of_the_parameter(cg64) -> None:
    def job(**options: object) -> haichi.Job:
        return haichi.Job(cg64, "torus:8x8", **options)  # type: ignore[arg-type]

    for shape in ([], [True, 8]):
        with pytest.raises(haichi.OptionError, match="^shape: "):
            job(shape=shape)
    with pytest.raises(haichi.InputError, match="nodes must be an array of whole numbers: its rows differ in length"):
        job(nodes=[[0, 0], [5]])
    with pytest.raises(haichi.InputError, match="faulty must contain node numbers, not bools"):
        job(faulty=np.array([False] * 63 + [True]))
    with pytest.raises(TypeError, match="nodes must be a file, names, numbers or coordinates, not 5"):
        job(nodes=5)
    with pytest.raises(TypeError, match="progress must be a function"):
        job().optimize("tac3", progress=5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="progress must be a function"):
        job().simulate(progress=5)  # type: ignore[arg-type]
    with pytest.raises(haichi.OptionError, match="shapes must contain shapes, not None"):
        haichi.jobs(cg64, "torus:8x8", ["8x8", None])  # type: ignore[list-item]
    with pytest.raises(TypeError, match="labels must be a list of texts"):
        haichi.Workload.from_messages(source=[0], destination=[1], bytes=5, labels="left")
    with pytest.raises(TypeError, match="the text of a machine file must be a str"):
        haichi.Machine.from_json(5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="jobs must contain haichi.Job"):
        haichi.compare([5])  # type: ignore[list-item]
    with pytest.raises(TypeError, match="a strategy must be a name"):
        haichi.compare(job(), strategies=[None])  # type: ignore[list-item]
