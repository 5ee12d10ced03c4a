"""Comparing strategies in batch: cells, summary, and results that survive crashes."""

import csv
import io
import json
import logging
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

import haichi
from haichi.comparison import executors
from haichi.comparison.driver import compare_specs
from haichi.comparison.plan import jobs_of_files

MACHINE, SHAPES = "torus:4x4", ["4x4", "2x4"]
STRATEGIES = ["default", "random", "hop-bytes", "tac3"]
needs_program = pytest.mark.skipif(
    "HAICHI_BIN" not in os.environ, reason="compares with the built program, which ctest names in HAICHI_BIN"
)
QUICK = {"strategies": STRATEGIES, "seeds": 3, "restarts": 1, "evaluations": 2000}


@pytest.fixture(scope="module")
def cg8() -> haichi.Workload:
    return haichi.Workload.from_pattern("cg", ranks=8, bytes=65536, iterations=20)


@pytest.fixture(scope="module")
def jobs(cg8):
    return {"cg8": haichi.jobs(cg8, MACHINE, SHAPES)}


@pytest.fixture(scope="module")
def small(jobs):
    return haichi.compare(jobs, **QUICK)


def test_there_is_a_cell_for_every_workload_shape_strategy_and_seed_in_that_order(small):
    expected = [("cg8", shape, strategy, seed) for shape in SHAPES for strategy in STRATEGIES for seed in (1, 2, 3)]
    keys = ("workload", "shape", "strategy", "seed")
    assert [tuple(cell[key] for key in keys) for cell in small.cells] == expected
    assert {cell["status"] for cell in small.cells} == {"done"}


def test_every_placement_has_every_objective(small, cg8):
    for cell in small.cells[::5]:
        measured = haichi.Job(cg8, MACHINE, shape=cell["shape"]).evaluate(cell["node_of_rank"])
        assert cell["metrics"] == measured.metrics
        values = {entry["objective"]: entry["value"] for entry in measured.report["objectives"]}
        assert {name: entry["value"] for name, entry in cell["objectives"].items()} == values
        assert {"hop-bytes", "rmatt", "tac3", "tac3-bytes", "max-link-load"} <= set(values)


def test_a_cell_is_what_optimize_finds(small, cg8):
    cell = next(c for c in small.cells if (c["shape"], c["strategy"], c["seed"]) == ("4x4", "hop-bytes", 2))
    options = {"objective": "hop-bytes", "strategy": "anneal", "seed": 2, "restarts": 1, "evaluations": 2000}
    found = haichi.Job(cg8, MACHINE, shape="4x4").optimize(**options)
    np.testing.assert_array_equal(cell["node_of_rank"], found.node_of_rank)
    assert cell["evaluations"] == found.evaluations


def test_convergence_falls_from_the_start_to_the_value(small):
    for cell in small.cells:
        if cell["objective"] is None:
            assert cell["convergence"] == []
            continue
        evaluations = [point[0] for point in cell["convergence"]]
        values = [point[1] for point in cell["convergence"]]
        assert evaluations[0] == 0
        assert evaluations == sorted(set(evaluations))
        assert values == sorted(values, reverse=True)
        assert values[-1] == cell["objectives"][cell["objective"]]["value"]


def test_any_number_of_processes_gives_the_same_file(small, jobs):
    alone = haichi.compare(jobs, **QUICK, processes=1)
    assert alone.to_json() == small.to_json()


def test_a_failed_cell_is_reported_and_ends_nothing(cg8, tmp_path):
    cg8.write(tmp_path / "cg8.json")
    found = compare_specs(
        jobs_of_files([tmp_path / "cg8.json"], "torus:4x4", ["4x4", "1x2", "9x9"], None, "", {}),
        {"strategies": ["default", "tac3"], "seeds": [1], "restarts": 1},
    )
    status = {(cell["shape"], cell["strategy"]): cell["status"] for cell in found.cells}
    assert status["4x4", "tac3"] == "done"
    assert status["1x2", "tac3"] == status["9x9", "default"] == "failed"
    assert "8 ranks" in found.failed[0]["error"]
    assert "4 cells failed" in found.text()
    assert found.summary["jobs"][1]["winner"] is None
    found.write(tmp_path / "r.json")
    assert haichi.Comparison.read(tmp_path / "r.json").to_json() == found.to_json()


def test_simulated_cells_are_what_simulate_says(cg8):
    job = haichi.Job(cg8, "fx10-kyushu", shape="1x1x1x2x3x2")
    found = haichi.compare(job, strategies=["random"], seeds=2, simulate=True)
    for cell in found.cells:
        for barrier in ("none", "sets"):
            run = job.simulate(cell["node_of_rank"], barrier=barrier).run
            assert cell["simulated"][barrier]["seconds"] == run.seconds
    assert found.summary["jobs"][0]["measure"] == "simulated_seconds"


def test_strategies_may_be_maps_that_exist(cg8, tmp_path):
    job = haichi.Job(cg8, "torus:4x4")
    job.optimize("hop-bytes", seed=7).write(tmp_path / "own.json", format="json")
    found = haichi.compare(job, strategies=[f"map:{tmp_path}/own.json", "default"], seeds=2)
    own = job.evaluate(tmp_path / "own.json")
    assert [cell["metrics"] for cell in found.cells[:2]] == [own.metrics, own.metrics]


def test_equal_seconds_are_equal(cg64, on_shape_1):
    found = haichi.compare(
        haichi.Job(cg64, **on_shape_1),
        strategies=["rmatt", "hop-bytes"],
        seeds=1,
        equal="seconds",
        time=0.5,
    )
    for cell in found.cells:
        assert 0.4 < cell["wall_seconds"] < 20
    assert found.to_dict()["cells"][0].keys().isdisjoint({"wall_seconds", "evaluations_per_second"})


def test_csv_has_a_line_per_cell(small):
    rows = list(csv.DictReader(io.StringIO(small.to_csv())))
    assert len(rows) == len(small.cells)
    for row, cell in zip(rows, small.cells, strict=True):
        assert float(row["tac3_value"]) == cell["objectives"]["tac3"]["value"]
        assert int(row["hop_bytes"]) == cell["metrics"]["hop_bytes"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"strategies": ["tac4"]}, "tac4"),
        ({"strategies": ["tac3", "tac3"]}, "duplicate strategy: 'tac3'"),
        ({"seeds": 0}, "seeds"),
        ({"equal": "hops"}, "hops"),
        ({"time": 3}, "cannot be combined with equal evaluations"),
        ({"simulate": True, "barrier": "some"}, "some"),
        ({"strategies": ["map:none.txt"]}, "none.txt"),
        ({"schedule": "papper"}, "papper"),
        ({"evaluations": -5}, "evaluations"),
        ({"restarts": -5}, "restarts"),
        ({"seeds": 50_000_000}, "seeds"),
        ({"seeds": [1.7]}, "seed"),
        ({"processes": -3}, "processes"),
        ({"dask": "x"}, "invalid address of a Dask scheduler"),
    ],
)
def test_what_is_wrong_with_all_cells_is_an_error_at_once(cg8, options, message):
    with pytest.raises((haichi.OptionError, haichi.InputError), match=message):
        haichi.compare(haichi.Job(cg8, "torus:4x4"), **options)


def test_jobs_of_a_comparison_differ_in_workload_and_shape_only(cg8, cg64, tmp_path):
    job = haichi.Job(cg8, "torus:4x4")
    wrong = [
        ([], "at least one job"),
        ([job, haichi.Job(cg8, "torus:4x4", ppn=2)], "on torus:4x4 require the same ppn, found 1 and 2"),
        ([job, haichi.Job(cg8, "torus:4x4")], "duplicate job"),
        (haichi.jobs(cg8, "torus:4x4", ["2x4", "02x4"]), "duplicate job"),
        ({"a": [job, haichi.Job(cg8.with_message_size(1), "torus:4x4", shape="4x4")]}, "'a' have different workloads"),
    ]
    for jobs, message in wrong:
        with pytest.raises(haichi.OptionError, match=message):
            haichi.compare(jobs, strategies=["default"], seeds=1)
    cg8.write(tmp_path / "cg8.json")
    files = [tmp_path / "cg8.json"]
    for shapes, given, message in (
        ([], {}, "at least one shape"),
        (["4x"], {}, "shape"),
        (["2x2", "02x2"], {}, "duplicate shape"),
        ({"cg": ["2x2"]}, {}, "'cg'"),
        (["2x2"], {"nodes": "x"}, "cannot be combined"),
        (None, {"nodes": "-"}, "standard input"),
    ):
        with pytest.raises(haichi.OptionError, match=message):
            jobs_of_files(files, "torus:4x4", shapes, None, "", given)


def test_workloads_without_names_are_numbered(cg8):
    two = [*haichi.jobs(cg8, "torus:4x4", SHAPES), haichi.Job(cg8.with_message_size(1), "torus:4x4", shape="4x4")]
    found = haichi.compare(two, strategies=["default"], seeds=1, views=False)
    named = [(cell["workload"], cell["shape"]) for cell in found.cells]
    assert named == [("workload 1", "4x4"), ("workload 1", "2x4"), ("workload 2", "4x4")]
    assert found.to_dict()["request"]["shapes"] == {"workload 1": ["4x4", "2x4"], "workload 2": ["4x4"]}


def test_nodes_may_be_a_list(cg8):
    job = haichi.Job(cg8, "torus:4x4", nodes=[3, 2, 1, 0, 7, 6, 5, 4], faulty=[[3, 3]])
    found = haichi.compare(job, strategies=["default"], seeds=1)
    assert found.cells[0]["metrics"] == job.evaluate().metrics
    assert found.to_dict()["request"]["nodes"] == [3, 2, 1, 0, 7, 6, 5, 4]


# No result is lost


def test_a_journal_is_taken_over(jobs, tmp_path, small):
    options = {**QUICK, "journal": tmp_path / "journal"}
    first = haichi.compare({"cg8": jobs["cg8"][0]}, **options)
    taken = []
    found = haichi.compare(jobs, **options, progress=lambda news: taken.append(news.taken_over))
    assert taken[-1] == len({cell["key"] for cell in first.cells}) > 1
    assert found.to_json() == small.to_json()


def test_more_seeds_take_over_what_is_done(jobs, small):
    progress = []
    options = QUICK | {"seeds": 4}
    more = haichi.compare(jobs, earlier=small, progress=progress.append, **options)
    # The comparison has two shapes, the default placement, and three strategies with three seeds.
    assert progress[0].taken_over == 2 * (1 + 3 * 3)
    assert more.to_json() == haichi.compare(jobs, **options).to_json()


def test_names_are_made_distinct(cg8, tmp_path):
    paths = [tmp_path / name for name in ("cg (2).json", "a/cg.json", "b/cg.json", "c/cg.json")]
    for path in paths:
        path.parent.mkdir(exist_ok=True)
        cg8.write(path)
    named = jobs_of_files([str(path) for path in paths], "torus:4x4", None, None, "", {})
    assert list(named) == ["cg (2)", "cg", "cg (3)", "cg (4)"]
    jobs = [haichi.Job(path, "torus:4x4") for path in paths[:2]]
    found = haichi.compare(jobs, strategies=["default"], seeds=1)
    assert [cell["workload"] for cell in found.cells] == ["cg (2)", "cg"]


def program(*arguments: object, **options) -> subprocess.Popen:
    command = [os.environ.get("HAICHI_BIN", "haichi"), *map(str, arguments)]
    environment = os.environ | {"HAICHI_PYTHON": sys.executable}
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)


@pytest.fixture
def cg16_job(tmp_path):
    """Arguments of a comparison that takes about two seconds on two processors."""
    haichi.Workload.from_pattern("cg", ranks=64, bytes=2**17, iterations=1000).write(tmp_path / "cg.json")
    job = ["compare", "-m", "fx10-kyushu", "-w", tmp_path / "cg.json", "--shapes", "1x2x4x2x3x2", "--no-views"]
    return [*job, "--strategies", "default,random,tac3", "--seeds", "4", "--simulate", "--barrier", "sets"]


def wait_for_cells(journal: Path, count: int) -> None:
    """Waits for cells in the write-ahead log, because SQLite moves entries to the database only later."""
    log = journal.with_name(f"{journal.name}-wal")
    end = time.monotonic() + 60
    while time.monotonic() < end:
        if log.exists() and log.read_bytes().count(b'{"status"') >= count:
            return
        time.sleep(0.02)
    raise AssertionError(f"{journal} has not got {count} cells")


@needs_program
def test_a_killed_and_an_interrupted_batch_go_on_where_they_stopped(cg16_job, tmp_path):
    whole = program(*cg16_job, "-o", tmp_path / "whole.json")
    out, _ = whole.communicate()
    assert whole.returncode == 0
    assert out.rstrip().splitlines()[-1].startswith("map with tac3 and a barrier before every set: ")
    assert " % less communication time than with the default placement (" in out.rstrip().splitlines()[-1]
    assert not (tmp_path / "whole.json.journal").exists()

    again = tmp_path / "again.json"
    killed = program(*cg16_job, "-o", again)
    wait_for_cells(tmp_path / "again.json.journal", 1)
    killed.kill()
    killed.communicate()
    assert not again.exists()
    with closing(sqlite3.connect(tmp_path / "again.json.journal")) as journal:  # opening it empties the write-ahead log
        assert journal.execute("SELECT count(*) FROM cells").fetchone()[0] >= 1

    stopped = program(*cg16_job, "-o", again)
    wait_for_cells(tmp_path / "again.json.journal", 3)
    stopped.send_signal(signal.SIGINT)
    _, messages = stopped.communicate()
    if stopped.returncode != 0:  # the comparison may have finished before the signal
        assert stopped.returncode == 130
        assert "run the same command again to continue" in messages
        partly = json.loads(again.read_text())
        assert partly["interrupted"] is True
        assert {cell["status"] for cell in partly["cells"]} == {"done", "missing"}

    last = program(*cg16_job, "-o", again)
    last.communicate()
    assert last.returncode == 0
    assert again.read_bytes() == (tmp_path / "whole.json").read_bytes()


@needs_program
def test_the_program_prints_what_the_package_finds(small, cg8, tmp_path):
    cg8.write(tmp_path / "cg8.json")
    run = program(
        *("compare", "-m", "torus:4x4", "-w", tmp_path / "cg8.json", "--shapes", "4x4,2x4", "--seeds", "3"),
        *("--strategies", "default,random,hop-bytes,tac3", "--restarts", "1", "--evaluations", "2000", "--json"),
    )
    out, messages = run.communicate()
    assert run.returncode == 0
    # Only the command reads the workload from a file, so only its result contains commands.
    assert re.sub('"command": "haichi map [^"]*"', '"command": null', out) == small.to_json()
    assert messages == ""


@needs_program
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["compare"], "--machine is missing"),
        (["compare", "-m", "fx10-kyuschu", "-w", "x"], "fx10-kyushu"),
        (["compare", "-m", "torus:4", "-w", "none.json"], "none.json"),
        (["compare", "-m", "torus:4", "-w", "none.json", "-o", "r.txt"], "r.txt"),
        (["compare", "-m", "torus:4", "--sedes", "3", "-w", "x"], "--sedes"),
        (["compare", "-m", "torus:4", "-w", "x", "-o", "nowhere/r.json"], "nowhere"),
        (["compare", "-m", "torus:4", "-w", "x", "--seeds", "1" * 5000], "--seeds"),
        (["compare", "-m", "torus:4", "-w", "x", "--barrier", "none"], "--simulate"),
        (["report", "none.json"], "none.json"),
        (["report", "none.json", "-o", "none.json"], "none.json"),
    ],
)
def test_wrong_usage_is_one_error(command, arguments, message):
    code, out, messages = command(*arguments)
    assert code == 2
    assert out == ""
    assert messages.startswith("error: ")
    assert message in messages


@needs_program
def test_what_lies_in_the_current_folder_is_not_imported(cg8, tmp_path):
    cg8.write(tmp_path / "cg8.json")
    for module in ("statistics", "haichi", "random"):
        (tmp_path / f"{module}.py").write_text("raise SystemExit('imported from the current folder')")
    job = ["compare", "-m", "torus:4x4", "-w", "cg8.json", "--strategies", "tac3", "--seeds", "1", "--quiet"]
    environment = os.environ | {"HAICHI_PYTHON": sys.executable}
    run = subprocess.run(
        [os.environ["HAICHI_BIN"], *job], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert (run.returncode, run.stderr) == (0, "")


@needs_program
def test_a_full_standard_output_is_one_error(cg8, tmp_path):
    cg8.write(tmp_path / "cg8.json")
    job = ["compare", "-m", "torus:4x4", "-w", str(tmp_path / "cg8.json"), "--strategies", "default", "--seeds", "1"]
    environment = os.environ | {"HAICHI_PYTHON": sys.executable}
    with open("/dev/full", "w") as full:
        run = subprocess.run(
            [os.environ["HAICHI_BIN"], *job],
            env=environment,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert run.returncode == 2
    assert run.stderr.startswith("error: cannot write standard output")


@needs_program
def test_the_program_says_what_to_install_for_its_python_commands(tmp_path):
    (tmp_path / "python").symlink_to("/bin/false")
    run = subprocess.run(
        [os.environ["HAICHI_BIN"], "compare"],
        env=os.environ | {"HAICHI_PYTHON": str(tmp_path / "python")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 2
    assert "requires the Python package haichi" in run.stderr
    assert "pip install" in run.stderr


def children_computing_cells() -> list[int]:
    found = subprocess.run(
        ["ps", "-ww", "-o", "pid=,args=", "--ppid", str(os.getpid())], capture_output=True, text=True, check=True
    )
    return [int(line.split()[0]) for line in found.stdout.splitlines() if "haichi.comparison.worker" in line]


def test_a_process_that_dies_costs_nothing_and_is_told(cg8, caplog):
    job = haichi.Job(cg8, "fx10-kyushu", shape="1x1x1x2x3x2")
    options = {"strategies": ["random", "tac3"], "seeds": 4}
    deaths = 0

    def kill_one(news: haichi.ComparisonProgress) -> None:
        nonlocal deaths
        if news.cells_done == 2 and deaths == 0:
            os.kill(children_computing_cells()[0], signal.SIGKILL)
            deaths += 1

    with caplog.at_level(logging.INFO, logger="haichi"):
        found = haichi.compare(job, **options, simulate=True, processes=2, progress=kill_one)
    assert deaths == 1
    told = [record.getMessage() for record in caplog.records]
    assert [line.endswith("ended with SIGKILL; haichi computes it once more") for line in told].count(True) == 1
    assert found.to_json() == haichi.compare(job, **options, simulate=True, processes=1).to_json()


def test_dask_workers_give_the_same_file_and_a_killed_one_loses_nothing(cg8, tmp_path):
    distributed = pytest.importorskip("distributed")
    job = haichi.Job(cg8, "fx10-kyushu", shape="1x1x1x2x3x2")
    options = {"strategies": ["random", "tac3"], "seeds": 6}
    here = haichi.compare(job, **options, simulate=True)
    silent = {"silence_logs": 50, "dashboard_address": None}
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, **silent) as cluster,
        distributed.Client(cluster) as client,
    ):
        address = cluster.scheduler_address
        assert haichi.compare(job, **options, simulate=True, dask=address).to_json() == here.to_json()
        workers = list(client.run(os.getpid).values())
        killed = []

        def kill_one(news: haichi.ComparisonProgress) -> None:
            if news.cells_done == 2 and not killed:
                os.kill(workers[0], signal.SIGKILL)
                killed.append(workers[0])

        found = haichi.compare(job, **options, simulate=True, dask=address, progress=kill_one)
        assert killed
        assert found.to_json() == here.to_json()


def test_a_result_that_was_lost_with_its_worker_is_waited_for_again(monkeypatch):
    distributed = pytest.importorskip("distributed")
    lost = []

    class AsCompleted(distributed.as_completed):
        """The first result is lost before it is read, and arrives again a little later."""

        def __next__(self):
            future = super().__next__()
            if not lost:
                lost.append(future)
                future._state.lose()
                self.loop.add_callback(self.loop.call_later, 0.2, future._state.finish)
            return future

    monkeypatch.setattr(distributed, "as_completed", AsCompleted)
    silent = {"silence_logs": 50, "dashboard_address": None}
    with distributed.LocalCluster(n_workers=1, threads_per_worker=1, processes=False, **silent) as cluster:
        workers = executors.DaskWorkers(cluster.scheduler_address)
        try:
            assert sorted(workers.run(abs, [-1, -2, -3])) == [(0, 1), (1, 2), (2, 3)]
        finally:
            workers.close()
    assert lost
