"""Help and errors of the commands in Python have the form of those in C++."""

import inspect
import os
import re
import subprocess
import sys

import pytest

import haichi
from haichi import _core
from haichi.cli.commands import COMMANDS

pytestmark = pytest.mark.skipif(
    "HAICHI_BIN" not in os.environ, reason="compares with the built program, which ctest names in HAICHI_BIN"
)


def program(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [os.environ["HAICHI_BIN"], *arguments],
        env=os.environ | {"HAICHI_PYTHON": sys.executable},
        capture_output=True,
        text=True,
        check=False,
    )


def test_help_is_the_programs(command):
    for name in COMMANDS:
        code, mine, messages = command(name, "--help")
        assert (code, messages) == (0, "") and f"\nUsage: haichi {name} " in mine
        assert "\nGlobal:\n" in mine and "--log-level LEVEL" in mine and "\nExit codes:\n" in mine
        assert f"  {name} " in program("--help").stdout


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["-m", "k"],
        ["--machin", "k"],
        ["--shap=1x1"],
        ["--frobnicate", "--machin"],
        ["-x"],
        ["-m"],
        ["-m", "k", "-m", "k", "-w", "x"],
        ["--machine=k", "-mk", "-w", "x"],
        ["-m", "", "-w", "x"],
        ["-m", "k", "-w", "x", "--fold="],
        ["-m", "k", "-w", "x", "--ppn", "0"],
        ["-m", "k", "-w", "x", "--ppn", "1.5"],
        ["-m", "k", "-w", "x", "--ppn", "-1"],
        ["-m", "k", "-w", "x", "--ppn", "9" * 40],
        ["-m", "k", "-w", "x", "--restarts", "0"],
        ["-m", "k", "-w", "x", "--message-size", "3parsec"],
        ["-m", "k", "-w", "x", "--time", "5"],
        ["-h", "--frobnicate"],
    ],
    ids=" ".join,
)
def test_wrong_usage_is_told_in_the_same_words(command, words):
    (code, _, messages), other = command("compare", *words), program("map", *words)
    assert code == other.returncode
    assert messages.replace("--shapes", "--shape").replace("compare", "map") == other.stderr


def test_what_is_too_much_is_refused_before_anything_is_read(command):
    assert command("report", "a.json", "b.json")[::2] == (
        2,
        "error: unexpected argument 'b.json'\nhint: see haichi report --help for its arguments and options\n",
    )
    assert command("report")[2].startswith("error: RESULTS is missing\n")
    assert command("report", "a.json", "--figure", "x")[2].endswith("hint: did you mean '--figures'?\n")


def test_words_have_a_did_you_mean(command):
    _, _, messages = command("compare", "-m", "k", "-w", "x", "--simulate", "--barrier", "set")
    assert messages == "error: --barrier: unknown value 'set'\nhint: did you mean 'sets'?\n"
    with pytest.raises(haichi.OptionError, match="^barrier: unknown value 'set'") as caught:
        haichi.compare([], simulate=True, barrier="set")
    assert caught.value.hint == "did you mean 'sets'?"


def test_every_option_of_a_function_is_a_parameter_and_in_the_docstring():
    functions = {
        "JobOptions": haichi.Job,
        "SearchOptions": haichi.Job.optimize,
        "EvaluationOptions": haichi.Job.evaluate,
        "SimulationOptions": haichi.Job.simulate,
        "ExtractionOptions": haichi.extract_sets,
        "ProgramOptions": haichi.simulate_program,
        "ShapeAdviceOptions": haichi.advise_shape,
        "SpreadAdviceOptions": haichi.advise_spread,
        "BarrierAdviceOptions": haichi.Job.advise_barrier,
        "RailAdviceOptions": haichi.advise_rails,
        "ComparisonOptions": haichi.compare,
    }
    assert functions.keys() | {"ObservationOptions"} == set(_core.option_tables())
    for table, function in functions.items():
        for row in _core.option_rows(table):
            assert row["name"] in inspect.signature(function).parameters
            assert re.search(rf"^ +{row['name']}: \S", function.__doc__, re.MULTILINE)


def test_an_unknown_parameter_has_a_did_you_mean():
    with pytest.raises(TypeError, match=r"compare\(\) has no parameter 'seed'; did you mean 'seeds'\?"):
        haichi.compare([], seed=3)


@pytest.mark.parametrize(
    "words", [["--log-level", "debgu"], ["--log-level", "9"], ["--quiet", "-v"], ["-vv", "--log-level", "info"]]
)
def test_wrong_levels_are_refused_alike(command, words):
    mine, other = command("report", "x.json", *words), program("list", *words)
    assert mine == (2, "", other.stderr) and other.returncode == 2


def test_a_wrong_level_of_the_environment_is_refused_alike(monkeypatch):
    monkeypatch.setenv("HAICHI_LOG", "inof")
    mine, other = program("report", "x.json"), program("list")
    assert mine.stderr == other.stderr == "error: HAICHI_LOG: unknown log level 'inof'\nhint: did you mean 'info'?\n"


def test_compare_says_what_it_does(tmp_path):
    haichi.Workload.from_pattern("cg", ranks=16).write(tmp_path / "cg16.json")
    words = ["compare", "-m", "torus:4x4", "-w", str(tmp_path / "cg16.json"), "--strategies", "default", "--seeds", "1"]
    assert program(*words).stderr == ""
    lines = program(*words, "-vv").stderr.splitlines()
    assert "info: comparison: 1 cells, 0 of them finished earlier, " in " ".join(lines)
    assert [line for line in lines if line.startswith("debug: cell ") and line.endswith(": done")]
