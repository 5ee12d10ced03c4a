"""Installs a wheel of haichi in a new environment, as a user does, and uses each part of the wheel.

    python3 python/tests/use_wheel.py dist/haichi-*.whl

The script requires only the sources, Python and the package index, so it also runs in a bare container. With MPICH's
compiler, it also profiles a program and runs it on a simulated machine. The ctest entry python.portable_wheel runs this
script.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

MOST_WHEEL_BYTES = 30_000_000
JOB = ("-m", "fx10-kyushu", "-w", "cg64.json")
SUBMIT = """
import sys
from pathlib import Path
import haichi

client = haichi.Client(sys.argv[1])
job = client.submit("map", workload=Path("cg64.json"), machine="fx10-kyushu", shape="1x2x4x2x3x2", evaluations=2000)
job.wait()
Path("served.map").write_text(job.rank_map("fujitsu"))
"""
SUM = Path(__file__).parents[2] / "tests" / "mgen" / "live" / "programs" / "sum.c"


def processor_seconds() -> float:
    times = os.times()
    return times.children_user + times.children_system


class Environment:
    """A virtual environment with the wheel, and a working directory."""

    def __init__(self, folder: Path, wheel: Path) -> None:
        self.folder = folder
        self.bin = folder / "environment" / "bin"
        subprocess.run([sys.executable, "-m", "venv", self.bin.parent], check=True)
        before = processor_seconds()
        self.run("pip", "install", "--quiet", "--disable-pip-version-check", str(wheel))
        print(f"pip install: {processor_seconds() - before:.1f} s of processor time")

    def run(self, command: str, *arguments: str, **variables: str) -> str:
        program = self.bin / command
        return subprocess.run(
            [str(program) if program.exists() else command, *arguments],
            cwd=self.folder,
            env=os.environ | variables,
            check=True,
            stdout=subprocess.PIPE,
            text=True,
        ).stdout


def use_program(environment: Environment) -> None:
    environment.run("haichi", "pattern", "cg", "--ranks", "64", "-o", "cg64.json")
    environment.run("haichi", "map", *JOB, "--shape", "1x2x4x2x3x2", "--evaluations", "2000", "-o", "rankmap.txt")
    assert (environment.folder / "rankmap.txt").read_text().count("(") == 64
    compared = ("--shapes", "1x2x4x2x3x2", "--strategies", "default,tac3", "--seeds", "1", "--evaluations", "2000")
    print(environment.run("haichi", "compare", *JOB, *compared, "-o", "results.json"))
    environment.run("haichi", "report", "results.json", "-o", "report.html")
    assert "tac3" in (environment.folder / "report.html").read_text()
    print(environment.run("python", "-c", "import haichi; print(haichi.__version__, haichi.__file__)"))


def use_service(environment: Environment) -> None:
    log = environment.folder / "serve.log"
    command = [environment.bin / "haichi", "serve", "--port", "0", "--data", environment.folder / "data"]
    with log.open("w") as out, subprocess.Popen(command, stderr=out, stdin=subprocess.DEVNULL) as server:
        try:
            while "startup complete" not in log.read_text():
                assert server.poll() is None, log.read_text()
                time.sleep(0.05)
            url = next(json.loads(line)["url"] for line in log.read_text().splitlines() if '"url"' in line)
            environment.run("python", "-c", SUBMIT, url)
        finally:
            server.terminate()
    assert (environment.folder / "served.map").read_text().count("(") == 64


def use_mpi(environment: Environment) -> None:
    environment.run("mpicc.mpich", str(SUM), "-o", "sum")
    profiler = environment.bin.parent / "lib" / "haichi" / "libhaichi-prof-mpich.so"
    preload = ("-genv", "LD_PRELOAD", str(profiler), "-genv", "HAICHI_PROF", "file=sum")
    environment.run("mpiexec.mpich", *preload, "-n", "2", "./sum")
    shown = environment.run("haichi", "log", "show", "sum.haichi-log")
    assert "2 ranks" in shown and "MPI_Allreduce" in shown, shown
    print(shown)
    print(environment.run("haichi", "run", "-m", "torus:4", "-n", "4", "--", "./sum"))


def main() -> None:
    wheel = Path(sys.argv[1]).resolve()
    print(f"{wheel.stat().st_size:,} bytes: {wheel.name}")
    assert wheel.stat().st_size <= MOST_WHEEL_BYTES
    with tempfile.TemporaryDirectory() as folder:
        environment = Environment(Path(folder), wheel)
        use_program(environment)
        use_service(environment)
        if shutil.which("mpicc.mpich"):
            use_mpi(environment)


if __name__ == "__main__":
    main()
