"""An output that is also an input or another output is refused, under any name, before any file changes."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from haichi_program import BIN, JOB, fail, succeed
from sample_logs import sample

BARRIER = ["advise", "barrier", *JOB]
HISTORY = ["--router", "0", "--buffer-history"]


@pytest.fixture()
def full(mapped: Path) -> Path:
    """The directory of `mapped`, with a log, a node list and host names."""
    sample("ring", 8, mapped / "ring.haichi-log")
    (mapped / "nodes.txt").write_text("".join(f"{node}\n" for node in range(64)))
    (mapped / "hosts.txt").write_text("".join(f"node{node}\n" for node in range(96)))
    return mapped


# A command that ends with an output option, and the input that is used as the output.
CONFLICTS = [
    (["map", *JOB, "-w", "cg64.json", "-o"], "cg64.json"),
    (["map", *JOB, "-w", "cg64.json", "--start", "cg64.map", "-o"], "cg64.map"),
    (["map", "-m", "mesh:8x8", "--nodes", "nodes.txt", "-w", "cg64.json", "-o"], "nodes.txt"),
    (["map", *JOB, "-w", "cg64.json", "--hosts", "hosts.txt", "-o"], "hosts.txt"),
    (["simulate", *JOB, "-w", "cg64.json", "--stats"], "cg64.json"),
    (["simulate", *JOB, "-w", "cg64.json", *HISTORY], "cg64.json"),
    (["simulate", *JOB, "-w", "cg64.json", "--map", "cg64.map", "--stats"], "cg64.map"),
    (["simulate", *JOB, "-w", "cg64.json", "-o"], "cg64.json"),
    (["ccs", "ring.haichi-log", "-o"], "ring.haichi-log"),
    (["log", "convert", "ring.haichi-log", "-t", "json", "-o"], "ring.haichi-log"),
    (["log", "show", "ring.haichi-log", "--html"], "ring.haichi-log"),
    (["convert", *JOB, "--map", "cg64.map", "-t", "json", "-o"], "cg64.map"),
    (["advise", "shape", *JOB[:2], "-w", "cg64.json", "-o"], "cg64.json"),
    ([*BARRIER, "-w", "cg64.json", "--map", "cg64.map", "-o"], "cg64.map"),
    (["advise", "spread", "-m", "two-clusters", "-w", "a", "--spread-workload", "cg64.json", "-o"], "cg64.json"),
    (["advise", "rails", "rails=1:ring.haichi-log", "-o"], "ring.haichi-log"),
]


@pytest.mark.parametrize(("command", "name"), CONFLICTS, ids=lambda value: " ".join(value[:2]) if value else "")
def test_an_output_that_is_an_input_is_refused(full: Path, command: list[str], name: str) -> None:
    content = (full / name).read_bytes()
    (full / "symbolic").symlink_to(name)
    os.link(full / name, full / "hard")
    before = sorted(path.name for path in full.iterdir())
    assert "also an input" in fail(2, *command, name, cwd=full)
    for other in ("symbolic", "hard", f"../{full.name}/{name}"):
        assert f"it is also the input {name}" in fail(2, *command, other, cwd=full)
    assert (full / name).read_bytes() == content
    assert sorted(path.name for path in full.iterdir()) == before


def test_standard_input_and_output_count_as_the_files_they_are(full: Path) -> None:
    content = (full / "cg64.map").read_bytes()
    job = [BIN, "convert", *JOB, "--map", "-", "-t", "json"]
    with open(full / "cg64.map", "rb") as map_file:
        run = subprocess.run([*job, "-o", "cg64.map"], cwd=full, stdin=map_file, capture_output=True, timeout=60)
    assert run.returncode == 2 and b"the input standard input" in run.stderr
    with open(full / "cg64.map", "ab") as appended:
        job[job.index("-")] = "cg64.map"
        run = subprocess.run(job, cwd=full, stdout=appended, stderr=subprocess.PIPE, timeout=60)
    assert run.returncode == 2 and b"cannot write standard output" in run.stderr
    assert (full / "cg64.map").read_bytes() == content


@pytest.mark.parametrize(
    "options",
    [
        ["--stats", "x", "-o", "x"],
        ["--stats", "x", "-o", "./x"],
        ["--stats", "x", *HISTORY, "x"],
        ["--stats", "link", "-o", "x"],
    ],
)
def test_two_outputs_are_two_files(full: Path, options: list[str]) -> None:
    (full / "link").symlink_to("x")
    words = fail(2, "simulate", *JOB, "-w", "cg64.json", *options, cwd=full)
    assert "two outputs" in words or "the same file" in words
    assert not (full / "x").exists()


def test_maps_of_several_shapes_replace_their_files_together(full: Path) -> None:
    shapes = ["--shapes", "1x2x4x2x3x2,2x2x2x2x3x2", "--evaluations", "1000"]
    (full / "a-2x2x2x2x3x2.map").mkdir()
    fail(2, "map", *JOB[:2], "-w", "cg64.json", *shapes, "-o", "a-{shape}.map", cwd=full)
    assert not (full / "a-1x2x4x2x3x2.map").exists()


def test_streams_stay_as_they_were_when_an_input_is_wrong(full: Path) -> None:
    for name in ("stats.csv", "history.csv"):
        (full / name).write_text("old\n")
    for wrong in (["-w", "missing.json"], ["-w", "cg64.map"], ["-w", "cg64.json", "--map", "missing.map"]):
        fail(2, "simulate", *JOB, *wrong, "--stats", "stats.csv", *HISTORY, "history.csv", cwd=full)
        assert (full / "stats.csv").read_text() == (full / "history.csv").read_text() == "old\n"


def test_a_wrong_output_is_refused_before_the_inputs_are_read(full: Path) -> None:
    os.mkfifo(full / "never-written")
    for command in (
        ["map", *JOB, "-w", "never-written"],
        ["simulate", *JOB, "-w", "never-written"],
        ["convert", *JOB, "--map", "never-written", "-t", "json"],
    ):
        assert "No such file" in fail(2, *command, "-o", "no/folder/x", cwd=full)
        assert "it is a directory" in fail(2, *command, "-o", ".", cwd=full)


# ---- files found in the directory of other files ---------------------------------------------------------------------


def test_a_part_beside_a_part_must_be_a_regular_file(tmp_path: Path) -> None:
    from struct import pack

    (tmp_path / "app.0.part").write_bytes(pack("8s", b"nothing"))
    os.mkfifo(tmp_path / "app.1.part")
    fail(2, "log", "show", "app.0.part", cwd=tmp_path)  # not a part, and no wait for the pipe


def test_the_graph_beside_a_machine_file_must_be_a_regular_file(full: Path) -> None:
    os.mkfifo(full / "graph.graphml")
    (full / "m.json").write_text(
        '{"schema": "haichi-machine/1", "topology": {"kind": "graph", "file": "graph.graphml"},'
        ' "link": {"bandwidth": "1GB/s"}}'
    )
    words = fail(2, "map", "-m", "m.json", "-w", "cg64.json", cwd=full)
    assert "graph.graphml: expected a regular file, found a pipe" in words


def test_the_files_of_a_tit_trace_must_be_regular(tmp_path: Path) -> None:
    (tmp_path / "index").write_text("rank0.tit\nrank1.tit\n")
    (tmp_path / "rank0.tit").write_text("0 init\n0 finalize\n")
    os.mkfifo(tmp_path / "rank1.tit")
    words = fail(2, "log", "show", "index", "--log-format", "tit", cwd=tmp_path)
    assert "rank1.tit: expected a regular file, found a pipe" in words


def test_the_files_of_a_dumpi_trace_must_be_regular(tmp_path: Path) -> None:
    (tmp_path / "dumpi-0000.txt").write_text("MPI_Init entering at walltime 1.0, cputime 0.1 seconds in thread 0.\n")
    os.mkfifo(tmp_path / "dumpi-0001.txt")
    words = fail(2, "log", "show", "dumpi-0000.txt", "--log-format", "dumpi", cwd=tmp_path)
    assert "dumpi-0001.txt: expected a regular file, found a pipe" in words


GRAPH = """<graphml><key id="b" for="edge" attr.name="bandwidth" attr.type="string"/><graph edgedefault="undirected">
<node id="n0"/><node id="n1"/><edge source="n0" target="n1"><data key="b">1GB/s</data></edge></graph></graphml>
"""


def test_the_graph_that_a_machine_file_names_is_an_input(tmp_path: Path) -> None:
    (tmp_path / "machines").mkdir()
    graph = tmp_path / "machines/net.graphml"
    graph.write_text(GRAPH)
    (tmp_path / "machines/m.json").write_text(
        '{"schema": "haichi-machine/1", "topology": {"kind": "graph", "file": "net.graphml"},'
        ' "link": {"bandwidth": "1GB/s"}}'
    )
    succeed("pattern", "ring", "--ranks", 2, "-o", "w.json", cwd=tmp_path)
    job = ["-m", "machines/m.json", "-w", "w.json"]
    succeed("map", *job, "-o", "a.map", cwd=tmp_path)
    places = [*job[:2], "--map", "a.map"]
    outputs = [
        ["map", *job, "-o"],
        ["simulate", *job, "-o"],
        ["simulate", *job, "--stats"],
        ["convert", *places, "-t", "json", "-o"],
        ["advise", "barrier", *job, "-o"],
    ]
    for command in outputs:
        assert "also the input machines/net.graphml" in fail(2, *command, str(graph), cwd=tmp_path)
    for command in (["evaluate", *job, "--map", "a.map"], ["check", *places]):
        with open(graph, "a") as appended:
            run = subprocess.run([BIN, *command], cwd=tmp_path, stdout=appended, stderr=subprocess.PIPE, timeout=60)
        assert run.returncode == 2 and b"input machines/net.graphml" in run.stderr
    assert graph.read_text() == GRAPH
    assert {path.name for path in (tmp_path / "machines").iterdir()} == {"m.json", "net.graphml"}


LOGS = Path(__file__).parents[1] / "data/logs"
# A log and another file of its trace.
TRACES = [
    ("dumpi/dumpi-0000.txt", "dumpi/dumpi-0002.txt"),
    ("eztrace/eztrace_log.otf2", "eztrace/eztrace_log/0.evt"),
    ("eztrace/eztrace_log.otf2", "eztrace/eztrace_log.def"),
    ("tit/ring.tit", "tit/ring.tit_files/1795333551.486756_rank-2.txt"),
    ("open-mpi-monitoring/ring.0.prof", "open-mpi-monitoring/ring.3.prof"),
]


@pytest.mark.parametrize(("log", "other"), TRACES, ids=[other for _, other in TRACES])
def test_all_files_of_a_trace_are_inputs(tmp_path: Path, log: str, other: str) -> None:
    shutil.copytree(LOGS, tmp_path / "logs")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    name = os.fspath(tmp_path / "logs" / other)
    commands = [["log", "convert", log, "-t", "csv", "-o", name], ["log", "show", log, "--html", name]]
    if not log.endswith(".prof"):
        commands += [["ccs", log, "-o", name], ["advise", "rails", log, "-o", name]]
    if not log.endswith(".otf2"):  # the OTF2 log is a job without communication sets
        job = ["-m", "mesh:2x2", "-w", log]
        commands += [["map", *job, "-o", name], ["simulate", *job, "--stats", name]]
    for command in commands:
        words = fail(2, *command, cwd=tmp_path / "logs")
        assert f"cannot write {name}: it is" in words and "input" in words, command
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before
