"""Programs built for MPICH behave the same under haichi as under MPICH, and their errors are reported."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from live_runs import haichi, line_of, mpich, program, words_of_failure

# Ranks, program, arguments. MPI defines no order of output lines, so both sides are sorted.
EQUAL = [
    (1, "ring.c", []),
    (4, "ring.c", ["70000"]),
    (5, "bruck.c", ["12"]),
    (3, "barriers.c", ["2", "2"]),
    (4, "globals.c", []),
    (6, "variables.c", []),
    (3, "state.c", ["-a", "3", "-v", "--long", "a text", "-v", "word", "another"]),
    (2, "state.c", ["word", "-x5", "--long=other", "-a7"]),
    (4, "exceptions.cc", []),
    (4, "fortran.f90", []),
    (4, "master_worker.c", []),
    (3, "derived.c", []),
    (3, "persistent.c", []),
    (2, "replace.c", []),
    (2, "nonblocking.c", []),
    (5, "nonblocking.c", []),
    (4, "comms.c", []),
    (6, "comms.c", []),
    (2, "windows.c", []),
    (5, "windows.c", []),
    (5, "matrices.c", []),
    (2, "misuse.c", []),
]


@pytest.mark.parametrize(("ranks", "name", "arguments"), EQUAL)
def test_program_does_what_it_does_under_mpich(ranks: int, name: str, arguments: list[str], built: Path) -> None:
    executable = program(name, built)
    real = mpich(ranks, executable, *arguments)
    ours = haichi(ranks, executable, *arguments)
    assert sorted(ours.stdout.splitlines()) == sorted(real.stdout.splitlines()), ours.stderr
    assert ours.returncode == real.returncode, ours.stderr
    assert real.stdout


def test_windows_of_fortran(built: Path) -> None:
    """All ranks share a node, as in the run under MPICH."""
    executable = program("windows.f90", built)
    real = mpich(3, executable)
    ours = haichi(3, executable, options=["--ppn", 3])
    assert sorted(ours.stdout.splitlines()) == sorted(real.stdout.splitlines()), ours.stderr
    assert ours.returncode == real.returncode == 0 and "rank 2 of 3 shares 69" in ours.stdout


REDUCTIONS = {
    "reduce": ("linear chain pipeline:256B binary binomial in-order-binary rabenseifner-halves rabenseifner"),
    "allreduce": (
        "linear reduce-broadcast recursive-doubling ring segmented-ring:256B rabenseifner-halves rabenseifner"
    ),
    "reduce-scatter": (
        "reduce-scatter recursive-halving ring butterfly pairwise recursive-doubling permuted-butterfly"
    ),
    "reduce-scatter-block": "reduce-scatter recursive-doubling recursive-halving butterfly pairwise ring",
    "scan": "linear recursive-doubling",
    "exscan": "linear recursive-doubling",
}


@pytest.mark.parametrize("ranks", [7, 16])
@pytest.mark.parametrize("operation", REDUCTIONS)
def test_products_of_matrices_by_any_algorithm(operation: str, ranks: int, built: Path) -> None:
    executable = program("matrices.c", built)
    for algorithm in REDUCTIONS[operation].split():
        run = haichi(ranks, executable, options=["--collectives", f"{operation}={algorithm}"])
        assert run.returncode == 0 and run.stdout.endswith(" products are right\n"), (algorithm, run.stderr)


def test_equal_bytes_in_every_run(built: Path) -> None:
    executable = program("nonblocking.c", built)
    runs = [haichi(8, executable, options=["--json", "--no-timing", *more]) for more in [[], [], ["--partitions", 4]]]
    assert runs[0].returncode == 0, runs[0].stderr
    # With --json the report is the standard output, and what the ranks print goes to standard error.
    (run,) = json.loads(runs[0].stdout)["runs"]
    assert run["as"] == "program" and run["exit_code"] == 0 and run["seconds"] > 0
    assert "round 2 rank 7 operation 15" in runs[0].stderr
    assert {(run.stdout, run.stderr) for run in runs} == {(runs[0].stdout, runs[0].stderr)}


@pytest.mark.parametrize(
    ("name", "arguments", "options"),
    [
        ("nonblocking.c", [], []),
        ("comms.c", [], []),
        ("master_worker.c", [], []),
        ("variables.c", [], ["--globals", "copy"]),
        ("variables.c", [], ["--globals", "remap"]),
        ("barriers.c", ["3", "3"], ["--globals", "none"]),
        ("exceptions.cc", [], []),
        ("fortran.f90", [], []),
        ("state.c", ["-a", "3", "-v", "word"], []),
        ("unmatched.c", [], []),
    ],
)
def test_equal_bytes_for_any_number_of_threads(
    name: str, arguments: list[str], options: list[object], built: Path
) -> None:
    executable = program(name, built)
    runs = []
    for threads in (1, 2, 8):
        run = haichi(61, executable, *arguments, options=["--json", "--no-timing", "--threads", threads, *options])
        runs.append((run.returncode, run.stdout, run.stderr))
    assert runs[0][0] == 0, runs[0][2]
    assert runs[1] == runs[0]
    assert runs[2] == runs[0]


# --- faults: the message names the rank, the call and the line

SEGMENTATION_FAULT = 139


def test_deadlock(built: Path) -> None:
    words = words_of_failure(2, haichi(3, program("deadlock.c", built)))
    assert "the program is stuck" in words and "3 ranks have not finished:\n  rank 0 in MPI_Recv" in words
    place = f"MPI_Recv (main ({line_of('deadlock.c')}))"
    for rank in range(3):
        assert f"rank {rank} in {place} waits for a message from rank {(rank + 1) % 3}, tag 5" in words


@pytest.mark.parametrize("threads", [1, 2])
def test_crash(threads: int, built: Path) -> None:
    run = haichi(4, program("crash.c", built), options=["--threads", threads])
    words = words_of_failure(SEGMENTATION_FAULT, run)
    assert "rank 2 accessed invalid memory" in words and line_of("crash.c") in words


@pytest.mark.parametrize("threads", [1, 2])
def test_overrun_stack(threads: int, built: Path) -> None:
    run = haichi(4, program("overrun.c", built), options=["--threads", threads])
    words = words_of_failure(SEGMENTATION_FAULT, run)
    assert "rank 1 overflowed its stack" in words and "deeper (overrun.c:" in words and "--stack" in words


def test_others_wait_for_a_rank_that_has_ended(built: Path) -> None:
    words = words_of_failure(2, haichi(3, program("outside.c", built), "leaves"))
    place = f"MPI_Barrier (main ({line_of('outside.c', 'the others wait')}))"
    assert f"rank 0 in {place} waits for a message from rank 1" in words
    hint = "check why the messages that these ranks wait for are never sent"
    assert f"hint: rank 1 ended with exit code 3; {hint}\n" in words


@pytest.mark.parametrize(
    ("when", "call", "words"),
    [
        ("early", "MPI_Comm_rank", "MPI has not been initialized yet"),
        ("late", "MPI_Barrier", "MPI has been finalized already"),
        ("huge", "MPI_Type_contiguous", "a size, displacement or extent of a data type does not fit in 64 bits"),
    ],
)
def test_calls_that_name_their_place(when: str, call: str, words: str, built: Path) -> None:
    run = haichi(3, program("outside.c", built), when)
    assert f"error: rank 0 in {call} (main ({line_of('outside.c', f'/* {when} */')})): {words}\n" in words_of_failure(
        2, run
    )


def test_a_loop_that_waits_for_a_time(built: Path) -> None:
    run = haichi(2, program("waits.c", built), options=["--json"])
    assert run.returncode == 0, run.stderr
    (entry,) = json.loads(run.stdout)["runs"]
    assert 2 <= entry["seconds"] < 2 * (1 + 1 / 4096) + 1e-5
    assert entry["calls"] < 100_000  # far fewer than 20 million individual polls


def test_message_that_nobody_receives(built: Path) -> None:
    run = haichi(2, program("unmatched.c", built))
    assert run.returncode == 0 and run.stdout == "received 1\n", run.stderr
    lost = f"rank 1 to rank 0, tag 0, 4 bytes, in MPI_Send (main ({line_of('unmatched.c', 'MPI_Send')}))"
    assert f"warning: 2 messages were never received; one of them went from {lost}" in run.stderr, run.stderr


@pytest.mark.parametrize("way", ["auto", "copy", "remap"])
@pytest.mark.parametrize(
    ("arguments", "call", "line"),
    [
        (["count"], "rank 0 in MPI_Send (", "call MPI_Send"),
        (["stuck"], "rank 1 in MPI_Recv (", "call MPI_Recv"),
        (["count", "f08"], "rank 0 in MPI_Send (", "call send_by"),
    ],
)
def test_faults_of_fortran_name_its_lines(arguments: list[str], call: str, line: str, way: str, built: Path) -> None:
    run = haichi(2, program("fortran_fault.f90", built), *arguments, options=["--globals", way])
    words = words_of_failure(2, run)
    assert call in words and f"({line_of('fortran_fault.f90', line)}))" in words, words


def test_requests_that_nobody_waits_for(built: Path) -> None:
    run = haichi(4, program("open_requests.c", built))
    where = f"in MPI_Isend (main ({line_of('open_requests.c', 'MPI_Isend')}))"
    words = f"warning: 4 requests were neither waited for nor freed; rank 0 made one of them {where}"
    assert run.returncode == 0 and words in run.stderr, run.stderr


ENDLESS = "polling ranks (rank 0 first) made at least 10000 polls while nothing else could happen"


def test_endless_poll(built: Path) -> None:
    words = words_of_failure(2, haichi(2, program("endless_poll.c", built)))
    assert f"rank 0 in MPI_Test (main ({line_of('endless_poll.c')}))" in words and "from rank 1, tag 9" in words
    assert ENDLESS in words


@pytest.mark.parametrize("level", ["-O0", "-O2"])
@pytest.mark.parametrize("seconds", [0, 1000])
def test_endless_probe_that_counts_itself(level: str, seconds: int, built: Path) -> None:
    """The error is also reported if another rank is busy for far longer than individual polls could cover."""
    run = haichi(2, program("endless_probe.c", built, level), seconds)
    words = words_of_failure(2, run)
    assert f"rank 0 in MPI_Iprobe (main ({line_of('endless_probe.c')}))" in words and ENDLESS in words
    assert run.stdout == "looks 0\n"  # rank 1 has ended


@pytest.mark.parametrize("kind", ["probe", "test", "testall", "global"])
@pytest.mark.parametrize("looks", [63, 1000, 20_000])
def test_a_program_that_stops_polling_is_not_stuck(kind: str, looks: int, built: Path) -> None:
    run = haichi(3, program("bounded_poll.c", built), kind, looks)
    assert run.returncode == 0, run.stderr
    # A poll takes 200 ns, the time of a call on this machine.
    assert sorted(run.stdout.splitlines()) == ["all have got it", f"looked for {looks * 0.2:.0f} us"]


def test_looks_beside_sends_hold_nothing_up(built: Path) -> None:
    run = haichi(2, program("poll_beside_sends.c", built))
    assert run.returncode == 0 and run.stdout == "answered 499\n", run.stderr


@pytest.mark.parametrize("bins", [[], ["--stats", "links.csv", "--stats-bin", "1ms"]])
def test_idle_looks_do_not_depend_on_what_is_observed(bins: list[object], built: Path) -> None:
    run = haichi(3, program("bounded_poll.c", built), "probe", 5000, options=[*bins, "--json", "--no-timing"])
    assert run.returncode == 0, run.stderr
    (entry,) = json.loads(run.stdout)["runs"]
    alone = haichi(3, program("bounded_poll.c", built), "probe", 5000, options=["--json", "--no-timing"])
    assert entry == json.loads(alone.stdout)["runs"][0]


# --- messages without their data


def first_dataless(size: int) -> str:
    return f"{size} bytes from rank 0 to rank 1, tag 4, in MPI_Send (main ({line_of('dataless.c')}))"


def test_payload_that_was_left_out_is_named(built: Path) -> None:
    words = words_of_failure(2, haichi(2, program("dataless.c", built), 7, options=["--payload", "none"]))
    assert f"may be the cause: {first_dataless(28)}\n  use --payload all to move all data\n" in words
    assert haichi(2, program("dataless.c", built), 7, options=["--payload", "all"]).returncode == 0


@pytest.mark.parametrize(("ranks", "numbers"), [(2, 250_000), (8192, 32769)])
def test_all_data_are_moved_by_default(ranks: int, numbers: int, built: Path) -> None:
    run = haichi(ranks, program("dataless.c", built), numbers, machine="torus:32x16x16")
    assert (run.returncode, run.stdout) == (0, "answered\n"), run.stderr


def test_data_that_exceed_the_memory_end_the_run(built: Path) -> None:
    limited = ["prlimit", f"--data={64 << 20}"]
    run = haichi(2, program("in_flight.c", built), 40, options=[], before=limited)
    words = words_of_failure(2, run)
    assert "rank 0 in MPI_Isend (main (in_flight.c:" in words and "half of the free memory" in words
    assert haichi(2, program("in_flight.c", built), 40, options=["--payload", "none"], before=limited).returncode == 0
    assert haichi(2, program("in_flight.c", built), 10, before=limited).stdout == "10 MB arrived\n"


def test_payload_is_not_named_where_all_was_moved(built: Path) -> None:
    for options in ([], ["--payload", "all"], ["--payload", "none"]):
        run = haichi(3, program("deadlock.c", built), options=[*options])
        assert "payload" not in words_of_failure(2, run)


def test_data_that_did_not_come_are_warned_of(built: Path) -> None:
    run = haichi(4, program("ring.c", built), 65_000)
    assert run.returncode == 0 and "warning: " not in run.stderr
    run = haichi(2, program("unmatched.c", built), options=["--payload", "none"])
    assert "was received without its data, the first with 4 bytes from rank 1 to rank 0" in run.stderr, run.stderr


# --- traffic other than the program's messages


@pytest.mark.parametrize(
    "how, sent_bytes",
    # Each of 64 ranks sends a mask of 260 bytes in six steps. MPI_Comm_split first sends 1, 2, 4, ... 32 entries of 8
    # bytes in six steps.
    [("dup", 64 * 6 * 260), ("split", 64 * 6 * 260 + 64 * 63 * 8)],
)
def test_new_communicators_cost_what_members_tell_each_other(how: str, sent_bytes: int, built: Path) -> None:
    run = haichi(64, program("new_comms.c", built), how, options=["--json"])
    (entry,) = json.loads(run.stdout)["runs"]
    assert entry["payload_bytes"] == sent_bytes


# --- time of code between calls


def test_code_between_calls_takes_what_it_takes_here(built: Path) -> None:
    spin = program("spin.c", built)

    def seconds(compute: str) -> tuple[float, float, dict[str, object]]:
        run = haichi(3, spin, 0.05, options=["--compute", compute, "--json"])
        assert run.returncode == 0, run.stderr
        lines = dict(line.removeprefix("rank ").split(": ") for line in run.stderr.splitlines() if ": " in line)
        (entry,) = json.loads(run.stdout)["runs"]
        assert entry["ranks"]["compute_seconds"][0] == pytest.approx(float(lines["0"]), rel=0.3, abs=1e-4)
        return float(lines["0"]), float(lines["1"]), entry

    once, waited, entry = seconds("measured")
    assert 0.049 < once < 0.1 and waited > 0.049
    assert entry["computing"] == {"rule": "measured", "factor": 1, "reproducible": False}
    thrice = seconds("measured*3")[0]
    assert 0.149 < thrice < 0.3
    nothing, _, entry = seconds("none")
    assert nothing < 1e-4 and "computing" not in entry
    run = haichi(2, spin, 0.01, options=["--compute", "measured*0.5"])
    assert "CPU time measured on this machine, times 0.5 (not reproducible)" in run.stderr


@pytest.mark.parametrize(
    "compute", ["mean", "drawn", "measured*", "measured*0", "measured*-1", "measured*x", "measure"]
)
def test_no_way_of_computing(compute: str, built: Path) -> None:
    run = haichi(2, program("spin.c", built), options=["--compute", compute])
    assert f"--compute '{compute}'" in words_of_failure(2, run) or "--compute" in run.stderr


def test_access_outside_of_a_window(built: Path) -> None:
    words = words_of_failure(2, haichi(2, program("window_range.c", built)))
    assert "a put of rank 1 is outside the window of target 0: bytes 40 to 43 of 40" in words


def test_abort(built: Path) -> None:
    run = haichi(3, program("abort.c", built))
    assert run.returncode == 7 and run.stdout == "before\n", run.stderr


def test_end_without_finalize(built: Path) -> None:
    run = haichi(5, program("no_finalize.c", built))
    assert run.returncode == 0 and "1 rank ended without MPI_Finalize, rank 3 first" in run.stderr, run.stderr


def test_thread(built: Path) -> None:
    words = words_of_failure(2, haichi(2, program("thread.c", built)))
    assert "rank 0 calls pthread_create()" in words


def test_a_rank_cannot_become_another_program(built: Path) -> None:
    words = words_of_failure(2, haichi(2, program("exec.c", built)))
    assert "rank 1 calls execl()" in words and "system() or popen()" in words


def test_ranks_replace_their_own_standard_streams(built: Path, tmp_path: Path) -> None:
    (tmp_path / "numbers").write_text("1 2 3\n")
    run = haichi(9, program("own_streams.c", built), tmp_path, options=["-o", tmp_path / "report"], input="7 8 9\n")
    assert run.returncode == 0 and run.stderr == "", run.stderr
    own = ["1 round 1", "1 round 2"]
    assert (tmp_path / "out.1").read_text().splitlines() == [f"rank {line}" for line in own]
    for rank in (2, 3):
        assert (tmp_path / f"out.{rank}").read_text() == f"rank {rank} round 1\nrank {rank} round 2\n"
    assert (tmp_path / "out.7").read_text() == "error of rank 7\n" * 2
    silent = range(1, 7)  # these ranks have replaced or closed their standard output
    expected = [f"rank {rank} before" for rank in range(9)]
    expected += [f"rank {rank} round {number}" for rank in range(9) if rank not in silent for number in (1, 2)]
    assert sorted(run.stdout.splitlines()) == sorted(expected)


def test_refused_call_is_named_before_the_first_rank_starts(built: Path) -> None:
    run = haichi(2, program("refused.c", built))
    assert run.stdout == ""
    assert "MPI_File_open" in words_of_failure(2, run)


def test_refused_call_that_may_never_be_made_is_named_when_it_is(built: Path) -> None:
    run = haichi(2, program("refused.c", built), options=["--refused-calls", "late"])
    words = words_of_failure(2, run)
    assert run.stdout.startswith("started\n") and "rank 0" in words and "MPI_File_open" in words
