"""Each rank has its own variables, whichever method separates them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from live_runs import COMPILERS, PROGRAMS, REPOSITORY, haichi, line_of, mpich, program, words_of_failure

WAYS = ["auto", "copy", "remap", "image"]


@pytest.fixture(scope="module")
def with_library(built: Path) -> Path:
    """Builds a program with its own library."""
    wrapper, *flags = COMPILERS[".c"]
    library, executable = built / "libown_library.so", built / "with_library"
    for command in (
        ["gcc", "-shared", "-fPIC", f"-I{REPOSITORY}", PROGRAMS / "own_library.c", "-o", library],
        [f"{wrapper}.mpich", *flags, PROGRAMS / "with_library.c", library, "-o", executable],
    ):
        subprocess.run([*map(str, command)], check=True, timeout=120)
    return executable


@pytest.mark.parametrize("way", WAYS)
def test_static_data(way: str, built: Path) -> None:
    run = haichi(64, program("globals.c", built), options=["--globals", way])
    assert run.returncode == 0, run.stderr
    assert sorted(run.stdout.splitlines()) == sorted(f"rank {r}: {2 * (r % 5 + 1) + 1} calls" for r in range(64))


@pytest.mark.parametrize("way", WAYS)
def test_collectives_in_the_background_have_the_variables_of_their_rank(way: str, built: Path) -> None:
    run = haichi(61, program("variables.c", built), options=["--globals", way])
    assert (run.returncode, run.stdout) == (0, "variables of 61 ranks\n"), run.stderr


def test_shared_static_data_is_seen_by_the_program_itself(built: Path) -> None:
    run = haichi(4, program("globals.c", built), options=["--globals", "none"])
    assert run.returncode == 70 and "this does not hold" in run.stderr


@pytest.mark.parametrize("way", WAYS)
def test_a_library_of_the_program_has_them_too(way: str, with_library: Path) -> None:
    real = mpich(6, with_library)
    run = haichi(6, with_library, options=["--globals", way])
    assert run.returncode == real.returncode == 0, run.stderr
    assert sorted(run.stdout.splitlines()) == sorted(real.stdout.splitlines())
    assert "rank 5: wrong 0" in run.stdout


@pytest.mark.parametrize("way", WAYS)
def test_a_library_of_the_system_has_them_too(way: str, built: Path) -> None:
    executable = program("system_library.c", built)
    run = haichi(6, executable, options=["--globals", way])
    assert run.returncode == 0, run.stderr
    assert sorted(run.stdout.splitlines()) == sorted(mpich(6, executable).stdout.splitlines())
    assert run.stdout.count("kept") == 6


def test_libraries_that_only_the_replaced_mpi_needs_do_not_run(built: Path) -> None:
    folder = built / "another_mpi"
    folder.mkdir()
    (folder / "network.c").write_text(
        "#include <unistd.h>\n"
        '__attribute__((constructor)) static void begin(void) { (void)!write(2, "network begins\\n", 15); }\n'
    )
    stand_in = "int MPI_Init(void){return 1;} int MPI_Comm_rank(void){return 1;} int MPI_Finalize(void){return 1;}"
    (folder / "mpi.c").write_text(stand_in + "\n")
    (folder / "rank.c").write_text(
        "#include <mpi.h>\n#include <stdio.h>\nint main(int c, char** v) { int r; MPI_Init(&c, &v);"
        ' MPI_Comm_rank(MPI_COMM_WORLD, &r); printf("%d\\n", r); return MPI_Finalize(); }\n'
    )
    network, mpi, executable = folder / "libnetwork.so", folder / "libmpi.so.12", folder / "rank"
    wrapper, *flags = COMPILERS[".c"]
    shared = ["gcc", "-shared", "-fPIC", "-Wl,--no-as-needed"]
    for command in (
        [*shared, folder / "network.c", "-o", network],
        [*shared, f"-Wl,-soname,{mpi.name}", folder / "mpi.c", network, "-o", mpi],
        [f"{wrapper}.mpich", *flags, "-c", folder / "rank.c", "-o", folder / "rank.o"],
        ["gcc", folder / "rank.o", mpi, "-o", executable],
    ):
        subprocess.run([*map(str, command)], check=True, timeout=120)
    run = haichi(4, executable, variables={"LD_LIBRARY_PATH": str(folder)})
    assert (run.returncode, sorted(run.stdout)) == (0, sorted("0\n1\n2\n3\n")), run.stderr
    assert run.stderr.count("network begins") == 1, run.stderr  # the dynamic linker begins it


@pytest.mark.parametrize("way", WAYS)
def test_a_program_may_have_mpi_in_a_library_only(way: str, built: Path) -> None:
    wrapper, *flags = COMPILERS[".c"]
    library, executable = built / "libown_mpi_library.so", built / "indirect"
    for command in (
        [f"{wrapper}.mpich", *flags, "-shared", "-fPIC", PROGRAMS / "own_mpi_library.c", "-o", library],
        ["gcc", PROGRAMS / "indirect.c", "-Wl,--as-needed", library, "-o", executable],
    ):
        subprocess.run([*map(str, command)], check=True, timeout=120)
    run = haichi(4, executable, options=["--globals", way])
    assert run.returncode == 0, run.stderr
    assert sorted(run.stdout.splitlines()) == [f"rank {r}: {r + 1} of 10" for r in range(4)]


def test_a_library_that_is_loaded_late_is_warned_of_and_can_be_preloaded(built: Path) -> None:
    library = built / "libplug_in.so"
    subprocess.run(
        ["gcc", "-shared", "-fPIC", str(PROGRAMS / "plug_in.c"), "-o", str(library)], check=True, timeout=120
    )
    run = haichi(3, program("loads.c", built), library)
    assert (
        run.returncode == 0
        and f"all ranks share the variables of {library}, which the program loaded while it ran (dlopen)" in run.stderr
    ), run.stderr
    run = haichi(3, program("loads.c", built), library, variables={"LD_PRELOAD": str(library)})
    assert (run.returncode, run.stdout) == (0, "1\n" * 3) and "dlopen" not in run.stderr, run.stderr


@pytest.mark.parametrize("way", WAYS)
def test_packed_relative_relocations(way: str, built: Path) -> None:
    executable = program("globals.c", built, "-Wl,-z,pack-relative-relocs")
    run = haichi(4, executable, options=["--globals", way])
    assert run.returncode == 0, run.stderr
    assert sorted(run.stdout.splitlines()) == sorted(f"rank {r}: {2 * (r % 5 + 1) + 1} calls" for r in range(4))


# Most of these runs under MPICH are shared with test_live_programs.py.
IMAGES = [
    (4, "ring.c", ["70000"], []),
    (3, "state.c", ["-a", "3", "-v", "--long", "a text", "-v", "word", "another"], []),
    (6, "comms.c", [], []),
    (5, "windows.c", [], []),
    (4, "exceptions.cc", [], []),
    (4, "streams.cc", [], ["-fPIC"]),
    (4, "fortran.f90", [], []),
    (4, "sentinels.f90", [], []),
]


@pytest.mark.parametrize(("ranks", "name", "arguments", "flags"), IMAGES)
def test_copies_of_the_program_do_what_it_does_under_mpich(
    ranks: int, name: str, arguments: list[str], flags: list[str], built: Path
) -> None:
    executable = program(name, built, *flags)
    real = mpich(ranks, executable, *arguments)
    ours = haichi(ranks, executable, *arguments, options=["--globals", "image"])
    assert sorted(ours.stdout.splitlines()) == sorted(real.stdout.splitlines()), ours.stderr
    assert ours.returncode == real.returncode, ours.stderr
    assert real.stdout


@pytest.mark.parametrize("name", ["globals.c", "variables.c", "nonblocking.c", "state.c", "fortran.f90"])
def test_copies_give_equal_bytes_for_any_number_of_threads(name: str, built: Path) -> None:
    executable = program(name, built)
    arguments = ["-a", "3", "word"] if name == "state.c" else []
    runs = []
    for way, threads in (("copy", 1), ("image", 1), ("image", 2), ("image", 8)):
        options = ["--json", "--no-timing", "--threads", threads, "--globals", way]
        run = haichi(61, executable, *arguments, options=options)
        runs.append((run.returncode, run.stdout, run.stderr))
    assert runs[0][0] == 0, runs[0][2]
    assert runs == [runs[0]] * len(runs)


def test_copies_are_not_seen_in_places(built: Path) -> None:
    """Crashes and waits in a copy are reported with the program's source line."""
    crash = haichi(4, program("crash.c", built), options=["--globals", "image"])
    assert line_of("crash.c") in words_of_failure(139, crash)
    deadlock = haichi(3, program("deadlock.c", built), options=["--globals", "image"])
    assert f"MPI_Recv (main ({line_of('deadlock.c')}))" in words_of_failure(2, deadlock)


@pytest.mark.parametrize(
    ("name", "flags", "why"),
    [
        ("globals.c", ["-no-pie"], "the program is not position independent"),
        ("streams.cc", [], "the program contains 'std::cout' of libstdc++.so.6 (a COPY relocation)"),
        ("searches.c", [], "the program searches for names while it runs"),
    ],
)
def test_why_there_can_be_no_copies(name: str, flags: list[str], why: str, built: Path) -> None:
    executable = program(name, built, *flags)
    words = words_of_failure(2, haichi(3, executable, options=["--globals", "image"]))
    assert f"--globals image: {why}" in words
    assert haichi(3, executable).returncode == 0  # auto uses another method


@pytest.mark.parametrize(("flags", "places"), [([], 4), (["-no-pie"], 1)])
def test_large_variables_are_in_copies_of_the_program_if_it_allows_them(
    flags: list[str], places: int, built: Path
) -> None:
    run = haichi(4, program("large_variables.c", built, *flags))
    assert run.returncode == 0, run.stderr
    assert len(set(run.stdout.split())) == places, run.stdout
