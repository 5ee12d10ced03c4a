"""Files, pipes, full disks, terminals and interruptions: no partial files and no silent loss."""

from __future__ import annotations

import json
import os
import pty
import re
import shlex
import signal
import stat
import subprocess
from pathlib import Path

import pytest
from haichi_program import BIN, JOB, QUICK, check_map, fail, start_until, succeed

# ---- outputs --------------------------------------------------------------------------------------------------------


def test_a_failing_run_leaves_no_file_and_keeps_the_old_one(place: Path) -> None:
    (place / "old.map").write_text("precious")
    before = sorted(p.name for p in place.iterdir())
    for path in ["new.map", "old.map"]:
        fail(2, "map", *JOB, "-w", "missing.json", "-o", path, cwd=place)
        fail(2, "map", "-m", "mesh:2", "-w", "cg64.json", "-o", path, cwd=place)
        fail(2, "convert", *JOB, "--map", "cg64.json", "-t", "json", "-o", path, cwd=place)
    fail(2, "pattern", "cg", "--ranks", 7, "-o", "new.json", cwd=place)
    assert sorted(p.name for p in place.iterdir()) == before
    assert (place / "old.map").read_text() == "precious"


def test_an_old_file_is_replaced_whole_and_keeps_its_mode(place: Path) -> None:
    old = place / "old.map"
    old.write_text("x" * 100000)
    old.chmod(0o640)
    succeed("map", *JOB, "-w", "cg64.json", *QUICK, "-o", "old.map", cwd=place)
    assert old.read_text().count("\n") == 64 and "x" not in old.read_text()
    assert stat.S_IMODE(old.stat().st_mode) == 0o640


@pytest.mark.parametrize(
    "arguments",
    [
        ["list"],
        ["pattern", "cg", "--ranks", "64"],
        ["map", *JOB, "-w", "cg64.json", *QUICK],
        ["map", *JOB, "-w", "cg64.json", *QUICK, "--json"],
        ["--help"],
    ],
)
def test_a_full_disk_is_noticed(place: Path, arguments: list[str]) -> None:
    with open("/dev/full", "w") as full:
        run = subprocess.run([BIN, *arguments], cwd=place, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
    assert run.returncode == 2
    assert "error: cannot write standard output: No space left on device" in run.stderr


def test_a_full_disk_behind_o_is_noticed(place: Path) -> None:
    assert "No space left" in fail(2, "map", *JOB, "-w", "cg64.json", *QUICK, "-o", "/dev/full", cwd=place)


def test_a_closed_pipe_is_quiet_and_no_success(place: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    run = subprocess.run([BIN, "list"], cwd=place, stdout=writer, stderr=subprocess.PIPE, text=True, timeout=60)
    os.close(writer)
    assert (run.returncode, run.stderr) == (2, "")


def test_a_closed_standard_output_does_not_become_the_output_file(place: Path) -> None:
    command = f"{shlex.quote(BIN)} map {shlex.join([*JOB, *QUICK])} -w cg64.json --json -o cg.map >&-"
    run = subprocess.run(["sh", "-c", command], cwd=place, capture_output=True, text=True, timeout=60)
    assert run.returncode == 2
    assert "Bad file descriptor" in run.stderr
    assert re.fullmatch(r"(\(\d+,\d+,\d+\)\n){64}", (place / "cg.map").read_text())


# ---- terminals ------------------------------------------------------------------------------------------------------


def words_on_a_terminal(place: Path, **environment: str) -> str:
    ours, theirs = pty.openpty()
    run = subprocess.Popen(
        [BIN, "map", *JOB, "-w", "cg64.json", "--objective", "hop-bytes", "--time", "1s", "--require", "value<=0"],
        cwd=place,
        stdout=subprocess.DEVNULL,
        stderr=theirs,
        env={**os.environ, "TERM": "xterm", "NO_COLOR": "", **environment},
    )
    os.close(theirs)
    text = b""
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:
            break
        if not piece:
            break
        text += piece
    os.close(ours)
    assert run.wait(timeout=60) == 3
    return text.decode()


def test_a_terminal_gets_a_progress_bar_with_the_best_value_and_colours(place: Path) -> None:
    words = words_on_a_terminal(place)
    assert re.search(r"\r\[#*\.*\] \d+%  best hop-bytes [\d.e+]+", words)
    assert "\x1b[1;31merror:\x1b[0m" in words


def test_no_color_is_respected(place: Path) -> None:
    words = words_on_a_terminal(place, NO_COLOR="1")
    assert "error: required" in words
    assert not re.search(r"\x1b\[[\d;]*m", words)


def test_a_dumb_terminal_gets_plain_words(place: Path) -> None:
    words = words_on_a_terminal(place, TERM="dumb")
    assert "\x1b" not in words and "%  best" not in words


# ---- interruption ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_search_gives_the_best_so_far(place: Path, number: signal.Signals) -> None:
    search = ["--objective", "hop-bytes", "--evaluations", "99999999999"]
    run = start_until("search", "map", *JOB, "-w", "cg64.json", *search, "--json", "-o", "cg.map", cwd=place)
    run.send_signal(number)
    out, err = run.communicate(timeout=60)
    assert run.returncode == 130
    report = json.loads(out)
    assert report["interrupted"] is True and report["reproducible"] is False
    check_map(report["node_of_rank"], 64, 96)
    assert report["value"] <= report["default"]["value"]
    assert (place / "cg.map").read_text().count("\n") == 64
    assert "interrupted" in err
    assert sorted(p.name for p in place.iterdir()) == ["cg.map", "cg64.json"]
