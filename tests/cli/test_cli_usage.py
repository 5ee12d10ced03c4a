"""Help, wrong usage and bad inputs: exit codes, errors and hints."""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path

import pytest
from haichi_program import COMMANDS, JOB, fail, succeed

# ---- help -----------------------------------------------------------------------------------------------------------


def examples_of(text: str) -> list[str]:
    lines = text.replace(" \\\n     ", "").splitlines()
    return [line.strip() for line in lines if line.startswith("  haichi ")]


def test_help_goes_to_standard_output_and_shows_an_example(tmp_path: Path) -> None:
    for arguments in [["--help"], *([command, "--help"] for command in COMMANDS)]:
        run = succeed(*arguments, cwd=tmp_path)
        assert run.stderr == ""
        assert examples_of(run.stdout), arguments
        assert "haichi " + arguments[0] in run.stdout or arguments == ["--help"]


@pytest.mark.parametrize("command", [[], ["map"], ["log", "show"], ["calibrate"]])
def test_help_is_also_a_command(tmp_path: Path, command: list[str]) -> None:
    assert succeed("help", *command, cwd=tmp_path).stdout == succeed(*command, "--help", cwd=tmp_path).stdout


@pytest.mark.parametrize(
    ("words", "error", "hint"),
    [
        (["help", "mapp"], "unknown command 'mapp'", "did you mean 'map'?"),
        (["mapp", "--help"], "unknown command 'mapp'", "did you mean 'map'?"),
        (["help", "log", "sho"], "unknown command 'sho'", "did you mean 'show'?"),
    ],
)
def test_help_of_an_unknown_command(tmp_path: Path, words: list[str], error: str, hint: str) -> None:
    text = fail(2, *words, cwd=tmp_path)
    assert error in text and hint in text


def test_every_example_of_the_help_runs(tmp_path: Path) -> None:
    texts = [
        succeed(*arguments, "--help", cwd=tmp_path).stdout
        for arguments in [["pattern"], [], ["map"], ["evaluate"], ["convert"], ["check"], ["list"]]
    ]
    lines = list(dict.fromkeys(line for text in texts for line in examples_of(text)))
    assert len(lines) >= 6
    for line in lines:
        succeed(*shlex.split(line)[1:], cwd=tmp_path)


def test_version(tmp_path: Path) -> None:
    assert re.fullmatch(r"haichi \d+\.\d+\.\d+\n", succeed("--version", cwd=tmp_path).stdout)


# ---- wrong usage ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "error", "hint"),
    [
        ([], "a command is missing", "haichi --help"),
        (["mpa"], "unknown command 'mpa'", "did you mean 'map'?"),
        (["frobnicate"], "unknown command 'frobnicate'", "commands are map,"),
        (["--jsn", "map"], "unknown option '--jsn'", ""),
        (["map", "--machin", "k"], "unknown option '--machin'", "did you mean '--machine'?"),
        (["map", "--companion", "off"], "unknown option '--companion'", "did you mean '--smoothing'?"),
        (["ccs", "--kernel=2", "x"], "unknown option '--kernel'", "did you mean '--main-loop'?"),
        (["pattern", "cg", "--ranks="], "--ranks requires a value", ""),
        (["pattern", "--bytes=", "cg"], "--bytes requires a value", ""),
        (["map", "--count-nic=false"], "--count-nic takes no value, found 'false'", "without a value, or leave it out"),
        (["list", "machines", "--json=x"], "--json takes no value, found 'x'", "without a value, or leave it out"),
        (["map", "--objectiv=tac3"], "unknown option '--objectiv'", "did you mean '--objective'?"),
        (["map", "--shape-list", "1x1", "-m", "k"], "unknown option '--shape-list'", ""),
        (["map", "--robust", "max", "-m", "k"], "--robust requires --shapes", ""),
        (["map", "--simulat"], "unknown option '--simulat'", "did you mean '--simulate'?"),
        (["simulate", "--map", "x"], "--machine is missing", ""),
        (["list", "machine"], "unknown list 'machine'", "did you mean 'machines'?"),
        (["list", "machines", "objectives"], "unexpected argument 'objectives'", ""),
        (["map"], "--machine is missing", ""),
        (["map", "-m", "k"], "--workload is missing", ""),
        (["map", "-m"], "--machine requires a value", ""),
        (["map", "-m", "k", "-m", "k", "-w", "x"], "--machine takes one value and is given once", ""),
        (["map", "-m", "", "-w", "cg64.json"], "--machine: the value is empty", ""),
        (["pattern"], "NAME is missing", "see the examples in --help"),
        (["pattern", "cgg", "--ranks", "8"], "cgg", "did you mean 'cg'?"),
        (["pattern", "cg", "--ranks", "-8"], "--ranks: must not be negative, found '-8'", ""),
        (["pattern", "cg", "--ranks", "0x8"], "'0x8'", ""),
        (["pattern", "cg", "--ranks", "0"], "--ranks: '0' is too small", ""),
        (["pattern", "cg", "--ranks", "8", "--bytes", "5GB/s"], "--bytes: unknown unit", ""),
        (["pattern", "cg", "--ranks", "8", "--class", "B"], "pattern 'cg' cannot be combined with --class", ""),
        (["pattern", "nas-cgg", "--ranks", "8"], "nas-cgg", "did you mean 'nas-cg'?"),
        (["pattern", "nas-cg", "--ranks", "8"], "requires a file for its binary log", "-o cg.haichi-log"),
        (["pattern", "nas-cg", "--ranks", "8", "--bytes", "8"], "pattern 'nas-cg' cannot be combined with --bytes", ""),
        (["pattern", "nas-cg", "--ranks", "8", "--compute-seconds", "x", "-o", "a"], "--compute-seconds: ", ""),
        (["pattern", "nas-bt", "--ranks", "30", "-o", "a"], "it requires a square number", "choose 25 or 36"),
        (["pattern", "nas-bt", "--ranks", "36", "--class", "F", "-o", "a"], "has no class 'F'", "S, W, A, B, C, D, E"),
        (["convert", "-m", "k", "--map", "x"], "--to is missing", ""),
        (["convert", "-m", "k", "--map", "x", "-t", "jsno"], "unknown rank-map format 'jsno'", "did you mean 'json'?"),
    ],
)
def test_wrong_usage_is_exit_2_with_a_hint(place: Path, arguments: list[str], error: str, hint: str) -> None:
    words = fail(2, *arguments, cwd=place)
    assert error in words
    assert hint == "" or "hint: " in words and hint in words


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["--ppn", "0"], "--ppn: '0' is too small"),
        (["--ppn", "1.5"], "--ppn: expected a whole number, found '1.5'"),
        (["--ppn", "99"], "99 ranks per node exceed the 16 rank slots"),
        (["--seed", "-1"], "--seed: must not be negative, found '-1'"),
        (["--seed", "99999999999999999999"], "--seed: '99999999999999999999' is too large"),
        (["--restarts", "0"], "--restarts: '0' is too small"),
        (["--threads", "1e3"], "--threads: expected a whole number"),
        (["--time", "10"], "--time: a unit is missing"),
        (["--time", "0s"], "--time: '0s' is too short (it must exceed 0 s)"),
        (["--time", "1s", "--evaluations", "5"], "--time cannot be combined with --evaluations"),
        (["--schedule", "pape"], "did you mean 'paper'?"),
        (["--moves", "uniform,focussed"], "did you mean 'focused'?"),
        (["--verify", "steps"], "did you mean 'step'?"),
        (["--smoothing", "much"], "--smoothing: expected a number, found 'much'"),
        (["--smoothing", "-1"], "--smoothing: '-1' is too small (at least 0)"),
        (["--objective", "tac4"], "did you mean 'tac3'?"),
        (["--strategy", "aneal"], "did you mean 'anneal'?"),
        (["--strategy", "greedy", "--start", "default"], "--start cannot be combined with --strategy greedy"),
        (["--start", "nowhere.map"], "cannot read nowhere.map: "),
        (["--format", "fujistu"], "did you mean 'fujitsu'?"),
        (["--fold", "deafult"], "did you mean 'default'?"),
        (["--routing", "dor:XYZ"], "routing order 'XYZ' leaves out axis A"),
        (["--shape", "1x2x4x2"], "has 4 numbers"),
        (["--shape", "1x2x4"], "whole units of 2x3x2 nodes, and 1 is not a multiple of 2"),
        (["--shape", "5x6x4"], "hint: use --shape 4x6x4 (96 nodes) or 6x6x4 (144 nodes)"),
        (["--origin", "9x0x0x0x0x0"], "origin 9x0x0x0x0x0"),
        (["--nodes", "n.txt"], "--nodes cannot be combined with --shape"),
        (["--message-size", "1XB"], "--message-size: unknown unit"),
        (["--require", "tac3_seconds"], "expected METRIC<=NUMBER"),
        (["--require", "tac3_second<=1"], "did you mean 'tac3_seconds'?"),
        (["--require", "tac3_seconds<=fast"], "expected a number, found 'fast'"),
        (["-o", "no/such/directory/cg.map"], "no/such/directory"),
        (["-o", "."], "is a directory"),
        (["--json", "-o", "-"], "--json cannot be combined with --output -"),
    ],
)
def test_wrong_values_of_map_are_found(place: Path, arguments: list[str], error: str) -> None:
    job = JOB[:2] if "--shape" in arguments else JOB
    assert error in fail(2, "map", *job, "-w", "cg64.json", *arguments, cwd=place)


def test_standard_input_can_be_only_one_of_the_files(place: Path) -> None:
    assert "only one" in fail(2, "evaluate", *JOB, "-w", "-", "--map", "-", cwd=place, input="")


# ---- bad inputs -----------------------------------------------------------------------------------------------------


def test_a_bad_workload_is_named_with_file_and_line(place: Path) -> None:
    (place / "bad.json").write_text('{"schema": "haichi-workload/1",\n"ranks": -4, "sets": []}')
    assert fail(2, "map", *JOB, "-w", "bad.json", cwd=place).startswith("error: bad.json:2: ")


def test_a_missing_file_and_a_directory_are_errors(place: Path) -> None:
    assert "nothing.json" in fail(2, "map", *JOB, "-w", "nothing.json", cwd=place)
    assert "." in fail(2, "map", *JOB, "-w", ".", cwd=place)


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_an_unreadable_file_is_an_error(place: Path) -> None:
    (place / "cg64.json").chmod(0)
    assert "Permission denied" in fail(2, "map", *JOB, "-w", "cg64.json", cwd=place)


def test_more_ranks_than_slots_is_an_error(place: Path) -> None:
    assert "64 ranks do not fit" in fail(2, "map", "-m", "mesh:4x4", "-w", "cg64.json", cwd=place)


def test_a_map_with_a_missing_line_speaks_of_the_scheduler(mapped: Path) -> None:
    lines = (mapped / "cg64.map").read_text().splitlines(keepends=True)
    (mapped / "short.map").write_text("".join(lines[:-1]))
    words = fail(2, "evaluate", *JOB, "-w", "cg64.json", "--map", "short.map", cwd=mapped)
    assert "63 lines for 64 ranks" in words
    assert "INVALID HOSTFILE" in words
