"""Trace replay of logs through the Python package."""

import copy
import json
import logging
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import haichi
from haichi.comparison.cell import Cell, SimulationPlan, compute_cell
from haichi.comparison.driver import compare_specs
from haichi.comparison.plan import jobs_of_files
from haichi.comparison.strategies import parse_strategy
from haichi.comparison.views import ViewRequest, placement_views

UNORDERED = Path(__file__).resolve().parents[2] / "tests" / "data" / "logs" / "open-mpi-monitoring" / "ring.0.prof"
STEPS, BYTES, COMPUTE_NS = 20, 2**20, 1_000_000
QUICK = {"strategies": ["default", "random"], "seeds": 2, "processes": 1}
COMPARE = ["compare", "-m", "torus:4", "--strategies", "default,random", "--seeds", "2", "--processes", "1", "--json"]
"""QUICK as arguments of the command line."""
Command = Callable[..., tuple[int, str, str]]
"""Type of the fixture `command` in conftest.py."""


def schedule(path: Path, order: tuple[int, ...] = (0, 1, 2, 3)) -> Path:
    """Writes a GOAL log. In each iteration, ranks compute for 1 ms and send 1 MiB along a ring in this order."""
    lines = [f"num_ranks {len(order)}"]
    for rank in range(len(order)):
        at = order.index(rank)
        before, after = order[at - 1], order[(at + 1) % len(order)]
        lines.append(f"rank {rank} {{")
        for i in range(STEPS):
            lines += [f"c{i}: calc {COMPUTE_NS}", f"r{i}: recv {BYTES}b from {before} tag 0"]
            lines += [f"s{i}: send {BYTES}b to {after} tag 0", f"r{i} requires c{i}", f"s{i} requires c{i}"]
            if i > 0:
                lines += [f"c{i} requires r{i - 1}", f"c{i} requires s{i - 1}"]
        lines.append("}")
    path.write_text("\n".join(lines) + "\n")
    return path


def tit(path: Path, step: Callable[[int], list[str]], times: int) -> Path:
    """Writes a time-independent trace of SimGrid. Four ranks repeat a step `times` times."""
    files = [path.with_name(f"{path.stem}-{rank}.txt") for rank in range(4)]
    for rank, file in enumerate(files):
        file.write_text("".join(f"{rank} {line}\n" for line in ["init", *step(rank) * times, "finalize"]))
    path.write_text("".join(f"{file.name}\n" for file in files))
    return path


def trace(path: Path) -> Path:
    """Writes a trace with messages in a ring and an all-reduce."""

    def step(rank: int) -> list[str]:
        after, before = (rank + 1) % 4, (rank - 1) % 4
        ring = [f"irecv {before} 0 4096 6", f"send {after} 0 4096 6", f"wait {before} {rank} 0"]
        return [*ring, "allreduce 65536 0 6"]

    return tit(path, step, 6)


def reductions(path: Path) -> Path:
    """Writes a trace where ranks only compute and reduce, so that the main loop has no messages."""
    return tit(path, lambda _: ["compute 1e6", "allreduce 65536 0 6"], 5)


@pytest.fixture()
def ring(tmp_path: Path) -> Path:
    return schedule(tmp_path / "ring.goal")


def program(*arguments: object, code: int = 0) -> str:
    binary = os.environ.get("HAICHI_BIN")
    if not binary:
        pytest.skip("HAICHI_BIN does not name the program")
    environment = os.environ | {"HAICHI_PYTHON": sys.executable}
    run = subprocess.run([binary, *map(str, arguments)], text=True, capture_output=True, timeout=120, env=environment)
    assert run.returncode == code, run.stderr
    return run.stderr if code else run.stdout


def test_a_job_of_a_log_is_simulated_call_by_call_unless_its_sets_are_asked_for(ring: Path) -> None:
    job = haichi.Job(ring, "torus:4")
    calls, sets = job.simulate(), job.simulate(form="sets")
    assert (calls.form, sets.form) == ("calls", "sets")
    assert calls.calls == calls.run.calls == 4 * STEPS * 3 and sets.calls == 0
    assert calls.left_out == {} and sets.left_out == {"computing": True}
    assert calls.seconds == pytest.approx(STEPS * COMPUTE_NS * 1e-9 + sets.seconds, rel=1e-3)
    shares = calls.fractions_of_run
    assert shares is not None and sets.fractions_of_run is None
    assert shares.computing == pytest.approx(STEPS * COMPUTE_NS * 1e-9 / calls.seconds, rel=1e-6)
    assert sum(shares) == pytest.approx(1, rel=1e-6)
    assert job.simulate(form="calls").to_json(timing=False) == calls.to_json(timing=False)


def test_a_workload_that_is_not_a_log_keeps_its_sets(ring: Path) -> None:
    workload = haichi.Workload.from_file(ring)
    job = haichi.Job(workload, "torus:4")
    run = job.simulate().run
    assert (run.form, run.calls, run.fractions_of_run, run.left_out) == ("sets", 0, None, {})
    sized = haichi.Job(workload.with_message_size("1KiB"), "torus:4")
    assert sized.simulate().form == "sets"
    for without in (job, sized):
        with pytest.raises(haichi.OptionError, match="calls requires a log that records the order") as error:
            without.simulate(form="calls")
        assert "use form sets, or a log that records the order of calls" in str(error.value.hint)


def test_a_log_without_order_has_sets_only() -> None:
    job = haichi.Job(UNORDERED, "torus:4")
    run = job.simulate().run
    assert run.form == "sets" and run.left_out == {"computing": True}
    with pytest.raises(haichi.OptionError, match="form calls requires a log that records the order of calls"):
        job.simulate(form="calls")


def test_the_report_is_the_programs_to_the_byte(tmp_path: Path, ring: Path) -> None:
    job = haichi.Job(ring, "torus:2x2")
    words = ["simulate", "-m", "torus:2x2", "--json", "--no-timing", "-w"]
    asked: list[tuple[dict[str, Any], list[str]]] = [
        ({}, []),
        ({"form": "sets"}, ["--form", "sets"]),
        ({"form": "sets", "barrier": "both"}, ["--form", "sets", "--barrier", "both"]),
        ({"compute": "none"}, ["--compute", "none"]),
        ({"compute": "drawn", "compute_seed": 3}, ["--compute", "drawn", "--compute-seed", "3"]),
        ({"compute_factor": 0.5, "most_loaded": 1}, ["--compute-factor", "0.5", "--most-loaded", "1"]),
    ]
    for options, arguments in asked:
        ours = job.simulate(**options)
        theirs = program(*words, ring, *arguments)
        assert ours.to_json(timing=False) == theirs
        assert ours.to_dict(timing=False) == json.loads(theirs)
    reduced = trace(tmp_path / "reduce.tit")
    algorithms = {"allreduce": "ring"}
    ours = haichi.Job(reduced, "torus:2x2").simulate(collectives=algorithms)
    assert ours.to_json(timing=False) == program(*words, reduced, "--collectives", "allreduce=ring")
    assert (
        ours.seconds
        != haichi.Job(reduced, "torus:2x2").simulate(collectives={"allreduce": "recursive-doubling"}).seconds
    )
    unordered = haichi.Job(UNORDERED, "torus:2x2").simulate()
    assert unordered.to_json(timing=False) == program(*words, UNORDERED)


def test_evaluate_says_what_simulate_says(tmp_path: Path) -> None:
    job = haichi.Job(schedule(tmp_path / "ring.goal", (0, 2, 1, 3)), "torus:4")
    placement = job.place([0, 2, 1, 3])
    for form in ("calls", "sets"):
        found = job.evaluate(placement, simulate=True, form=form)
        assert found.simulated is not None and found.simulated.default is not None
        assert found.simulated.run.form == form == found.report["simulated"]["as"]
        assert found.simulated.run.seconds == job.simulate(placement, form=form).seconds
        assert found.simulated.default.seconds == job.simulate(form=form).seconds
    assert job.evaluate(placement, simulate=True).report["simulated"]["as"] == "calls"
    with pytest.raises(haichi.OptionError, match="form requires simulate"):
        job.evaluate(placement, form="calls")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"form": "colls"}, "form: unknown value 'colls'"),
        ({"barrier": "sets"}, "barrier requires communication sets, but the calls of the log"),
        ({"sim_iterations": "all"}, "sim_iterations requires communication sets, but the calls of the log"),
        ({"compute": "maybe"}, "compute: unknown value 'maybe'"),
        ({"compute_seed": 3}, "compute_seed requires compute"),
        ({"compute_seed": -1, "compute": "drawn"}, "compute_seed"),
        ({"compute_factor": -1}, "compute_factor"),
        ({"compute_factor": float("nan")}, "compute_factor"),
        ({"collectives": {"allreduce": "rong"}}, "unknown algorithm"),
    ],
)
def test_options_that_do_not_fit_are_refused(ring: Path, options: dict[str, Any], words: str) -> None:
    with pytest.raises(haichi.OptionError, match=words):
        haichi.Job(ring, "torus:4").simulate(**options)


def test_a_log_is_read_once_and_by_copies_when_they_want_its_calls(
    ring: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    job = haichi.Job(ring.name, "torus:4")
    sent, other, grown = (pickle.loads(pickle.dumps(job)) for _ in range(3))
    monkeypatch.chdir("/")
    whole = sent.simulate().to_json(timing=False)
    schedule(ring, (0, 1, 2, 3, 4))
    with pytest.raises(haichi.InputError, match=r"ring\.goal: has 5 ranks, but had 4 when its sets were read"):
        grown.simulate()
    ring.unlink()
    with pytest.raises(haichi.InputError, match="cannot read .*ring.goal: "):
        other.simulate()
    assert other.simulate(form="sets").seconds > 0
    for read in (job, sent, copy.copy(job), copy.deepcopy(job)):
        assert read.simulate().to_json(timing=False) == whole


def test_a_log_without_sets_is_simulated_and_refused_where_sets_are_needed(tmp_path: Path) -> None:
    log = reductions(tmp_path / "reduce.tit")
    job = haichi.Job(log, "torus:2x2")
    assert job.ranks == 4
    whole = job.simulate().to_json(timing=False)
    assert whole == program("simulate", "-m", "torus:2x2", "--json", "--no-timing", "-w", log)
    refusal = program("map", "-m", "torus:2x2", "-w", log, "-o", tmp_path / "m.map", code=2)
    asked: list[Callable[[], object]] = [
        lambda: job.workload,
        job.optimize,
        job.evaluate,
        lambda: job.simulate(form="sets"),
        job.advise_barrier,
        lambda: haichi.optimize_shapes([job]),
        lambda: haichi.Workload.from_file(log),
    ]
    for ask in asked:
        with pytest.raises(haichi.UnsupportedError, match="the main loop has no messages") as error:
            ask()
        assert str(error.value) in refusal
        assert str(error.value.hint) in refusal.replace("--expand", "expand")
    with pytest.raises(haichi.UnsupportedError, match=r"reduce\.tit: the main loop has no messages"):
        haichi.compare(job, simulate=True, **QUICK)
    for copied in (pickle.loads(pickle.dumps(job)), copy.deepcopy(job)):
        assert copied.simulate().to_json(timing=False) == whole
    (alone,) = haichi.jobs(log, "torus:2x2", ["2x2"])
    assert alone.simulate(form="calls").seconds == job.simulate().seconds


def test_what_sets_of_a_log_leave_out_is_told_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    log = trace(tmp_path / "step.tit")
    told = "step.tit: 1 collective per iteration is not in the sets; to include all collectives, extract"
    job = haichi.Job(log, "torus:2x2")
    job.simulate()
    assert not caplog.records
    job.simulate(form="sets")
    job.optimize(evaluations=10, restarts=1)
    job.evaluate()
    haichi.compare(job, strategies=["default"], seeds=1, processes=1)
    pickle.loads(pickle.dumps(job)).optimize(evaluations=10, restarts=1)
    messages = [record.getMessage() for record in caplog.records]
    assert told in messages[0] and len(messages) == len(set(messages)) == 3  # the other two are warnings of the reader
    assert {record.levelname for record in caplog.records} == {"WARNING"}
    binary = os.environ.get("HAICHI_BIN")
    if not binary:
        return
    job_words = ["-m", "torus:2x2", "-w", str(log)]
    for words, times in (
        (["map", *job_words, "-o", str(tmp_path / "m.map")], 1),
        (["map", *job_words, "--simulate", "-o", str(tmp_path / "m.map")], 1),
        (["evaluate", *job_words, "--map", str(tmp_path / "m.map")], 1),
        (["simulate", *job_words], 0),
        (["simulate", *job_words, "--form", "sets"], 1),
        (["compare", *job_words, "--strategies", "default,random", "--seeds", "1", "--simulate"], 1),
    ):
        environment = os.environ | {"HAICHI_PYTHON": sys.executable}
        run = subprocess.run([binary, *words], text=True, capture_output=True, timeout=120, env=environment)
        assert run.returncode == 0, run.stderr
        assert run.stderr.count("warning: ") == 3 * run.stderr.count(told) == 3 * times, words


def test_threads_share_the_calls_of_a_job(ring: Path) -> None:
    jobs = haichi.jobs(ring, "torus:4x4", ["4x1", "2x2"])
    expected = [haichi.Job(ring, "torus:4x4", shape=job.shape).simulate().to_json(timing=False) for job in jobs]
    found: list[str] = [""] * 8

    def simulate(number: int) -> None:
        found[number] = jobs[number % 2].simulate().to_json(timing=False)

    threads = [threading.Thread(target=simulate, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == expected * 4


def test_a_result_says_that_it_is_the_whole_run(ring: Path) -> None:
    simulation = haichi.Job(ring, "torus:4").simulate()
    assert "call by call: " in repr(simulation) and "240 calls" in repr(simulation)
    assert "per iteration" not in repr(simulation)
    table = simulation._repr_html_()
    assert "call by call" in table and "240 calls" in table


def test_a_comparison_simulates_the_calls_of_logs(tmp_path: Path) -> None:
    log = schedule(tmp_path / "ring.goal", (0, 2, 1, 3))
    plain = haichi.Workload.from_pattern("random-ring", ranks=4, bytes=65536)
    jobs = {"log": haichi.Job(log, "torus:4"), "plain": haichi.Job(plain, "torus:4")}
    found = haichi.compare(jobs, simulate=True, **QUICK)
    alone = haichi.compare({"plain": jobs["plain"]}, simulate=True, **QUICK)
    of_log = [cell for cell in found.cells if cell["workload"] == "log"]
    assert {tuple(cell["simulated"]) for cell in of_log} == {("calls",)}
    for cell in of_log:
        run = jobs["log"].simulate(cell["node_of_rank"]).run
        entry = cell["simulated"]["calls"]
        assert (entry["seconds"], entry["calls"], entry["left_out"]) == (run.seconds, run.calls, {})
        assert run.fractions_of_run is not None and entry["fractions_of_run"] == run.fractions_of_run._asdict()
    # The other workload has the same results as in its own comparison.
    assert [json.loads(text) for text in _cell_texts(found)][len(of_log) :] == [
        json.loads(text) for text in _cell_texts(alone)
    ]
    assert [entry.get("as") for entry in found.to_dict()["workloads"]] == ["calls", None]
    assert "as" not in alone.to_json().split('"objectives"')[0].split('"workloads": [')[1]
    log_entry = found.summary["jobs"][0]
    assert {entry["barrier"] for entry in log_entry["strategies"]} == {"calls"}
    assert "log on all nodes: time of the whole run, by trace replay" in found.text()
    assert "plain on all nodes: time of all iterations, simulated" in found.text()
    assert "for the whole run; simulated" in log_entry["advice"] or log_entry["helps"] is not True
    found.write(tmp_path / "r.json", tmp_path / "r.csv", tmp_path / "r.html")
    assert haichi.Comparison.read(tmp_path / "r.json").to_json() == found.to_json()
    assert "simulated_seconds_calls" in (tmp_path / "r.csv").read_text().splitlines()[0]


def _cell_texts(comparison: haichi.Comparison) -> list[str]:
    cells = [dict(cell, node_of_rank=cell["node_of_rank"].tolist()) for cell in comparison.to_dict()["cells"]]
    return [json.dumps(cell) for cell in cells]


def test_a_comparison_of_the_sets_of_a_log_says_so(ring: Path) -> None:
    job = haichi.Job(ring, "torus:4")
    found = haichi.compare(job, simulate=True, form="sets", **QUICK)
    assert found.to_dict()["workloads"][0]["as"] == "sets"
    for cell in found.cells:
        assert set(cell["simulated"]) == {"none", "sets"}
        assert {entry["left_out"]["computing"] for entry in cell["simulated"].values()} == {True}
    # Nothing is simulated, and no warning appears.
    measured = haichi.compare(job, **QUICK).to_dict()
    assert "as" not in measured["workloads"][0]


def test_a_process_reads_the_log_of_a_job_once_for_all_its_cells(ring: Path, caplog: pytest.LogCaptureFixture) -> None:
    jobs = [haichi.Job(ring, "torus:4x4", shape=shape) for shape in ("4x1", "2x2")]
    other = haichi.Job(schedule(ring.with_name("other.goal"), (0, 2, 1, 3)), "torus:4")
    plan = SimulationPlan(("calls",))
    cells = [
        Cell(job._spec, parse_strategy(name), seed, simulation=plan)
        for job in (*jobs, other)
        for name in ("default", "random")
        for seed in (1, 2)
    ]
    with caplog.at_level(logging.INFO, "haichi"):
        before, *others = [compute_cell(pickle.loads(pickle.dumps(cell))) for cell in cells]
        assert {outcome["status"] for outcome in (before, *others)} == {"done"}
        placement = np.arange(4, dtype=np.int32)
        view = ViewRequest(other._spec, placement, "other", "default", 1, "before", runs=("calls",))
        placement_views([pickle.loads(pickle.dumps(view))])
    read = [record.getMessage() for record in caplog.records if record.getMessage().startswith("log ")]
    assert len(read) == 2  # one per log
    # A changed log is treated as another log.
    caplog.clear()
    ring.write_text(ring.read_text().replace(f"calc {COMPUTE_NS}", f"calc {3 * COMPUTE_NS}"))
    with caplog.at_level(logging.INFO, "haichi"):
        changed = compute_cell(pickle.loads(pickle.dumps(cells[0])))
    assert changed["simulated"]["calls"]["seconds"] > before["simulated"]["calls"]["seconds"]
    assert any(record.getMessage().startswith("log ") for record in caplog.records)


def test_calls_are_replayed_as_simulate_replays_them(tmp_path: Path, ring: Path, command: Command) -> None:
    reduced = trace(tmp_path / "reduce.tit")
    asked: list[tuple[Path, dict[str, Any], list[str]]] = [
        (ring, {"compute": "none"}, ["--compute", "none"]),
        (ring, {"compute_factor": 0.5}, ["--compute-factor", "0.5"]),
        (ring, {"compute": "drawn", "compute_seed": 3}, ["--compute", "drawn", "--compute-seed", "3"]),
        (reduced, {"collectives": {"allreduce": "ring"}}, ["--collectives", "allreduce=ring"]),
    ]
    for log, options, words in asked:
        job = haichi.Job(log, "torus:4")
        found = haichi.compare({log.name: job}, simulate=True, views=False, **options, **QUICK)
        for cell in found.cells:
            seconds = job.simulate(cell["node_of_rank"], **options).seconds
            assert cell["simulated"]["calls"]["seconds"] == seconds
        assert found.to_dict()["request"]["replay"].keys() == options.keys()
        common = [*COMPARE, "-w", log, "--no-views"]
        assert command(*common, "--simulate", *words)[:2] == (0, found.to_json())
        plain = haichi.compare({log.name: job}, simulate=True, views=False, **QUICK)
        assert "replay" not in plain.to_dict()["request"]
        assert {cell["key"] for cell in plain.cells}.isdisjoint(cell["key"] for cell in found.cells)
        code, _, messages = command(*common, *words)
        assert code == 2 and words[0] in messages


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"compute": "maybe"}, "compute: unknown value 'maybe'"),
        ({"compute_factor": -1}, "compute_factor: "),
        ({"compute_seed": 3}, "compute_seed requires compute"),
        ({"collectives": {"allreduce": "rong"}}, "unknown algorithm 'rong' for allreduce"),
        (
            {"compute": "none", "form": "sets"},
            "compute requires the calls of logs, but communication sets are simulated",
        ),
    ],
)
def test_options_of_calls_that_do_not_fit_a_comparison_are_refused(
    ring: Path, options: dict[str, Any], words: str
) -> None:
    with pytest.raises(haichi.OptionError, match=words):
        haichi.compare(haichi.Job(ring, "torus:4"), simulate=True, **options, **QUICK)


def test_cells_of_another_log_are_not_taken_over(ring: Path) -> None:
    options: dict[str, Any] = {**QUICK, "strategies": ["default"], "simulate": True, "views": False}
    first = haichi.compare(haichi.Job(ring, "torus:4"), **options)
    assert haichi.compare(haichi.Job(ring, "torus:4"), **options, earlier=first).to_json() == first.to_json()
    ring.write_text(ring.read_text().replace(f"calc {COMPUTE_NS}", f"calc {3 * COMPUTE_NS}"))
    slower = haichi.compare(haichi.Job(ring, "torus:4"), **options, earlier=first)
    before, after = (found.cells[0]["simulated"]["calls"]["seconds"] for found in (first, slower))
    assert after == pytest.approx(before + STEPS * 2 * COMPUTE_NS * 1e-9, rel=1e-6)
    assert first.cells[0]["key"] != slower.cells[0]["key"]


def test_what_no_cell_can_follow_is_an_error_at_once(ring: Path) -> None:
    job = haichi.Job(ring, "torus:4")
    with pytest.raises(haichi.OptionError, match="barrier requires communication sets, but the calls of the log"):
        haichi.compare(job, simulate=True, barrier="sets", **QUICK)
    with pytest.raises(
        haichi.OptionError, match="sim_iterations requires communication sets, but the calls of the log"
    ):
        haichi.compare(job, simulate=True, sim_iterations=3, **QUICK)
    plain = haichi.Job(np.ones((4, 4), np.int64), "torus:4")
    with pytest.raises(haichi.OptionError, match="plain: form calls requires a log that records the order of calls"):
        haichi.compare({"log": job, "plain": plain}, simulate=True, form="calls", **QUICK)
    with pytest.raises(haichi.OptionError, match="form"):
        haichi.compare(job, simulate=True, form="colls", **QUICK)


def test_a_message_size_is_about_sets(ring: Path) -> None:
    jobs = jobs_of_files([str(ring)], "torus:4", None, 1024, "", {})
    given = {"simulate": True, "strategies": ["default"], "seeds": [1], "processes": 1}
    found = compare_specs(jobs, given, views=False)
    assert set(found.cells[0]["simulated"]) == {"none", "sets"}
    assert found.to_dict()["workloads"][0]["as"] == "sets"


def test_the_program_compares_as_the_package_does(ring: Path, command: Command) -> None:
    words = [*COMPARE, "-w", ring]
    job = {ring.name: haichi.Job(ring, "torus:4")}
    assert program(*words, "--simulate") == haichi.compare(job, simulate=True, **QUICK).to_json()
    sets = haichi.compare(job, simulate=True, form="sets", **QUICK).to_json()
    assert command(*words, "--simulate", "--form", "sets")[:2] == (0, sets)
    for wrong, told in (
        (["--form", "sets"], "--form requires --simulate"),
        (["--simulate", "--form", "calls", "--message-size", "1KiB"], "--message-size"),
    ):
        code, _, messages = command(*words, *wrong)
        assert code == 2 and told in messages


def test_the_pictures_of_a_log_are_of_the_whole_run(ring: Path) -> None:
    job = haichi.Job(ring, "torus:4")
    names: Any = {"workload_name": "w", "strategy": "default", "seed": 1, "role": "before", "runs": ("calls",)}
    nodes = np.arange(4, dtype=np.int32)
    parts = [
        placement_views([ViewRequest(job=job._spec, node_of_rank=nodes, whole_run_seconds=known, **names)])
        for known in (None, job.simulate().seconds)
    ]
    assert parts[0] == parts[1]
    simulated = parts[0]["views"][0]["simulated"]
    assert list(simulated) == ["calls"]
    assert simulated["calls"]["seconds"] == job.simulate().seconds and simulated["calls"]["iterations"] == 1


def test_the_page_says_that_it_is_the_whole_run(tmp_path: Path, browser: Any) -> None:
    log = schedule(tmp_path / "ring.goal", (0, 2, 1, 3))
    found = haichi.compare(
        haichi.Job(log, "torus:4"), strategies=["default", "tac3"], seeds=1, simulate=True, processes=1
    )
    found.write(tmp_path / "r.html")
    browser.open(tmp_path / "r.html")
    assert browser.text("#simulated h3").startswith("The whole run: ")
    assert "time of the whole run, by trace replay" in browser.text("table.strategies thead")
    assert "The whole run takes " in browser.text("#bottleneck")
    assert all(browser.is_drawn("canvas.times"))
    browser.check_quiet()


def test_progress_counts_calls(ring: Path) -> None:
    told: list[haichi.SimulationProgress] = []
    haichi.Job(ring, "torus:4").simulate(progress=told.append)
    assert all(0 <= progress.calls_done <= 240 for progress in told)


def test_an_evaluation_counts_what_the_sets_of_a_log_leave_out(tmp_path: Path) -> None:
    """Each of two ranks in this Extrae trace puts 4,096 bytes, and one rank sends a message of 512 bytes."""
    lines = ["#Paraver (13/01/2024 at 09:00):60000_ns:1(2):1:2(1:1,1:1),2", "c:1:1:2:1:2"]
    for time, event in ((1000, "50000004:65:50001000:4096:50001001:1"), (1500, "50000004:0")):
        lines += [f"2:{task}:1:{task}:1:{time}:{event}" for task in (1, 2)]
    (tmp_path / "app.prv").write_text("\n".join([*lines, "3:1:1:1:1:5000:5050:2:1:2:1:5000:5400:512:0", ""]))
    job = haichi.Job(tmp_path / "app.prv", "torus:2")
    left_out = job.evaluate().left_out
    assert left_out == job.simulate().left_out
    assert left_out["one_sided_bytes"] == 4096 * left_out["one_sided_operations"] > 0
    assert haichi.Job(haichi.Workload.from_pattern("ring", ranks=2), "torus:2").evaluate().left_out == {}
