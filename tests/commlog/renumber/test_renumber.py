"""libhaichi-renumber is preloaded into programs of both MPIs in C and Fortran. Their rank numbers are those of the map,
and errors in a map are reported without a hang."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from yielding_mpich import yielding

HERE = Path(__file__).parent
LIBRARIES = Path(os.environ["HAICHI_RENUMBER_LIBRARIES"])
BIN = os.environ["HAICHI_BIN"]
MPIS = ["openmpi", "mpich"]
SOURCES = {"c": "numbers.c", "mpif": "numbers_mpif.f90", "usempi": "numbers_usempi.f90", "f08": "numbers_f08.f90"}


def library(mpi: str) -> Path:
    return LIBRARIES / f"libhaichi-renumber-{mpi}.so"


def needed(program: str) -> str:
    path = shutil.which(program)
    if path is None:
        pytest.skip(f"{program} is not installed")
    return path


@pytest.fixture(scope="session")
def programs(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], Path]:
    """Compiles each program when it is first requested."""
    folder = tmp_path_factory.mktemp("programs")

    class Compiled(dict[tuple[str, str], Path]):
        def __missing__(self, key: tuple[str, str]) -> Path:
            mpi, language = key
            compiler = needed(("mpicc." if language == "c" else "mpif90.") + mpi)
            path = folder / f"numbers_{language}_{mpi}"
            subprocess.run([compiler, str(HERE / SOURCES[language]), "-o", str(path)], check=True, timeout=120)
            self[key] = path
            return path

    return Compiled()


def run(
    mpi: str, program: Path, processes: int, place: Path, *arguments: str, preload: str = "", **settings: str
) -> subprocess.CompletedProcess[str]:
    if not library(mpi).exists():
        pytest.skip(f"the library for {mpi} was not built")
    environment = {k: v for k, v in os.environ.items() if not k.startswith("HAICHI_RENUMBER")}
    environment |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_btl": "self,vader"}
    environment |= {"OMPI_MCA_mpi_yield_when_idle": "1"}
    environment |= {"LD_PRELOAD": preload or str(library(mpi)), **settings}
    options = ["--oversubscribe"] if mpi == "openmpi" else []
    return subprocess.run(
        [needed(f"mpiexec.{mpi}"), *options, "-n", str(processes), str(program), *arguments],
        cwd=place,
        env=environment if mpi == "openmpi" else yielding(environment),
        capture_output=True,
        text=True,
        timeout=120,
    )


def expected(rank_of_process: list[int]) -> list[str]:
    size = len(rank_of_process)
    lines = []
    for process, rank in enumerate(rank_of_process):
        half = (size + 1) // 2 if rank % 2 == 0 else size // 2
        total = size * (size - 1) // 2
        left = (rank + size - 1) % size
        numbers = [process, rank, size, total, left, rank // 2, half, rank, rank]
        lines.append(" ".join(map(str, numbers)) + " MPI_COMM_WORLD 1 42 1")
    return lines


def printed(ran: subprocess.CompletedProcess[str]) -> list[str]:
    lines = [line for line in ran.stdout.splitlines() if line.endswith(("MPI_COMM_WORLD 1 42 1",))]
    return sorted(lines, key=lambda line: int(line.split()[0]))


@pytest.fixture()
def place(tmp_path: Path) -> Path:
    """Four processes on the nodes of a 2 x 2 grid, and a map for them."""
    (tmp_path / "table").write_text("# node of each process\nrank 0 0 0\nrank 1 0 1\nrank 2 1 0\nrank 3 1 1\n")
    (tmp_path / "maps").mkdir()
    (tmp_path / "maps/2x2.map").write_text("1 1\n0 0\n1 0\n0 1\n")
    return tmp_path


TABLE = {"HAICHI_RENUMBER_TABLE": "table", "HAICHI_RENUMBER_MAPS": "maps"}
MAPPED = [1, 3, 2, 0]
PLAIN = [0, 1, 2, 3]


@pytest.mark.parametrize("mpi", MPIS)
@pytest.mark.parametrize("language", SOURCES)
def test_every_interface_sees_the_ranks_of_the_map(programs, place: Path, mpi: str, language: str) -> None:
    ran = run(mpi, programs[mpi, language], 4, place, **TABLE)
    assert ran.returncode == 0, ran.stderr
    assert printed(ran) == expected(MAPPED), ran.stdout + ran.stderr
    assert "haichi-renumber: 4 processes, shape 2x2, renumbered by maps/2x2.map\n" in ran.stderr


@pytest.mark.parametrize("mpi", MPIS)
def test_programs_see_the_same_without_the_library_in_other_words_plain_ranks(programs, place: Path, mpi: str) -> None:
    for language in SOURCES:
        ran = run(mpi, programs[mpi, language], 4, place, preload=" ")
        assert (ran.returncode, printed(ran)) == (0, expected(PLAIN)), ran.stderr


@pytest.mark.parametrize("mpi", MPIS)
def test_threads_patterns_and_mappings_of_haichi_work_too(programs, place: Path, mpi: str) -> None:
    (place / "maps/for-2x2.json").write_text(
        '{"schema": "haichi-mapping/1", "shape": [2, 2], "ranks": 4, "node_of_rank": [2, 3, 0, 1]}'
    )
    settings = {**TABLE, "HAICHI_RENUMBER_MAPS": "maps/for-{shape}.json", "HAICHI_RENUMBER_QUIET": "1"}
    ran = run(mpi, programs[mpi, "c"], 4, place, "thread", **settings)
    assert (ran.returncode, ran.stderr, printed(ran)) == (0, "", expected([2, 3, 0, 1]))


@pytest.mark.parametrize("mpi", MPIS)
def test_several_ranks_on_a_node_go_by_their_cores(programs, place: Path, mpi: str) -> None:
    host = os.uname().nodename
    (place / "table").write_text(f"{host.split('.')[0]} 0 0 0\nrank 2 0 0 1\nrank 3 0 0 1\n")
    (place / "maps/1x1x2.map").write_text("0 0 1 1\n0 0 0 0\n0 0 1 0\n0 0 0 1\n")
    ran = run(mpi, programs[mpi, "c"], 4, place, **TABLE)
    assert printed(ran) == expected([1, 3, 2, 0]), ran.stderr


@pytest.mark.parametrize("mpi", MPIS)
def test_abort_ends_all_processes_with_its_code(programs, place: Path, mpi: str) -> None:
    ran = run(mpi, programs[mpi, "c"], 4, place, "abort", **TABLE)
    assert ran.returncode == 3, ran.stderr


WRONG = {
    "too short": ("1 1\n0 0\n1 0\n", r"maps/2x2.map: the map has 3 ranks, but the job has 4 processes"),
    "a node twice": ("1 1\n0 0\n1 0\n1 0\n", r"the map puts 0 ranks on node \(0,1\), which has 1 process"),
    "another shape": ("1 1\n0 0\n2 0\n0 1\n", r"maps/2x2.map:3: coordinate 2 on axis 0 is outside the shape 2x2"),
    "another machine": ("1 1 0 0 0 0\n", r"maps/2x2.map:1: expected 2 coordinates"),
    "no numbers": ("1 one\n", r"maps/2x2.map:1: expected a coordinate, found 'one'"),
    "positions": ('{"position_of_rank": [0, 1, 2, 3]}', r"a JSON map requires a list \"node_of_rank\""),
    "json of a shape": (
        '{"shape": [4], "node_of_rank": [0, 1, 2, 3]}',
        r"for the shape \[4\], but the job has the shape 2x2",
    ),
    "no json": ('{"node_of_rank": [0, 1', r"maps/2x2.map:1: "),
}


@pytest.mark.parametrize("mpi", MPIS)
@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_map_is_told_and_the_job_runs_on_or_ends_on_request(programs, place: Path, mpi: str, what: str) -> None:
    text, message = WRONG[what]
    (place / "maps/2x2.map").write_text(text)
    ran = run(mpi, programs[mpi, "c"], 4, place, **TABLE)
    assert (ran.returncode, printed(ran)) == (0, expected(PLAIN)), ran.stderr
    assert re.search("haichi-renumber: warning: .*" + message + ".*; ranks keep their numbers", ran.stderr), ran.stderr
    ran = run(mpi, programs[mpi, "c"], 4, place, **TABLE, HAICHI_RENUMBER_REQUIRE="1")
    assert ran.returncode != 0 and ran.stdout.count("MPI_COMM_WORLD") == 0
    assert re.search("haichi-renumber: error: .*" + message, ran.stderr), ran.stderr


@pytest.mark.parametrize("mpi", MPIS)
def test_what_is_missing_is_told(programs, place: Path, mpi: str) -> None:
    def warning(**settings: str) -> str:
        ran = run(mpi, programs[mpi, "c"], 4, place, **settings)
        assert (ran.returncode, printed(ran)) == (0, expected(PLAIN)), ran.stderr
        return ran.stderr

    assert "warning: HAICHI_RENUMBER_MAPS is not set" in warning()
    assert "name a table of coordinates with HAICHI_RENUMBER_TABLE" in warning(HAICHI_RENUMBER_MAPS="maps")
    assert "is neither a directory nor a file name with {shape}" in warning(
        **{**TABLE, "HAICHI_RENUMBER_MAPS": "nowhere"}
    )
    assert "missing: " in warning(**{**TABLE, "HAICHI_RENUMBER_TABLE": "missing"})
    (place / "table").write_text("rank 0 0 0\nrank 1 0 1\nrank 2 1 0\n")
    assert "table: the table has neither rank 3 nor its host" in warning(**TABLE)
    (place / "table").write_text("rank 0 0 0\nrank 1 0\n")
    assert "table:2: expected 2 coordinates as in the lines before, found 1" in warning(**TABLE)
    (place / "table").write_text("rank 0 0 0\nrank 1 0 1\nrank 2 2 0\nrank 3 2 1\n")
    assert "no map for the shape 3x2: cannot find maps/3x2.map or maps/3x2.json" in warning(**TABLE)


@pytest.mark.parametrize("mpi", MPIS)
def test_a_shape_can_be_stated_where_nodes_of_the_job_are_free(programs, place: Path, mpi: str) -> None:
    (place / "maps/2x3.map").write_text("1 1\n0 0\n1 0\n0 1\n")
    ran = run(mpi, programs[mpi, "c"], 4, place, **TABLE, HAICHI_RENUMBER_SHAPE="2x3")
    assert printed(ran) == expected(MAPPED), ran.stderr
    ran = run(mpi, programs[mpi, "c"], 4, place, **TABLE, HAICHI_RENUMBER_SHAPE="1x3")
    assert "'1x3' does not contain the shape of the job, 2x2" in ran.stderr and printed(ran) == expected(PLAIN)


@pytest.mark.parametrize("mpi", MPIS)
def test_coordinates_come_from_fujitsus_functions_where_there_are_any(programs, place: Path, mpi: str) -> None:
    stand_in = HERE.parents[1] / "cli" / "fjmpi_stand_in"
    extension = place / "fjmpi.so"
    compiler = needed(f"mpicc.{mpi}")
    command = [compiler, "-shared", "-fPIC", f"-I{stand_in}", str(stand_in / "fjmpi_stand_in.c"), "-o", str(extension)]
    subprocess.run(command, check=True, timeout=60)
    nodes = ["0 0 0 0 0 1", "0 0 0 0 0 0", "0 0 0 0 1 0", "0 0 0 0 1 1"]
    (place / "answers").write_text("1 4\n0 0\n" + "".join(f"{k} 0 0 {node}\n" for k, node in enumerate(nodes)))
    (place / "maps/1x1x1x1x2x2.map").write_text("".join(f"{nodes[k]}\n" for k in [3, 1, 0, 2]))
    settings = {"FJMPI_STAND_IN": str(place / "answers"), "HAICHI_RENUMBER_MAPS": "maps"}
    ran = run(mpi, programs[mpi, "c"], 4, place, preload=f"{library(mpi)}:{extension}", **settings)
    assert printed(ran) == expected([2, 1, 3, 0]), ran.stderr
    assert "shape 1x1x1x1x2x2" in ran.stderr


@pytest.mark.parametrize("mpi", MPIS)
def test_a_library_in_front_would_see_other_numbers_and_is_told(programs, place: Path, mpi: str) -> None:
    source = place / "front.c"
    source.write_text("#include <mpi.h>\nint MPI_Comm_rank(MPI_Comm c, int* r) { return PMPI_Comm_rank(c, r); }\n")
    command = [needed(f"mpicc.{mpi}"), "-shared", "-fPIC", str(source), "-o", str(place / "front.so")]
    subprocess.run(command, check=True, timeout=60)
    ran = run(mpi, programs[mpi, "c"], 4, place, preload=f"{place}/front.so:{library(mpi)}", **TABLE)
    assert printed(ran) == expected(PLAIN), ran.stderr
    warning = "warning: another library with MPI functions precedes libhaichi-renumber; ranks keep their numbers"
    assert ran.stderr.count(warning) == 1, ran.stderr
    preload = f"{place}/front.so:{library(mpi)}"
    required = run(mpi, programs[mpi, "c"], 4, place, preload=preload, **TABLE, HAICHI_RENUMBER_REQUIRE="1")
    assert required.returncode != 0 and required.stdout.count("MPI_COMM_WORLD") == 0
    behind = run(mpi, programs[mpi, "c"], 4, place, preload=f"{library(mpi)}:{place}/front.so", **TABLE)
    assert printed(behind) == expected(MAPPED), behind.stderr


def test_the_library_of_the_other_mpi_changes_nothing(programs, place: Path) -> None:
    for mpi, other in [MPIS, MPIS[::-1]]:
        if not library(other).exists():
            pytest.skip(f"the library for {other} was not built")
        ran = run(mpi, programs[mpi, "f08"], 4, place, preload=str(library(other)), **TABLE)
        assert printed(ran) == expected(PLAIN), ran.stderr
        assert "this process uses another MPI than the one that libhaichi-renumber supports" in ran.stderr


def test_programs_without_mpi_do_not_notice(place: Path) -> None:
    for mpi in MPIS:
        if library(mpi).exists():
            ran = subprocess.run(
                ["echo", "x"], env={**os.environ, "LD_PRELOAD": str(library(mpi))}, capture_output=True, timeout=60
            )
            assert (ran.returncode, ran.stdout, ran.stderr) == (0, b"x\n", b"")


@pytest.mark.parametrize("mpi", MPIS)
def test_the_profiler_behind_it_sees_the_machines_numbers(programs, place: Path, mpi: str) -> None:
    profiler = LIBRARIES.parent / "profiler" / f"libhaichi-prof-{mpi}.so"
    if not profiler.exists():
        pytest.skip(f"the profiler for {mpi} was not built")
    preload = f"{library(mpi)}:{profiler}"
    ran = run(mpi, programs[mpi, "f08"], 4, place, preload=preload, HAICHI_PROF="file=both", **TABLE)
    assert printed(ran) == expected(MAPPED), ran.stderr
    matrix = [BIN, "log", "convert", "both.haichi-log", "-t", "csv"]
    written = subprocess.run(matrix, cwd=place, capture_output=True, text=True, timeout=60)
    # Rank r sends 4 bytes to rank r + 1. The processes of ranks 0, 1, 2, 3 are 3, 0, 2, 1.
    assert written.stdout == "0,0,4,0\n0,0,0,4\n0,4,0,0\n4,0,0,0\n", written.stderr
