"""The commands that are written in Python look and complain as those that are written in C++."""

import inspect
import os
import re
import subprocess
import sys

import pytest

import haichi
from haichi.base.options import rows_of
from haichi.cli.command_line import help_text
from haichi.cli.commands import COMMANDS
from haichi.comparison.options import CompareOptions

pytestmark = pytest.mark.skipif(
    "HAICHI_BIN" not in os.environ, reason="compares with the built program, which ctest names in HAICHI_BIN"
)

OF_EACH_COMMAND = {"--workload", "--workload-format", "--time", "--output", "--json"}
"""Options whose sentence is the command's own."""


def program(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [os.environ["HAICHI_BIN"], *arguments],
        env=os.environ | {"HAICHI_PYTHON": sys.executable},
        capture_output=True,
        text=True,
        check=False,
    )


def help_rows(command: str) -> dict[str, str]:
    rows = re.findall(r"^  (-.*?)(?:  +|\n +)(\S.*)$", program(command, "--help").stdout, re.MULTILINE)
    return {re.search(r"--[a-z-]+", names)[0]: f"{names}: {text}" for names, text in rows}


def test_help_is_laid_out_alike():
    for name, model in (("compare", "map"), ("report", "check")):
        mine, other = program(name, "--help"), program(model, "--help")
        assert (mine.returncode, mine.stderr) == (0, "")
        lines, model_lines = mine.stdout.splitlines(), other.stdout.splitlines()
        assert lines[1].startswith(model_lines[1].replace(model, name))
        for fixed in ("Options:", "  -h,--help                   Print this help message and exit", "Example:"):
            assert fixed in lines and fixed in model_lines
        assert lines[-3:-1] == ["", "Example:"] and lines[-1].startswith(f"  haichi {name} ")
        starts = [line[:28].rstrip() for line in lines[-7:-3]]
        assert starts == ["  --quiet", "  -v,--verbose", "  --log-level LEVEL", "  --files-below DIR"]
        assert lines[-7:-3] == model_lines[-7:-3]
        texts = [line for line in lines if line.startswith("  -")]
        assert all(re.match(r".{29} \S", line) or len(line) < 60 for line in texts)


def test_options_of_the_same_name_are_the_same():
    compare, others = help_rows("compare"), help_rows("map") | help_rows("simulate")
    shared = compare.keys() & others.keys() - OF_EACH_COMMAND
    assert {"--machine", "--nodes", "--origin", "--faulty", "--ppn", "--routing", "--fold", "--restarts"} <= shared
    # A batch asks for more; programs, which only simulate runs, compute as well.
    different = {"--shapes", "--barrier", "--sim-iterations", "--compute"}
    for name in shared - different:
        assert compare[name] == others[name]


def test_the_program_lists_the_commands_with_their_summaries():
    listed = program("--help").stdout
    for command in COMMANDS:
        assert f"  {command.name:28}{command.summary}\n" in listed
        assert help_text(command).startswith(command.summary + "\n")


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
        ["-m", "k", "-w", "x", "--time", "0s"],
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
    told = "error: unexpected argument 'b.json'\nhint: report --help shows what it takes\n"
    assert command("report", "a.json", "b.json") == (2, "", told)
    assert command("report")[2].startswith("error: RESULTS missing\nhint: an example is haichi report")
    assert command("report", "a.json", "--figure", "x")[2].endswith("hint: did you mean '--figures'?\n")


def test_words_have_a_did_you_mean(command):
    _, _, messages = command("compare", "-m", "k", "-w", "x", "--simulate", "--barrier", "set")
    assert messages == "error: --barrier: unknown choice of barriers 'set'\nhint: did you mean 'sets'?\n"
    with pytest.raises(haichi.OptionError, match="barrier: unknown choice of barriers 'set'") as caught:
        haichi.compare([], simulate=True, barrier="set")
    assert caught.value.hint == "did you mean 'sets'?"


def test_every_option_is_a_parameter_and_in_the_docstring():
    parameters = inspect.signature(haichi.compare).parameters
    for name, option in rows_of(CompareOptions).items():
        assert parameters[name].default == option.default
        assert re.search(rf"^    {name}: ", haichi.compare.__doc__, re.MULTILINE)
        if "default: " in option.help and option.default:
            shown = ",".join(option.default) if isinstance(option.default, tuple) else option.default
            assert option.help.endswith(f"default: {shown}")


def test_an_unknown_parameter_has_a_did_you_mean():
    with pytest.raises(TypeError, match=r"compare\(\) has no parameter 'seed'; did you mean 'seeds'\?"):
        haichi.compare([], seed=3)


@pytest.mark.parametrize(
    "words", [["--log-level", "debgu"], ["--log-level", "9"], ["--quiet", "-v"], ["-vv", "--log-level", "info"]]
)
def test_wrong_levels_are_refused_alike(command, words):
    mine, other = command("report", "x.json", *words), program("check", "--map", "x", *words)
    assert mine == (2, "", other.stderr) and other.returncode == 2


def test_a_wrong_level_of_the_environment_is_refused_alike(monkeypatch):
    monkeypatch.setenv("HAICHI_LOG", "inof")
    mine, other = program("report", "x.json"), program("check", "--map", "x")
    assert mine.stderr == other.stderr == "error: HAICHI_LOG: unknown log level 'inof'\nhint: did you mean 'info'?\n"


def test_compare_says_what_it_does(tmp_path):
    haichi.Workload.from_pattern("cg", ranks=16).write(tmp_path / "cg16.json")
    words = ["compare", "-m", "torus:4x4", "-w", str(tmp_path / "cg16.json"), "--strategies", "default", "--seeds", "1"]
    assert program(*words).stderr == ""
    lines = program(*words, "-vv").stderr.splitlines()
    assert "info: comparison: 1 cells, 0 of them done before, " in " ".join(lines)
    assert [line for line in lines if line.startswith("debug: cell ") and line.endswith(": done")]
