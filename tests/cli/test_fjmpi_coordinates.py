"""examples/fjmpi_coordinates, compiled with any MPI and a stand-in for Fujitsu's extension. The table that it writes
gives the same results as the built-in fold."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from haichi_program import succeed

REPOSITORY = Path(__file__).parents[2]
UNIT = ["-m", "fx10-kyushu", "--shape", "1x1x1x2x3x2"]
pytestmark = pytest.mark.skipif(
    shutil.which("mpicc") is None or shutil.which("mpirun") is None, reason="no MPI is installed"
)


def compiled(folder: Path, *options: str) -> Path:
    path = folder / "fjmpi_coordinates"
    stand_in = REPOSITORY / "tests/cli/fjmpi_stand_in"
    sources = [REPOSITORY / "examples/fjmpi_coordinates/fjmpi_coordinates.c", stand_in / "fjmpi_stand_in.c"]
    command = ["mpicc", "-std=c99", "-Wall", "-Wextra", "-Werror", f"-I{stand_in}", *options, *map(str, sources)]
    subprocess.run([*command, "-o", str(path)], check=True, timeout=60)
    return path


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled(tmp_path_factory.mktemp("fjmpi"))


def coordinates_of_nodes(place: Path, fold: str) -> tuple[list[list[int]], list[list[int]]]:
    """Logical and machine coordinates of the 12 nodes, in rank order."""
    tables = []
    (place / "nodes.json").write_text(
        '{"schema": "haichi-mapping/1", "node_of_rank": [' + ",".join(map(str, range(12))) + "]}"
    )
    for form in ["fujitsu", "tofu6d"]:
        text = succeed("convert", *UNIT, "--fold", fold, "--map", "nodes.json", "-t", form, cwd=place).stdout
        tables.append([[int(number) for number in re.findall(r"\d+", line)] for line in text.splitlines()])
    return tables[0], tables[1]


def run(program: Path, place: Path, answers: list[list[int]], ranks: int) -> subprocess.CompletedProcess[str]:
    (place / "answers").write_text("\n".join(" ".join(map(str, line)) for line in answers) + "\n")
    version = subprocess.run(["mpirun", "--version"], capture_output=True, text=True, timeout=60).stdout
    options = ["--allow-run-as-root", "--oversubscribe"] if "Open MPI" in version or "Open RTE" in version else []
    return subprocess.run(
        ["mpirun", *options, "-n", str(ranks), str(program), "table"],
        cwd=place,
        env={**os.environ, "FJMPI_STAND_IN": str(place / "answers"), "OMPI_MCA_btl": "self,vader"},
        capture_output=True,
        text=True,
        timeout=120,
    )


def answers_of(place: Path, fold: str, shape: list[int], order: list[int]) -> list[list[int]]:
    logical, machine = coordinates_of_nodes(place, fold)
    rows = [(logical[node] + [0, 0])[:3] + machine[node] for node in order]
    return [[len(shape), *shape, *[0] * (3 - len(shape))], *rows]


@pytest.mark.parametrize(("fold", "shape"), [("default", [2, 3, 2]), ("2d", [6, 2]), ("1d", [12])])
def test_the_table_gives_what_the_fold_gives(program: Path, tmp_path: Path, fold: str, shape: list[int]) -> None:
    # The nodes are in arbitrary order, and two have a second rank.
    order = [7, 0, 5, 11, 2, 9, 4, 1, 8, 3, 10, 6, 7, 2]
    ran = run(program, tmp_path, answers_of(tmp_path, fold, shape, order), len(order))
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout == "12 nodes: --shape 1x1x1x2x3x2 --fold table\n"
    lines = [line for line in (tmp_path / "table").read_text().splitlines() if not line.startswith("#")]
    assert len(lines) == 12 and lines[0].startswith("(" + ",".join("0" * len(shape)) + ") -> 0 0 0 0 0 0")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["answers", "nodes.json", "table"]

    succeed("pattern", "cg", "--ranks", 8, "-o", "cg8.json", cwd=tmp_path)
    job = ["-w", "cg8.json", "--no-timing"]
    succeed("map", *UNIT, "--fold", fold, *job, "-f", "fujitsu", "-o", "cg8.map", cwd=tmp_path)
    built_in = succeed("evaluate", *UNIT, "--fold", fold, *job, "--map", "cg8.map", cwd=tmp_path).stdout
    written = succeed("evaluate", *UNIT, "--fold", "table", *job, "--map", "cg8.map", cwd=tmp_path).stdout
    assert f"fold {fold}" in built_in
    # A table holds for the orientation in which it was written, so only the fold has a value for rotated requests.
    built_in = "".join(line for line in built_in.splitlines(keepends=True) if not line.startswith("rotated: "))
    assert written.replace("fold table", f"fold {fold}") == built_in


def test_the_older_calls_give_the_same_table(program: Path, tmp_path: Path) -> None:
    older = compiled(tmp_path, "-DOLD_FJMPI_TOPOLOGY")
    answers = answers_of(tmp_path, "mesh", [2, 3, 2], list(range(12)))
    tables = []
    for each in [program, older]:
        assert run(each, tmp_path, answers, 12).returncode == 0
        tables.append((tmp_path / "table").read_text())
    assert tables[0] == tables[1] and tables[0].count("\n") == 13


def test_a_node_without_a_rank_is_an_error_and_no_file(program: Path, tmp_path: Path) -> None:
    order = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
    ran = run(program, tmp_path, answers_of(tmp_path, "default", [2, 3, 2], order), len(order))
    assert ran.returncode == 1
    assert "error: 11 of 12 nodes have a rank" in ran.stderr
    assert not (tmp_path / "table").exists() and not (tmp_path / "table.part").exists()


def test_answers_that_contradict_each_other_are_an_error(program: Path, tmp_path: Path) -> None:
    answers = answers_of(tmp_path, "default", [2, 3, 2], [*range(12), 0])
    answers[-1][-1] = 1
    ran = run(program, tmp_path, answers, 13)
    assert ran.returncode == 1
    assert "ranks with the logical coordinates (0,0,0) are on several nodes" in ran.stderr


def test_a_job_without_coordinates_is_an_error(program: Path, tmp_path: Path) -> None:
    ran = run(program, tmp_path, [[3, 2, 3, 2]], 2)
    assert ran.returncode == 1
    assert "error: rank 0 cannot ask for its coordinates" in ran.stderr
