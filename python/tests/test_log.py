"""Functions of the package log their decisions to the logger `haichi`, in the caller's thread."""

import logging
import threading
from pathlib import Path
from typing import Any

import pytest

import haichi


@pytest.fixture()
def ring(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)  # messages shorten long paths, so this path is short
    path = Path("ring.json")
    haichi.Workload.from_pattern("ring", ranks=8).write(path)
    return path


def entries(caplog: pytest.LogCaptureFixture, level: int) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.levelno == level]


def test_nothing_is_logged_unless_asked(ring: Path, caplog: pytest.LogCaptureFixture) -> None:
    haichi.Workload.from_file(ring)
    assert caplog.records == []


def test_the_format_of_a_file_is_told(ring: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger="haichi"):
        haichi.Workload.from_file(ring)
    assert [(record.name, record.levelname) for record in caplog.records] == [("haichi", "INFO")]
    assert entries(caplog, logging.INFO) == [f"workload '{ring}': format json, by its content"]
    assert caplog.records[0].thread == threading.get_ident()


def test_debug_holds_info(ring: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, logger="haichi"):
        haichi.Workload.from_file(ring)
    assert len(entries(caplog, logging.INFO)) == 1
    assert entries(caplog, logging.DEBUG) == [f"workload '{ring}': 8 ranks, 8 messages in 1 sets"]


def test_what_was_logged_before_an_error_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.chdir(tmp_path)
    path = Path("broken.json")
    path.write_text('{"schema": "haichi-workload/1", "ranks": 2, "sets": [')
    with caplog.at_level(logging.INFO, logger="haichi"), pytest.raises(haichi.InputError):
        haichi.Workload.from_file(path)
    assert entries(caplog, logging.INFO) == [f"workload '{path}': format json, by its content"]


def test_percent_signs_in_names_are_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.chdir(tmp_path)
    path = Path("100%d.json")
    haichi.Workload.from_pattern("ring", ranks=4).write(path)
    with caplog.at_level(logging.INFO, logger="haichi"):
        haichi.Workload.from_file(path)
    assert "100%d.json" in entries(caplog, logging.INFO)[0]


def test_a_search_tells_its_strategy_and_restarts(caplog: pytest.LogCaptureFixture) -> None:
    workload = haichi.Workload.from_pattern("cg", ranks=64)
    with caplog.at_level(logging.DEBUG, logger="haichi"):
        job = haichi.Job(workload, "torus:8x8")
        job.optimize("hop-bytes", strategy="anneal", restarts=4, evaluations=50_000)
    told = entries(caplog, logging.INFO)
    assert "strategy anneal: as requested" in told
    assert [line for line in told if line.startswith("annealing: 4 restarts on ")]
    restarts = [line for line in entries(caplog, logging.DEBUG) if line.startswith("restart ")]
    assert [line.split(":")[0] for line in restarts] == ["restart 1", "restart 2", "restart 3", "restart 4"]
    assert {record.thread for record in caplog.records} == {threading.get_ident()}


def test_a_job_is_loaded_once_whatever_is_asked_of_it(caplog: pytest.LogCaptureFixture) -> None:
    quick: dict[str, Any] = {"strategy": "anneal", "restarts": 1, "evaluations": 1000}
    with caplog.at_level(logging.DEBUG, logger="haichi"):
        job = haichi.Job(haichi.Workload.from_pattern("cg", ranks=64), "torus:8x8")
        first = job.optimize("hop-bytes", **quick)
        job.evaluate(first)
        second = job.optimize("hop-bytes", **quick)
        job.evaluate(second, objective="tac3")
    told = [record.getMessage() for record in caplog.records]
    for loaded in ("machine ", "job: 64 nodes", "hops between 64 nodes"):
        assert len([line for line in told if line.startswith(loaded)]) == 1, told
    anew = haichi.Job(job.workload, "torus:8x8")
    for placement in (first, second):
        assert (placement.node_of_rank == anew.optimize("hop-bytes", **quick).node_of_rank).all()
        assert job.evaluate(placement).report["objectives"] == anew.evaluate(placement).report["objectives"]


def test_a_simulation_tells_its_partitions(caplog: pytest.LogCaptureFixture) -> None:
    workload = haichi.Workload.from_pattern("cg", ranks=16)
    with caplog.at_level(logging.INFO, logger="haichi"):
        haichi.Job(workload, "torus:4x4").simulate(threads=2, sim_iterations=2)
    assert [line for line in entries(caplog, logging.INFO) if " 2 partitions of the machine" in line]
    with caplog.at_level(logging.INFO, logger="haichi"):
        haichi.Job(workload, "torus:4x4").simulate(partitions=5, sim_iterations=2)
    assert [line for line in entries(caplog, logging.INFO) if " 5 partitions of the machine" in line]


def test_results_do_not_depend_on_the_log(caplog: pytest.LogCaptureFixture) -> None:
    workload = haichi.Workload.from_pattern("cg", ranks=64)
    plain = haichi.Job(workload, "torus:8x8").optimize(evaluations=2000)
    with caplog.at_level(1, logger="haichi"):
        logged = haichi.Job(workload, "torus:8x8").optimize(evaluations=2000)
    assert list(plain.node_of_rank) == list(logged.node_of_rank)


def test_a_handler_that_raises_ends_the_run() -> None:
    class Refusing(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            raise ValueError("no more of this")

    logger, handler = logging.getLogger("haichi"), Refusing()
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        with pytest.raises(ValueError, match="no more of this"):
            haichi.Job(haichi.Workload.from_pattern("cg", ranks=16), "torus:4x4").optimize(evaluations=1000)
    finally:
        logger.removeHandler(handler)
        logger.setLevel(logging.NOTSET)


def test_a_comparison_tells_its_cells_and_their_failures(caplog: pytest.LogCaptureFixture) -> None:
    workload = haichi.Workload.from_pattern("cg", ranks=16)
    with caplog.at_level(logging.DEBUG, logger="haichi"):
        haichi.compare(haichi.Job(workload, "torus:4x4"), strategies=["default"], seeds=1, processes=1, views=False)
    told = entries(caplog, logging.INFO)
    assert [line for line in told if line.startswith("comparison: ")]
    assert [line for line in entries(caplog, logging.DEBUG) if line.startswith("cell ") and line.endswith(": done")]
