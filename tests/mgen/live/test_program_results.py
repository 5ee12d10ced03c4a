"""Results of a program run: the report, statistics and histories, progress, the partial result after Ctrl-C."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from live_runs import BIN, haichi, line_of, program


def report_of(run: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    assert run.returncode == 0, run.stderr
    report: dict[str, Any] = json.loads(run.stdout)
    return report


def test_the_report_splits_the_time_of_every_rank(built: Path) -> None:
    report = report_of(haichi(8, program("ring.c", built), 5000, 4, options=["--json", "--most-loaded", 200]))
    assert report["schema"] == "haichi-simulation/1" and report["node_of_rank"] == list(range(8))
    (run,) = report["runs"]
    ranks = run["ranks"]
    for r in range(8):
        parts = sum(ranks[f"{part}_seconds"][r] for part in ("compute", "call", "wait"))
        assert parts == pytest.approx(ranks["end_seconds"][r], rel=1e-12)
    assert max(ranks["end_seconds"]) == run["seconds"] == run["simulated_seconds"]
    shares = run["fractions_of_run"]
    for share, part in (("computing", "compute"), ("calls", "call"), ("waiting", "wait")):
        assert shares[share] == pytest.approx(sum(ranks[f"{part}_seconds"]) / 8 / run["seconds"])
    # Four rounds with two messages per rank, in packets of 256 bytes.
    assert run["payload_bytes"] == 8 * 4 * 2 * 5000
    assert run["packets"] == 8 * 4 * 2 * -(-5000 // 256)
    assert run["most_loaded_links"][0]["efficiency"] <= 1


def rows_of(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(path.read_text().splitlines()))


def test_statistics_and_history_of_a_program(built: Path, tmp_path: Path) -> None:
    files = ["--stats", tmp_path / "links.csv", "--stats-bin", "3us", "--buffer-history", tmp_path / "buffers.csv"]
    run = haichi(16, program("ring.c", built), 5000, options=[*files, "--router", 2, "--json", "--most-loaded", 200])
    (entry,) = report_of(run)["runs"]
    carried: dict[str, int] = {}
    rows = rows_of(tmp_path / "links.csv")
    for row in rows:
        carried[row["channel"]] = carried.get(row["channel"], 0) + int(row["bytes"])
    assert carried == {link["link"]: link["bytes"] for link in entry["most_loaded_links"]}
    assert float(rows[-1]["end_seconds"]) <= entry["seconds"]
    packets = rows_of(tmp_path / "buffers.csv")
    assert len(packets) >= 2 * -(-5000 // 256)
    assert {float(row["arrival_seconds"]) <= float(row["grant_seconds"]) for row in packets} == {True}


def test_where_the_report_goes(built: Path, tmp_path: Path) -> None:
    executable = program("barriers.c", built)
    said = "1 barriers, 0 reductions\n"
    run = haichi(3, executable, options=["--json", "-o", tmp_path / "report.json"])
    assert run.stdout == said and run.stderr == ""
    assert json.loads((tmp_path / "report.json").read_text())["runs"][0]["program"] == str(executable)
    run = haichi(3, executable, options=["-o", tmp_path / "report.txt"])
    assert run.stdout == said and "the program: " in (tmp_path / "report.txt").read_text()
    run = haichi(3, executable, options=["-o", "-"])
    assert "the program: " in run.stdout and run.stderr == said


class Progress:
    """A run whose --progress-fd is read; `at` is called for each line."""

    def __init__(self, command: list[object]) -> None:
        reads, writes = os.pipe()
        words = [BIN, "run", "--progress-fd", writes, *command]
        self.process = subprocess.Popen(
            [*map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, pass_fds=(writes,)
        )
        os.close(writes)
        self.watchdog = threading.Timer(100, self.process.kill)
        self.watchdog.start()
        self.lines = os.fdopen(reads)

    def end(self) -> tuple[int, str, str]:
        self.lines.close()
        out, err = self.process.communicate()
        self.watchdog.cancel()
        return self.process.returncode, out, err


def wait_for_ranks(process: subprocess.Popen[str], way: str = "compute") -> None:
    """Returns after the ranks have begun: starting a program takes less processor time than this."""
    if way != "compute":
        time.sleep(3)
        return
    end = time.monotonic() + 60
    while time.monotonic() < end:
        user, system = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[11:13]
        if (int(user) + int(system)) / os.sysconf("SC_CLK_TCK") > 1:
            return
        time.sleep(0.05)
    raise AssertionError("the ranks have not begun")


def test_a_second_ctrl_c_ends_a_rank_that_makes_no_calls_and_leaves_nothing(built: Path, tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    command = [BIN, "run", "-m", "torus:2", "-n", 2, "-o", report, "--", program("spin.c", built), 100]
    process = subprocess.Popen([*map(str, command)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    with process:
        wait_for_ranks(process)
        process.send_signal(signal.SIGINT)
        assert process.stderr.readline().startswith(
            "interrupted: the run ends after its current step. Press Ctrl-C again"
        )
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 130
        assert "interrupted again: the run ends now, without a result\n" in process.stderr.read()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("way", ["compute", "wait"])
def test_one_signal_ends_a_rank_that_makes_no_calls(way: str, built: Path, tmp_path: Path) -> None:
    command = [BIN, "run", "-m", "torus:2", "-n", 2, "-o", tmp_path / "report", "--", program("stuck.c", built), way]
    with subprocess.Popen([*map(str, command)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        wait_for_ranks(process, way)
        process.terminate()
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert sorted(out.splitlines()) == ["rank 0", "rank 1", "the end of rank 1"]
    said = "the run ends now, without a result, because rank 1 has not returned to MPI after its last call in main ("
    assert said + line_of("stuck.c") in err, err
    assert list(tmp_path.iterdir()) == []


def test_a_rank_that_waits_in_the_operating_system_is_named(built: Path, tmp_path: Path) -> None:
    command = [BIN, "run", "-m", "torus:2", "-n", 2, "--", program("stuck.c", built), "wait"]
    with subprocess.Popen([*map(str, command)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        warning = process.stderr.readline()
        process.kill()
    expected = "warning: rank 1 has not returned to MPI after its last call in main (" + line_of("stuck.c")
    assert warning.startswith(expected)
    assert "waits in the operating system" in warning


@pytest.mark.parametrize("to_file", [True, False])
def test_ctrl_c_tells_what_is_known(to_file: bool, built: Path, tmp_path: Path) -> None:
    where = ["-o", tmp_path / "report.json"] if to_file else []
    endless = ["--", program("barriers.c", built), 100_000_000]
    run = Progress(["-m", "torus:4x4", "-n", 16, "--json", *where, *endless])
    told = []
    for line in run.lines:
        told.append(json.loads(line))
        if len(told) == 3:
            run.process.send_signal(signal.SIGINT)
    code, out, err = run.end()
    assert code == 130 and "interrupted: the report covers the simulated part" in err, err
    assert "MPI_Finalize" not in err
    report = json.loads((tmp_path / "report.json").read_text() if to_file else out)
    (entry,) = report["runs"]
    assert report["interrupted"] and entry["interrupted"]
    assert [line["phase"] for line in told] == ["simulation"] * len(told)
    assert 0 < told[0]["simulated_seconds"] < told[1]["simulated_seconds"] <= entry["seconds"]
    assert 0 < told[0]["calls_done"] < told[1]["calls_done"] <= entry["calls"]
    assert min(entry["ranks"]["wait_seconds"]) > 0


@pytest.mark.parametrize(
    ("name", "kind", "words"),
    [("deadlock", "input", "the program is stuck"), ("refused", "unsupported", "MPI_File_open")],
)
def test_a_failure_is_a_line_of_progress(name: str, kind: str, words: str, built: Path) -> None:
    run = Progress(["-m", "torus:4x4", "-n", 3, "--", program(f"{name}.c", built)])
    *_, last = map(json.loads, run.lines)
    code, _, err = run.end()
    assert code == 2 and last["phase"] == "failed" and last["error"]["kind"] == kind
    assert words in last["error"]["message"]
    assert f"error: {last['error']['message']}\n" in err
