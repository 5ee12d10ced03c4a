"""haichi advise: shape, barrier, rails, spread."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import Any

import pytest
from haichi_program import JOB, fail, haichi, start_until, succeed
from sample_logs import sample

BARE = """{"schema": "haichi-machine/1", "name": "bare", "topology": {"kind": "torus", "axes": [
 {"name": "X", "size": 4, "wraps": true}, {"name": "Y", "size": 4, "wraps": true}]},
 "link": {"bandwidth": "5GB/s"}, "allocations": [[4, 4], [2, 4]]}"""


@pytest.fixture()
def small(tmp_path: Path) -> Path:
    """CG on 16 ranks, with messages so small that a simulation takes hundredths of a second."""
    succeed("pattern", "cg", "--ranks", 16, "--bytes", "20kB", "-o", "cg16.json", cwd=tmp_path)
    (tmp_path / "bare.json").write_text(BARE)
    return tmp_path


def asked(place: Path, *arguments: object) -> dict:
    answer = json.loads(succeed("advise", *arguments, "--json", cwd=place).stdout)
    assert answer["schema"] == "haichi-advice/1"
    assert answer["question"] == arguments[0]
    return answer


def test_shape_compares_what_the_scheduler_may_give(small: Path) -> None:
    job = ["shape", "-m", "fx10-kyushu", "-w", "cg16.json", "--node-count", 24, "--seeds", 2]
    answer = asked(small, *job)
    assert (answer["nodes"], answer["wanted_nodes"], answer["listed_by_machine"]) == (24, 24, False)
    assert {tuple(row["shape"]) for row in answer["shapes"]} == {
        (1, 1, 2, 2, 3, 2),
        (1, 2, 1, 2, 3, 2),
        (2, 1, 1, 2, 3, 2),
    }
    # The logical shapes 2x3x4 and 4x3x2 are the same request.
    assert len({tuple(row["request"]) for row in answer["shapes"]}) == 2
    assert answer["simulations"] == 3 * 2 * 2
    for row in answer["shapes"]:
        assert row["idle_nodes"] == 8
        assert row["contention_sum"] == sum(row["set_contention"])
        times = row["without_barriers"]
        assert len(times["by_seed"]) == 2
        assert times["seconds"] == pytest.approx(sum(times["by_seed"]) / 2)
    text = succeed("advise", *job, cwd=small).stdout
    assert text.endswith("\n" + answer["sentence"] + "\n")
    assert answer["advice"] in ("one", "several", "any")


def test_shape_takes_the_next_larger_number_of_nodes_and_what_the_file_lists(small: Path) -> None:
    text = succeed("advise", "shape", "-m", "fx10-kyushu", "-w", "cg16.json", "--seeds", 1, cwd=small).stdout
    assert "16 ranks on 24 nodes of fx10-kyushu" in text
    assert "no allowed shape has 16 nodes: the next larger number is 24\n" in text
    answer = asked(small, "shape", "-m", "bare.json", "-w", "cg16.json")
    assert answer["listed_by_machine"] and [row["shape"] for row in answer["shapes"]] == [[4, 4]]
    assert answer["advice"] == "unknown"
    assert answer["sentence"].startswith(
        "Not known: machine bare does not state packet.payload, router.switch_latency and node.mpi_call_overhead,"
    )
    assert fail(2, "advise", "shape", "-m", "bare.json", "-w", "cg16.json", "--node-count", 17, cwd=small) == (
        "error: machine bare has no job shape of 17 nodes or more\n"
        "hint: request fewer nodes, or add a shape to the list 'allocations' of its file\n"
    )


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["shape", "-m", "fx10-kyushu"], "--workload is missing"),
        (["shape", "-w", "cg16.json"], "--machine is missing"),
        (["shape", "-m", "fattree:2x4", "-w", "cg16.json"], "is not a mesh or torus"),
        (["shape", "-m", "fx10-kyushu", "-w", "cg16.json", "--node-count", 15], "16 ranks do not fit on 15 nodes"),
        (["shape", "-m", "fx10-kyushu", "-w", "cg16.json", "--node-count", 769], "no job shape of 769 nodes"),
        (["shape", "-m", "fx10-kyushu", "-w", "cg16.json", "--seeds", 0], "--seeds: '0' is too small"),
        (["shape", "-m", "fx10-kyushu", "-w", "cg16.json", "--packet-hops", "0.5"], "is too small"),
        (
            ["barrier", *JOB, "-w", "cg16.json", "--compute-imbalance", "5%"],
            "an imbalance in per cent requires a workload with computation time",
        ),
        (["barrier", *JOB, "-w", "cg16.json", "--compute-imbalance", "5"], "unit"),
        (["barrier", *JOB, "-w", "cg16.json", "--draws", 3], "requires --compute-imbalance or --compute-spread"),
        (
            ["barrier", *JOB, "-w", "cg16.json", "--compute-imbalance", "5us", "--compute-spread", "5us"],
            "cannot be combined with",
        ),
        (["barrier", *JOB, "-w", "cg16.json", "--sizes", "1MiB,"], "--sizes"),
        (["barrier", *JOB, "-w", "cg16.json", "--sizes", "1MiB", "--message-size", "1KiB"], "cannot be combined with"),
        (["barrier", *JOB, "-w", "cg16.json", "-f", "json"], "--format requires --map"),
        (["rails"], "LOG is missing"),
        (["spread", "-m", "fx10-kyushu", "-w", "cg16.json"], "has one cluster, so a job cannot be spread"),
        (
            ["spread", "-m", "two-clusters:1,0ms,8", "-w", "cg16.json"],
            "hint: use --ppn 2; or give a workload with fewer ranks",
        ),
        (["spread", "-m", "two-clusters", "-w", "cg16.json", "--compute-time", "5"], "--compute-time"),
        (["spread", "-m", "two-clusters", "-w", "-", "--spread-workload", "-"], "only one file can be standard input"),
        (["spread", "-m", "two-clusters", "-w", "cg16.json", "--spread-workload", "none.json"], "none.json"),
        (["shapes"], "did you mean 'shape'?"),
    ],
)
def test_wrong_questions_are_refused(small: Path, arguments: list[object], words: str) -> None:
    assert words in fail(2, "advise", *arguments, cwd=small)


def test_barrier_names_the_set_that_contention_slides_into(mapped: Path) -> None:
    # The map is contention-free, so a barrier of 5 us costs exactly 5 us.
    job = ["barrier", *JOB, "-w", "cg64.json"]
    none = asked(mapped, *job, "--map", "cg64.map", "--message-size", "16KiB")
    assert none["set_contention"] == [1, 1, 1, 1]
    (answer,) = none["answers"]
    assert (answer["advice"], answer["simulations"], answer["tried_all"]) == ("none", 16, True)
    assert answer["gain_seconds"] == pytest.approx(-0.005, abs=0.003)
    # The default placement has contention 2 in sets 3 and 4.
    text = succeed("advise", *job, "--message-size", "256KiB", cwd=mapped).stdout
    assert "contention per set: 1 1 2 2\n" in text
    assert text.splitlines()[-1].startswith("Use a barrier before set ")


def test_barriers_pay_for_large_messages_only(mapped: Path) -> None:
    job = ["barrier", *JOB, "-w", "cg64.json", "--sizes", "256KiB,4KiB,64KiB"]
    answer = asked(mapped, *job)
    assert [one["message_size"] for one in answer["answers"]] == [4096, 65536, 262144]
    assert [one["advice"] for one in answer["answers"]] == ["none", "none", "sets"]
    assert answer["pays_from_bytes"] == 262144
    assert answer["sentence"] == "Barriers save time for messages of at least 262144 bytes."


def test_an_imbalance_is_drawn_several_times_and_answers_are_reproducible(small: Path) -> None:
    job = ["barrier", *JOB, "-w", "cg16.json", "--compute-imbalance", "50us", "--draws", 3]
    answer = asked(small, *job)
    assert (answer["draws"], answer["imbalance_seconds"]) == (3, 5e-5)
    (one,) = answer["answers"]
    assert one["simulations"] == 8 + 2 * 2
    assert len(one["choices"][0]["seconds"]) == 3 and len(set(one["choices"][0]["seconds"])) == 3
    assert asked(small, *job, "--threads", 1) == answer
    assert asked(small, *job, "--compute-imbalance-seed", 5) != answer
    spread = asked(small, "barrier", *JOB, "-w", "cg16.json", "--compute-spread", "50us", "--draws", 3)
    assert spread["computing"] == {"rule": "spread", "seed": 1, "most_seconds": 5e-5}
    assert spread["answers"] != answer["answers"]


def test_the_sets_of_a_log_compute_for_its_times_between_calls(tmp_path: Path) -> None:
    def log(name: str, computing: int) -> str:
        """In each of 8 iterations, four ranks compute, and pass 1 MiB on."""
        lines = ["num_ranks 4"]
        for rank in range(4):
            lines.append(f"rank {rank} {{")
            for i in range(8):
                lines += [f"c{i}: calc {computing}"] if computing else []
                lines += [f"r{i}: recv 1048576b from {(rank - 1) % 4}", f"s{i}: send 1048576b to {(rank + 1) % 4}"]
                lines += [f"r{i} requires c{i}", f"s{i} requires c{i}"] if computing else []
                first = f"c{i}" if computing else f"s{i}"
                lines += [f"{first} requires r{i - 1}", f"{first} requires s{i - 1}"] if i else []
            lines.append("}")
        (tmp_path / name).write_text("\n".join(lines) + "\n")
        return name

    def answer(*options: object) -> dict[str, Any]:
        return asked(tmp_path, "barrier", "-m", "torus:4", *options)

    computing = answer("-w", log("computing.goal", 1_000_000))
    silent = answer("-w", log("silent.goal", 0))
    assert computing["compute_seconds"] == pytest.approx(1e-3)
    assert silent["compute_seconds"] == 0
    with_times, without = (run["answers"][0]["choices"][0]["seconds"][0] for run in (computing, silent))
    assert without < 2e-3 and 8e-3 < with_times < 10e-3
    assert answer("-w", "computing.goal", "--compute-imbalance", "5%")["imbalance_share"] == 0.05
    text = succeed("advise", "barrier", "-m", "torus:4", "-w", "computing.goal", cwd=tmp_path).stdout
    assert "each rank computes for 1 ms per iteration, the mean of the times between the calls of the log" in text
    text = succeed("advise", "barrier", "-m", "torus:4", "-w", "silent.goal", cwd=tmp_path).stdout
    assert "communication only: the log has no times between its calls" in text


def test_a_machine_that_does_not_state_what_a_barrier_costs(mapped: Path) -> None:
    answer = asked(mapped, "barrier", "-m", "torus:8x8", "-w", "cg64.json", "--message-size", "4KiB")
    (one,) = answer["answers"]
    assert one["advice"] == "unknown"
    assert "node.barrier" in answer["sentence"] and one["break_even_seconds"] > 0


def test_synchronisation_by_rdma_is_counted_where_the_machine_has_no_barrier(mapped: Path) -> None:
    machine = json.loads(succeed("list", "machines", "--show", "fx10-kyushu", cwd=mapped).stdout)
    del machine["node"]["barrier"], machine["notes"]
    machine["node"]["rdma_overhead"] = "1us"
    (mapped / "no-barrier.json").write_text(json.dumps(machine))
    job = ["-m", "no-barrier.json", *JOB[2:], "-w", "cg64.json"]
    answer = asked(mapped, "barrier", *job, "--message-size", "384KiB")
    (one,) = answer["answers"]
    assert one["advice"] == "unknown" and one["break_even_seconds"] > one["put_barrier_seconds"]
    # 64 ranks need six steps. A step is a put, a poll and the wait for completion, 1 us each, and some hops.
    assert 6 * 3e-6 <= one["put_barrier_seconds"] < 6 * 5e-6
    assert answer["sentence"].endswith(", so it would save time.") and "by put and poll takes" in answer["sentence"]


def test_ctrl_c_keeps_what_is_known(small: Path) -> None:
    succeed("pattern", "cg", "--ranks", 64, "--bytes", 2**30, "-o", "endless.json", cwd=small)
    job = ["barrier", *JOB, "-w", "endless.json", "--packet-hops", "1e15"]
    run = start_until("advice", "advise", *job, "--json", cwd=small)
    run.send_signal(signal.SIGINT)
    out, words = run.communicate(timeout=60)
    assert run.returncode == 130
    answer = json.loads(out)
    assert answer["interrupted"] is True and "interrupted" in answer["sentence"]
    assert words == "interrupted: the answer uses the results so far\n"


def test_rails_follow_from_a_profile_or_from_measured_runs(tmp_path: Path) -> None:
    for name, kind, ranks in [("a", "ring", 8), ("c", "broadcasts", 8)]:
        sample(kind, ranks, tmp_path / name)
    answer = asked(tmp_path, "rails", "a", "c", "--interfaces", 4)
    assert answer["measured"] is False
    assert [(one["processes"], one["advice"]) for one in answer["answers"]] == [(8, "more"), (8, "fewer")]

    succeed("advise", "rails", "a", "--interfaces", 4, "--write-rails", "rails.txt", cwd=tmp_path)
    written = (tmp_path / "rails.txt").read_text().split("\n")
    assert written[0] == "haichi-rails/1" and written[1].startswith("ranks 8 nodes ") and "=4" in written[1]
    refused = fail(2, "advise", "rails", "a", "--write-rails", "none.txt", cwd=tmp_path)
    assert "--write-rails: the advice states no number of NICs" in refused and "--interfaces" in refused
    assert not (tmp_path / "none.txt").exists()

    answer = asked(tmp_path, "rails", "rails=1:a", "rails=2:c")
    assert answer["measured"] is True
    assert [(one["advice"], one["rails"]) for one in answer["answers"]] == [("measured", 1)]
    assert answer == asked(tmp_path, "rails", "--rails", "1,2", "a", "c")
    text = succeed("advise", "rails", "rails=1:a", "rails=2:c", cwd=tmp_path).stdout
    assert "measured: 2 s with 1 NIC, 6.44 s with 2 NICs" in text
    assert text.endswith("\n\n8 ranks: use 1 NIC.\n")
    assert "--rails: expected 2 numbers, one per log, found 1" in fail(
        2, "advise", "rails", "a", "c", "--rails", "1", cwd=tmp_path
    )


def test_spread_compares_one_cluster_with_all(small: Path) -> None:
    succeed("pattern", "cg", "--ranks", 32, "--bytes", "10kB", "-o", "cg32.json", cwd=small)
    job = ["spread", "-m", "two-clusters:4,4ms", "-w", "cg16.json", "--spread-workload", "cg32.json", "--seeds", 1]
    answer = asked(small, *job, "--compute-time", "1s")
    assert (answer["advice"], answer["compute_seconds"], answer["delay_seconds"]) == ("spread", 1, 0.004)
    assert 1.9 < answer["gain"] < 2
    assert [place["clusters"] for place in answer["in_one"]] == [[0], [1]]
    over_all = answer["over_all"]
    assert over_all["clusters"] == [0, 1]
    assert (over_all["ranks"], over_all["nodes"], over_all["ranks_per_node"]) == (32, 32, 1)
    assert over_all["seconds"] == min(over_all["default_seconds"], *over_all["mapped_seconds"])
    # Without a computation time, the advice states the computation time above which both clusters pay off.
    unknown = asked(small, *job)
    assert unknown["advice"] == "unknown" and "compute_seconds" not in unknown
    assert unknown["sentence"].startswith("Not known: the workload does not state its computation time;")
    enough = unknown["pays_from_compute_seconds"]
    assert asked(small, *job, "--compute-time", f"{enough * 1.1:.6f}s")["advice"] == "spread"
    assert asked(small, *job, "--compute-time", f"{enough * 0.9:.6f}s")["gain"] < 1
    text = succeed("advise", *job, "--compute-time", "1s", cwd=small).stdout
    assert text.startswith("two-clusters:4,4ms, gateway nodes delay packets by up to 4 ms\n")
    assert text.endswith("\n" + answer["sentence"] + "\n")
    assert asked(small, *job, "--compute-time", "1s", "--threads", 1) == answer


def test_spread_puts_fewer_ranks_on_a_node_and_replays_logs(small: Path) -> None:
    job = ["spread", "-m", "two-clusters:2,0ms,8", "-w", "cg16.json", "--ppn", 2, "--seeds", 1]
    answer = asked(small, *job)
    assert [place["ranks_per_node"] for place in answer["in_one"]] == [2, 2]
    assert answer["over_all"]["ranks_per_node"] == 1
    assert answer["advice"] in ("spread", "stay", "equal")
    (small / "nodes").write_text("0\n1\n2\n3\n4\n5\n6\n7\n")
    assert "are in one cluster" in fail(2, "advise", *job, "--nodes", "nodes", cwd=small)
    ring = Path(__file__).resolve().parents[1] / "data" / "logs" / "paraver" / "ring.prv"
    job = ["spread", "-m", "two-clusters:2,0ms,8", "-w", ring, "--seeds", 1]
    of_log = asked(small, *job)
    assert of_log["simulated"] == "calls" and of_log["advice"] == "stay"
    assert asked(small, *job, "--form", "sets")["simulated"] == "sets"
    assert "--compute-time cannot be combined with the calls of a log" in fail(
        2, "advise", *job, "--compute-time", "1s", cwd=small
    )
    assert "--form sets" in fail(2, "advise", *job, "--spread-workload", "cg16.json", cwd=small)


def test_output_goes_to_a_file(small: Path) -> None:
    job = ["advise", "barrier", *JOB, "-w", "cg16.json", "--simulations", 2]
    assert succeed(*job, "-o", "answer.txt", cwd=small).stdout == ""
    assert (small / "answer.txt").read_text() == succeed(*job, cwd=small).stdout
    assert haichi(*job, "-o", "missing/answer.txt", cwd=small).returncode == 2
