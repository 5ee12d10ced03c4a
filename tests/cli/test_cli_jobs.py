"""The commands map, evaluate, convert, list and pattern, and their limits."""

from __future__ import annotations

import json
import re
import resource
import subprocess
import time
from pathlib import Path

import pytest
from haichi_program import JOB, QUICK, QUICK_AUTO, check_map, fail, haichi, succeed

# ---- map ------------------------------------------------------------------------------------------------------------


def test_the_map_goes_to_standard_output_and_words_to_standard_error(
    default_search: subprocess.CompletedProcess[str],
) -> None:
    run = default_search
    assert re.fullmatch(r"(\(\d+,\d+,\d+\)\n){64}", run.stdout)
    assert " % less communication time than the default placement" in run.stderr
    assert '#PJM -L "node=2x6x8:torus"' in run.stderr
    assert '#PJM --mpi "shape=2x6x8,proc=64,rank-map-hostfile=FILE"' in run.stderr
    assert "\r" not in run.stderr and "\x1b" not in run.stderr, "no progress bar and no colours in a pipe"


def test_quiet_says_nothing(place: Path) -> None:
    run = succeed("map", *JOB, "-w", "cg64.json", *QUICK_AUTO, "--quiet", cwd=place)
    assert run.stderr == ""
    assert run.stdout.count("\n") == 64


def test_the_report_holds_what_the_contract_says(place: Path) -> None:
    run = succeed("map", *JOB, "-w", "cg64.json", "--objective", "tac3", "--most-loaded", 3, "--json", cwd=place)
    report = json.loads(run.stdout)
    assert len(report["most_loaded_links"]) == 3
    assert next(iter(report)) == "schema"
    assert report["schema"] == "haichi-report/1"
    assert report["machine"] == "fx10-kyushu"
    assert report["shape"] == [1, 2, 4, 2, 3, 2]
    assert report["routing"] == "dor:XYZACB,tie=+"
    assert (report["ranks"], report["nodes"], report["seed"]) == (64, 96, 1)
    assert (report["strategy"], report["objective"]) == ("anneal", "tac3")
    assert report["value"] == report["metrics"]["tac3_seconds"]
    assert report["optimal"] is True and report["value"] == report["lower_bound"]
    assert report["metrics"]["set_contention"] == [1, 1, 1, 1]
    assert isinstance(report["metrics"]["hop_bytes"], int)
    assert report["metrics"]["rmatt"] == report["metrics"]["hop_bytes"] * report["metrics"]["max_link_bytes"]
    assert report["default"]["value"] > report["value"]
    assert report["evaluations"] > 0 and report["evaluations_per_second"] > 0 and report["wall_seconds"] > 0
    assert report["reproducible"] is True and "interrupted" not in report
    check_map(report["node_of_rank"], 64, 96)


def test_only_searches_that_evaluate_proposals_have_a_rate(place: Path) -> None:
    job = ["-m", "torus:4x4x4", "-w", "cg64.json", "--objective", "hop-bytes", "--threads", 1]
    short = ["--strategy", "anneal", "--evaluations", 20000]
    annealed = json.loads(succeed("map", *job, *short, "--json", cwd=place).stdout)
    rate = annealed["evaluations_per_second"]
    # The loops of one thread cannot take longer than the whole run.
    assert rate >= annealed["evaluations"] / annealed["wall_seconds"]
    assert rate < 1e9, "a proposal takes more than a nanosecond"
    for strategy in ["tabu", "row-major"]:
        report = json.loads(succeed("map", *job, "--strategy", strategy, "--json", cwd=place).stdout)
        assert report["evaluations_per_second"] is None
        run = succeed("map", *job, "--strategy", strategy, "-f", "json", "-o", f"{strategy}.json", cwd=place)
        assert "per second" not in run.stdout + run.stderr


def test_a_file_and_a_report_at_once(place: Path) -> None:
    run = succeed("map", *JOB, "-w", "cg64.json", *QUICK, "--json", "-f", "json", "-o", "cg.map.json", cwd=place)
    mapping = json.loads((place / "cg.map.json").read_text())
    assert mapping["schema"] == "haichi-mapping/1" and mapping["ranks"] == 64
    assert mapping["node_of_rank"] == json.loads(run.stdout)["node_of_rank"]


def test_same_bytes_for_any_number_of_threads(place: Path) -> None:
    def bytes_of(*arguments: object) -> str:
        return succeed("map", *JOB, "-w", "cg64.json", "--no-timing", "--json", *arguments, cwd=place).stdout

    for objective in ["tac3", "hop-bytes"]:
        runs = {bytes_of("--objective", objective, "--threads", n, "--evaluations", 20000) for n in (1, 2, 8)}
        assert len(runs) == 1
    one = bytes_of("--objective", "hop-bytes", "--evaluations", 5000)
    assert one == bytes_of("--objective", "hop-bytes", "--evaluations", 5000)
    assert one != bytes_of("--objective", "hop-bytes", "--evaluations", 5000, "--seed", 2)
    assert "seconds_per" not in one and "wall_seconds" not in one and "evaluations_per_second" not in one


def test_a_time_limit_is_not_reproducible(place: Path) -> None:
    started = time.monotonic()
    run = succeed("map", *JOB, "-w", "cg64.json", "--objective", "hop-bytes", "--time", "300ms", "--json", cwd=place)
    assert json.loads(run.stdout)["reproducible"] is False
    assert time.monotonic() - started < 30


def test_all_strategies_and_objectives_place(place: Path) -> None:
    succeed("pattern", "cg", "--ranks", 8, "-o", "cg8.json", cwd=place)
    names = {
        kind: [row["name"] for row in rows]
        for kind, rows in json.loads(succeed("list", "--json", cwd=place).stdout).items()
    }
    for strategy in names["strategies"]:
        # The job is small enough for exhaustive search, and all strategies support its objective.
        machine, nodes = ("fx10:1x1x1", 12) if strategy == "unit-blocks" else ("torus:3x3", 9)
        job = ["-m", machine, "-w", "cg8.json", "--objective", "hop-bytes", "--strategy", strategy]
        report = json.loads(succeed("map", *job, "--json", cwd=place).stdout)
        check_map(report["node_of_rank"], 8, nodes)
        assert report["strategy"] == ("tabu" if strategy == "auto" else strategy)
    for objective in names["objectives"]:
        name = "weighted(hop-bytes=0.7,tac3=0.3)" if objective == "weighted" else objective
        job = [*JOB, "-w", "cg64.json", "--message-size", "4KiB", "--objective", name, "--evaluations", 500]
        run = succeed("map", *job, "--json", cwd=place)
        assert json.loads(run.stdout)["objective"] == name


def test_options_of_the_search_are_taken(place: Path) -> None:
    lists: list[list[object]] = [
        ["--schedule", "paper", "--moves", "uniform", "--smoothing", "off"],
        ["--smoothing", "0.5", "--restarts", 2],
        ["--smoothing", "on"],
        ["--verify", "step", "--restarts", 1],
        ["--verify", "end"],
        ["--count-nic"],
        ["--fold", "mesh"],
        ["--routing", "dor:XYZACB,tie=-"],
        ["--message-size", "4KiB"],
        ["--ppn", 2],
        ["--origin", "1x0x3x0x0x0"],
    ]
    for options in lists:
        run = succeed("map", *JOB, "-w", "cg64.json", *QUICK, "--json", *options, cwd=place)
        check_map(json.loads(run.stdout)["node_of_rank"], 64, 96, 2 if "--ppn" in options else 1)


def test_start_takes_a_map_file_and_never_gets_worse(mapped: Path) -> None:
    before = json.loads(
        succeed(
            "evaluate", *JOB, "-w", "cg64.json", "--map", "cg64.map", "--objective", "hop-bytes", "--json", cwd=mapped
        ).stdout
    )["value"]
    after = json.loads(
        succeed(
            "map",
            *JOB,
            "-w",
            "cg64.json",
            "--start",
            "cg64.map",
            "--objective",
            "hop-bytes",
            "--evaluations",
            2000,
            "--json",
            cwd=mapped,
        ).stdout
    )["value"]
    assert after <= before


def test_a_workload_from_standard_input(place: Path) -> None:
    run = haichi("map", *JOB, "-w", "-", *QUICK, cwd=place, input=(place / "cg64.json").read_text())
    assert run.returncode == 0
    assert run.stdout.count("\n") == 64


def test_trees_and_node_lists_default_to_json_and_say_so(place: Path) -> None:
    (place / "nodes.txt").write_text("".join(f"{3 * i}\n" for i in range(70)))
    for job in [["-m", "fattree:3x4"], ["-m", "fx10-kyushu", "--nodes", "nodes.txt"]]:
        run = succeed("map", *job, "-w", "cg64.json", *QUICK, cwd=place)
        assert json.loads(run.stdout)["schema"] == "haichi-mapping/1"
        assert "the map has the format json" in run.stderr
        assert "#PJM" not in run.stderr


def test_a_format_that_cannot_express_the_job_is_refused_before_the_search(place: Path) -> None:
    started = time.monotonic()
    words = fail(2, "map", "-m", "fattree:3x4", "-w", "cg64.json", "-f", "fujitsu", "--time", "100s", cwd=place)
    assert "cannot express" in words
    assert time.monotonic() - started < 20


# ---- limits ---------------------------------------------------------------------------------------------------------


def test_a_limit_that_is_met_and_one_that_is_not(mapped: Path) -> None:
    evaluate = ["evaluate", *JOB, "-w", "cg64.json", "--map", "cg64.map"]
    succeed(*evaluate, "--require", "tac3<=0.001", "--require", "largest_contention<=1", cwd=mapped)
    words = fail(3, *evaluate, "--require", "tac3_seconds<=0.001", "--require", "hop_bytes<=5", cwd=mapped)
    assert "required hop_bytes <= 5, found" in words
    assert "required tac3 <= 0, found" in fail(3, *evaluate, "--require", " tac3 <= 0 ", cwd=mapped)
    assert "expected METRIC<=NUMBER, found '<=1'" in fail(2, *evaluate, "--require", "<=1", cwd=mapped)
    assert "tac3_seconds" not in words


def test_the_map_is_written_even_when_a_limit_is_not_met(place: Path) -> None:
    run = haichi("map", *JOB, "-w", "cg64.json", *QUICK, "-o", "cg.map", "--require", "value<=0", cwd=place)
    assert run.returncode == 3
    assert "error: required value <= 0" in run.stderr
    assert (place / "cg.map").read_text().count("\n") == 64


# ---- evaluate and convert -------------------------------------------------------------------------------------------


def test_evaluate_prints_objectives_bounds_contention_and_most_loaded_links(mapped: Path) -> None:
    run = succeed("evaluate", *JOB, "-w", "cg64.json", "--map", "cg64.map", "--most-loaded", 2, cwd=mapped)
    assert run.stderr == ""
    for word in [
        "hop-bytes",
        "rmatt",
        "max-link-load",
        "tac3",
        "tac3-bytes",
        "lower bound",
        "gap",
        "optimal",
        "contention per set: 1 1 1 1",
        "most loaded links",
        "rank ",
    ]:
        assert word in run.stdout
    assert run.stdout.count(" in set ") == 2


def test_people_read_sets_counted_from_1(tmp_path: Path) -> None:
    (tmp_path / "edges.csv").write_text("source,destination,bytes,set\n0,1,100,0\n1,2,300,1\n")
    evaluate = ["evaluate", "-m", "mesh:3", "-w", "edges.csv", "--map", "default.map"]
    succeed("map", "-m", "mesh:3", "-w", "edges.csv", "--strategy", "default", "-o", "default.map", cwd=tmp_path)
    text = succeed(*evaluate, "--most-loaded", "1", cwd=tmp_path).stdout
    assert "300 bytes of 1 message in set 2 (set 2)" in text
    most_loaded = json.loads(succeed(*evaluate, "--json", cwd=tmp_path).stdout)["most_loaded_links"][0]
    assert (most_loaded["set"], most_loaded["label"]) == (1, "set 2")  # an index, as in set_contention


def test_evaluate_agrees_with_map(place: Path) -> None:
    job = [*JOB, "-w", "cg64.json", *QUICK_AUTO[:2]]
    by_map = json.loads(succeed("map", *job, *QUICK_AUTO[2:], "--json", "-o", "found.map", cwd=place).stdout)
    evaluate = ["evaluate", *job, "--map", "found.map", "--objective", by_map["objective"]]
    by_evaluate = json.loads(succeed(*evaluate, "--json", "--most-loaded", 40, cwd=place).stdout)
    for key in ["metrics", "default", "value", "lower_bound", "node_of_rank"]:
        assert by_evaluate[key] == by_map[key], key
    assert len(by_evaluate["most_loaded_links"]) == 40
    assert {"objective", "unit", "value", "lower_bound", "optimal"} <= set(by_evaluate["objectives"][0])
    (place / "report.json").write_text(json.dumps(by_map, indent=1))
    again = succeed("evaluate", *job, "--map", "report.json", "--json", cwd=place)
    assert json.loads(again.stdout)["metrics"] == by_map["metrics"]


def formats_there_are(place: Path) -> list[str]:
    """All formats of placements in rank slots. The format partition describes groups of ranks."""
    rows = json.loads(succeed("list", "formats", "--json", cwd=place).stdout)["formats"]
    return [row["name"] for row in rows if row["name"] != "partition"]


def test_convert_goes_round_all_formats(mapped: Path) -> None:
    """Formats with fewer axes or without idle nodes are excluded. The next test covers all formats."""
    path = "cg64.map"
    formats = [name for name in formats_there_are(mapped) if name not in ["bgq", "bgl", "cray"]]
    for name in [*formats, "fujitsu"]:
        written = f"cg.{name}"
        succeed("convert", "--map", path, "-t", name, *JOB, "--hosts", "n%d", "-o", written, cwd=mapped)
        path = written
    assert (mapped / path).read_bytes() == (mapped / "cg64.map").read_bytes()
    assert re.fullmatch(r"(\d+ \d+ \d+ \d+ \d+ \d+\n){64}", (mapped / "cg.tofu6d").read_text())


@pytest.mark.parametrize("job", [["-m", "torus:4x4x4"], ["-m", "mesh:4x4x2", "--ppn", "2"]])
def test_convert_reads_and_writes_every_format(place: Path, job: list[str]) -> None:
    """A placement read from a format does not depend on the format that is written, so two targets are enough."""
    formats = formats_there_are(place)
    job = [*job, "--hosts", "node[000-063]" if len(job) == 2 else "node[000-031]"]
    succeed("map", *job, "-w", "cg64.json", "--strategy", "random", "-f", "json", "-o", "m.json", cwd=place)
    texts = {name: succeed("convert", *job, "--map", "m.json", "-t", name, cwd=place).stdout for name in formats}
    for number, (source, text) in enumerate(texts.items()):
        (place / f"m.{source}").write_text(text)
        for target in ("json", formats[number - 1]):
            run = succeed("convert", *job, "--map", f"m.{source}", "-f", source, "-t", target, cwd=place)
            assert run.stdout == texts[target], (source, target)


def test_convert_takes_a_map_from_standard_input(mapped: Path) -> None:
    run = haichi(
        "convert",
        "--map",
        "-",
        "-f",
        "fujitsu",
        "-t",
        "nsim",
        *JOB,
        cwd=mapped,
        input=(mapped / "cg64.map").read_text(),
    )
    assert run.returncode == 0
    assert len(run.stdout.splitlines()) == 64


# ---- list and pattern -----------------------------------------------------------------------------------------------


def test_list_shows_all_and_each(tmp_path: Path) -> None:
    everything = succeed("list", cwd=tmp_path).stdout
    kinds = json.loads(succeed("list", "--json", cwd=tmp_path).stdout)
    assert {"machines", "objectives", "strategies", "formats", "topologies", "routings", "folds"} < set(kinds)
    for kind in kinds:
        one = succeed("list", kind, cwd=tmp_path).stdout
        assert one.strip() and one in everything


def test_patterns_write_workloads_that_map_reads(tmp_path: Path) -> None:
    run = succeed(
        "pattern",
        "stencil3d",
        "--dims",
        "4x4x4",
        "--periodic",
        "--points",
        27,
        "--shuffle",
        3,
        "--bytes",
        "8KiB",
        "--iterations",
        5,
        cwd=tmp_path,
    )
    workload = json.loads(run.stdout)
    assert (workload["schema"], workload["ranks"], workload["iterations"]) == ("haichi-workload/1", 64, 5)
    assert {m[2] for s in workload["sets"] for m in s["messages"]} == {8192}
    (tmp_path / "w.json").write_text(run.stdout)
    succeed("map", "-m", "torus:4x4x4", "-w", "w.json", *QUICK, cwd=tmp_path)


def test_patterns_of_programs_are_logs_that_all_commands_take(tmp_path: Path) -> None:
    made = succeed(
        *("pattern", "nas-cg", "--class", "S", "--ranks", 16, "--iterations", 2, "--compute-seconds", 15),
        *("-o", "cg.haichi-log"),
        cwd=tmp_path,
    )
    assert made.stdout + made.stderr == "cg.haichi-log: the calls of nas-cg.S.16, 16 ranks\n"
    run = succeed("simulate", "-m", "torus:4x4", "-w", "cg.haichi-log", "--json", cwd=tmp_path)
    # 15 iterations take 15 s on one process, so two iterations on 16 ranks take 2 / 16 s of computation.
    assert 0.125 < json.loads(run.stdout)["runs"][0]["seconds"] < 0.15
    succeed("ccs", "cg.haichi-log", "-o", "cg.json", cwd=tmp_path)
    sets = json.loads((tmp_path / "cg.json").read_text())["sets"]
    assert {message[2] for of in sets for message in of["messages"]} >= {8, 8 * 1400 // 4}
    succeed("map", "-m", "torus:4x4", "-w", "cg.haichi-log", "--evaluations", 500, "-o", "cg.map", cwd=tmp_path)
    functions = succeed("log", "show", "cg.haichi-log", cwd=tmp_path).stdout
    assert "MPI_Irecv" in functions and "nas-cg.S.16" in functions


def test_default_map_of_the_whole_machine_is_rank_order_x_fastest(tmp_path: Path) -> None:
    succeed("pattern", "ring", "--ranks", 768, "-o", "ring.json", cwd=tmp_path)
    run = succeed("map", "-m", "fx10-kyushu", "-w", "ring.json", "--strategy", "default", "-f", "fujitsu", cwd=tmp_path)
    assert run.stdout.splitlines() == [f"({r % 8},{r // 8 % 6},{r // 48})" for r in range(768)]


def test_the_summary_says_of_what_the_percentages_of_auto_are(
    default_search: subprocess.CompletedProcess[str],
) -> None:
    """The summary states percentages of times, not of the values of the search objectives."""
    words = default_search.stderr.splitlines()
    lines = [line.split(maxsplit=1)[1] for line in words if line.startswith("  auto ")]
    assert len(lines) == 3, lines
    number = r"\d+\.\d( ± \d+\.\d)? % (less|more)"
    verdict = next(line.split(maxsplit=1)[1] for line in words if line.startswith("  verdict "))
    assert re.fullmatch(rf"{number} communication time than the default placement, simulated", verdict)
    assert lines[0] == "chosen search: tac3 then hop-bytes (simulated)", "the verdict has the number"
    others = rf"hop-bytes \({number}\), predicted-time \({number}\)"
    assert re.fullmatch(rf"other searches, by communication time: {others}", lines[1])
    assert re.fullmatch(
        r"the second-best search is "
        r"(not slower than the chosen one in these simulations|"
        r"\d+\.\d % slower than the chosen one(, (more than|within) the spread over seeds)?)",
        lines[2],
    )


def test_without_a_gain_the_default_map_is_written(tmp_path: Path) -> None:
    succeed("pattern", "ring", "--ranks", 16, "-o", "ring.json", cwd=tmp_path)
    job = ("map", "-m", "fattree:2x4", "-w", "ring.json", "--evaluations", 500)
    said = succeed(*job, "-o", "ring.map", cwd=tmp_path).stderr
    verdict = next(line.split(maxsplit=1)[1] for line in said.splitlines() if line.startswith("  verdict "))
    assert verdict.startswith("no significant gain; keep the default placement (the best search: ")
    succeed("map", "-m", "fattree:2x4", "-w", "ring.json", "--strategy", "default", "-o", "default.map", cwd=tmp_path)
    assert (tmp_path / "ring.map").read_text() == (tmp_path / "default.map").read_text()
    report = json.loads(succeed(*job, "--json", cwd=tmp_path).stdout)
    assert report["auto"]["verdict"]["text"] == verdict and report["auto"]["verdict"]["helps"] is False


def test_shapes_and_reports_have_job_lines(place: Path) -> None:
    shapes = ("1x2x4x2x3x2", "2x2x2x2x3x2")
    job = ("map", "-m", "fx10-kyushu", "-w", "cg64.json", *QUICK)
    said = succeed(*job, "--shapes", ",".join(shapes), "-o", "cg-{shape}.map", cwd=place).stderr
    for shape, node in zip(shapes, ("2x6x8", "4x6x4"), strict=True):
        assert re.search(
            rf'node={node}:torus(:strict)?"\n#PJM --mpi "shape={node},proc=64,rank-map-hostfile=cg-{shape}.map"', said
        )
    report = json.loads(succeed(*job, "--shapes", ",".join(shapes), "--json", cwd=place).stdout)
    assert ["shape=4x6x4" in shape["job_lines"] for shape in report["shapes"]] == [False, True]
    report = json.loads(succeed(*job, "--shape", shapes[0], "--json", "-o", "cg.map", cwd=place).stdout)
    assert report["job_lines"].endswith('rank-map-hostfile=cg.map"\n')


def test_the_job_lines_of_a_robust_map_convert_it(place: Path) -> None:
    shapes = ("1x2x4x2x3x2", "2x2x2x2x3x2")
    robust = ("--shapes", ",".join(shapes), "--robust", "max", "-o", "cg.map")
    said = succeed("map", "-m", "fx10-kyushu", "-w", "cg64.json", *QUICK, *robust, cwd=place).stderr
    lines = [line for line in said.splitlines() if line.startswith("haichi convert ")]
    assert [shape in line for shape, line in zip(shapes, lines, strict=True)] == [True, True]
    assert said.count("mpiexec -n 64 --vcoordfile cg.map.txt ./app") == 2
    succeed(*lines[1].split()[1:], cwd=place)
    assert re.fullmatch(r"(\(\d+,\d+,\d+\)\n){64}", (place / "cg.map.txt").read_text())


def test_a_time_limit_includes_loading_and_judging(tmp_path: Path) -> None:
    """The test measures CPU time, so that a busy machine does not matter."""
    succeed("pattern", "ring", "--ranks", 64, "--bytes", "8MiB", "-o", "ring.json", cwd=tmp_path)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    succeed("map", "-m", "torus:16x16", "-w", "ring.json", "--time", "1s", "--threads", 1, "-o", "a.map", cwd=tmp_path)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 1.5
