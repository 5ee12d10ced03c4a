"""Details that -v, --log-level and HAICHI_LOG print on standard error."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest
from haichi_program import BIN, JOB, QUICK_AUTO, fail, succeed
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
    """The lines of this level, without the level itself."""
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
    assert words == "error: --log-level: unknown value 'debgu'\nhint: did you mean 'debug'?\n"
    words = fail(2, "log", "show", log.name, "--log-level", "9", cwd=log.parent)
    assert words == "error: --log-level: unknown value '9'\nhint: possible values are off, info, debug, trace\n"
    run = with_variable("inof", "log", "show", log.name, cwd=log.parent)
    assert (run.returncode, run.stderr) == (
        2,
        "error: HAICHI_LOG: unknown log level 'inof'\nhint: did you mean 'info'?\n",
    )


@pytest.mark.parametrize(
    ("options", "error"),
    [
        (["--quiet", "-v"], "--verbose cannot be combined with --quiet"),
        (["--quiet", "--log-level", "info"], "--quiet cannot be combined with --log-level"),
        (["-v", "--log-level", "debug"], "--verbose cannot be combined with --log-level"),
    ],
)
def test_options_that_exclude_each_other(log: Path, options: list[str], error: str) -> None:
    assert fail(2, "log", "show", log.name, *options, cwd=log.parent) == f"error: {error}\n"


def test_quiet_and_a_log_that_is_off_agree(log: Path) -> None:
    assert succeed("log", "show", log.name, "--quiet", "--log-level", "off", cwd=log.parent).stderr == ""


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
    """Ranks 0 and 1 send each other messages. The log has 40 MiB of lines."""
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
        *(f"log 'long.txt': {done} of {size} MiB read" for done in (16, 32)),
    ]
    again = succeed("log", "show", "long.txt", "-v", cwd=tmp_path)
    assert again.stderr == run.stderr


def test_a_log_as_a_workload_is_told_as_one(log: Path) -> None:
    run = succeed(
        "map", "-m", "torus:4", "-w", log.name, "--objective", "hop-bytes", "-v", "-f", "json", cwd=log.parent
    )
    assert entries(run.stderr)[:2] == [
        "log 'ring.haichi-log': format haichi, by its content",
        "workload 'ring.haichi-log': 1 sets of the main loop of the log",
    ]


# ---- jobs -----------------------------------------------------------------------------------------------------------


def one(lines: list[str], start: str) -> str:
    found = [line for line in lines if line.startswith(start)]
    assert len(found) == 1, (start, lines)
    return found[0]


def test_a_preset_and_a_machine_file_are_told_apart(place: Path) -> None:
    (place / "ring.json").write_text(
        '{"schema": "haichi-machine/1", "name": "ring", "topology": {"kind": "torus", "axes": '
        '[{"name": "X", "size": 64, "wraps": true}]}, "link": {"bandwidth": "8GB/s"}}'
    )
    for machine, kind in (("torus:64", "a preset"), ("ring.json", "a machine file")):
        run = succeed("map", "-m", machine, "-w", "cg64.json", "--strategy", "default", "-v", "-f", "json", cwd=place)
        assert one(entries(run.stderr), "machine ").startswith(f"machine '{machine}': {kind}, 64 nodes, routing ")


def test_a_search_tells_strategy_start_restarts_and_seed(place: Path) -> None:
    job = ["map", *JOB, "-w", "cg64.json", "--restarts", 3, "--seed", 7, "--evaluations", 50000, "--threads", 2]
    job += ["--objective", "tac3"]
    lines = entries(succeed(*job, "-v", cwd=place).stderr)
    assert one(lines, "workload ") == "workload 'cg64.json': format json, by its content"
    assert one(lines, "job: ").startswith("job: 96 nodes, 96 usable, at most 1 rank per node")
    assert re.fullmatch(r"messages on links: bit-sliced counters, (AVX-512|AVX2|plain) kernel", one(lines, "messages"))
    assert one(lines, "strategy ") == "strategy auto is anneal: tabu search supports only hop-bytes"
    assert one(lines, "start: ") == "start: bisection, the best of the starts tried"  # same tac3, fewer byte-hops
    assert (
        one(lines, "annealing: 3")
        == "annealing: 3 restarts on 2 threads, seed 7; restart k of 1 to 3 uses random stream k"
    )
    assert re.fullmatch(r"annealing: restart [123] has the best value(, at the lower bound)?", lines[-1])


def test_each_restart_is_told_in_order_with_the_temperatures_of_its_pilot(place: Path) -> None:
    job = ["map", *JOB, "-w", "cg64.json", "--restarts", 5, "--evaluations", 50000, "--objective", "hop-bytes"]
    job += ["--strategy", "anneal", "--log-level", "debug", "--no-timing"]
    told = [succeed(*job, "--threads", threads, cwd=place).stderr for threads in (1, 2)]
    assert told[0].replace("on 1 threads", "on 2 threads") == told[1]
    restarts = [line for line in entries(told[0], "debug") if line.startswith("restart ")]
    pattern = r"restart (\d): hop-bytes \S+ after 50000 evaluations; temperatures \S+ to \S+ from the pilot(, .*)?"
    assert [re.fullmatch(pattern, line)[1] for line in restarts] == ["1", "2", "3", "4", "5"]


def test_trace_holds_what_the_pilot_saw(place: Path) -> None:
    job = ["map", *JOB, "-w", "cg64.json", "--objective", "tac3", "--restarts", 1, "--evaluations", 50000, "-vvv"]
    lines = entries(succeed(*job, cwd=place).stderr, "trace")
    assert len(lines) > 5
    assert all(line.startswith("restart 1: pilot at temperature ") for line in lines)


def test_runs_too_short_for_a_pilot_say_so(place: Path) -> None:
    job = ["map", *JOB, "-w", "cg64.json", "--restarts", 1, "--evaluations", 1000, "--objective", "tac3", "-vv"]
    assert "without a pilot" in one(entries(succeed(*job, cwd=place).stderr, "debug"), "restart 1")


def test_auto_is_tabu_search_on_few_slots_and_tells_its_kernel(place: Path) -> None:
    job = ["map", "-m", "torus:4x4x4", "-w", "cg64.json", "--objective", "hop-bytes", "--evaluations", 100000]
    lines = entries(succeed(*job, "-v", "-f", "json", cwd=place).stderr)
    assert one(lines, "strategy ") == "strategy auto is tabu: hop-bytes on few rank slots, most of them in use"
    assert re.search(r", 32-bit numbers, (AVX-512|AVX2|plain) kernel$", one(lines, "tabu search: "))


def test_why_auto_is_not_tabu_search(place: Path) -> None:
    job = ["map", "-m", "torus:16x16", "-w", "cg64.json", "--objective", "hop-bytes", "--evaluations", 1000, "-v"]
    lines = entries(succeed(*job, "-f", "json", cwd=place).stderr)
    reason = "the job has more than 256 rank slots, or uses less than 3/4 of them"
    assert one(lines, "strategy ") == f"strategy auto is anneal: {reason}"


def test_tables_above_their_budgets_are_told_with_what_happens_instead(place: Path) -> None:
    job = ["map", "-m", "mesh:70x70", "-w", "cg64.json", "--strategy", "default", "-v", "-f", "json"]
    lines = entries(succeed(*job, cwd=place).stderr)
    assert "routes of 4900 nodes: computed on demand, because a table would take more than 64 MiB" in lines
    assert (
        "hops between 4900 nodes: from packed coordinates, because a table would take 24010000 bytes (at most 1048576)"
        in lines
    )
    assert one(lines, "routes as rows of bits: ").startswith("routes as rows of bits: not stored (")
    assert one(lines, "messages on links: ").startswith("messages on links: one counter per set and link, ")


def test_tables_within_their_budgets_are_told_at_debug(place: Path) -> None:
    job = ["map", *JOB, "-w", "cg64.json", "--strategy", "default", "-vv"]
    run = succeed(*job, cwd=place)
    assert not [line for line in entries(run.stderr) if line.startswith(("routes", "hops"))]
    assert one(entries(run.stderr, "debug"), "routes of").startswith("routes of 96 nodes: in a table of ")
    assert one(entries(run.stderr, "debug"), "hops") == "hops between 96 nodes: in a table of 1 byte per pair"


@pytest.mark.parametrize("threads", [1, 2])
def test_simulations_tell_partitions_windows_and_why_they_end(place: Path, threads: int) -> None:
    run = succeed("simulate", *JOB, "-w", "cg64.json", "--threads", threads, "-vvv", cwd=place)
    begin, end = (line for line in entries(run.stderr) if line.startswith("simulation: "))
    pattern = rf"simulation: 64 ranks without barriers, {threads} partitions of the machine, windows of \d+ ps, .*"
    assert re.fullmatch(pattern, begin)
    assert re.fullmatch(r"simulation: \d+ of \d+ iterations \(.*\), \d+ events, \d+ packet-hops", end)
    partitions = [line for line in entries(run.stderr, "trace") if "partition" in line]
    assert len(partitions) == (0 if threads == 1 else threads)


def test_shapes_are_told_one_after_the_other(place: Path) -> None:
    job = ["map", "-m", "fx10-kyushu", "-w", "cg64.json", "--shapes", "1x2x4x2x3x2,2x2x2x2x3x2", *QUICK_AUTO]
    lines = entries(succeed(*job, "--json", "-v", cwd=place).stderr)
    assert [line for line in lines if line.startswith("shape ")] == ["shape 1x2x4x2x3x2:", "shape 2x2x2x2x3x2:"]
    assert len([line for line in lines if line.startswith("auto: tac3, search 1")]) == 2


def test_advice_tells_what_it_searches_and_simulates(place: Path) -> None:
    job = ["advise", "shape", "-m", "fx10-kyushu", "-w", "cg64.json", "--finalists", 2, "--seeds", 1, "-v"]
    lines = entries(succeed(*job, "--packet-hops", "1e7", cwd=place).stderr)
    told = [line for line in lines if line.startswith("advice: ")]
    assert re.fullmatch(r"advice: \d+ shapes of 72 nodes, .* get a quick search of \d+ evaluations", told[0])
    assert re.fullmatch(r"advice: \d+ finalists with \d seeds each, \d+ restarts of \d+ evaluations", told[1])
    assert re.fullmatch(r"advice: \d+ simulations, \d+ packet-hops in an iteration of the longest", told[2])


def test_maps_and_reports_are_the_same_with_a_log(place: Path) -> None:
    job = ["map", *JOB, "-w", "cg64.json", *QUICK_AUTO, "--no-timing"]
    for more in (["--json"], ["-f", "fujitsu"]):
        assert succeed(*job, *more, cwd=place).stdout == succeed(*job, *more, "-vvv", cwd=place).stdout


# ---- graphs ---------------------------------------------------------------------------------------------------------


def write_torus(place: Path, size: int, router: dict[str, int]) -> None:
    """Writes torus.json, a graph file with a size x size x size torus of terminals."""
    edges = []
    for v in range(size**3):
        x, y, z = v // size**2, v // size % size, v % size
        for a, b, c in ((x + 1, y, z), (x, y + 1, z), (x, y, z + 1)):
            edges.append((v, a % size * size**2 + b % size * size + c % size))
    nodes = "".join(f'<node id="n{v}"/>' for v in range(size**3))
    lines = "".join(f'<edge source="n{a}" target="n{b}"/>\n' for a, b in edges)
    (place / "torus.graphml").write_text(f'<graphml><graph edgedefault="undirected">{nodes}\n{lines}</graph></graphml>')
    machine = {
        "schema": "haichi-machine/1",
        "topology": {"kind": "graph", "file": "torus.graphml"},
        "link": {"bandwidth": "5GB/s"},
        "router": router,
    }
    (place / "torus.json").write_text(json.dumps(machine))


@pytest.mark.parametrize(("router", "routing"), [({}, "shortest-path"), ({"virtual_channels": 4}, "unspread")])
def test_routes_that_need_too_many_virtual_channels_give_way_and_that_is_told_once(
    tmp_path: Path, router: dict[str, int], routing: str
) -> None:
    write_torus(tmp_path, 6, router)
    succeed("pattern", "ring", "--ranks", 216, "--bytes", "1KiB", "--iterations", 1, "-o", "w.json", cwd=tmp_path)
    run = succeed("simulate", "-m", "torus.json", "-w", "w.json", "-v", cwd=tmp_path)
    told = [line for line in entries(run.stderr) if "instead of" in line]
    if routing == "shortest-path":
        assert told == []
        return
    assert told == [
        "job: shortest-path,unspread instead of shortest-path, whose routes require more than the machine's 4 virtual "
        "channels"
    ]
