"""How the tests of the command line call the program, which the environment variable HAICHI_BIN names."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

BIN = os.environ["HAICHI_BIN"]
JOB = ["-m", "fx10-kyushu", "--shape", "1x2x4x2x3x2"]
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
    """Runs the program, which must fail with this code, and gives its words."""
    run = haichi(*arguments, cwd=cwd, input=input)
    assert run.returncode == code, (run.returncode, run.stdout, run.stderr)
    assert run.stdout == "" or code == 3
    words = run.stderr.splitlines()
    while words and words[0].startswith("warning: "):
        words.pop(0)  # about what was read before
    assert code == 3 or words[0].startswith("error: "), run.stderr
    return run.stderr


def check_map(node_of_rank: list[int], ranks: int, nodes: int, ppn: int = 1) -> None:
    assert len(node_of_rank) == ranks
    assert all(0 <= n < nodes for n in node_of_rank)
    assert max(node_of_rank.count(n) for n in set(node_of_rank)) <= ppn
