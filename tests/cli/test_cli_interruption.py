"""INT, TERM and HUP at a few moments of every command that writes a file. interruption.py covers more moments."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
from haichi_program import BIN, JOB, start_until, succeed
from interruption import (
    CASES,
    LONG_SEARCH,
    OLD,
    SIGNALS,
    Case,
    interrupt,
    make_inputs,
    seconds_of,
    wait_for_begin,
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("interruption")
    make_inputs(made, python=False)
    return made


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_an_interruption_leaves_the_old_output_or_a_whole_new_one(folder: Path, case: Case) -> None:
    seconds = seconds_of(case, folder)
    for number, part in zip(SIGNALS, (0.3, 0.6, 0.9), strict=True):
        outcome = interrupt(case, folder, number, part * seconds)
        assert outcome.wrong == [], (number, part)


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_that_comes_twice_at_once_is_one(folder: Path, number: signal.Signals) -> None:
    """timeout(1) signals twice: the program, and then its process group."""
    outcome = interrupt(CASES[0], folder, number, 0.5, twice=True)
    assert (outcome.code, outcome.what, outcome.wrong) == (130, "new", [])


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_ends_a_command_that_waits_for_its_input(tmp_path: Path, number: signal.Signals) -> None:
    (tmp_path / "out").write_text(OLD)
    os.mkfifo(tmp_path / "never-written")
    waiting = {
        "convert": [*JOB, "-t", "json", "--map"],
        "map": [*JOB, "--workload"],
        "simulate": [*JOB, "--workload"],
        "advise": ["shape", "-m", "fx10-kyushu", "--workload"],
    }
    for command, arguments in waiting.items():
        for file in ("-", "never-written"):
            reader, writer = os.pipe()
            words = [BIN, command, *arguments, file, "-o", "out"]
            run = subprocess.Popen(words, cwd=tmp_path, stdin=reader, preexec_fn=default_signals)
            wait_for_begin(run)
            time.sleep(0.05)  # the program then waits for its input
            run.send_signal(number)
            assert run.wait(timeout=20) == 130, command
            for end in (reader, writer):
                os.close(end)
            assert (tmp_path / "out").read_text() == OLD
            assert sorted(path.name for path in tmp_path.iterdir()) == ["never-written", "out"]


@pytest.mark.parametrize("number", SIGNALS)
@pytest.mark.parametrize("option", ["--checkpoint", "--start"])
def test_a_signal_ends_a_search_that_has_no_result_yet(tmp_path: Path, number: signal.Signals, option: str) -> None:
    """The search waits for a pipe before it has a placement. The signal once only set a flag."""
    (tmp_path / "out").write_text(OLD)
    os.mkfifo(tmp_path / "never-written")
    succeed("pattern", "ring", "--ranks", 4, "-o", "ring.json", cwd=tmp_path)
    words = ["map", "-m", "torus:4", "-w", "ring.json", "--time", "1s", option, "never-written", "-o", "out"]
    run = subprocess.Popen([BIN, *words], cwd=tmp_path, preexec_fn=default_signals)
    wait_for_begin(run)
    end = time.monotonic() + 60
    while not has_opened_output(run, tmp_path):  # the outputs are opened when the inputs have been read
        assert time.monotonic() < end
        time.sleep(0.01)
    run.send_signal(number)
    assert run.wait(timeout=20) == 130
    assert (tmp_path / "out").read_text() == OLD
    assert sorted(path.name for path in tmp_path.iterdir()) == ["never-written", "out", "ring.json"]


def has_opened_output(run: subprocess.Popen[bytes], folder: Path) -> bool:
    """An output has no name before it is complete, or a temporary one."""
    files = [os.readlink(link) for link in Path(f"/proc/{run.pid}/fd").iterdir() if os.path.lexists(link)]
    return any(file.startswith((f"{folder}/#", f"{folder}/.out.")) for file in files)


def default_signals() -> None:
    for number in SIGNALS:
        signal.signal(number, signal.SIG_DFL)


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_that_was_ignored_at_the_start_is_ignored(folder: Path, number: signal.Signals) -> None:
    """Examples of ignored signals are HUP under nohup, and INT in a script's background process."""

    def ignore() -> None:
        default_signals()
        signal.signal(number, signal.SIG_IGN)

    arguments = ["map", *JOB, "-w", "cg64.json", *LONG_SEARCH[:2], "--time", "700ms", "-o", "ignored.map"]
    run = subprocess.Popen([BIN, *arguments], cwd=folder, stderr=subprocess.PIPE, text=True, preexec_fn=ignore)
    for _ in range(3):
        time.sleep(0.1)
        run.send_signal(number)
    words = run.communicate(timeout=60)[1]
    assert run.returncode == 0 and "interrupted" not in words
    assert (folder / "ignored.map").read_text().count("\n") == 64
    (folder / "ignored.map").unlink()


def test_a_search_whose_moves_take_long_ends_soon(tmp_path: Path) -> None:
    """One rank has all others as partners. A move once took seconds, and the signal was polled every 2,048 moves."""
    ranks = 8_000
    messages = [[rank, 0, 1000] for rank in range(1, ranks)]
    (tmp_path / "w.json").write_text(
        json.dumps({"schema": "haichi-workload/1", "ranks": ranks, "sets": [{"messages": messages}]})
    )
    job = ["-m", "torus:20x20x20", "-w", "w.json", "--objective", "tac3", "--start", "random", "-o", "o.map"]
    run = start_until("search", "map", *job, cwd=tmp_path)
    run.send_signal(signal.SIGINT)
    began = time.monotonic()
    _, words = run.communicate(timeout=120)
    assert run.returncode == 130 and "best placement so far" in words
    assert time.monotonic() - began < 20


def test_the_threads_of_an_interrupted_search_end_with_it(folder: Path) -> None:
    run = start_until("search", *CASES[0].arguments, cwd=folder)
    run.send_signal(signal.SIGHUP)
    _, words = run.communicate(timeout=60)
    assert run.returncode == 130 and "best placement so far" in words
    (folder / "a.map").unlink()
