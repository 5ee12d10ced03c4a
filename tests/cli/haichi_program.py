"""Helpers by which the command-line tests call the program in the environment variable HAICHI_BIN."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path

BIN = os.environ["HAICHI_BIN"]
JOB = ["-m", "fx10-kyushu", "--shape", "1x2x4x2x3x2"]
QUICK = ["--objective", "tac3", "--evaluations", "500"]
"""Options of a search that takes hundredths of a second. The default search simulates for seconds."""
QUICK_AUTO = ["--message-size", "64", "--evaluations", "500"]
"""Options that keep the simulations of the default search short."""
COMMANDS = ["map", "evaluate", "simulate", "convert", "check", "list", "pattern", "log", "advise"]


def haichi(*arguments: object, cwd: Path, input: str | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [BIN, *map(str, arguments)],
        cwd=cwd,
        text=True,
        capture_output=True,
        timeout=120,
        input=input,
    )


def succeed(*arguments: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    run = haichi(*arguments, cwd=cwd)
    assert run.returncode == 0, run.stderr
    return run


def fail(code: int, *arguments: object, cwd: Path, input: str | None = None) -> str:
    """Runs the program, which must fail with this code, and returns its messages."""
    run = haichi(*arguments, cwd=cwd, input=input)
    assert run.returncode == code, (run.returncode, run.stdout, run.stderr)
    assert run.stdout == "" or code == 3
    words = run.stderr.splitlines()
    while words and words[0].startswith(("warning: ", "note: ")):
        words.pop(0)  # about input that was read before the error
    assert code == 3 or words[0].startswith("error: "), run.stderr
    return run.stderr


def start_until(phase: str, *arguments: object, cwd: Path) -> subprocess.Popen[str]:
    """Starts the program and waits until it reports progress of this phase, as a user does before pressing Ctrl-C."""
    # A shell without job control starts background processes with SIGINT ignored, and the program would inherit this.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    reader, writer = os.pipe()
    try:
        run = subprocess.Popen(
            [BIN, *map(str, arguments), f"--progress-fd={writer}"],
            cwd=cwd,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            pass_fds=[writer],
        )
    finally:
        signal.signal(signal.SIGINT, before)
        os.close(writer)
    # The program tolerates a closed pipe (test_cli_progress.py).
    with os.fdopen(reader) as lines:
        assert any(json.loads(line)["phase"] == phase for line in lines), run.communicate()
    return run


def check_map(node_of_rank: list[int], ranks: int, nodes: int, ppn: int = 1) -> None:
    assert len(node_of_rank) == ranks
    assert all(0 <= n < nodes for n in node_of_rank)
    assert max(node_of_rank.count(n) for n in set(node_of_rank)) <= ppn
