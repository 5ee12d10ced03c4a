"""Workloads in the formats of other tools: matrices in map and evaluate, from files and through pipes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from haichi_program import check_map, fail, haichi, succeed

NUG12 = Path(__file__).parent.parent / "data" / "nug12.dat"

RING = {  # 4 ranks in a ring, 1 MiB to the next
    "json": '{"schema": "haichi-workload/1", "ranks": 4, "sets": [{"messages": '
    "[[0, 1, 1048576], [1, 2, 1048576], [2, 3, 1048576], [3, 0, 1048576]]}]}",
    "edge-list": "source,destination,bytes\n0,1,1048576\n1,2,1048576\n2,3,1.048576e6\n3,0,1048576.0\n",
    "dense-matrix": "0 1048576 0 0\n0 0 1048576 0\n0 0 0 1048576\n1048576 0 0 0\n",
    "matrix-market": "%%MatrixMarket matrix coordinate integer general\n% a ring\n4 4 4\n"
    "1 2 1048576\n2 3 1048576\n3 4 1048576\n4 1 1048576\n",
    "qaplib": "4\n\n0 1048576 0 0\n0 0 1048576 0\n0 0 0 1048576\n1048576 0 0 0\n\n0 1 2 3\n1 0 1 2\n2 1 0 1\n3 2 1 0\n",
    "metis": "4 4 1\n2 524288 4 524288\n1 524288 3 524288\n2 524288 4 524288\n1 524288 3 524288\n",
}


def report(*arguments: object, cwd: Path, input: str | None = None) -> dict[str, object]:
    run = haichi(*arguments, "--json", "--no-timing", cwd=cwd, input=input)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def test_a_qaplib_instance_is_mapped_to_its_optimum_and_evaluated(tmp_path: Path) -> None:
    run = succeed(
        *("map", "-m", "mesh:3x4", "-w", NUG12, "--objective", "hop-bytes", "--restarts", 8),
        *("-f", "json", "-o", "nug12.map", "--no-timing"),
        cwd=tmp_path,
    )
    assert "hop-bytes" in run.stderr
    mapping = json.loads((tmp_path / "nug12.map").read_text())
    check_map(mapping["node_of_rank"], 12, 12)
    evaluated = report("evaluate", "-m", "mesh:3x4", "-w", NUG12, "--map", "nug12.map", cwd=tmp_path)
    assert evaluated["metrics"]["hop_bytes"] == 578


def test_a_matrix_market_file_is_mapped_and_evaluated(tmp_path: Path) -> None:
    (tmp_path / "grid.mtx").write_text(
        "%%MatrixMarket matrix coordinate pattern symmetric\n% a 2 x 3 grid\n6 6 7\n2 1\n3 2\n5 4\n6 5\n4 1\n5 2\n6 3\n"
    )
    job = ("-m", "mesh:2x3", "-w", "grid.mtx", "--message-size", "1KiB", "--objective", "hop-bytes")
    mapped = report("map", *job, "-f", "json", "-o", "grid.map", cwd=tmp_path)
    assert mapped["value"] == mapped["metrics"]["hop_bytes"] == 14 * 1024 and mapped["optimal"] is True
    evaluated = report("evaluate", *job, "--map", "grid.map", cwd=tmp_path)
    assert evaluated["metrics"] == mapped["metrics"]
    assert [link["label"] for link in evaluated["most_loaded_links"]] == ["matrix"] * 10


@pytest.mark.parametrize("name", RING)
def test_every_format_is_read_from_a_file_and_from_standard_input(tmp_path: Path, name: str) -> None:
    (tmp_path / "ring").write_text(RING[name])
    job = ("map", "-m", "torus:4", "--objective", "hop-bytes")
    by_content = report(*job, "-w", "ring", cwd=tmp_path)
    assert by_content["value"] == 4 * 1048576
    assert report(*job, "-w", "ring", "--workload-format", name, cwd=tmp_path) == by_content
    assert report(*job, "-w", "-", cwd=tmp_path, input=RING[name]) == by_content
    assert report(*job, "-w", "-", "--workload-format", name, cwd=tmp_path, input=RING[name]) == by_content


def test_a_text_that_may_be_two_formats_has_to_be_named(tmp_path: Path) -> None:
    (tmp_path / "w.txt").write_text("0 1 5\n1 0 7\n2 1 8\n")
    job = ("map", "-m", "torus:4", "--objective", "hop-bytes", "-w", "w.txt")
    words = fail(2, *job, cwd=tmp_path)
    assert "w.txt: the format is ambiguous: it may be edge-list or dense-matrix" in words
    assert "hint: name the format: --workload-format NAME" in words
    assert report(*job, "--workload-format", "edge-list", cwd=tmp_path)["ranks"] == 3


def test_wrong_files_and_names_are_refused_with_a_hint(tmp_path: Path) -> None:
    (tmp_path / "half.csv").write_text("0,1,5\n1,2,0.5\n")
    job = ("map", "-m", "torus:4", "-o", "out.map")
    words = fail(2, *job, "-w", "half.csv", cwd=tmp_path)
    assert "half.csv:2: the message size must be a whole number, found '0.5'" in words
    assert "hint: multiply all sizes by one factor so that they are whole bytes" in words
    words = fail(2, *job, "-w", "half.csv", "--workload-format", "edges-list", cwd=tmp_path)
    assert "unknown workload format 'edges-list'" in words and "did you mean 'edge-list'?" in words
    words = fail(2, *job, "-w", "-", cwd=tmp_path, input="Dear reader\n")
    assert "-:1: not in a known workload format: 'Dear reader'" in words
    assert not (tmp_path / "out.map").exists()


def test_list_names_the_formats(tmp_path: Path) -> None:
    shown = succeed("list", "workload-formats", cwd=tmp_path).stdout
    assert all(name in shown for name in RING)
    rows = json.loads(succeed("list", "workload-formats", "--json", cwd=tmp_path).stdout)["workload-formats"]
    assert [row["name"] for row in rows] == list(RING)
