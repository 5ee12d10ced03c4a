"""haichi mgencc and mgenc++: programs written for the simulated machine, and MPI programs compiled by them."""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from live_runs import BIN, haichi, mpich, words_of_failure

SOURCES = Path(__file__).parent / "programs" / "mgen"
STRICT = ["-O2", "-g", "-Wall", "-Wextra", "-Werror"]

pytestmark = pytest.mark.skipif(shutil.which("mpicc.mpich") is None, reason="mpicc.mpich is not installed")


def compile_by(
    command: str, folder: Path, *arguments: object, of: str = BIN, variables: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [of, command, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=120,
        cwd=folder,
        env={**os.environ, **(variables or {})},
    )


def mgen_program(folder: Path, *arguments: object, command: str = "mgencc", of: str = BIN) -> Path:
    """Compiles `folder`/program without any compiler output."""
    path = folder / "program"
    run = compile_by(command, folder, *STRICT, *arguments, "-o", path, of=of)
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")
    return path


def test_a_program_with_mgen_main(tmp_path: Path) -> None:
    executable = mgen_program(tmp_path, SOURCES / "own_main.c")
    run = haichi(3, executable, 7, options=["--no-timing"])
    assert run.returncode == 7, run.stderr
    expected = [f"rank {r} of 3: sum 3, 1 arguments, computed {(r + 1) * 1000} us" for r in range(3)]
    assert sorted(run.stdout.splitlines()) == expected
    # The same file also runs under a real MPI, where computation takes no time.
    real = mpich(3, executable, 0)
    assert real.returncode == 0
    assert [line[:12] for line in sorted(real.stdout.splitlines())] == [f"rank {r} of 3:" for r in range(3)]
    assert all(re.search(r"computed \d{1,2} us$", line) for line in real.stdout.splitlines()), real.stdout


def test_a_program_in_cxx(tmp_path: Path) -> None:
    executable = mgen_program(tmp_path, "-std=c++17", SOURCES / "own_main.cc", command="mgenc++")
    run = haichi(4, executable)
    assert run.returncode == 0, run.stderr
    assert sorted(run.stdout.splitlines()) == [
        "rank 0 sum 166",
        "rank 1 is odd",
        "rank 2 sum 166",
        "rank 3 is odd",
    ]
    assert sorted(mpich(4, executable).stdout.splitlines()) == sorted(run.stdout.splitlines())


def test_an_mpi_program_of_several_files_compiled_one_by_one(tmp_path: Path) -> None:
    for source in ("plain_main.c", "parts/ring_step.c"):
        run = compile_by("mgencc", tmp_path, *STRICT, "-c", f"-I{SOURCES}/parts", SOURCES / source)
        assert (run.returncode, run.stderr) == (0, "")
    executable = mgen_program(tmp_path, "plain_main.o", "ring_step.o")
    ours = haichi(5, executable)
    assert sorted(ours.stdout.splitlines()) == sorted(mpich(5, executable).stdout.splitlines()) != []
    # Compiled and linked in one step.
    (tmp_path / "once").mkdir()
    parts = [f"-I{SOURCES}/parts", SOURCES / "plain_main.c", SOURCES / "parts/ring_step.c"]
    assert haichi(5, mgen_program(tmp_path / "once", *parts)).stdout == ours.stdout


def test_what_the_compiler_says_is_passed_on(tmp_path: Path) -> None:
    run = compile_by("mgencc", tmp_path, SOURCES / "broken.c", "-o", "broken")
    assert run.returncode == 1
    assert f"broken.c:{5}" in run.stderr and "not_declared" in run.stderr
    assert not (tmp_path / "broken").exists()
    run = compile_by("mgencc", tmp_path, "-E", SOURCES / "own_main.c")
    assert run.returncode == 0 and "MPI_Comm_rank(" in run.stdout


def test_no_source_and_no_compiler(tmp_path: Path) -> None:
    assert "mgencc: a source file is missing" in words_of_failure(2, compile_by("mgencc", tmp_path))
    run = compile_by("mgenc++", tmp_path, "a.cc", variables={"HAICHI_MPICXX": "no-such-compiler"})
    words = words_of_failure(2, run)
    assert "cannot start no-such-compiler" in words and "HAICHI_MPICXX" in words


def installed(folder: Path) -> Path:
    """Installs haichi and its libraries by `cmake --install`."""
    build = Path(BIN).parent.parent
    if not (build / "CMakeCache.txt").is_file():
        pytest.skip("haichi was not built here")
    run = subprocess.run(
        ["cmake", "--install", str(build), "--prefix", str(folder), "--strip"], capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    return folder / "bin" / "haichi"


def test_an_installed_haichi_compiles_and_runs(tmp_path: Path) -> None:
    path = installed(tmp_path / "installed")
    executable = mgen_program(tmp_path, SOURCES / "own_main.c", of=str(path))
    assert str(Path(BIN).parent) not in (tmp_path / "program").read_bytes().decode(errors="replace")
    run = subprocess.run(
        [path, "run", "-m", "torus:2x2", "-n", "4", "--", executable], capture_output=True, text=True, timeout=120
    )
    assert run.returncode == 0 and run.stdout.count("sum 6") == 4, run.stderr


# --- send options of a message

BY_SIZE, EAGER, RENDEZVOUS = range(3)
LATE_NS = 100_000
"""Time at which the receive begins."""
CALL_NS = 200
"""Time of MPI_Wait, which the message without options also needs."""


def machine(folder: Path, **node: object) -> Path:
    """A torus whose nodes have the given values."""
    values = {
        "schema": "haichi-machine/1",
        "name": "test torus",
        "topology": {"kind": "torus", "axes": [{"name": name, "size": 4, "wraps": True} for name in "XY"]},
        "routing": {"kind": "dimension-order"},
        "link": {"bandwidth": "8GB/s", "cable_latency": "100ns"},
        "router": {"routing_time": "10ns", "switch_latency": "100ns", "buffer": "64 packets"},
        "packet": {"payload": "256B"},
        "node": {"memory_bandwidth": "10GB/s", "mpi_call_overhead": "200ns", "eager_limit": "16KiB", **node},
    }
    path = folder / "machine.json"
    path.write_text(json.dumps(values))
    return path


@pytest.fixture(scope="module")
def wishes(built: Path) -> Path:
    folder = built / "wishes"
    folder.mkdir()
    return mgen_program(folder, SOURCES / "wishes.c")


def times_of(
    executable: Path, machine_file: Path, *arguments: object, options: list[object] | None = None
) -> list[int]:
    """Times in nanoseconds of the send with options and its receive, then of the pair without options."""
    run = haichi(2, executable, *arguments, machine=machine_file, options=options)
    assert run.returncode == 0, run.stderr
    found = dict(re.findall(r"(send 0|receive 0|send 1|receive 1): (\d+) ns", run.stdout))
    return [int(found[key]) for key in ("send 0", "receive 0", "send 1", "receive 1")]


def test_the_protocol_of_a_message(wishes: Path, tmp_path: Path) -> None:
    here = machine(tmp_path)
    small, large = 4000, 40_000
    assert times_of(wishes, here, small)[0] < LATE_NS / 10  # eager by its size
    sent, received, plainly_sent, plainly_received = times_of(wishes, here, small, RENDEZVOUS)
    assert sent > LATE_NS and received > LATE_NS
    # The option applies to one message: the next one is eager again.
    assert plainly_sent < LATE_NS / 10 and received > plainly_received
    assert times_of(wishes, here, large)[0] > LATE_NS  # rendezvous by its size
    sent, _, plainly_sent, _ = times_of(wishes, here, large, EAGER)
    assert sent < LATE_NS / 10 < LATE_NS < plainly_sent


def test_zero_copy(wishes: Path, tmp_path: Path) -> None:
    """A send with a copy ends after the copy; a zero-copy send ends when its last packet has left."""
    here = machine(tmp_path)
    packets, gap_ns = 20, 1000
    copied, _, plainly, _ = times_of(wishes, here, packets * 256, BY_SIZE, 0, -1, gap_ns)
    assert copied == plainly - CALL_NS and copied < 2000
    zero_copy, _, plainly, _ = times_of(wishes, here, packets * 256, BY_SIZE, 1, -1, gap_ns)
    assert zero_copy > (packets - 1) * gap_ns and plainly == copied + CALL_NS


def test_a_gap_between_packets(wishes: Path, tmp_path: Path) -> None:
    here = machine(tmp_path)
    packets, gap_ns = 20, 1000
    without = times_of(wishes, here, packets * 256, BY_SIZE, 1, -1, 0)[0]
    with_gaps = times_of(wishes, here, packets * 256, BY_SIZE, 1, -1, gap_ns)[0]
    assert (packets - 1) * gap_ns <= with_gaps - without <= packets * gap_ns


def test_the_network_interface_of_a_message(wishes: Path, tmp_path: Path) -> None:
    here = machine(tmp_path, nics=3)
    for nic in range(3):
        statistics = tmp_path / f"nic{nic}.csv"
        size = 10_000
        times_of(wishes, here, size, BY_SIZE, 0, nic, options=["--stats", statistics])
        bytes_of: dict[str, int] = {}
        for row in csv.DictReader(statistics.read_text().splitlines()):
            if row["channel"].startswith("ejection (0,1)"):
                bytes_of[row["channel"]] = bytes_of.get(row["channel"], 0) + int(row["bytes"])
        # The NIC of the message without options follows from its number among the rank's messages.
        (channel,) = [name for name in bytes_of if name.endswith(f"NIC {nic}")]
        assert bytes_of[channel] >= size, bytes_of


@pytest.mark.parametrize("nic", [3, 64, -2])
def test_a_network_interface_that_the_machine_does_not_have(wishes: Path, tmp_path: Path, nic: int) -> None:
    run = haichi(2, wishes, 100, BY_SIZE, 0, nic, machine=machine(tmp_path, nics=3))
    words = words_of_failure(2, run)
    assert f"invalid NIC: {nic} (a node of this machine has 3," in words
    line = (SOURCES / "wishes.c").read_text().splitlines()
    (number,) = [i for i, text in enumerate(line, 1) if "// wishes.c: here" in text]
    assert f"rank 0 in MGEN_Send_with (MGEN_Main (wishes.c:{number}))" in words


@pytest.mark.parametrize(("arguments", "message"), [((7,), "invalid protocol: 7"), ((0, 0, -1, -5), "a gap of")])
def test_wishes_that_are_none(wishes: Path, tmp_path: Path, arguments: tuple[int, ...], message: str) -> None:
    words = words_of_failure(2, haichi(2, wishes, 100, *arguments, machine=machine(tmp_path)))
    assert message in words


# --- the ring of NSIM's paper


def seconds_of(run: subprocess.CompletedProcess[str]) -> float:
    assert run.returncode == 0, run.stderr
    (entry,) = json.loads(run.stdout)["runs"]
    seconds: float = entry["seconds"]
    return seconds


@pytest.mark.parametrize(("ranks", "size", "times"), [(8, 1024, 1), (16, 200, 1), (16, 50_000, 1), (16, 5000, 3)])
def test_the_bidirectional_ring_by_mgencc_by_mpicc_and_replayed(
    ranks: int, size: int, times: int, tmp_path: Path
) -> None:
    here = machine(tmp_path)
    source = SOURCES / "bidirectional_ring.c"
    by_mpicc = tmp_path / "by_mpicc"
    subprocess.run(["mpicc.mpich", "-O2", "-w", str(source), "-o", str(by_mpicc)], check=True)
    by_mgencc = tmp_path / "by_mgencc"
    assert compile_by("mgencc", tmp_path, "-O2", "-w", source, "-o", by_mgencc).returncode == 0
    options = ["--json", "--no-timing"]
    live = [
        seconds_of(haichi(ranks, path, size, times, machine=here, options=[*options])) for path in (by_mgencc, by_mpicc)
    ]
    # The same messages as a workload.
    neighbours = [[rank, (rank + step) % ranks, size] for step in (1, -1) for rank in range(ranks)]
    workload = {"schema": "haichi-workload/1", "ranks": ranks, "iterations": times, "sets": [{"messages": neighbours}]}
    (tmp_path / "ring.json").write_text(json.dumps(workload))
    command = [BIN, "simulate", "-m", here, "-w", "ring.json", "--sim-iterations", "all", *options]
    run = subprocess.run([*map(str, command)], capture_output=True, text=True, timeout=60, cwd=tmp_path)
    assert live == [seconds_of(run)] * 2
