"""The option table: `haichi list options` prints it, and the help texts agree with it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from haichi_program import fail, haichi, succeed


@pytest.fixture(scope="module")
def commands(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    listed = json.loads(succeed("list", "options", "--json", cwd=tmp_path_factory.mktemp("list")).stdout)
    assert listed["schema"] == "haichi-options/1"
    return {command["name"]: command for command in listed["commands"]}


def test_help_of_every_command_shows_what_the_table_has(commands: dict[str, dict[str, Any]], tmp_path: Path) -> None:
    assert {"map", "run", "simulate", "compare", "advise barrier", "log show", "serve"} <= commands.keys()
    for name, command in commands.items():
        if not command["options"]:
            continue  # mgencc passes all arguments to the compiler
        run = haichi(*name.split(), "--help", cwd=tmp_path)
        shown = " ".join(word for word in run.stdout.split() if word != "\\")
        assert command["examples"].split("\n")[0] in shown, name
        for option in command["options"]:
            spelled = option["name"] if option["argument"] else "--" + option["name"]
            assert spelled in shown, (name, spelled)
            assert option["description"] in shown, (name, spelled)
            for choice in option.get("choices", []):
                assert choice in shown, (name, spelled)
            if "default" in option:
                assert f"[default: {option['default']}]" in shown, (name, spelled)
        assert "Exit codes:" in shown


@pytest.mark.parametrize("columns", [70, 80, 120])
def test_lines_of_help_fit_the_terminal(columns: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    for command in ("map", "simulate"):
        text = succeed(command, "--help", cwd=tmp_path).stdout
        assert "Examples:" in text
        assert max(map(len, text.splitlines())) <= columns


def test_an_option_of_one_name_is_of_one_kind(commands: dict[str, dict[str, Any]]) -> None:
    """Except for FILE arguments, a name has the same meaning in every command."""
    kinds: dict[str, dict[str, set[str]]] = {}
    letters: dict[str, set[str]] = {}
    for name, command in commands.items():
        for option in command["options"]:
            kinds.setdefault(option["name"], {}).setdefault(option["kind"], set()).add(name)
            if "letter" in option:
                letters.setdefault(option["letter"], set()).add(option["name"])
    assert all(len(names) == 1 for names in letters.values()), letters
    several = {name: found for name, found in kinds.items() if len(found) > 1}
    # Options may be repeated in commands with several results or workloads. `run` accepts a computation rate as a word.
    assert several.keys() <= {
        "output",
        "workload",
        "shapes",
        "ranks",
        "seeds",
        "rails",
        "RESULTS",
        "collectives",
        "barrier",
    }, several


def test_required_and_combined_options_are_checked(tmp_path: Path) -> None:
    job = ["-m", "torus:2x2", "-w", "w.json"]
    for words, error in (
        (["map", "-m", "torus:2x2"], "--workload is missing"),
        (["map", *job, "--rotations"], "--rotations requires --robust"),
        (["map", *job, "--form", "sets"], "--form requires --simulate"),
        (["map", *job, "--time", "1s", "--evaluations", "5"], "--time cannot be combined with --evaluations"),
        (["simulate", *job, "--stats-bin", "1us"], "--stats-bin requires --stats"),
        (["simulate", *job, "--history-interval", "1us"], "--history-interval requires --buffer-history"),
        (["simulate", *job, "--buffer-history", "x.csv"], "--buffer-history requires --router"),
        (["simulate", *job, "--form", "set"], "did you mean 'sets'?"),
        (["simulate", *job, "--threads", "5000"], "--threads: '5000' is too large (at most 4096)"),
        (["evaluate", *job, "--map", "m", "--most-loaded", "-1"], "--most-loaded: must not be negative"),
        (["list", "nothing"], "unknown list 'nothing'"),
    ):
        assert error in fail(2, *words, cwd=tmp_path), words


def test_simulate_says_how_a_program_runs(tmp_path: Path) -> None:
    words = fail(2, "simulate", "-m", "torus:2x2", "-n", "4", "--", "./app", "input.txt", cwd=tmp_path)
    assert "haichi run -m torus:2x2 -n 4 -- ./app input.txt" in words


def test_no_message_shows_the_library_s_sign(tmp_path: Path) -> None:
    """Messages of the library contain a placeholder for options, which the command line replaces."""
    texts = [
        fail(2, "map", "-m", "fugaku", "-w", "missing.json", "--strategy", "random", "--moves", "step", cwd=tmp_path),
        fail(2, "map", "-m", "torus:2x2", "--nodes", "n", "--shape", "1x1", "-w", "w", cwd=tmp_path),
    ]
    assert not re.search("§", "".join(texts))
