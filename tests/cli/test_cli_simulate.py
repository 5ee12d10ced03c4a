"""haichi simulate, evaluate --simulate, map --simulate: reports, limits, interruptions."""

from __future__ import annotations

import csv
import json
import signal
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

import pytest
from haichi_program import JOB, QUICK, check_map, fail, haichi, start_until, succeed

# One link of 1 GB/s with 10 ns per router and 5 ns of cable. Everything else takes no time.
PAIR = """{"schema": "haichi-machine/1", "name": "pair",
 "topology": {"kind": "torus", "axes": [{"name": "X", "size": 2}]},
 "link": {"bandwidth": "1GB/s", "cable_latency": "5ns"}, "router": {"switch_latency": "10ns"},
 "packet": {"payload": "1000B"}, "node": {"eager_limit": "2000B", "barrier": "1us", "mpi_call_overhead": "1us"}}"""
PING = """{"schema": "haichi-workload/1", "ranks": 2, "iterations": 3,
 "sets": [{"label": "ping", "compute_seconds": 1e-6, "messages": [[0, 1, 1000]]}]}"""


def simulated(place: Path, *arguments: object) -> list[dict]:
    report = json.loads(succeed("simulate", "--json", *arguments, cwd=place).stdout)
    assert report["schema"] == "haichi-simulation/1"
    return report["runs"]


@pytest.fixture()
def pair(tmp_path: Path) -> Path:
    (tmp_path / "pair.json").write_text(PAIR)
    (tmp_path / "ping.json").write_text(PING)
    return tmp_path


def test_times_follow_from_the_machine_file(pair: Path) -> None:
    run, with_barriers = simulated(pair, "-m", "pair.json", "-w", "ping.json", "--barrier", "both")
    # The latencies are 15 and 10 ns, and the transfer takes 1 us.
    flight = 25e-9 + 1e-6
    assert run["ranks"]["compute_seconds"] == [3e-6, 3e-6]
    # An iteration computes and makes two calls. The receiver waits only for the rest of the last flight.
    assert run["ranks"]["end_seconds"] == [pytest.approx(9e-6), pytest.approx(3 * 3e-6 + flight - 1e-6)]
    assert run["ranks"]["call_seconds"] == [6e-6, 6e-6]
    assert run["seconds"] == max(run["ranks"]["end_seconds"])
    assert (run["barrier"], with_barriers["barrier"]) == ("none", "sets")
    # The times of computation, barrier, send call and flight.
    assert with_barriers["seconds"] == pytest.approx(3 * (1e-6 + 1e-6 + 1e-6 + flight), rel=1e-12)
    assert (run["payload_bytes"], run["packets"], run["packet_hops"]) == (3000, 3, 6)
    assert (run["links"], run["used_links"]) == (2, 1)


def test_what_stays_on_a_node_is_counted_apart(pair: Path) -> None:
    # Ranks 0 and 1 are on node 0, ranks 2 and 3 on node 1.
    messages = [[0, 0, 10], [0, 1, 100], [1, 2, 1000], [3, 3, 5]]
    workload = {"schema": "haichi-workload/1", "ranks": 4, "iterations": 2, "sets": [{"messages": messages}]}
    (pair / "near.json").write_text(json.dumps(workload))
    job = ["-m", "pair.json", "-w", "near.json", "--ppn", 2]
    (run,) = simulated(pair, *job)
    assert (run["payload_bytes"], run["packets"], run["packet_hops"]) == (2 * 1000, 2, 4)
    assert run["on_node_bytes"] == 2 * 115
    text = succeed("simulate", *job, cwd=pair).stdout
    assert "2,000 bytes in 2 packets, 4 packet-hops; 230 bytes stayed on their nodes" in text
    (alone,) = simulated(pair, "-m", "pair.json", "-w", "ping.json")
    assert "on_node_bytes" not in alone


def test_the_report_holds_what_the_contract_says(mapped: Path) -> None:
    run = succeed("simulate", *JOB, "-w", "cg64.json", "--map", "cg64.map", "--json", cwd=mapped)
    report = json.loads(run.stdout)
    assert list(report) == [
        *["schema", "machine", "shape", "routing", "fold", "request", "ranks", "nodes", "ranks_per_node"],
        *["placement", "runs", "node_of_rank"],
    ]
    assert (report["placement"], report["ranks"], report["nodes"]) == ("given", 64, 96)
    check_map(report["node_of_rank"], 64, 96)
    (run,) = report["runs"]
    assert run["iterations"] == 1000 and 10 <= run["simulated_iterations"] < 1000 and run["extrapolated"] is True
    assert run["seconds_per_iteration"] * 1000 == pytest.approx(run["seconds"])
    # Four sets of 1 MiB at 5 GB/s, plus overheads.
    assert 0.84 < run["seconds"] < 1.2
    ranks = run["ranks"]
    for compute, call, wait, end in zip(
        ranks["compute_seconds"], ranks["call_seconds"], ranks["wait_seconds"], ranks["end_seconds"], strict=True
    ):
        assert compute + call + wait == pytest.approx(end)
    assert len(run["most_loaded_links"]) == 10
    assert {"wall_seconds", "packet_hops_per_second"} <= set(run)


def test_barriers_before_some_sets_cost_as_many_as_they_are(mapped: Path) -> None:
    job = [*JOB, "-w", "cg64.json", "--map", "cg64.map", "--sim-iterations", 12]
    times = {}
    for choice in ("none", "3", "2,4", "sets"):
        (run,) = simulated(mapped, *job, "--barrier", choice)
        assert run["barrier"] == choice
        times[choice] = run["seconds"]
    # The map is contention-free, so a barrier costs little more than 5 us in each of 1,000 iterations.
    assert times["3"] == pytest.approx(times["none"] + 0.005, abs=0.002)
    assert times["2,4"] == pytest.approx(times["none"] + 0.010, abs=0.002)
    assert times["sets"] == pytest.approx(times["none"] + 0.020, abs=0.003)
    assert fail(2, "simulate", *job, "--barrier", "5", cwd=mapped) == (
        "error: --barrier: invalid set 5 (the workload has 4 sets)\n"
    )
    assert "--barrier: duplicate set 2" in fail(2, "simulate", *job, "--barrier", "2,1,2", cwd=mapped)


def test_barriers_hold_sets_apart_where_they_contend(place: Path) -> None:
    job = [*JOB, "-w", "cg64.json", "--barrier", "both", "--sim-iterations", 12]
    without, with_barriers = simulated(place, *job)
    assert with_barriers["extrapolated"] is True and with_barriers["simulated_iterations"] == 12
    # The default placement has contention 1, 1, 2, 2.
    assert 1.2 < with_barriers["seconds"] < 1.7
    assert without["seconds"] != with_barriers["seconds"]
    text = succeed("simulate", *job, cwd=place).stdout
    assert "without barriers: " in text and "with a barrier before every set: " in text
    assert "12 of 1,000 simulated" in text and "most loaded links" in text


def test_equal_runs_print_equal_bytes_whatever_the_threads(mapped: Path) -> None:
    job = [*JOB, "-w", "cg64.json", "--map", "cg64.map", "--message-size", "64KiB", "--json", "--no-timing"]
    texts = {succeed("simulate", *job, "--threads", n, cwd=mapped).stdout for n in (1, 2, 3)}
    assert len(texts) == 1
    succeed("simulate", *job, "-o", "report.json", cwd=mapped)
    assert (mapped / "report.json").read_text() in texts


def test_several_ranks_on_a_node_and_other_networks(place: Path) -> None:
    for machine in (["-m", "torus:4x4"], ["-m", "fattree:2x4"], ["-m", "mesh:16"]):
        (run,) = simulated(place, *machine, "-w", "cg64.json", "--ppn", 4, "--message-size", "2KiB")
        assert run["seconds"] > 0 and run["payload_bytes"] > 0


def test_a_map_and_its_simulation_in_one_go(mapped: Path) -> None:
    job = [*JOB, "-w", "cg64.json"]
    (alone,) = simulated(mapped, *job, "--map", "cg64.map")
    (default,) = simulated(mapped, *job)
    evaluated = json.loads(succeed("evaluate", *job, "--map", "cg64.map", "--simulate", "--json", cwd=mapped).stdout)[
        "simulated"
    ]
    keys = ["barrier", "seconds", "seconds_per_iteration", "iterations", "simulated_iterations", "extrapolated"]
    assert list(evaluated) == [*keys, "default"]
    assert {key: alone[key] for key in keys} | {"default": {key: default[key] for key in keys}} == evaluated
    assert evaluated["seconds"] < evaluated["default"]["seconds"]
    # A search that starts at this placement and makes only one evaluation returns it.
    search = [*QUICK[:2], "--start", "cg64.map", "--evaluations", 1, "--restarts", 1]
    run = succeed("map", *job, *search, "--simulate", "--json", cwd=mapped)
    assert json.loads(run.stdout)["simulated"] == evaluated
    run = succeed("map", *job, *search, "--simulate", "-o", "again.map", cwd=mapped)
    assert " % lower than the default placement (" in run.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--barrier", "set"], "did you mean 'sets'?"),
        (["--sim-iterations", "0"], "--sim-iterations: invalid number 0 (at least 1)"),
        (["--sim-iterations", "some"], "--sim-iterations"),
        (["--threads", "0"], "--threads"),
        (["--partitions", "-1"], "--partitions"),
        (["--partitions", "16385"], "--partitions"),
        (["--map", "missing.map"], "missing.map"),
        (["-f", "fujitsu"], "--format requires --map"),
        (["-o", "missing/report.json"], "missing/report.json"),
        (["--shape", "1x1x1x1x1x1"], "64"),
    ],
)
def test_wrong_usage_is_refused_before_anything_runs(place: Path, arguments: list[str], words: str) -> None:
    job = JOB if "--shape" not in arguments else JOB[:2]
    assert words in fail(2, "simulate", *job, "-w", "cg64.json", *arguments, cwd=place)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_simulation_gives_what_is_known(place: Path, number: signal.Signals) -> None:
    job = [*JOB, "-w", "cg64.json", "--message-size", "1GiB"]
    run = start_until("simulation", "simulate", *job, "--json", "-o", "report.json", cwd=place)
    run.send_signal(number)
    assert "interrupted" in run.communicate(timeout=60)[1]
    assert run.returncode == 130
    report = json.loads((place / "report.json").read_text())
    assert report["interrupted"] is True
    assert report["runs"][0]["interrupted"] is True and report["runs"][0]["simulated_iterations"] == 0
    assert report["runs"][0]["packet_hops"] > 0


def test_buffers_that_hold_links_back_are_told_once(pair: Path) -> None:
    # A packet takes 1 us, and its credit returns after 15 ns each way, so one packet fills 1,000 of 1,030 ns.
    (pair / "small.json").write_text(PAIR.replace('"10ns"}', '"10ns", "buffer": "1 packet"}'))
    (pair / "ping.map").write_text("0\n1\n")
    job = ["-m", "small.json", "-w", "ping.json"]
    reached = "a virtual channel carries 0.971 GB/s of its link's 1 GB/s"
    told = f"pair: with buffers of 1 packet, {reached}; use 2 packets or more"
    for command in (
        ["simulate", *job, "--barrier", "both"],
        ["simulate", *job, "--json"],
        ["evaluate", *job, "--map", "ping.map", "--simulate"],
        ["map", *job, "--simulate", "--objective", "simulated-time", "-o", "found.map"],
        ["advise", "barrier", *job],
        ["compare", *job, "--strategies", "default", "--simulate"],
    ):
        run = succeed(*command, cwd=pair)
        assert run.stderr.count("warning: ") == run.stderr.count(f"warning: {told} ('router.buffer')\n") == 1
        assert "warning" not in run.stdout
        assert "warning" not in succeed(*command, "--quiet", cwd=pair).stderr
    for quiet in (["evaluate", *job, "--map", "ping.map"], ["simulate", "-m", "pair.json", "-w", "ping.json"]):
        assert "warning" not in succeed(*quiet, cwd=pair).stderr


def test_a_workload_without_messages_takes_no_time(pair: Path) -> None:
    (pair / "empty.json").write_text('{"schema": "haichi-workload/1", "ranks": 2, "sets": []}')
    run = haichi("simulate", "-m", "pair.json", "-w", "empty.json", "--json", cwd=pair)
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout)["runs"][0]["seconds"] == 0


def test_statistics_hold_every_byte_in_its_bin(pair: Path) -> None:
    (run,) = simulated(
        pair, "-m", "pair.json", "-w", "ping.json", "--stats", "bins.csv", "--stats-bin", "1us", "--no-timing"
    )
    rows = list(csv.DictReader((pair / "bins.csv").read_text().splitlines()))
    carried: dict[str, int] = {}
    for row in rows:
        span = float(row["end_seconds"]) - float(row["begin_seconds"])
        assert float(row["throughput_bytes_per_s"]) == pytest.approx(int(row["bytes"]) / span)
        assert 0 <= float(row["efficiency"]) <= 1
        carried[row["channel"]] = carried.get(row["channel"], 0) + int(row["bytes"])
    assert carried == {link["link"]: link["bytes"] for link in run["most_loaded_links"]}
    assert carried["X+ (0)->(1)"] == 3000
    assert [int(row["bin"]) for row in rows] == sorted(int(row["bin"]) for row in rows)


def test_statistics_quote_the_names_of_nodes(tmp_path: Path) -> None:
    names = ['n0,",0,0,"', 'n1"x']
    nodes = "".join(f"<node id={quoteattr(name)}><data key='t'>1</data></node>" for name in names)
    (tmp_path / "g.xml").write_text(
        "<graphml><key id='t' for='node' attr.name='terminal'/><key id='b' for='edge' attr.name='bandwidth'/>"
        f"<graph edgedefault='undirected'>{nodes}<edge source={quoteattr(names[0])} target={quoteattr(names[1])}>"
        "<data key='b'>5GB/s</data></edge></graph></graphml>"
    )
    succeed("pattern", "ring", "--ranks", 2, "-o", "w.json", cwd=tmp_path)
    succeed("simulate", "-m", "graph:g.xml", "-w", "w.json", "--stats", "st.csv", cwd=tmp_path)
    with (tmp_path / "st.csv").open(newline="") as file:
        rows = list(csv.reader(file))
    assert len({len(row) for row in rows}) == 1
    assert f"({names[0]})->({names[1]})" in {field for row in rows for field in row}


def test_a_buffer_history_tells_each_packet_of_its_router_and_time(pair: Path) -> None:
    asked = ["-m", "pair.json", "-w", "ping.json", "--buffer-history", "packets.csv", "--router"]
    simulated(pair, *asked, 1)
    rows = list(csv.DictReader((pair / "packets.csv").read_text().splitlines()))
    assert [(row["from"], row["to"], row["source"], row["destination"]) for row in rows] == [
        ("X+ (0)->(1)", "ejection (1)", "0", "1")
    ] * 3
    # An iteration computes and makes two calls, 1 us each. The link has a latency of 15 ns.
    assert [float(row["arrival_seconds"]) for row in rows] == pytest.approx([2.015e-6, 5.015e-6, 8.015e-6])
    simulated(pair, *asked, 0, "--history-begin", "3us", "--history-end", "6us", "--history-interval", "500ns")
    rows = list(csv.DictReader((pair / "packets.csv").read_text().splitlines()))
    # The packet arrives at 5 us, the last instant of the interval.
    assert [(row["interval"], row["from"]) for row in rows] == [("3", "injection (0)")]


def test_statistics_are_refused_where_they_say_nothing(pair: Path) -> None:
    job = ["simulate", "-m", "pair.json", "-w", "ping.json"]
    assert "--stats-bin" in fail(2, *job, "--stats-bin", "1us", cwd=pair)
    assert "--buffer-history" in fail(2, *job, "--router", "1", cwd=pair)
    assert "--router" in fail(2, *job, "--buffer-history", "x.csv", cwd=pair)
    assert "invalid router: 2\nhint: choose a router from 0 to 1" in fail(
        2, *job, "--buffer-history", "x.csv", "--router", "2", cwd=pair
    )
    assert "cannot be combined with --barrier both" in fail(2, *job, "--stats", "x.csv", "--barrier", "both", cwd=pair)
    assert "--history-interval" in fail(
        2, *job, "--buffer-history", "x.csv", "--router", "1", "--history-interval", "0s", cwd=pair
    )


def test_equal_bytes_with_any_number_of_threads(place: Path) -> None:
    # All 4,096 nodes send at once, so lookahead windows have enough events for several threads.
    succeed("pattern", "random-ring", "--ranks", 4096, "--bytes", 4096, "--seed", 5, "-o", "ring.json", cwd=place)
    job = ["-m", "torus:16x16x16", "-w", "ring.json", "--sim-iterations", 1, "--json", "--no-timing"]
    texts = set()
    for threads in (1, 3):
        statistics = f"bins{threads}.csv"
        texts.add(succeed("simulate", *job, "--threads", threads, "--stats", statistics, cwd=place).stdout)
        texts.add((place / statistics).read_text())
    assert len(texts) == 2


def test_equal_bytes_with_any_number_of_partitions(place: Path) -> None:
    # Two ranks per node, with rendezvous messages and eager ones, some within a node, and a barrier before every set.
    messages = [[r, (r * 7 + 3) % 512, 20_000 if r % 5 == 0 else 700 + r] for r in range(512)]
    shifts = [[r, (r + 1) % 512, 500] for r in range(512)]
    sets = [{"messages": messages}, {"messages": shifts, "compute_seconds": 1e-6}]
    workload = {"schema": "haichi-workload/1", "ranks": 512, "iterations": 2, "sets": sets}
    (place / "mixed.json").write_text(json.dumps(workload))
    axes = [{"name": name, "size": size} for name, size in (("X", 8), ("Y", 8), ("Z", 4))]
    machine = json.loads(PAIR) | {"name": "cut", "topology": {"kind": "torus", "axes": axes}}
    machine["node"]["nics"] = 2
    (place / "cut.json").write_text(json.dumps(machine))
    job = ["-m", "cut.json", "-w", "mixed.json", "--ppn", 2, "--barrier", "sets", "--json", "--no-timing"]
    texts = set()
    for partitions, threads in ((0, 1), (0, 2), (1, 2), (7, 1), (64, 2), (256, 1)):
        statistics = f"bins{partitions}-{threads}.csv"
        run = succeed(
            *["simulate", "-v", *job, "--partitions", partitions, "--threads", threads],
            *["--stats", statistics, "--stats-bin", "10us"],
            cwd=place,
        )
        cut = max(partitions, 1 if partitions else threads)
        assert f" {cut} partitions of the machine" in run.stderr
        texts |= {run.stdout, (place / statistics).read_text()}
    assert len(texts) == 2


def test_files_are_not_shared_and_no_map_is_lost(pair: Path) -> None:
    job = ["simulate", "-m", "pair.json", "-w", "ping.json"]
    assert "two outputs" in fail(2, *job, "--stats", "x.csv", "--buffer-history", "x.csv", "--router", 1, cwd=pair)
    assert "two outputs" in fail(2, *job, "--stats", "x.csv", "-o", "x.csv", cwd=pair)
    assert "requires a file, found '-'" in fail(2, *job, "--stats", "-", cwd=pair)
    # Jobs that cannot be simulated are refused before the search.
    (pair / "long.json").write_text(PING.replace("1e-6", "1e7"))
    for more in (["--simulate"], ["--objective", "simulated-time"], ["--simulate", "--shapes", "2", "--robust", "max"]):
        words = fail(2, "map", "-m", "pair.json", "-w", "long.json", *more, "-o", "map-{shape}", cwd=pair)
        assert "compute_seconds: must be at most" in words and "evaluations" not in words


def ring_schedule(folder: Path, steps: int = 20) -> Path:
    """In each iteration, four ranks compute for 1 ms and pass on 1 MiB."""
    lines = ["num_ranks 4"]
    for rank in range(4):
        lines.append(f"rank {rank} {{")
        for i in range(steps):
            lines.append(f"c{i}: calc 1000000")
            lines.append(f"r{i}: recv 1048576b from {(rank - 1) % 4} tag 0")
            lines.append(f"s{i}: send 1048576b to {(rank + 1) % 4} tag 0")
            lines += [f"r{i} requires c{i}", f"s{i} requires c{i}"]
            if i > 0:
                lines += [f"c{i} requires r{i - 1}", f"c{i} requires s{i - 1}"]
        lines.append("}")
    path = folder / "ring.goal"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_a_log_is_simulated_call_by_call_unless_its_sets_are_asked_for(tmp_path: Path) -> None:
    log = ring_schedule(tmp_path)
    job = ("-m", "torus:4", "-w", log)
    calls = json.loads(succeed("simulate", *job, "--json", "--no-timing", cwd=tmp_path).stdout)["runs"][0]
    assert calls["as"] == "calls" and calls["left_out"] == {}
    assert calls["calls"] == 4 * 20 * 3
    sets = json.loads(succeed("simulate", *job, "--form", "sets", "--json", "--no-timing", cwd=tmp_path).stdout)[
        "runs"
    ][0]
    assert sets["as"] == "sets" and sets["left_out"] == {"computing": True}
    assert calls["seconds"] == pytest.approx(20e-3 + sets["seconds"], rel=1e-3)
    assert calls["fractions_of_run"]["computing"] == pytest.approx(20e-3 / calls["seconds"], rel=1e-6)
    assert sum(calls["fractions_of_run"].values()) == pytest.approx(1, rel=1e-6)
    half = succeed("simulate", *job, "--compute-factor", "0.5", "--json", "--no-timing", cwd=tmp_path).stdout
    assert json.loads(half)["runs"][0]["seconds"] == pytest.approx(calls["seconds"] - 10e-3, rel=1e-6)
    text = succeed("simulate", *job, cwd=tmp_path).stdout
    assert "call by call: " in text and "% of the run" in text
    assert (
        "the sets of a log have no computation time" in succeed("simulate", *job, "--form", "sets", cwd=tmp_path).stdout
    )

    shuffled = tmp_path / "shuffled.json"
    succeed("map", *job, "--strategy", "random", "--seed", "2", "-f", "json", "-o", shuffled, cwd=tmp_path)
    report = succeed("evaluate", *job, "--map", shuffled, "--simulate", "--json", "--no-timing", cwd=tmp_path).stdout
    simulated = json.loads(report)["simulated"]
    assert simulated["as"] == simulated["default"]["as"] == "calls"
    said = succeed("map", *job, "--simulate", "-o", tmp_path / "ring.map", cwd=tmp_path).stderr
    assert "for the whole run" in said


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["--form", "calls", "--barrier", "sets"],
            "--barrier requires communication sets, but the calls of the log are simulated",
        ),
        (
            ["--sim-iterations", "all"],
            "--sim-iterations requires communication sets, but the calls of the log are simulated",
        ),
        (["--form", "calls", "--message-size", "1KiB"], "--message-size cannot be combined with --form calls"),
        (["--form", "colls"], "did you mean 'calls'?"),
        (["--compute", "maybe"], "possible values are mean, drawn, none"),
        (["--compute-seed", "3"], "--compute-seed requires --compute drawn"),
        (["--compute-factor", "-1"], "too small (at least 0)"),
        (["--collectives", "allreduce=rong"], "unknown algorithm"),
    ],
)
def test_options_that_do_not_fit_calls_are_refused(tmp_path: Path, options: list[str], message: str) -> None:
    run = haichi("simulate", "-m", "torus:4", "-w", ring_schedule(tmp_path), *options, cwd=tmp_path)
    assert run.returncode == 2, run.stderr
    assert message in run.stderr


@pytest.mark.parametrize(
    "options", [["--compute", "none"], ["--compute-factor", "2"], ["--collectives", "alltoall=bruck"]]
)
def test_options_of_calls_are_refused_for_sets(tmp_path: Path, options: list[str]) -> None:
    (tmp_path / "ring.txt").write_text("0 1 100\n1 0 100\n")
    run = haichi("simulate", "-m", "torus:4", "-w", "ring.txt", *options, cwd=tmp_path)
    assert run.returncode == 2
    assert f"{options[0]} requires the calls of a log, but communication sets are simulated" in run.stderr
    assert ("compute_seconds" in run.stderr) == (options[0] != "--collectives")
    run = haichi("simulate", "-m", "torus:4", "-w", ring_schedule(tmp_path), "--form", "sets", *options, cwd=tmp_path)
    assert run.returncode == 2
    assert "leave out --form sets" in run.stderr


def test_a_spread_varies_computation_and_its_values_are_checked(tmp_path: Path) -> None:
    (tmp_path / "ring.txt").write_text("0 1 100\n1 0 100\n")
    job = ("simulate", "-m", "torus:4", "-w", "ring.txt", "--json", "--no-timing")

    def run(*options: object) -> dict[str, Any]:
        return json.loads(succeed(*job, *options, cwd=tmp_path).stdout)["runs"][0]

    plain = run()
    late = run("--compute-spread", "20us")
    assert "computing" not in plain
    assert late["computing"] == {"rule": "spread", "seed": 1, "most_seconds": 2e-5}
    assert plain["seconds"] < late["seconds"] < plain["seconds"] + 2e-5
    assert run("--compute-spread-seed", 2, "--compute-spread", "20us")["seconds"] != late["seconds"]
    assert run("--compute-spread", "20us", "--threads", 2) == late
    often = run("--compute-spread", "1us/10us")
    assert often["computing"]["interval_seconds"] == 1e-5
    text = succeed(*job[:5], "--compute-spread", "1us/10us", cwd=tmp_path).stdout
    assert "computation time: up to 1 us longer, every 10 us on average, random seed 1" in text
    for value, words in (
        ("5%", "a spread in per cent requires a workload with computation time"),
        ("5%/1ms", "expected the length of an interruption, found '5%'"),
        ("2ms/1ms", "the interval '1ms' must be at least as long as an interruption"),
        ("5", "unit"),
    ):
        assert words in fail(2, *job, "--compute-spread", value, cwd=tmp_path)
    assert "--compute-spread-seed requires --compute-spread" in fail(2, *job, "--compute-spread-seed", 2, cwd=tmp_path)
    log = ("simulate", "-m", "torus:4", "-w", ring_schedule(tmp_path))
    assert "--compute-spread requires communication sets" in fail(2, *log, "--compute-spread", "1us", cwd=tmp_path)
    succeed(*log, "--form", "sets", "--compute-spread", "1us", cwd=tmp_path)


def test_every_command_that_simulates_placements_can_vary_computation(tmp_path: Path) -> None:
    (tmp_path / "ring.txt").write_text("0 1 100\n1 2 100\n2 3 100\n3 0 100\n")
    job = ("-m", "torus:4", "-w", "ring.txt")
    spread = ("--compute-spread", "20us", "--compute-spread-seed", 3)
    run = json.loads(succeed("simulate", *job, *spread, "--json", "--no-timing", cwd=tmp_path).stdout)["runs"][0]
    found = ("--strategy", "default", "-o", "ring.map", "--json")
    for command in (("map", *job, *found), ("evaluate", *job, "--map", "ring.map", "--json")):
        report = json.loads(succeed(*command, "--simulate", *spread, cwd=tmp_path).stdout)
        assert report["simulated"]["seconds"] == run["seconds"]
        assert report["simulated"]["computing"] == run["computing"]
        assert "--compute-spread requires --simulate" in fail(2, *command, "--compute-spread", "20us", cwd=tmp_path)
    text = succeed("evaluate", *job, "--map", "ring.map", "--simulate", *spread, cwd=tmp_path).stdout
    assert "computation time up to 20 us longer before each set, random seed 3" in text
    compared = ("compare", *job, "--strategies", "default", "--simulate", "--barrier", "none", "-o", "c.json")
    succeed(*compared, *spread, cwd=tmp_path)
    results = json.loads((tmp_path / "c.json").read_text())
    assert results["cells"][0]["simulated"]["none"]["seconds"] == run["seconds"]
    assert results["request"]["compute_spread"] == "20us"


def test_a_log_without_messages_is_named(tmp_path: Path) -> None:
    (tmp_path / "idle.goal").write_text("num_ranks 2\nrank 0 {\nl1: calc 100\n}\nrank 1 {\nl1: calc 100\n}\n")
    run = haichi("map", "-m", "torus:4", "-w", "idle.goal", cwd=tmp_path)
    assert run.returncode == 2, run.stderr
    assert "idle.goal: the main loop has no messages" in run.stderr
    assert "--main-loop N" in run.stderr


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("w.json", '{"schema": "haichi-workload/1", "ranks": 2, "sets": [{"messages": [[0, 1, 281474976710656]]}]}'),
        ("w.tit", "0 send 1 0 281474976710656\n1 recv 0 0 281474976710656\n"),
        ("w.goal", "num_ranks 2\nrank 0 {\nsend 99999999999999b to 1\n}\nrank 1 {\nrecv 99999999999999b from 0\n}\n"),
    ],
)
def test_messages_that_would_be_simulated_for_days_are_refused(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    error = fail(2, "simulate", "-m", "switch:2", "-w", name, cwd=tmp_path)
    assert "packets; at most 4294967296 can be simulated" in error and "--message-size" in error


def test_a_workload_has_no_calls(tmp_path: Path) -> None:
    (tmp_path / "ring.txt").write_text("0 1 100\n1 0 100\n")
    run = haichi("simulate", "-m", "torus:4", "-w", "ring.txt", "--form", "calls", cwd=tmp_path)
    assert run.returncode == 2 and "requires a log that records the order of calls" in run.stderr
