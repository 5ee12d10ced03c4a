"""docs/reference/limits.md quotes exactly the messages that these failing commands print, and no others."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs/reference/limits.md"

JOB = "-m fx10-kyushu --shape 1x2x4x2x3x2"
PLACED = f"{JOB} -w cg64.json"

_MACHINE = '{"schema": "haichi-machine/1", "topology": {"kind": "%s", %s}, "link": {"bandwidth": %s}%s}\n'
_RING = '"axes": [{"name": "X", "size": 8, "wraps": true}]'
_GRAPH = '<graphml><graph edgedefault="undirected"><node id="a"/><node id="b"/>%s</graph></graphml>\n'
_SETS = '{"schema": "haichi-workload/1", "ranks": 2, "sets": [{"messages": [%s]}]}\n'

# The test makes the rank maps and logs from the program's own output.
FILES = {
    "rank.json": _SETS % "[0, 5, 10]",
    "fraction.json": _SETS % "[0, 1, 1.5]",
    "version.json": '{"schema": "haichi-workload/2", "ranks": 2, "sets": []}\n',
    "key.json": '{"schema": "haichi-workload/1", "ranks": 2, "sets": [], "iteration": 5}\n',
    "half.txt": "0 1 0.5\n",
    "square.txt": "0 1 1048576\n1 2 1048576\n2 3 1048576\n",
    "empty.txt": "",
    "unit.json": _MACHINE % ("torus", _RING, '"5gb/s"', ""),
    "net.txt": "two nodes and a switch\n",
    "p.xml": '<?xml version="1.0"?>\n<platform version="4.1"><zone id="z" routing="Full"/></platform>\n',
    "number.json": _MACHINE % ("torus", _RING, "5", ""),
    "channels.json": _MACHINE % ("torus", _RING, '"5GB/s"', ', "router": {"virtual_channels": 1}'),
    "buffer.json": _MACHINE
    % ("torus", _RING, '"8GB/s", "cable_latency": "100ns"', ', "router": {"buffer": "1 packets"}'),
    "below/machine.json": _MACHINE % ("graph", '"file": "../net.graphml"', '"5GB/s"', ""),
    "net.graphml": _GRAPH % '<edge source="a" target="b"/>',
    "parts.graphml": _GRAPH % "",
    "nodes_twice.txt": "0\n0\n",
    "faulty.txt": "0\n",
    "rankfile": "rank 0=node0 slot=0\nrank 1=node7 slot=0\n",
}

COMMANDS = [
    # the command line
    "mpa",
    "map --machine torus:8",
    f"map {PLACED} --seeed 3",
    f"map {PLACED} --time 5",
    f"map {PLACED} --checkpoint search.json",
    f"map {PLACED} --nodes nodes.txt",
    f"evaluate {PLACED} --map rankmap.txt --require tac3<=0.0001",
    f"map {PLACED} -o missing/rankmap.txt",
    f"map {PLACED} -o cg64.json",
    # machines and jobs
    "map -m fx10-kyusyu -w cg64.json",
    "map -m fx10 -w cg64.json",
    "map -m fx10-kyushu --shape 9x2x4x2x3x2 -w cg64.json",
    "map -m fx10-kyushu --shape 1x1x1x2x3x2 -w cg64.json",
    "map -m torus:1000x1000x1000 -w cg64.json",
    f"map {PLACED} --routing dor:XYZ",
    "map -m fx10-kyushu --nodes nodes_twice.txt -w ring8.json",
    "map -m torus:4x4x4 --faulty faulty.txt -w ring8.json",
    "map -m number.json -w ring8.json",
    "map -m unit.json -w ring8.json",
    "map -m net.txt -w ring8.json",
    "map -m p.xml -w ring8.json",
    "map -m below/machine.json -w ring8.json",
    "map -m graph:net.graphml -w ring8.json",
    "map -m graph:parts.graphml -w ring8.json",
    # workloads and logs
    "map -m torus:8 -w missing.json",
    "map -m torus:8 -w empty.txt",
    "map -m torus:8 -w version.json",
    "map -m torus:8 -w key.json",
    "map -m torus:8 -w rank.json",
    "map -m torus:8 -w fraction.json",
    "map -m torus:8 -w half.txt",
    "map -m torus:8 -w square.txt",
    "log show ring8.json",
    "log show cut.haichi-log",
    "map -m torus:8 -w ep8.haichi-log",
    "ccs cg8.haichi-log --main-loop 9 -o sets.json",
    "pattern cg --ranks 63",
    "pattern nas-cg --ranks 8",
    "pattern alltoall-pairwise --ranks 100000 -o sets.json",
    # searches
    f"map {PLACED} --objective tac4",
    "map -m torus:4x4x4 --ppn 64 -w cg64.json --objective hop-bytes --strategy tabu",
    f"map {PLACED} --strategy exhaustive",
    f"map {PLACED} --time 1s --checkpoint cg64.json",
    "map -m fx10-kyushu --shapes 1x2x4x2x3x2,2x2x4x2x3x1 -w cg64.json",
    # rank maps
    f"map {PLACED} -f slurm",
    f"map {PLACED} -f slurm --hosts n[1-3]",
    "map -m fattree:2x8 -w cg64.json -f fujitsu",
    f"convert {JOB} --map rankmap.txt -t cray",
    f"evaluate {PLACED} --map short.txt",
    f"evaluate {PLACED} --map outside.txt",
    f"evaluate {PLACED} --map twice.txt",
    f"evaluate {PLACED} --map blanks.txt",
    "convert -m torus:2 --hosts node[0-1] --map rankfile -t json",
    # simulations
    "simulate -m channels.json -w ring8.json",
    "simulate -m buffer.json -w ring8.json",
    f"simulate {PLACED} --barrier 5",
    f"simulate {PLACED} --compute none",
    f"simulate {PLACED} --stats links.csv --barrier both",
    "simulate -m torus:8 -w cg8.haichi-log --barrier sets --form calls",
    "simulate -m torus:8 -w cg8.haichi-log --form calls --message-size 1KiB",
    "simulate -m torus:8 -w ring8.json --progress-fd 9",
    "advise shape -m fattree:2x8 -w ring8.json",
    "advise spread -m torus:8 -w ring8.json",
    # programs; the last commands need an MPI
    "run -m torus:4 -n 4 -- app",
    "run -m torus:4 -n 4 -- ./app.c",
]

# Commands for programs that MPICH's compiler makes from app.c. The argument of a program selects its behaviour.
PROGRAM_COMMANDS = [
    "run -m torus:4 -n 4 -- ./serial_app",
    "run -m torus:4 -n 4 -- ./spawning_app",
    "run -m torus:4 -n 4 -- ./app deadlock",
    "run -m torus:4 -n 4 -- ./app crash",
    "run -m torus:4 -n 4 -- ./app rank",
    "run -m torus:4 -n 4 -- ./app truncate",
    "run -m torus:4 -n 4 -- ./app leave",
]

PROGRAM = """
#include <mpi.h>
#include <string.h>

int main(int argc, char** argv) {
    const char* what = argc > 1 ? argv[1] : "";
    int rank, ranks, data[4] = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
#ifdef SPAWN
    MPI_Comm others;
    MPI_Comm_spawn("other", MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &others, MPI_ERRCODES_IGNORE);
#endif
    if (strcmp(what, "deadlock") == 0) {
        MPI_Recv(data, 1, MPI_INT, (rank + 1) % ranks, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    if (strcmp(what, "crash") == 0 && rank == 1) *(volatile int*)0 = 1;
    if (strcmp(what, "rank") == 0) MPI_Send(data, 1, MPI_INT, 99, 0, MPI_COMM_WORLD);
    if (strcmp(what, "truncate") == 0 && rank == 0) MPI_Send(data, 4, MPI_INT, 1, 0, MPI_COMM_WORLD);
    if (strcmp(what, "truncate") == 0 && rank == 1) {
        MPI_Recv(data, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    if (strcmp(what, "leave") == 0 && rank == 1) return 0;
    MPI_Finalize();
    return 0;
}
"""


def haichi(folder: Path, command: str) -> subprocess.CompletedProcess[str]:
    words = [os.environ["HAICHI_BIN"], *command.split()]
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=60)


def quoted() -> set[str]:
    """The messages in the first column of the page's message tables."""
    text = PAGE.read_text().split("## Messages", 1)[1]
    return set(re.findall(r"^\| `([^`]+)` \|", text, re.MULTILINE))


def messages(output: str) -> list[str]:
    """Errors and warnings without hints. Addresses are replaced, because they differ between builds."""
    lines = re.findall(r"^(?:error|warning): (.*)$", output, re.MULTILINE)
    return [re.sub(r"\+0x[0-9a-f]+", "+0x1277", line) for line in lines]


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("limits")
    (path / "below").mkdir()
    for name, content in FILES.items():
        (path / name).write_bytes(content.encode())
    for command in (
        "pattern cg --ranks 64 -o cg64.json",
        "pattern ring --ranks 8 -o ring8.json",
        "pattern nas-cg --ranks 8 --class S -o cg8.haichi-log",
        "pattern nas-ep --ranks 8 --class S -o ep8.haichi-log",
        f"map {JOB} -w cg64.json --strategy default -o rankmap.txt",
    ):
        assert haichi(path, command).returncode == 0, command
    lines = (path / "rankmap.txt").read_text().splitlines(keepends=True)
    (path / "short.txt").write_text("".join(lines[:-1]))
    (path / "outside.txt").write_text("".join([*lines[:2], "(9,9,9)\n", *lines[3:]]))
    (path / "twice.txt").write_text("".join([*lines[:2], lines[0], *lines[3:]]))
    (path / "blanks.txt").write_text("".join(line.replace(",", ", ") for line in lines))
    (path / "cut.haichi-log").write_bytes((path / "cg8.haichi-log").read_bytes()[:300])
    (path / "app.c").write_text(PROGRAM)
    return path


@pytest.mark.parametrize("command", COMMANDS)
def test_the_message_is_on_the_page(command: str, folder: Path) -> None:
    found = messages(haichi(folder, command).stderr)
    assert found, command
    assert found[0] in quoted(), f"haichi {command}: {found[0]}"


@pytest.fixture(scope="session")
def programs(folder: Path) -> Path:
    if not shutil.which("mpicc.mpich"):
        pytest.skip("needs the compiler of MPICH")
    (folder / "serial.c").write_text("int main(void) { return 0; }\n")
    for words in (
        "mpicc.mpich app.c -o app",
        "mpicc.mpich -DSPAWN app.c -o spawning_app",
        "cc serial.c -o serial_app",
    ):
        subprocess.run(words.split(), cwd=folder, check=True)
    return folder


@pytest.mark.parametrize("command", PROGRAM_COMMANDS)
def test_the_message_of_a_program_is_on_the_page(command: str, programs: Path) -> None:
    found = messages(haichi(programs, command).stderr)
    assert found, command
    assert found[0] in quoted(), f"haichi {command}: {found[0]}"


def test_the_page_has_no_other_messages(folder: Path, programs: Path) -> None:
    seen = {line for command in [*COMMANDS, *PROGRAM_COMMANDS] for line in messages(haichi(programs, command).stderr)}
    assert quoted() - seen == set()
