"""Remote memory access of programs, compared with closed formulas (barrier_formulas.py) and replay; invalid use."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from functools import cache
from pathlib import Path

import barrier_formulas as formulas
import pytest
from barrier_formulas import OneSwitch
from yielding_mpich import yielding

REPOSITORY = Path(__file__).parents[3]
EXAMPLES = REPOSITORY / "examples" / "programs" / "rdma"
BIN = os.environ["HAICHI_BIN"]
SWITCH = REPOSITORY / "machines" / "switch.json"

pytestmark = pytest.mark.skipif(shutil.which("mpicc.mpich") is None, reason="needs MPICH")


def run(*words: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([BIN, *map(str, words)], capture_output=True, text=True, timeout=300, cwd=cwd)


def succeed(*words: object, cwd: Path) -> str:
    done = run(*words, cwd=cwd)
    assert done.returncode == 0, done.stderr
    return done.stdout


@cache
def compiled(source: Path, folder: Path) -> Path:
    program = folder / source.stem
    succeed(
        "mgencc",
        "-O1",
        "-g",
        "-Wall",
        "-Wextra",
        "-Werror",
        source,
        "-o",
        program,
        cwd=folder,
    )
    return program


def written(text: str, folder: Path, name: str) -> Path:
    """Builds a program from this text."""
    source = folder / f"{name}.c"
    source.write_text(text)
    return compiled(source, folder)


def switch(nodes: int, folder: Path, **node: str) -> Path:
    """The study's switch with this number of nodes."""
    machine = json.loads(SWITCH.read_text())
    machine["topology"]["children"] = [nodes]
    machine["node"].update(node)
    file = folder / f"switch-{nodes}-{'-'.join(node.values())}.json"
    file.write_text(json.dumps(machine))
    return file


def report(machine: object, ranks: int, *command: object, folder: Path, options: tuple[object, ...] = ()) -> dict:
    words = ["run", "-m", machine, "-n", ranks, *options, "--json", "--", *command]
    return json.loads(succeed(*words, cwd=folder))


def picoseconds(seconds: float) -> int:
    return round(seconds * 1e12)


def barrier_ps(machine: Path, ranks: int, *arguments: object, folder: Path) -> int:
    program = compiled(EXAMPLES / "barrier.c", folder)
    return picoseconds(report(machine, ranks, program, *arguments, folder=folder)["runs"][0]["seconds"])


BARRIERS = {
    ("ring", "messages"): formulas.ring,
    ("ring", "put"): formulas.ring_by_put,
    ("recursive-doubling", "messages"): formulas.recursive_doubling,
    ("recursive-doubling", "put"): formulas.recursive_doubling_by_put,
    ("dissemination", "messages"): formulas.dissemination,
    ("dissemination", "put"): formulas.dissemination_by_put,
}


@pytest.mark.parametrize("latency", ["0us", "0.8us", "1us", "1.2us"])
@pytest.mark.parametrize(("algorithm", "way"), BARRIERS)
def test_barriers_take_what_the_formulas_say(algorithm: str, way: str, latency: str, built: Path) -> None:
    numbers = range(2, 33) if latency == "1us" else (2, 3, 5, 8, 13, 16, 24, 31, 32)
    for ranks in numbers:
        machine = switch(ranks, built, mpi_call_overhead=latency)
        expected = BARRIERS[algorithm, way](OneSwitch.of_file(machine), ranks)
        assert barrier_ps(machine, ranks, algorithm, way, folder=built) == expected, ranks
    machine = switch(16, built, mpi_call_overhead=latency)
    if latency != "0us":
        expected = BARRIERS[algorithm, way](OneSwitch.of_file(machine, 8), 16)
        assert barrier_ps(machine, 16, algorithm, way, 1, 8, folder=built) == expected


def test_puts_may_cost_less_than_mpi_calls(built: Path) -> None:
    machine = switch(12, built, mpi_call_overhead="1us", rdma_overhead="300ns")
    numbers = OneSwitch.of_file(machine)
    assert numbers.rdma_ps == 300_000
    for (algorithm, way), formula in BARRIERS.items():
        assert barrier_ps(machine, 12, algorithm, way, folder=built) == formula(numbers, 12)


def test_barriers_follow_each_other(built: Path) -> None:
    machine = switch(8, built)
    one = formulas.dissemination_by_put(OneSwitch.of_file(machine), 8)
    assert barrier_ps(machine, 8, "dissemination", "put", 5, folder=built) == 5 * one


def test_trees_take_what_follows_from_rank_to_rank(built: Path) -> None:
    for ranks in (2, 3, 4, 7, 8, 12, 32):
        machine = switch(ranks, built)
        for way in ("put", "messages"):
            expected = formulas.tree(OneSwitch.of_file(machine), ranks, way == "put")
            assert barrier_ps(machine, ranks, "tree", way, folder=built) == expected, (ranks, way)


FITS = """# of this test
particle 64
count 0 1e-6
pack 1e-6 2e-6
unpack 0 1e-6
"""


def test_a_rank_that_counts_many_particles_delays_a_synchronised_exchange(built: Path) -> None:
    program = compiled(EXAMPLES / "nbody_exchange.c", built)
    (built / "fits.txt").write_text(FITS)
    # Rank 0 keeps 900 particles, which it only counts. Rank 1 packs 400.
    counts = "900 0 0 0\n0 0 200 200\n0 0 0 0\n10 10 10 0\n"
    (built / "counts.txt").write_text(counts)
    seconds = {}
    for way in ("sync", "free"):
        run = report(switch(2, built), 4, program, way, "fits.txt", "counts.txt", folder=built, options=("--ppn", 2))
        seconds[way] = run["runs"][0]["seconds"]
        assert run["runs"][0]["payload_bytes"] > 64 * (200 + 200)
    counting, packing, unpacking = 900e-6, 3e-6 + 800e-6, 210e-6
    assert seconds["sync"] == pytest.approx(counting + packing + unpacking, rel=0.03)
    # Rank 1 counts and packs while rank 0 counts.
    assert seconds["free"] == pytest.approx(400e-6 + packing + unpacking, rel=0.03)


@pytest.mark.parametrize(
    ("fits", "counts", "message"),
    [
        (FITS.replace("unpack", "#"), "0 0 0 0", "no fit for unpack"),
        (FITS.replace("particle", "#"), "0 0 0 0", "no size of a particle in fits.txt"),
        (FITS + "send 0 1\n", "0 0 0 0", "expected particle, count, pack or unpack, found send 0 1"),
        (FITS + "pack 1\n", "0 0 0 0", "invalid fit: pack 1"),
        (FITS, "0 0 0", "too few counts"),
        (FITS, "0 -1 0 0", "one below 0, in counts.txt"),
    ],
)
def test_wrong_files_of_the_exchange_are_named(fits: str, counts: str, message: str, built: Path) -> None:
    program = compiled(EXAMPLES / "nbody_exchange.c", built)
    (built / "fits.txt").write_text(fits)
    (built / "counts.txt").write_text(counts)
    done = run("run", "-m", switch(2, built), "-n", 2, "--", program, "sync", "fits.txt", "counts.txt", cwd=built)
    assert done.returncode == 2 and message in done.stderr, done.stderr


PROGRAM = "#include <mgen.h>\n#include <stdio.h>\n%s\n"


def test_words_are_changed_by_one_rank_after_another(built: Path) -> None:
    text = """
int MGEN_Main(int argc, char **argv) {
    (void)argc, (void)argv;
    int rank, ranks;
    MGEN_Comm_rank(MGEN_COMM_WORLD, &rank);
    MGEN_Comm_size(MGEN_COMM_WORLD, &ranks);
    long long ticket = -1, before = -1, all = -1;
    MGEN_acp_complete(MGEN_rdma_fetch_and_add(0, 5, 1, &ticket));
    if (ticket < 0 || ticket >= ranks) return 1;
    /* A lock: the word is 0 or the owner's number. */
    do MGEN_acp_complete(MGEN_rdma_compare_and_swap(1, 7, 0, rank + 1, &before));
    while (before != 0);
    MGEN_acp_complete(MGEN_rdma_fetch_and_add(1, 8, rank, NULL));
    MGEN_acp_complete(MGEN_rdma_compare_and_swap(1, 7, rank + 1, 0, &before));
    if (before != rank + 1) return 2;
    MGEN_Barrier(MGEN_COMM_WORLD);
    MGEN_acp_complete(MGEN_rdma_fetch_and_add(1, 8, 0, &all));
    if (all != (long long)ranks * (ranks - 1) / 2) return 3;
    MGEN_acp_complete(MGEN_rdma_get(0, 100000));
    MGEN_rdma_put((rank + 1) % ranks, 100000, 3);
    MGEN_acp_complete(MGEN_ACP_HANDLE_ALL);
    MGEN_rdma_poll(3);
    return 0;
}"""
    program = written(PROGRAM % text, built, "words")
    report(switch(9, built), 9, program, folder=built)


def test_a_poll_without_a_put_is_named_with_its_line_and_what_is_there(built: Path) -> None:
    text = """
int MGEN_Main(int argc, char **argv) {
    (void)argc, (void)argv;
    int rank;
    MGEN_Comm_rank(MGEN_COMM_WORLD, &rank);
    if (rank == 0) MGEN_rdma_put(1, 8, 4);
    if (rank == 1) MGEN_rdma_poll(9);
    return 0;
}"""
    program = written(PROGRAM % text, built, "no_put")
    done = run("run", "-m", switch(2, built), "-n", 2, "--", program, cwd=built)
    assert done.returncode == 2
    assert "rank 1 in MGEN_rdma_poll" in done.stderr
    assert "polls for a put with tag 9; arrived puts: 1 with tag 4" in done.stderr


@pytest.mark.parametrize("call", ["MGEN_Key(12)", 'MGEN_Key("exchange", rank)', "MGEN_Key()"])
def test_keys_are_refused_when_a_program_is_compiled(call: str, built: Path) -> None:
    source = built / "key.c"
    source.write_text(PROGRAM % f"int MGEN_Main(int argc, char **argv) {{ (void)argc, (void)argv; {call}; return 0; }}")
    for optimisation in ("-O0", "-O2"):
        done = run("mgencc", optimisation, source, "-o", "key", cwd=built)
        assert done.returncode != 0
        assert "key.c:3" in done.stderr
        assert "MGEN_Key is not supported" in done.stderr and "#ifndef HAICHI_MGEN_H" in done.stderr


def test_wrong_ranks_and_sizes_are_refused(built: Path) -> None:
    for call in ("MGEN_rdma_put(2, 8, 4)", "MGEN_rdma_put(0, -1, 4)", "MGEN_rdma_get(-1, 8)"):
        text = "int MGEN_Main(int argc, char **argv) { (void)argc, (void)argv; " + call + "; return 0; }"
        program = written(PROGRAM % text, built, f"wrong_{abs(hash(call))}")
        done = run("run", "-m", switch(2, built), "-n", 2, "--", program, cwd=built)
        assert done.returncode != 0, call
        assert "invalid rank: " in done.stderr or "is negative" in done.stderr, done.stderr


def test_under_a_real_mpi_puts_are_ignored(built: Path) -> None:
    if shutil.which("mpiexec.mpich") is None:
        pytest.skip("mpiexec.mpich is not installed")
    program = compiled(EXAMPLES / "barrier.c", built)
    done = subprocess.run(
        ["mpiexec.mpich", "-n", "3", program, "ring", "put"], env=yielding(os.environ), timeout=60, check=False
    )
    assert done.returncode == 0


def test_a_workload_by_put_takes_what_a_program_takes(built: Path) -> None:
    ranks = 6
    messages = [[r, (r + 1) % ranks, 5000 + 100 * r] for r in range(ranks)]
    sets = [{"label": "ring", "transfer": "put", "messages": messages}]
    (built / "puts.json").write_text(json.dumps({"schema": "haichi-workload/1", "ranks": ranks, "sets": sets}))
    machine = switch(ranks, built)
    replayed = json.loads(succeed("simulate", "-m", machine, "-w", "puts.json", "--json", cwd=built))
    text = """
int MGEN_Main(int argc, char **argv) {
    (void)argc, (void)argv;
    int rank, ranks;
    MGEN_Comm_rank(MGEN_COMM_WORLD, &rank);
    MGEN_Comm_size(MGEN_COMM_WORLD, &ranks);
    const MGEN_acp_handle_t mine = MGEN_rdma_put((rank + 1) % ranks, 5000 + 100 * rank, 1);
    MGEN_rdma_poll(1);
    MGEN_acp_complete(mine);
    return 0;
}"""
    live = report(machine, ranks, written(PROGRAM % text, built, "put_ring"), folder=built)
    assert live["runs"][0]["seconds"] == replayed["runs"][0]["seconds"]
    assert live["runs"][0]["packets"] == replayed["runs"][0]["packets"]


HARDWARE = """
int MGEN_Main(int argc, char **argv) {
    (void)argc, (void)argv;
    int rank;
    MGEN_Comm_rank(MGEN_COMM_WORLD, &rank);
    MGEN_Comp(1e-6 * rank);
    MGEN_Barrier(MGEN_COMM_WORLD);
    MGEN_Comm half;
    if (argc > 1) {
        MGEN_Comm_split(MGEN_COMM_WORLD, rank % 2, rank, &half);
        MGEN_Barrier(half);
        MGEN_Comm_free(&half);
    }
    return 0;
}"""


def test_hardware_barriers_take_their_steps_and_groups_are_few(built: Path) -> None:
    program = written(PROGRAM % HARDWARE, built, "hardware")
    by_hardware = ("--collectives", "barrier=hardware")
    machine = switch(11, built, barrier_step="130ns")
    # The last rank arrives at 10 us. Its call takes 1 us, and the barrier has ceil(log2 11) steps.
    seconds = report(machine, 11, program, folder=built, options=by_hardware)["runs"][0]["seconds"]
    assert picoseconds(seconds) == 10_000_000 + 1_000_000 + 4 * 130_000
    # A node supports one group, so a second group uses messages, whose packets are counted.
    packets = []
    for groups in (1, 2):
        machine = switch(8, built, barrier_step="130ns")
        text = json.loads(machine.read_text())
        text["node"]["barrier_groups"] = groups
        machine.write_text(json.dumps(text))
        packets.append(report(machine, 8, program, 1, folder=built, options=by_hardware)["runs"][0]["packets"])
    assert packets[0] > packets[1]
    done = run("run", "-m", "switch:8", "-n", 8, *by_hardware, "--", program, cwd=built)
    assert done.returncode == 2
    assert "node.barrier_step" in done.stderr


def test_hardware_barriers_are_equal_for_any_number_of_threads(built: Path) -> None:
    program = written(PROGRAM % HARDWARE, built, "hardware")
    machine = json.loads((REPOSITORY / "machines" / "torus.json").read_text())
    for axis in machine["topology"]["axes"]:
        axis["size"] = 4
    for groups, threads in ((2, (1, 2, 8)), (1, (2,))):
        machine["node"] |= {"barrier_step": "130ns", "barrier_groups": groups}
        file = built / f"torus-{groups}.json"
        file.write_text(json.dumps({key: value for key, value in machine.items() if key != "name"}))
        words = ("run", "-m", file, "-n", 61, "--collectives", "barrier=hardware", "--json", "--no-timing")
        done = [run(*words, "--partitions", 8, "--threads", t, "--", program, 1, cwd=built) for t in threads]
        if groups == 2:
            # The last rank arrives at 60 us; two barriers, of 61 ranks and of half of them, have 6 and 5 steps.
            (alone,) = json.loads(done[0].stdout)["runs"]
            assert picoseconds(alone["seconds"]) > 60_000_000 + 11 * 130_000
            assert {(d.returncode, d.stdout, d.stderr) for d in done} == {(0, done[0].stdout, done[0].stderr)}
        else:
            # The first request gets the only group, and which is first would depend on threads.
            assert done[0].returncode == 2 and "--threads" in done[0].stderr and "groups" in done[0].stderr


def test_a_million_puts_may_be_in_flight(built: Path) -> None:
    """All puts start at the same instant; each uses simulator memory until it is complete."""
    text = """
#include <stdlib.h>
int MGEN_Main(int argc, char **argv) {
    (void)argc;
    int rank;
    MGEN_Comm_rank(MGEN_COMM_WORLD, &rank);
    const int puts = atoi(argv[1]);
    for (int i = 0; rank == 0 && i < puts; ++i) MGEN_rdma_put(1, 8, 1);
    if (rank == 0) MGEN_acp_complete(MGEN_ACP_HANDLE_ALL);
    for (int i = 0; rank == 1 && i < puts; ++i) MGEN_rdma_poll(1);
    return 0;
}"""
    program = written(PROGRAM % text, built, "million")
    machine = switch(2, built, mpi_call_overhead="0us")

    def bytes_of(puts: int) -> int:
        words = [BIN, "run", "-m", str(machine), "-n", "2", "-o", "million.txt", "--", str(program), str(puts)]
        job = subprocess.Popen(words, cwd=built)
        _, status, usage = os.wait4(job.pid, 0)
        job.returncode = os.waitstatus_to_exitcode(status)
        assert job.returncode == 0
        return usage.ru_maxrss * 1024

    per_put = (bytes_of(1_000_000) - bytes_of(1_000)) / 1_000_000
    assert 20 < per_put < 600, per_put


def test_random_rings_take_the_same_live_and_replayed(built: Path) -> None:
    """On the fat tree with InfiniBand's values, bandwidth per process falls when the tree's upper level is full."""
    program = compiled(EXAMPLES / "bandwidth.c", built)
    size = 1 << 20
    rates = {}
    for ranks in (2, 8, 16, 32, 64):
        order = list(range(ranks))
        state = 1
        for i in range(ranks - 1, 0, -1):
            state = (state * 1664525 + 1013904223) % 2**32
            other = (state >> 16) % (i + 1)
            order[i], order[other] = order[other], order[i]
        messages = [[order[i], order[(i + 1) % ranks], size] for i in range(ranks)]
        for way in ("messages", "put"):
            sets = [{"label": "ring", "transfer": way, "messages": messages}]
            (built / "ring.json").write_text(json.dumps({"schema": "haichi-workload/1", "ranks": ranks, "sets": sets}))
            replay = json.loads(succeed("simulate", "-m", "fattree:2x8", "-w", "ring.json", "--json", cwd=built))
            live = report("fattree:2x8", ranks, program, "ring", size, way, folder=built)
            assert live["runs"][0]["seconds"] == replay["runs"][0]["seconds"], (ranks, way)
            assert live["runs"][0]["packet_hops"] == replay["runs"][0]["packet_hops"]
            rates[ranks, way] = size / live["runs"][0]["seconds"] / 1e9
    for way in ("messages", "put"):
        assert rates[8, way] > 1.9  # one switch: the rate of the NIC
        assert rates[64, way] < 0.75 * rates[8, way]


def test_messages_and_puts_are_striped_over_the_interfaces_of_a_node(built: Path) -> None:
    program = compiled(EXAMPLES / "bandwidth.c", built)
    machine = json.loads(SWITCH.read_text())
    machine["topology"]["children"] = [2]
    del machine["node"]["dma_bandwidth"]
    machine["node"] |= {"nics": 4, "nic_bandwidth": "1GB/s", "mpi_call_overhead": "0us"}
    seconds = {}
    for trunk in (1, 2, 4):
        machine["node"]["trunk"] = trunk
        (built / "rails.json").write_text(json.dumps(machine))
        for way in ("messages", "put"):
            found = report("rails.json", 2, program, "ring", 1 << 20, way, folder=built)
            seconds[way, trunk] = found["runs"][0]["seconds"]
    for way in ("messages", "put"):
        # 1 MiB at 1 GB/s, plus control packets and latencies, which do not depend on the rate.
        fixed = seconds[way, 1] - 2**20 / 1e9
        assert 0 < fixed < 4e-6
        for trunk in (2, 4):
            assert seconds[way, trunk] == pytest.approx(2**20 / 1e9 / trunk + fixed, rel=0.01)
    machine["node"]["trunk"] = 5
    (built / "rails.json").write_text(json.dumps(machine))
    done = run("run", "-m", "rails.json", "-n", 2, "--", program, "ring", cwd=built)
    assert done.returncode == 2
    assert "node.trunk: invalid number: 5 (a node has 4 NICs)" in done.stderr
