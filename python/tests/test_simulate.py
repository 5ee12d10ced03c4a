"""Simulating through the Python package."""

import csv
import importlib.util
import json
import os
import signal
import subprocess
import threading
from pathlib import Path

import numpy as np
import pytest

import haichi

# Two nodes, joined by a link of 1 GB/s. A router takes 10 ns and the cable 5 ns. Everything else takes no time.
PAIR = """{"schema": "haichi-machine/1", "name": "pair",
 "topology": {"kind": "torus", "axes": [{"name": "X", "size": 2}]},
 "link": {"bandwidth": "1GB/s", "cable_latency": "5ns"}, "router": {"switch_latency": "10ns"},
 "packet": {"payload": "1000B"}, "node": {"eager_limit": "2000B", "barrier": "1us", "mpi_call_overhead": "1us"}}"""
SHAPE = {"machine": "fx10-kyushu", "shape": "1x2x4x2x3x2"}
PROGRAM_JOB = ["-m", "fx10-kyushu", "--shape", "1x2x4x2x3x2"]


@pytest.fixture()
def pair(tmp_path: Path) -> Path:
    path = tmp_path / "pair.json"
    path.write_text(PAIR)
    return path


@pytest.fixture(scope="session")
def ping() -> haichi.Workload:
    return haichi.Workload.from_messages([0], [1], [1000], iterations=3, labels=["ping"], compute_seconds=[1e-6])


@pytest.fixture(scope="session")
def endless() -> haichi.Workload:
    """A workload whose first iteration does not end during a test."""
    return haichi.Workload.from_pattern("cg", ranks=64, bytes=2**36)


def program(*arguments: object, cwd: Path) -> str:
    binary = os.environ.get("HAICHI_BIN")
    if not binary:
        pytest.skip("HAICHI_BIN does not name the program")
    run = subprocess.run([binary, *map(str, arguments)], cwd=cwd, text=True, capture_output=True, timeout=120)
    assert run.returncode == 0, run.stderr
    return run.stdout


def test_times_follow_from_the_machine_file(pair, ping) -> None:
    run, with_barriers = haichi.Job(ping, pair).simulate(barrier="both").runs
    # The latencies are 15 and 10 ns, and the transfer takes 1 us.
    flight = 25e-9 + 1e-6
    assert run.compute_seconds.tolist() == [3e-6, 3e-6]
    assert run.call_seconds.tolist() == [6e-6, 6e-6]
    # The receiver computes while the last message is under way, and then waits for the rest of its flight.
    assert run.end_seconds.tolist() == [pytest.approx(9e-6), pytest.approx(3 * 3e-6 + flight - 1e-6)]
    np.testing.assert_allclose(
        run.compute_seconds + run.call_seconds + run.wait_seconds, run.end_seconds, rtol=1e-12, atol=0
    )
    assert run.seconds == run.end_seconds.max() == 3 * run.seconds_per_iteration
    assert (run.barrier, with_barriers.barrier) == ("none", "sets")
    assert with_barriers.seconds == pytest.approx(3 * (1e-6 + 1e-6 + 1e-6 + flight), rel=1e-12)
    assert (run.payload_bytes, run.packets, run.packet_hops, run.links, run.used_links) == (3000, 3, 6, 2, 1)
    assert (run.simulated_iterations, run.iterations, run.extrapolated, run.settled_by_mean) == (3, 3, False, False)
    assert run.most_loaded_links[0] == ("X+ (0)->(1)", 3000, run.used_link_efficiency)


def test_buffers_that_hold_links_back_are_logged(ping, caplog) -> None:
    small = json.loads(PAIR)
    small["router"]["buffer"] = "1 packet"
    job = haichi.Job(ping, small)
    reached = "a virtual channel carries 0.971 GB/s of its link's 1 GB/s"
    told = f"pair: with buffers of 1 packet, {reached}; use 2 packets or more"
    asks = (
        job.simulate,
        lambda: job.evaluate(simulate=True),
        job.advise_barrier,
        lambda: haichi.compare(job, strategies=["default", "random"], simulate=True, processes=2),
    )
    for ask in asks:
        caplog.clear()
        ask()
        assert [(record.levelname, record.getMessage()) for record in caplog.records] == [
            ("WARNING", f"{told} ('router.buffer')")
        ]
    caplog.clear()
    job.evaluate()
    haichi.Job(ping, json.loads(PAIR)).simulate()
    assert not caplog.records


def test_arrays_are_float64_and_read_only(pair, ping) -> None:
    result = haichi.Job(ping, pair).simulate()
    for array in (result.compute_seconds, result.call_seconds, result.wait_seconds, result.end_seconds):
        assert array.dtype == np.float64 and array.shape == (2,)
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    with pytest.raises(ValueError, match="read-only"):
        result.placement.node_of_rank[0] = 1


def test_the_times_of_a_single_run_stand_in_the_result_too(pair, ping) -> None:
    result = haichi.Job(ping, pair).simulate(sim_iterations=2)
    (run,) = result.runs
    for name in ("seconds", "seconds_per_iteration", "simulated_iterations", "extrapolated", "settled_by_mean"):
        assert getattr(result, name) == getattr(run, name)
    assert result.end_seconds is run.end_seconds and result.most_loaded_links is run.most_loaded_links
    assert (result.simulated_iterations, result.extrapolated, result.interrupted) == (2, True, False)
    with pytest.raises(AttributeError, match="found 2: use runs"):
        _ = haichi.Job(ping, pair).simulate(barrier="both").seconds


def test_the_report_is_the_programs_to_the_byte(pair, ping, tmp_path: Path) -> None:
    ping.write(tmp_path / "ping.json")
    job = ["simulate", "-m", pair, "-w", "ping.json", "--json", "--no-timing"]
    ours = haichi.Job(ping.with_message_size("2KiB"), pair).simulate(barrier="both", most_loaded=1)
    theirs = program(*job, "--barrier", "both", "--message-size", "2KiB", "--most-loaded", 1, cwd=tmp_path)
    assert ours.to_json(timing=False) == theirs
    assert ours.to_dict(timing=False) == json.loads(theirs)
    assert len(ours.to_dict()["runs"][0]["most_loaded_links"]) == 1
    assert {"wall_seconds", "packet_hops_per_second"} <= set(ours.to_dict()["runs"][0])


def test_what_stays_on_a_node_is_counted_apart(pair) -> None:
    workload = haichi.Workload.from_matrix(np.array([[10, 100, 0, 0], [0, 0, 1000, 0], [0, 0, 0, 0], [0, 0, 0, 5]]))
    run = haichi.Job(workload, pair, ppn=2).simulate().run
    assert (run.payload_bytes, run.packets, run.on_node_bytes) == (1000, 1, 115)
    alone = haichi.Job(workload, "torus:4").simulate().run  # packets of 256 bytes
    assert (alone.payload_bytes, alone.packets, alone.on_node_bytes) == (1100, 1 + 4, 15)


def test_a_placement_is_a_map_and_threads_and_partitions_change_nothing(cg64, on_shape_1, tmp_path: Path) -> None:
    job = haichi.Job(cg64.with_message_size(65536), **on_shape_1)
    found = job.optimize()
    found.write(tmp_path / "cg64.map")
    cg64.write(tmp_path / "cg64.json")
    maps = [found, found.node_of_rank, found.node_of_rank.tolist(), tmp_path / "cg64.map"]
    results = [job.simulate(given, sim_iterations=12) for given in maps]
    results += [job.simulate(found, sim_iterations=12, threads=n) for n in (2, 3)]
    results += [job.simulate(found, sim_iterations=12, partitions=n) for n in (1, 7)]
    texts = {result.to_json(timing=False) for result in results}
    words = [*PROGRAM_JOB, "-w", "cg64.json", "--map", "cg64.map", "--message-size", "64KiB", "--sim-iterations", 12]
    assert len(texts) == 1
    default = job.simulate(sim_iterations=12)
    assert default.placement.is_default and not results[0].placement.is_default
    assert results[0].seconds < default.seconds
    assert texts == {program("simulate", *words, "--json", "--no-timing", cwd=tmp_path)}


def test_workloads_come_in_every_form() -> None:
    scipy_sparse = pytest.importorskip("scipy.sparse")
    networkx = pytest.importorskip("networkx")
    matrix = np.zeros((4, 4), np.int64)
    matrix[0, 1] = matrix[1, 2] = matrix[2, 3] = matrix[3, 0] = 10_000
    graph = networkx.DiGraph((i, (i + 1) % 4, {"weight": 10_000}) for i in range(4))
    forms = [matrix, scipy_sparse.csr_array(matrix), graph, haichi.Workload.from_matrix(matrix)]
    texts = {haichi.Job(form, "torus:4").simulate().to_json(timing=False) for form in forms}
    assert len(texts) == 1


def test_evaluate_says_what_simulate_says(cg64, cg_job, cg_found, tmp_path: Path) -> None:
    placement = cg_found
    found = cg_job.evaluate(placement, simulate=True)
    assert found.simulated is not None and found.simulated.default is not None
    alone = cg_job.simulate(placement)
    default = cg_job.simulate()
    assert found.simulated.run.seconds == alone.seconds < found.simulated.default.seconds == default.seconds
    np.testing.assert_array_equal(found.simulated.run.wait_seconds, alone.wait_seconds)
    assert found.simulated.run.most_loaded_links == alone.most_loaded_links
    assert found.report["simulated"]["seconds"] == alone.seconds
    assert "simulated=" in repr(found)
    assert cg_job.evaluate(placement).simulated is None
    cg64.write(tmp_path / "cg64.json")
    cg_found.write(tmp_path / "cg64.map")
    job = [*PROGRAM_JOB, "-w", "cg64.json", "--map", "cg64.map"]
    theirs = json.loads(program("evaluate", *job, "--simulate", "--json", cwd=tmp_path))
    assert theirs["simulated"] == found.report["simulated"]


def test_statistics_are_the_programs_with_times_as_text_or_seconds(pair, ping, tmp_path: Path) -> None:
    ping.write(tmp_path / "ping.json")
    for name, span in (("text.csv", "1us"), ("seconds.csv", 1e-6)):
        haichi.Job(ping, pair).simulate(statistics=haichi.LinkStatistics(tmp_path / name, span))
    rows = list(csv.DictReader((tmp_path / "text.csv").read_text().splitlines()))
    assert sum(int(row["bytes"]) for row in rows if row["channel"] == "X+ (0)->(1)") == 3000
    program("simulate", "-m", pair, "-w", "ping.json", "--stats", "p.csv", "--stats-bin", "1us", cwd=tmp_path)
    texts = {(tmp_path / name).read_text() for name in ("text.csv", "seconds.csv", "p.csv")}
    assert len(texts) == 1


def test_measured_and_compared_placements_are_simulated_with_the_same_spread(pair, ping) -> None:
    job, spread = haichi.Job(ping, pair), {"compute_spread": "20us", "compute_spread_seed": 3}
    run = job.simulate(**spread).run
    assert job.evaluate(simulate=True, **spread).report["simulated"]["seconds"] == run.seconds
    compared = haichi.compare([job], strategies="default", simulate=True, barrier="none", **spread)
    assert compared.to_dict()["cells"][0]["simulated"]["none"]["seconds"] == run.seconds
    with pytest.raises(haichi.OptionError, match="compute_spread requires simulate"):
        job.evaluate(compute_spread="20us")


def test_a_buffer_history_tells_each_packet_of_its_router_and_time(pair, ping, tmp_path: Path) -> None:
    path = tmp_path / "packets.csv"
    haichi.Job(ping, pair).simulate(history=haichi.BufferHistory(path, 1))
    rows = list(csv.DictReader(path.read_text().splitlines()))
    assert [float(row["arrival_seconds"]) for row in rows] == pytest.approx([2.015e-6, 5.015e-6, 8.015e-6])
    haichi.Job(ping, pair).simulate(history=haichi.BufferHistory(path, 0, "3us", 6e-6, "500ns"))
    rows = list(csv.DictReader(path.read_text().splitlines()))
    assert [(row["interval"], row["from"]) for row in rows] == [("3", "injection (0)")]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"barrier": "set"}, "barrier: unknown value 'set'"),
        *[({"sim_iterations": value}, "sim_iterations") for value in (0, -1, "some", 2.5)],
        ({"compute_spread": "5%/1ms"}, "expected the length of an interruption"),
        ({"compute_spread_seed": 2}, "compute_spread_seed requires compute_spread"),
        ({"threads": 0}, "threads"),
        ({"threads": 2**40}, "threads"),
        ({"partitions": -1}, "partitions"),
        ({"partitions": 2**20}, "partitions"),
        ({"partitions": True}, "whole number"),
        ({"most_loaded": -1}, "most_loaded"),
        ({"history": haichi.BufferHistory("x.csv", 2)}, "invalid router: 2"),
        ({"history": haichi.BufferHistory("x.csv", -1)}, "router"),
        ({"history": haichi.BufferHistory("x.csv", 1, interval=0)}, "history_interval"),
        ({"history": haichi.BufferHistory("x.csv", 1, "2us", "1us")}, "ends before"),
        ({"statistics": haichi.LinkStatistics("x.csv", float("nan"))}, "stats_bin"),
        ({"statistics": haichi.LinkStatistics("x.csv", "1 fortnight")}, "stats_bin"),
        ({"statistics": haichi.LinkStatistics("x.csv", 1e9)}, "stats_bin"),
        ({"statistics": haichi.LinkStatistics("x.csv"), "barrier": "both"}, "cannot be combined with barrier both"),
        ({"placement": [0, 5]}, "5"),
        ({"placement": [[0, 1]]}, "1D"),
        ({"placement": [0, 2**40]}, "2\\^31"),
    ],
)
def test_wrong_arguments_are_refused(pair, ping, tmp_path: Path, monkeypatch, options, words) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises((haichi.OptionError, haichi.InputError), match=words):
        haichi.Job(ping, pair).simulate(**options)


def test_files_that_cannot_be_read_or_written_are_named(pair, ping, tmp_path: Path) -> None:
    with pytest.raises(haichi.InputError, match="missing.map"):
        haichi.Job(ping, pair).simulate(tmp_path / "missing.map")
    with pytest.raises(haichi.OptionError, match="cannot write"):
        haichi.Job(ping, pair).simulate(statistics=haichi.LinkStatistics(tmp_path / "missing" / "x.csv"))


def interrupt_soon() -> threading.Timer:
    timer = threading.Timer(0.5, signal.raise_signal, [signal.SIGINT])
    timer.start()
    return timer


def test_ctrl_c_ends_a_simulation_with_what_is_known(endless) -> None:
    timer = interrupt_soon()
    result = haichi.Job(endless, **SHAPE).simulate(barrier="both")
    timer.join()
    assert result.interrupted and len(result.runs) == 1
    assert result.to_dict()["interrupted"] is True
    assert result.runs[0].interrupted and result.simulated_iterations == 0
    assert result.seconds == result.runs[0].simulated_seconds > 0
    assert result.runs[0].packet_hops > 0
    assert "interrupted" in repr(result)


def test_ctrl_c_ends_the_simulation_behind_evaluate(endless) -> None:
    timer = interrupt_soon()
    result = haichi.Job(endless, **SHAPE).evaluate(np.arange(64)[::-1], simulate=True)
    timer.join()
    assert result.interrupted and result.value > 0
    assert result.simulated is not None and result.simulated.run.interrupted and result.simulated.default is None


def test_progress_is_told_in_the_callers_thread_and_its_errors_end_the_run(endless) -> None:
    told: list[haichi.SimulationProgress] = []

    def show(progress: haichi.SimulationProgress) -> None:
        assert threading.current_thread() is threading.main_thread()
        told.append(progress)
        if len(told) == 2:
            raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        haichi.Job(endless, **SHAPE).simulate(progress=show)
    assert len(told) == 2
    assert told[0].iterations_done == 0 and told[0].iterations == 1000
    assert 0 < told[0].simulated_seconds < told[1].simulated_seconds
    assert 0 < told[0].packet_hops < told[1].packet_hops
    assert told[1].packet_hops_per_second > 0


def test_a_ctrl_c_that_arrives_in_the_progress_keeps_what_is_known(endless) -> None:
    def interrupt(progress: haichi.SimulationProgress) -> None:
        signal.raise_signal(signal.SIGINT)

    result = haichi.Job(endless, **SHAPE).simulate(progress=interrupt)
    assert result.interrupted and result.seconds > 0


def test_other_threads_run_during_a_simulation(endless, turns_of_others) -> None:
    def simulate() -> None:
        timer = interrupt_soon()
        haichi.Job(endless, **SHAPE).simulate()
        timer.join()

    assert turns_of_others(simulate) > 20


def test_a_result_shows_itself_in_text_and_notebooks(pair, ping) -> None:
    result = haichi.Job(ping, pair).simulate(barrier="both")
    text = repr(result)
    assert text.startswith("Simulation(default placement, ranks=2)\n  without barriers: ")
    assert "3 of 3 simulated" in text and "with a barrier before every set" in text
    table = result._repr_html_()
    assert table.count("<tr>") == 3
    assert "X+ (0)-&gt;(1)" in table
    assert "3 of 3 simulated" in repr(result.runs[0])


def test_a_workload_without_messages_takes_no_time(pair) -> None:
    result = haichi.Job(haichi.Workload.from_messages([], [], [], ranks=2), pair).simulate()
    assert result.seconds == 0 and result.most_loaded_links == ()
    assert "<table>" in result._repr_html_()


def test_the_typed_script_of_a_user_runs(capsys) -> None:
    spec = importlib.util.spec_from_file_location("user_script", Path(__file__).with_name("user_script.py"))
    assert spec is not None and spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    simulated, validated = script.compare()
    # Both cases simulate two complete iterations.
    assert simulated == validated > 0
    assert script.functions_and_shapes() == 0
    assert script.research() == 8
