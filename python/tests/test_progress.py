"""Progress and interruption of searches, and functions as objectives."""

import functools
import signal
import threading
import time

import numpy as np
import pytest
from scipy import sparse

import haichi

LONG = {"objective": "hop-bytes", "time": 60, "threads": 1}


@pytest.fixture(scope="module")
def tasks_4096() -> sparse.csr_array:
    """Messages between neighbours among random points in a plane. The order is random, so no search reaches the
    bound."""
    rng = np.random.default_rng(1)
    places = rng.random((4096, 2))
    near = np.hypot(*(places[:, None, :] - places[None, :, :]).transpose(2, 0, 1)) < 0.025
    np.fill_diagonal(near, False)
    row, column = np.nonzero(near)
    return sparse.csr_array((np.full(len(row), 65536), (row, column)), shape=(4096, 4096))


def test_ctrl_c_half_way_keeps_the_best_placement_of_4096_tasks(tasks_4096) -> None:
    timer = threading.Timer(1.5, signal.raise_signal, [signal.SIGINT])
    timer.start()
    job = haichi.Job(tasks_4096, "torus:16x16x16")
    found = job.optimize(**LONG)
    timer.join()
    result = job.evaluate(found, all_objectives=False)
    assert found.interrupted and result.report["interrupted"] and not result.report["reproducible"]
    assert sorted(found.node_of_rank.tolist()) == list(range(4096))
    assert result.value < result.report["default"]["value"] / 2


def test_progress_comes_in_the_caller_s_thread_a_few_times_a_second(cg_job) -> None:
    heard: list[haichi.SearchProgress] = []
    threads: set[int] = set()

    def listen(progress: haichi.SearchProgress) -> None:
        heard.append(progress)
        threads.add(threading.get_ident())

    result = cg_job.optimize(**{**LONG, "time": 1}, progress=listen)
    assert threads == {threading.get_ident()}
    assert 3 <= len(heard) <= 25
    fractions = [progress.fraction_done for progress in heard]
    assert fractions == sorted(fractions) and fractions[0] >= 0 and 0.5 < fractions[-1] <= 1
    values = [progress.best_value for progress in heard]
    assert values == sorted(values, reverse=True) and values[-1] >= cg_job.evaluate(result).value
    assert all(progress.restarts >= progress.restarts_done >= 0 for progress in heard)


def test_listening_changes_no_result(cg_job) -> None:
    options = {"objective": "hop-bytes", "evaluations": 100_000, "restarts": 2}
    heard = cg_job.optimize(**options, progress=lambda progress: None)
    np.testing.assert_array_equal(heard.node_of_rank, cg_job.optimize(**options).node_of_rank)


def test_what_the_listener_raises_ends_the_search(cg_job) -> None:
    def listen(progress: haichi.SearchProgress) -> None:
        raise LookupError("seen enough")

    started = time.monotonic()
    with pytest.raises(LookupError, match="seen enough"):
        cg_job.optimize(**LONG, progress=listen)
    assert time.monotonic() - started < 20


def test_a_keyboard_interrupt_of_the_listener_keeps_the_best(cg64, cg_job) -> None:
    def listen(progress: haichi.SearchProgress) -> None:
        raise KeyboardInterrupt

    result = cg_job.optimize(**LONG, progress=listen)
    assert result.interrupted and "interrupted" in repr(result)
    measured = cg_job.evaluate(result)
    assert measured.value <= measured.report["default"]["value"]
    shapes = haichi.optimize_shapes(
        haichi.jobs(cg64, "fx10-kyushu", [cg_job.shape, "2x2x2x2x3x2"]), robust="max", **LONG, progress=listen
    )
    assert shapes.interrupted and "interrupted" in repr(shapes)


def test_searches_of_two_threads_have_listeners_of_their_own(cg_job) -> None:
    heard: dict[int, set[int]] = {}

    def run(seed: int) -> None:
        heard[seed] = set()
        cg_job.optimize(
            **{**LONG, "time": 0.6}, seed=seed, progress=lambda progress: heard[seed].add(threading.get_ident())
        )

    threads = [threading.Thread(target=run, args=(seed,)) for seed in (1, 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert heard == {seed: {thread.ident} for seed, thread in zip((1, 2), threads, strict=True)}


def hop_sum(node_of_rank: np.ndarray) -> np.int64:
    return np.abs(np.diff(node_of_rank)).sum()


@pytest.mark.parametrize("convert", [int, float, np.float32, np.int64, np.float64, np.array, np.bool_])
def test_an_objective_may_return_any_number(convert) -> None:
    def objective(node_of_rank: np.ndarray) -> object:
        return convert(hop_sum(node_of_rank))

    workload = haichi.Workload.from_pattern("ring", ranks=6)
    job = haichi.Job(workload, "mesh:6")
    found = job.optimize(objective, strategy="anneal", evaluations=200, restarts=1)
    assert job.evaluate(found).value == float(convert(hop_sum(found.node_of_rank)))


@pytest.mark.parametrize(
    ("returned", "error"),
    [(float("nan"), haichi.InputError), (np.inf, haichi.InputError), (None, TypeError), ("1", TypeError)],
)
def test_an_objective_that_gives_no_number_is_refused(returned, error) -> None:
    job = haichi.Job(haichi.Workload.from_pattern("ring", ranks=6), "mesh:6")
    for run in (job.optimize, job.evaluate):
        with pytest.raises(error):
            run(objective=lambda node_of_rank: returned)


def test_an_error_in_the_middle_of_a_search_is_raised() -> None:
    calls = 0

    def objective(node_of_rank: np.ndarray) -> float:
        nonlocal calls
        calls += 1
        if calls == 50:
            raise ZeroDivisionError("at call 50")
        return float(hop_sum(node_of_rank))

    with pytest.raises(ZeroDivisionError, match="at call 50"):
        haichi.Job(haichi.Workload.from_pattern("ring", ranks=6), "mesh:6").optimize(objective=objective, threads=2)


def test_a_placement_is_evaluated_by_a_function_too() -> None:
    workload = haichi.Workload.from_pattern("ring", ranks=6)
    result = haichi.Job(workload, "mesh:6").evaluate([5, 0, 4, 1, 3, 2], objective=hop_sum)
    assert (result.objective, result.value, result.lower_bound) == ("hop_sum", 5 + 4 + 3 + 2 + 1, None)
    partial = haichi.Job(workload, "mesh:6").evaluate(range(6), objective=functools.partial(hop_sum))
    assert partial.objective == "function"


def test_message_sizes_and_hosts_are_those_of_the_program(tmp_path) -> None:
    ring = haichi.Workload.from_pattern("ring", ranks=4, bytes=1000)
    job = haichi.Job(ring.with_message_size("2KiB"), "torus:4", hosts="n[0-3]")
    placement = job.optimize("hop-bytes")
    found = job.evaluate(placement)
    assert found.value == 4 * 2048
    placement.write(tmp_path / "hosts.map", format="openmpi")
    assert "n3" in (tmp_path / "hosts.map").read_text()
    assert placement.launch_lines("openmpi", "hosts.map").startswith("mpirun -n 4 --rankfile hosts.map ./app\n")
    assert placement.launch_lines("json") == ""
    read = job.place(tmp_path / "hosts.map", format="openmpi")
    assert job.evaluate(read, objective="hop-bytes").value == found.value
    simulated = job.simulate(read)
    assert simulated.run.payload_bytes == found.value * simulated.run.simulated_iterations
    for wrong in (-1, True, 1.0, [1], "1KX", "\udcff", 2**49):
        with pytest.raises(haichi.OptionError, match="size"):
            ring.with_message_size(wrong)
    with pytest.raises(haichi.OptionError, match="format"):
        job.place(format="openmpi")
