"""The package contains the program `haichi`."""

import csv
import json
import subprocess
from importlib.metadata import distribution
from pathlib import Path

import pytest

import haichi


def installed_files() -> list[str]:
    """Reads the paths of the wheel's files from RECORD, because `Distribution.files` may omit some of them."""
    record = distribution("haichi").read_text("RECORD")
    assert record is not None
    return [row[0] for row in csv.reader(record.splitlines()) if "__pycache__" not in row[0]]


@pytest.fixture(scope="module")
def program() -> Path:
    """The program that was installed with the package."""
    (listed,) = [name for name in installed_files() if name.endswith("/bin/haichi")]
    path = Path(str(distribution("haichi").locate_file(listed))).resolve()
    # pip install --target moves programs, but does not update their paths in RECORD.
    return path if path.exists() else Path(haichi.__file__).parents[1] / "bin" / "haichi"


def run(program: Path, *arguments: str, cwd: Path | None = None) -> str:
    return subprocess.run([program, *arguments], cwd=cwd, check=True, capture_output=True, text=True, timeout=60).stdout


def test_it_has_the_version_of_the_package(program) -> None:
    assert run(program, "--version").split() == ["haichi", haichi.__version__]


def test_it_maps_as_the_package_does(program, cg64, on_shape_1, tmp_path: Path) -> None:
    small = cg64.with_message_size(64)  # its simulations are short
    small.write(tmp_path / "cg.json")
    job = ["-m", on_shape_1["machine"], "--shape", on_shape_1["shape"], "-w", "cg.json"]
    report = run(program, "map", *job, "--json", "--no-timing", "-o", "cg.map", cwd=tmp_path)
    mine = haichi.Job(small, **on_shape_1)
    placement = mine.optimize()
    placement.write(tmp_path / "py.map")
    assert (tmp_path / "py.map").read_bytes() == (tmp_path / "cg.map").read_bytes()
    timing = ("wall_seconds", "evaluations_per_second")
    ours = mine.evaluate(placement, all_objectives=False).report
    ours["auto"].pop("judging_seconds")
    theirs = json.loads(report)
    assert "rank-map-hostfile=cg.map" in theirs.pop("job_lines"), "the package does not know the name of the map"
    assert theirs == {key: value for key, value in ours.items() if key not in timing}


def test_nothing_else_is_installed() -> None:
    files = installed_files()
    package = [name for name in files if name.startswith("haichi/")]
    suffixes = {Path(name).suffix for name in package}
    assert suffixes <= {".py", ".pyi", ".so", ".typed", ".html", ".css", ".js", ".json"}
    assert "haichi/py.typed" in package and "haichi/_core.pyi" in package
    others = [Path(name) for name in files if not name.startswith(("haichi/", "haichi-"))]
    assert [path.name for path in others if path.parent.name == "bin"] == ["haichi", "haichi-serve"]
    # The other files are the libraries for each MPI that the build found, and what `haichi mgencc` needs.
    of_mpi = {path.name.rpartition("-")[0] for path in others if path.suffix == ".so"}
    assert of_mpi <= {f"libhaichi{part}" for part in ("", "-prof", "-renumber", "-barriers", "-rails")}
    rest = {path.name for path in others if path.parent.name != "bin" and path.suffix != ".so"}
    assert rest <= {"libmgen.a", "mgen.h", "mgen-mpi.h", "mgen-names.h"}
    assert {path.parent.name for path in others} <= {"bin", "haichi"}


def test_preloaded_libraries_are_installed_with_the_live_library(program: Path) -> None:
    libraries = {path.name for path in program.parent.glob("../lib/haichi/*.so")}
    if "libhaichi-mpich.so" not in libraries:
        pytest.skip("built without MPICH")
    assert {f"libhaichi-{part}-mpich.so" for part in ("prof", "renumber", "barriers", "rails")} <= libraries
