"""Logs of other tools on the command line."""

from __future__ import annotations

import json
import re
import resource
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from haichi_program import BIN, fail, succeed

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


@pytest.mark.parametrize("ranks", [[0], [2], [3], [0, 1], [0, 1, 2], [1, 2, 3]])
def test_traces_of_some_ranks_are_shown_and_not_simulated(tmp_path: Path, ranks: list[int]) -> None:
    """The communicators of such traces are unknown. Choosing an algorithm for an empty communicator once divided by
    0."""
    for rank in ranks:
        shutil.copy(LOGS / f"dumpi/dumpi-000{rank}.txt", tmp_path)
    log = f"dumpi-000{ranks[0]}.txt"
    assert "4 ranks" in succeed("log", "show", log, cwd=tmp_path).stdout
    missing = min({0, 1, 2, 3} - set(ranks))
    error = fail(2, "simulate", "-m", "switch:4", "-w", log, cwd=tmp_path)
    assert f"error: the trace of rank {missing} is missing" in error
    assert "put the traces of all 4 ranks into one directory" in error


def mixed_tit(path: Path, ranks: int) -> None:
    steps = [f"{r} send {(r + 1) % ranks} 7 512\n{r} recv {(r - 1) % ranks} 7 512\n" for r in range(ranks)]
    path.write_text("".join(steps) * 3)


def mixed_paraver(path: Path, ranks: int) -> None:
    head = f"#Paraver (01/01/2026 at 10:00):1000000_ns:0:1:{ranks}({','.join(['1:1'] * ranks)})\n"
    path.write_text(
        head
        + "".join(f"3:0:1:{r + 1}:1:{r}:{r}:0:1:{(r + 1) % ranks + 1}:1:{r + 5}:{r + 5}:64:1\n" for r in range(ranks))
    )


@pytest.mark.parametrize("write", [mixed_tit, mixed_paraver])
def test_a_file_of_many_ranks_fits_an_address_space_of_4_gb(tmp_path: Path, write: Callable[[Path, int], None]) -> None:
    write(tmp_path / "trace", 1500)
    run = subprocess.run(
        [BIN, "log", "show", "trace"],
        cwd=tmp_path,
        text=True,
        capture_output=True,
        timeout=120,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30)),
    )
    assert run.returncode == 0, run.stderr
    assert "1500 ranks" in run.stdout.replace(",", "").splitlines()[0]


def test_sets_of_logs_without_order_are_refused(tmp_path: Path) -> None:
    assert "not record the order of messages" in fail(2, "ccs", LOGS / "mpip/ring.4.1234.1.mpiP", cwd=tmp_path)


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
    assert [report["iterations"] for report in reports] == [5, 3]
    # The same log under two names is one job.
    succeed("ccs", logs[0], logs[0], "-o", "once.json", cwd=tmp_path)
    error = fail(2, "ccs", *logs, "-o", "both.json", cwd=tmp_path)
    assert "2 jobs" in error and "-o '%.json'" in error
    assert not (tmp_path / "both.json").exists()


def test_kernels_are_named_by_number_or_by_what_they_are(tmp_path: Path) -> None:
    log = LOGS / "tit/ring.tit"
    for choice in ["auto", "1", "bytes", "messages", "outer", "inner"]:
        succeed("ccs", log, "--main-loop", choice, "-o", f"{choice}.json", cwd=tmp_path)
        assert (tmp_path / f"{choice}.json").read_bytes() == (tmp_path / "auto.json").read_bytes()
    assert "auto, whole, bytes, messages, outer, inner" in fail(2, "ccs", log, "--main-loop", "most", cwd=tmp_path)
