"""libhaichi-barriers is preloaded into programs of both MPIs in C and Fortran. Barriers are where the file states them,
according to a tracer after the library. A run that differs from its log ends normally, with a warning."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from yielding_mpich import yielding

HERE = Path(__file__).parent
LIBRARIES = Path(os.environ["HAICHI_PRELOAD_LIBRARIES"])
BIN = os.environ["HAICHI_BIN"]
MPIS = ["openmpi", "mpich"]
LANGUAGES = {"mpif": ["-DMPIF"], "usempi": ["-DUSEMPI"], "f08": []}
RANKS = 4
ITERATIONS = 6

# The calls of an iteration of rings.c, as order.c names them.
NEAR = ["Irecv", "Isend", "Waitall"]
FAR = ["Sendrecv"]
SUM = ["Allreduce"]
BARRIER = ["Ibarrier"]


def library(name: str, mpi: str) -> Path:
    path = LIBRARIES / {"prof": "profiler"}.get(name, name) / f"libhaichi-{name}-{mpi}.so"
    if not path.exists():
        pytest.skip(f"libhaichi-{name} for {mpi} was not built")
    return path


def needed(program: str) -> str:
    path = shutil.which(program)
    if path is None:
        pytest.skip(f"{program} is not installed")
    return path


class Built:
    """Compiles each program, the tracer and the files of barriers when they are first requested."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def program(self, mpi: str, language: str = "c") -> Path:
        """A program of LANGUAGES, or the C program `persistent`."""
        path = self.folder / f"rings-{language}-{mpi}"
        if not path.exists():
            is_fortran = language in LANGUAGES
            compiler = [needed(f"mpif90.{mpi}"), "-cpp"] if is_fortran else [needed(f"mpicc.{mpi}")]
            compiler += LANGUAGES.get(language, []) + ["-w"]
            source = HERE / ("rings.F90" if is_fortran else {"c": "rings.c"}.get(language, f"{language}.c"))
            subprocess.run([*compiler, str(source), "-o", str(path)], check=True, timeout=120)
        return path

    def tracer(self, mpi: str) -> Path:
        path = self.folder / f"order-{mpi}.so"
        if not path.exists():
            command = [needed(f"mpicc.{mpi}"), "-shared", "-fPIC", str(HERE / "order.c"), "-o", str(path)]
            subprocess.run(command, check=True, timeout=60)
        return path

    def barriers(self, mpi: str, sets: str, language: str = "c", how: tuple[str, ...] = (), ranks: int = RANKS) -> Path:
        """Profiles a run, and writes barriers before these sets."""
        name = "-".join((language, *how, mpi, str(ranks)))
        path = self.folder / f"barriers-{name}-{sets}"
        log = self.folder / f"{name}.haichi-log"
        if not log.exists():
            settings = {"LD_PRELOAD": str(library("prof", mpi)), "HAICHI_PROF": f"file={log.with_suffix('')}"}
            ran = run(mpi, [self.program(mpi, language), ITERATIONS, *how], self.folder, ranks, **settings)
            assert log.exists(), ran.stderr
        if not path.exists():
            command = [BIN, "advise", "barrier", "-m", f"torus:{ranks}", "-w", str(log), "--write-barriers", str(path)]
            ran = subprocess.run([*command, "--write-sets", sets], capture_output=True, text=True, timeout=120)
            assert ran.returncode == 0, ran.stderr
        return path


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    return Built(tmp_path_factory.mktemp("built"))


def run(
    mpi: str, command: list[object], place: Path, ranks: int = RANKS, **settings: str
) -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("HAICHI_")}
    environment |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_btl": "self,vader"}
    environment |= {"OMPI_MCA_btl_vader_single_copy_mechanism": "none", "OMPI_MCA_mpi_yield_when_idle": "1", **settings}
    options = ["--oversubscribe"] if mpi == "openmpi" else []
    return subprocess.run(
        [needed(f"mpiexec.{mpi}"), *options, "-n", str(ranks), *map(str, command)],
        cwd=place,
        env=environment if mpi == "openmpi" else yielding(environment),
        capture_output=True,
        text=True,
        timeout=120,
    )


def run_with_barriers(
    built: Built,
    mpi: str,
    file: Path,
    place: Path,
    *arguments: object,
    ranks: int = RANKS,
    language: str = "c",
    **settings: str,
) -> tuple[subprocess.CompletedProcess[str], list[list[str]]]:
    """Returns the run, and the calls of each rank that the tracer saw."""
    preload = f"{library('barriers', mpi)}:{built.tracer(mpi)}"
    settings |= {"LD_PRELOAD": preload, "HAICHI_BARRIERS": str(file), "HAICHI_ORDER": str(place / "order")}
    ran = run(mpi, [built.program(mpi, language), *arguments], place, ranks, **settings)
    assert ran.returncode == 0 and "done" in ran.stdout, ran.stdout + ran.stderr
    orders = [(place / f"order.{rank}") for rank in range(ranks)]
    return ran, [order.read_text().split() if order.exists() else [] for order in orders]


@pytest.mark.parametrize("mpi", MPIS)
def test_barriers_are_before_the_stated_sets(built: Built, tmp_path: Path, mpi: str) -> None:
    for sets, iteration in {
        "2": NEAR + BARRIER + FAR + SUM,
        "1,2": BARRIER + NEAR + BARRIER + FAR + SUM,
    }.items():
        file = built.barriers(mpi, sets)
        assert f"barriers {ITERATIONS * iteration.count('Ibarrier')}\n" in file.read_text()
        place = tmp_path / sets
        place.mkdir()
        ran, orders = run_with_barriers(built, mpi, file, place, ITERATIONS)
        assert orders == [ITERATIONS * iteration] * RANKS
        assert ran.stderr == f"haichi-barriers: {ITERATIONS * iteration.count('Ibarrier')} barriers\n"


@pytest.mark.parametrize("mpi", MPIS)
@pytest.mark.parametrize("how", ["each", "sets", "all"])
def test_persistent_requests_have_barriers_before_the_stated_sets(
    built: Built, tmp_path: Path, mpi: str, how: str
) -> None:
    starts = ["Startall"] if how != "each" else ["Start", "Start"]
    waits = ["Waitall"] if how != "all" else []
    file = built.barriers(mpi, "1,2", "persistent", (how,))
    ran, orders = run_with_barriers(built, mpi, file, tmp_path, ITERATIONS, how, language="persistent")
    set_calls = BARRIER + starts + waits
    # With all requests in one MPI_Startall, the second barrier divides it.
    iteration = set_calls * 2 + (["Waitall"] if how == "all" else []) + SUM
    assert orders == [ITERATIONS * iteration] * RANKS
    assert ran.stderr == f"haichi-barriers: {2 * ITERATIONS} barriers\n"


@pytest.mark.parametrize("mpi", MPIS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_fortran_programs_have_the_same_barriers(built: Built, tmp_path: Path, mpi: str, language: str) -> None:
    file = built.barriers(mpi, "2", language)
    ran, orders = run_with_barriers(built, mpi, file, tmp_path, ITERATIONS, language=language)
    assert ran.stderr == f"haichi-barriers: {ITERATIONS} barriers\n"
    # Open MPI's Fortran interface does not call the C functions that the tracer replaces.
    assert [order.count("Ibarrier") for order in orders] == [ITERATIONS] * RANKS


@pytest.mark.parametrize("mpi", MPIS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_fortran_programs_start_requests_on_both_sides_of_a_barrier(
    built: Built, tmp_path: Path, mpi: str, language: str
) -> None:
    file = built.barriers(mpi, "2", language, ("at-once",))
    ran, orders = run_with_barriers(built, mpi, file, tmp_path, ITERATIONS, "at-once", language=language)
    assert ran.stderr == f"haichi-barriers: {ITERATIONS} barriers\n"
    assert [order.count("Ibarrier") for order in orders] == [ITERATIONS] * RANKS


@pytest.mark.parametrize("mpi", MPIS)
def test_runs_with_another_number_of_iterations_have_barriers_in_all(built: Built, tmp_path: Path, mpi: str) -> None:
    for iterations in (3, 40):
        place = tmp_path / str(iterations)
        place.mkdir()
        ran, orders = run_with_barriers(built, mpi, built.barriers(mpi, "1,2"), place, iterations)
        assert orders == [iterations * (BARRIER + NEAR + BARRIER + FAR + SUM)] * RANKS
        assert ran.stderr == f"haichi-barriers: {2 * iterations} barriers\n"


# How the run differs, from which iteration on, and the warning. `early` exchanges the sets in half of the ranks, so the
# others would wait for them in a barrier.
DIFFERENT = {
    "tag": (2, "/7, but the log has"),
    "early": (0, "but the log has"),
    "leave": (3, "is other"),
}


@pytest.mark.parametrize("mpi", MPIS)
@pytest.mark.parametrize("how", DIFFERENT)
def test_a_run_that_differs_ends_normally_with_one_warning(built: Built, tmp_path: Path, mpi: str, how: str) -> None:
    at, warning = DIFFERENT[how]
    file = built.barriers(mpi, "1,2")
    ran, orders = run_with_barriers(built, mpi, file, tmp_path, ITERATIONS, how, 1, at)
    assert ran.stderr.count("warning: no more barriers") == 1, ran.stderr
    assert warning in ran.stderr
    assert all(2 * at <= order.count("Ibarrier") <= 2 * at + 2 for order in orders)


@pytest.mark.parametrize("mpi", MPIS)
def test_barriers_that_ranks_reach_in_a_circle_are_left_after_some_time(built: Built, tmp_path: Path, mpi: str) -> None:
    lines = built.barriers(mpi, "2").read_text().splitlines()
    # Rank 0 waits in a barrier before the first set, and the others for its message.
    lines[4] = lines[4].replace(" |", "", 1).replace("( ", "( | ", 1)
    file = tmp_path / "circle"
    file.write_text("\n".join(lines) + "\n")
    ran, _ = run_with_barriers(built, mpi, file, tmp_path, ITERATIONS, HAICHI_BARRIERS_TIMEOUT="0.5")
    assert re.search(r"warning: no more barriers after 0: rank \d has waited 0.5 s in a barrier", ran.stderr), (
        ran.stderr
    )


@pytest.mark.parametrize("seconds", ["abc", "-1", "nan", "1e400"])
def test_an_invalid_timeout_is_reported_and_not_used(built: Built, tmp_path: Path, seconds: str) -> None:
    file = built.barriers("openmpi", "2")
    ran, orders = run_with_barriers(built, "openmpi", file, tmp_path, ITERATIONS, HAICHI_BARRIERS_TIMEOUT=seconds)
    assert f"invalid HAICHI_BARRIERS_TIMEOUT '{seconds}': waiting at most 20 s" in ran.stderr
    assert all("Ibarrier" in order for order in orders)


@pytest.mark.parametrize("mpi", MPIS)
def test_a_job_of_another_size_and_a_wrong_file_have_no_barriers(built: Built, tmp_path: Path, mpi: str) -> None:
    wrong = tmp_path / "wrong"
    wrong.write_text("haichi-barriers/1\nranks 4\nsets 2\nbarriers 6\nrank 0 sends3/1\n")
    unequal = tmp_path / "unequal"
    unequal.write_text(built.barriers(mpi, "2").read_text().replace(" |", "", 1))
    for file, ranks, warning in [
        (built.barriers(mpi, "2"), 3, "the log has 4 ranks, but the job has 3"),
        (wrong, 4, f"{wrong}:6: expected 'rank 1 ', found ''"),
        (unequal, 4, f"{unequal}:5: rank 0 has 0 barriers instead of 6"),
        (tmp_path / "missing", 4, f"cannot read {tmp_path}/missing"),
        (Path("/dev/zero"), 4, "/dev/zero: expected a regular file, found a device"),
    ]:
        ran, orders = run_with_barriers(built, mpi, file, tmp_path, ITERATIONS, ranks=ranks)
        assert ran.stderr.count("warning: no barriers: ") == 1 and warning in ran.stderr
        assert all("Ibarrier" not in order for order in orders)


@pytest.mark.parametrize("mpi", MPIS)
def test_without_a_file_nothing_changes(built: Built, tmp_path: Path, mpi: str) -> None:
    ran = run(mpi, [built.program(mpi), 3], tmp_path, LD_PRELOAD=str(library("barriers", mpi)))
    assert (ran.returncode, ran.stderr, "done" in ran.stdout) == (0, "", True)


def test_barriers_need_a_log_and_a_set_of_it(built: Built, tmp_path: Path) -> None:
    pattern = tmp_path / "ring.json"
    subprocess.run([BIN, "pattern", "ring", "--ranks", "4", "-o", str(pattern)], check=True, timeout=60)
    command = [BIN, "advise", "barrier", "-m", "torus:2x2", "--write-barriers", str(tmp_path / "file")]
    ran = subprocess.run([*command, "-w", str(pattern)], capture_output=True, text=True, timeout=60)
    assert ran.returncode == 2 and "--write-barriers requires the log of the program as workload" in ran.stderr
    built.barriers("openmpi", "2")
    log = built.folder / f"c-openmpi-{RANKS}.haichi-log"
    ran = subprocess.run([*command, "-w", str(log), "--write-sets", "9"], capture_output=True, text=True, timeout=60)
    assert ran.returncode == 2 and "unknown set 9" in ran.stderr and "has 2 sets" in ran.stderr
    assert not (tmp_path / "file").exists()
