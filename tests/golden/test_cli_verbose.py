"""What -v, --log-level and HAICHI_LOG say on standard error: what users cannot see otherwise."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from haichi_program import BIN, fail, succeed
from sample_logs import sample


def with_variable(level: str, *arguments: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [BIN, *map(str, arguments)],
        cwd=cwd,
        text=True,
        capture_output=True,
        timeout=120,
        env=dict(os.environ, HAICHI_LOG=level),
    )


def entries(text: str, level: str = "info") -> list[str]:
    """The lines of that level, without it."""
    return [line.removeprefix(f"{level}: ") for line in text.splitlines() if line.startswith(f"{level}: ")]


@pytest.fixture()
def log(tmp_path: Path) -> Path:
    return sample("ring", 4, tmp_path / "ring.haichi-log")


# ---- levels ---------------------------------------------------------------------------------------------------------


def test_nothing_is_logged_unless_asked(log: Path) -> None:
    assert succeed("log", "show", log.name, cwd=log.parent).stderr == ""


@pytest.mark.parametrize("options", [["-v"], ["--verbose"], ["--log-level", "info"]])
def test_info_is_a_few_lines(log: Path, options: list[str]) -> None:
    run = succeed("log", "show", log.name, *options, cwd=log.parent)
    assert run.stderr == "info: log 'ring.haichi-log': format haichi, by its content\n"


@pytest.mark.parametrize("options", [["-vv"], ["-v", "-v"], ["--log-level", "debug"], ["-vvvvv"]])
def test_debug_holds_info(log: Path, options: list[str]) -> None:
    run = succeed("log", "show", log.name, *options, cwd=log.parent)
    assert entries(run.stderr) == ["log 'ring.haichi-log': format haichi, by its content"]
    assert entries(run.stderr, "debug") == ["log 'ring.haichi-log': 4 of 4 ranks, with the order of their calls"]


def test_results_are_the_same_with_a_log(log: Path) -> None:
    plain, verbose = (succeed("log", "show", "--json", log.name, *more, cwd=log.parent) for more in ([], ["-vvv"]))
    assert plain.stdout == verbose.stdout


def test_the_variable_counts_where_no_option_does(log: Path) -> None:
    show = ["log", "show", log.name]
    assert entries(with_variable("debug", *show, cwd=log.parent).stderr, "debug")
    assert with_variable("off", *show, cwd=log.parent).stderr == ""
    assert with_variable("", *show, cwd=log.parent).stderr == ""
    assert with_variable("debug", *show, "--log-level", "off", cwd=log.parent).stderr == ""
    assert with_variable("debug", *show, "--quiet", cwd=log.parent).stderr == ""
    assert not entries(with_variable("debug", *show, "-v", cwd=log.parent).stderr, "debug")


def test_wrong_levels_are_refused(log: Path) -> None:
    words = fail(2, "log", "show", log.name, "--log-level", "debgu", cwd=log.parent)
    assert words == "error: unknown log level 'debgu'\nhint: did you mean 'debug'?\n"
    words = fail(2, "log", "show", log.name, "--log-level", "9", cwd=log.parent)
    assert words == "error: unknown log level '9'\nhint: levels are off, info, debug, trace\n"
    run = with_variable("inof", "log", "show", log.name, cwd=log.parent)
    assert (run.returncode, run.stderr) == (
        2,
        "error: HAICHI_LOG: unknown log level 'inof'\nhint: did you mean 'info'?\n",
    )


@pytest.mark.parametrize(
    ("options", "error"),
    [
        (["--quiet", "-v"], "--quiet and -v exclude each other"),
        (["--quiet", "--log-level", "info"], "--quiet and --log-level exclude each other"),
        (["-v", "--log-level", "debug"], "-v and --log-level exclude each other"),
    ],
)
def test_options_that_exclude_each_other(log: Path, options: list[str], error: str) -> None:
    assert fail(2, "log", "show", log.name, *options, cwd=log.parent) == f"error: {error}\n"


def test_quiet_and_a_log_that_is_off_agree(log: Path) -> None:
    assert succeed("log", "show", log.name, "--quiet", "--log-level", "off", cwd=log.parent).stderr == ""


def test_every_command_has_the_options(tmp_path: Path) -> None:
    commands = [
        *(["map"], ["evaluate"], ["simulate"], ["convert"], ["ccs"], ["check"], ["list"], ["pattern"]),
        *(["log", "show"], ["log", "compare"], ["log", "convert"]),
        *(["advise", "shape"], ["advise", "barrier"], ["advise", "rails"]),
    ]
    for command in commands:
        text = succeed(*command, "--help", cwd=tmp_path).stdout
        for option in ("--quiet", "-v,--verbose", "--log-level LEVEL"):
            assert option in text, (command, option)


# ---- reading --------------------------------------------------------------------------------------------------------


def test_a_named_format_is_told_as_named(log: Path) -> None:
    run = succeed("log", "show", "--log-format", "haichi", log.name, "-v", cwd=log.parent)
    assert entries(run.stderr) == ["log 'ring.haichi-log': format haichi, as named"]


def test_the_name_of_a_file_stays_on_its_line(log: Path) -> None:
    log = log.rename(log.parent / "a\nb\x1b[2J")
    run = succeed("log", "show", log.name, "-v", cwd=log.parent)
    assert len(run.stderr.splitlines()) == 1
    assert "\x1b" not in run.stderr


def write_long_trace(path: Path) -> None:
    """Ranks 0 and 1 send each other messages, 40 MiB of lines."""
    lines = ["0 init\n1 init\n"]
    lines.append("0 send 1 0 1000 0\n1 recv 0 0 1000 0\n1 send 0 0 1000 0\n0 recv 1 0 1000 0\n" * 560_000)
    lines.append("0 finalize\n1 finalize\n")
    path.write_text("".join(lines))


def test_the_reading_of_a_long_trace_tells_how_far_it_is(tmp_path: Path) -> None:
    write_long_trace(tmp_path / "long.txt")
    run = succeed("log", "show", "long.txt", "-v", cwd=tmp_path)
    size = (tmp_path / "long.txt").stat().st_size >> 20
    assert entries(run.stderr) == [
        "log 'long.txt': format tit, by its content",
        f"log 'long.txt': 16 of {size} MiB read",
        f"log 'long.txt': 32 of {size} MiB read",
    ]
    again = succeed("log", "show", "long.txt", "-v", cwd=tmp_path)
    assert again.stderr == run.stderr
