"""Logs of other tools on the command line."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from haichi_program import fail, succeed

LOGS = Path(__file__).parent.parent / "data" / "logs"


@pytest.mark.parametrize(
    ("file", "format_name", "ranks"),
    [
        ("tit/ring.tit", "tit", 4),
        ("open-mpi-monitoring/ring.3.prof", "open-mpi-monitoring", 4),
        ("dumpi/dumpi-0003.txt", "dumpi", 4),
        ("goal/exchange.goal", "goal", 3),
        ("mpip/ring.4.1234.1.mpiP", "mpip", 4),
        ("ipm/full.ipm.xml", "ipm", 2),
        ("ipm/banner.txt", "ipm", 4),
        ("paraver/ring.prv", "paraver", 3),
    ],
)
def test_log_show_recognises_logs_of_other_tools(tmp_path: Path, file: str, format_name: str, ranks: int) -> None:
    shown = succeed("log", "show", LOGS / file, cwd=tmp_path).stdout
    assert f"{ranks} ranks" in shown.splitlines()[0]
    assert re.search(rf"^  format +{format_name}, profile", shown, re.MULTILINE), shown


@pytest.mark.parametrize("file", ["tit/ring.tit", "dumpi/dumpi-0000.txt"])
def test_sets_are_extracted_from_traces_of_other_tools(tmp_path: Path, file: str) -> None:
    succeed("ccs", LOGS / file, "-o", "sets.json", cwd=tmp_path)
    workload = json.loads((tmp_path / "sets.json").read_text())
    assert workload["iterations"] == (5 if file.startswith("tit") else 3)
    assert [s["messages"] for s in workload["sets"]] == [[[0, 1, 512], [1, 2, 512], [2, 3, 512], [3, 0, 512]]]


def test_sets_of_logs_without_order_are_refused(tmp_path: Path) -> None:
    assert "not in which order" in fail(2, "ccs", LOGS / "mpip/ring.4.1234.1.mpiP", cwd=tmp_path)


def test_the_matrix_of_open_mpis_monitoring_becomes_a_workload(tmp_path: Path) -> None:
    succeed("log", "convert", LOGS / "open-mpi-monitoring/ring.0.prof", "-t", "csv", "-o", "matrix", cwd=tmp_path)
    rows = [line.split(",") for line in (tmp_path / "matrix").read_text().splitlines() if line and line[0].isdigit()]
    assert len(rows) == 4
    assert [int(x) for x in rows[0]] == [0, 2668, 0, 0]
    assert [int(x) for x in rows[3]] == [2564, 3, 0, 0]


def test_logs_of_several_jobs_give_a_file_of_sets_each(tmp_path: Path) -> None:
    logs = [LOGS / "tit/ring.tit", LOGS / "dumpi/dumpi-0000.txt"]
    shown = succeed("ccs", *logs, "-o", "%.json", cwd=tmp_path)
    assert shown.stdout == "" and all(f"{log}:\n" in shown.stderr for log in logs)
    for name, iterations in [("ring.tit", 5), ("dumpi-0000.txt", 3)]:
        assert json.loads((tmp_path / f"{name}.json").read_text())["iterations"] == iterations
    reports = [json.loads(line) for line in succeed("ccs", "--json", *logs, cwd=tmp_path).stdout.splitlines()]
    assert [report["log"] for report in reports] == [str(log) for log in logs]
    assert [report["repetitions"] for report in reports] == [5, 3]
    # One log named twice is one job.
    succeed("ccs", logs[0], logs[0], "-o", "once.json", cwd=tmp_path)
    error = fail(2, "ccs", *logs, "-o", "both.json", cwd=tmp_path)
    assert "2 jobs" in error and "-o '%.json'" in error
    assert not (tmp_path / "both.json").exists()


def test_kernels_are_named_by_number_or_by_what_they_are(tmp_path: Path) -> None:
    log = LOGS / "tit/ring.tit"
    for choice in ["auto", "1", "bytes", "messages", "outer", "inner"]:
        succeed("ccs", log, "--kernel", choice, "-o", f"{choice}.json", cwd=tmp_path)
        assert (tmp_path / f"{choice}.json").read_bytes() == (tmp_path / "auto.json").read_bytes()
    assert "auto, whole, bytes, messages, outer, inner" in fail(2, "ccs", log, "--kernel", "most", cwd=tmp_path)
