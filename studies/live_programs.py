"""Runs unmodified programs, built for MPICH, on the simulated machine, and checks their results and messages.

    python3 studies/live_programs.py build/release/cli/haichi --npb DIRECTORY --prk DIRECTORY --debian [--only REGEX]

--npb is a directory with binaries of the NAS benchmarks by their usual names (cg.S.16: program, class, ranks). The
--prk directory contains binaries of the Parallel Research Kernels (MPI1), each named after its source directory. Both
are not part of this repository. --debian runs netpipe-mpich2 and tests of scalapack-mpi-test. A program passes if it
exits with 0 and prints that its result is right. A program that does not pass also runs under mpiexec.mpich, where it
may fail, too.

--sizes measures the cost of many ranks instead. It runs programs of tests/mgen/live (compiled with mpicc.mpich) with
1,024 to 65,536 ranks and prints CPU time and peak memory. Each program has its own process.

With --profiler LIBRARY (libhaichi-prof-mpich.so), NPB and PRK run once under real MPICH and once under haichi with the
profiler preloaded, up to --compare-ranks ranks. The script compares the number and bytes of messages, entry by entry,
for every rank and function and for every pair of ranks.

Result (2026-11-26, --sizes): 16,384 ranks of Bruck's all-to-all take 64 s and 1.3 GB. A hardware barrier of 65,536
ranks takes 0.85 s and 530 MB (studies/live_programs/README.md). The results of --npb, --prk and
--debian are not published.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SCALAPACK = Path("/usr/lib/x86_64-linux-gnu/scalapack/mpich-tests")
NPB = re.compile(r"^(is|cg|mg|ft|lu|bt|sp|ep)\.([SWA])\.(\d+)$")
NPB_VERIFIED = r"(?i)verification\s*=\s*successful|verification successful"
PRK_RANKS = (4, 9, 16)
# The twelfth program, AMR, does not validate under real MPICH 4.0.2 with gcc 12 either.
PRK = {
    "Branch": ("4", "100", "vector_go"),
    "DGEMM": ("3", "100", "32", "1"),
    "Nstream": ("3", "20000", "0"),
    "PIC-static": ("10", "100", "1000", "1", "2", "GEOMETRIC", "0.99"),
    "Random": ("16", "10"),
    "Reduce": ("10", "2000"),
    "Sparse": ("5", "6", "4"),
    "Stencil": ("10", "200"),
    "Synch_global": ("10", "1000"),
    "Synch_p2p": ("10", "200", "100"),
    "Transpose": ("5", "288", "32"),
}
SCALAPACK_PROGRAMS = ("xdlu", "xdllt", "xdqr", "xdbrd", "xdhrd", "xdtrd", "xdinv", "xdls", "xdsep", "xdnep")


REPOSITORY = Path(__file__).parents[1]
SOURCES = REPOSITORY / "tests" / "mgen" / "live" / "programs"


@dataclass(frozen=True)
class Size:
    """A run with many ranks, and the upper limits that we aim at for its CPU time and memory."""

    program: str
    ranks: int
    most_cpu_s: float
    most_mb: float
    arguments: tuple[str, ...] = ()
    options: tuple[str, ...] = ()


TORI = {1024: "torus:16x8x8", 4096: "torus:16x16x16", 16384: "torus:32x32x16", 65536: "torus:64x32x32"}
# Arguments for Bruck's algorithm with 4-byte blocks, in buffers that are allocated but never written.
UNTOUCHED = ("4", "untouched")
SIZES = (
    Size("bruck", 1024, 0.15, 30),
    Size("bruck", 1024, 0.15, 30, UNTOUCHED),
    Size("bruck", 4096, 3.5, 100),
    Size("bruck", 4096, 3.5, 100, UNTOUCHED),
    Size("barriers", 4096, 3.5, 100, ("0",)),
    Size("barriers", 4096, 3.5, 100, ("1",)),
    Size("variables", 16384, 4, 800, ("small",)),
    Size("variables", 16384, 4, 800, ("small",), ("--globals", "remap")),
    Size("barriers", 65536, 1, 1200, ("0",)),
    Size("barriers", 65536, 1, 1200, ("1",)),
    Size("barriers", 65536, 1, 1200, ("1",), ("--collectives", "barrier=tree")),
    Size("barriers", 65536, 1, 1200, ("1",), ("--collectives", "barrier=hardware")),
    Size("bruck", 16384, 60, 400),
    Size("bruck", 16384, 60, 400, UNTOUCHED),
)


def with_barrier_network(haichi: Path, machine: str, folder: Path) -> str:
    """Writes a machine file with a hardware barrier. A barrier step takes as long as a packet through a router."""
    show = [str(haichi.resolve()), "list", "machines", "--show", machine]
    values = json.loads(subprocess.run(show, check=True, capture_output=True, text=True).stdout)
    values["node"]["barrier_step"] = "246ns"
    file = folder / "with_barriers.json"
    file.write_text(json.dumps(values))
    return str(file)


def measure_sizes(haichi: Path, only: str) -> None:
    print(
        "| program | ranks | options | CPU s | goal | MB | goal | simulated s |\n|---|---|---|---|---|---|---|---|",
        flush=True,
    )
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        for size in SIZES:
            if re.search(only, f"{size.program} {size.ranks}") is None:
                continue
            binary = folder / size.program
            if not binary.exists():
                include = f"-I{REPOSITORY}"
                compiler = ["mpicc.mpich", "-O2", "-w", include, str(SOURCES / f"{size.program}.c"), "-o", str(binary)]
                subprocess.run(compiler, check=True)
            report = folder / "report.json"
            machine = TORI[size.ranks]
            if "barrier=hardware" in size.options:
                machine = with_barrier_network(haichi, machine, folder)
            command = [str(haichi.resolve()), "simulate", "-m", machine, "-n", str(size.ranks), *size.options]
            command += ["--json", "-o", str(report), "--", str(binary), *size.arguments]
            with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
                # wait4() gives the maximum resident set size of this child alone, unlike getrusage().
                _, status, usage = os.wait4(process.pid, 0)
                process.returncode = os.waitstatus_to_exitcode(status)
            if process.returncode != 0:
                sys.exit(f"{' '.join(command)} ends with {process.returncode}")
            seconds = json.loads(report.read_text())["runs"][0]["seconds"]
            report.unlink()
            words = " ".join((*size.arguments, *size.options))
            cpu_s, memory_mb = usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024
            costs = f"{cpu_s:.2f} | {size.most_cpu_s:g} | {memory_mb:.0f} | {size.most_mb:g}"
            print(f"| {size.program} | {size.ranks:,} | {words} | {costs} | {seconds:.9f} |", flush=True)


@dataclass(frozen=True)
class Case:
    name: str
    ranks: int
    command: tuple[str, ...]
    verified: str
    """Regular expression for the output of a right result."""
    not_verified: str = r"(?!)"
    inputs: Path | None = None
    """A directory with *.dat files that the program reads."""
    compared: bool = True


@dataclass
class Run:
    text: str
    exit_code: int | None
    """None if the run was killed at its time limit."""
    cpu_seconds: float

    def verifies(self, case: Case) -> bool:
        right = re.search(case.verified, self.text) is not None and re.search(case.not_verified, self.text) is None
        return self.exit_code == 0 and right

    def last_words(self) -> str:
        lines = [line.strip() for line in self.text.splitlines() if line.strip()]
        ended = (
            f"no end in time: {lines[-1] if lines else ''}" if self.exit_code is None else f"exit code {self.exit_code}"
        )
        return next((line for line in lines if line.startswith("error:")), ended)[:250]


def npb_cases(folder: Path) -> Iterator[Case]:
    found = [(match, file) for file in folder.iterdir() if (match := NPB.match(file.name))]
    for match, file in sorted(found, key=lambda f: (f[0][2], f[0][1], int(f[0][3]))):
        # The expression covers the different words of EP and of the other programs.
        yield Case(file.name, int(match[3]), (str(file),), NPB_VERIFIED, r"(?i)UNSUCCESSFUL")


def prk_cases(folder: Path) -> Iterator[Case]:
    for name, arguments in PRK.items():
        for ranks in PRK_RANKS:
            # Random requires 2^n ranks, and Sparse requires 4 ranks per grid.
            if (folder / name).is_file() and (ranks in (4, 16) or name not in ("Random", "Sparse")):
                yield Case(f"{name}.{ranks}", ranks, (str(folder / name), *arguments), r"(?i)validates", r"(?i)error")


def debian_cases() -> Iterator[Case]:
    netpipe = ("/usr/bin/NPmpich2", "-u", "4096", "-n", "3", "-o", "np.out")
    if Path(netpipe[0]).is_file():
        yield Case("netpipe", 2, netpipe, r"\d+: +\d+ bytes +3 times", compared=False)
        yield Case("netpipe, integrity", 2, (*netpipe, "-i"), "Integrity check passed", "ailed", compared=False)
    for name in SCALAPACK_PROGRAMS:
        if (SCALAPACK / name).is_file():
            right = r"\b0 tests completed and failed|tests completed and passed residual checks"
            wrong = r"[1-9]\d* tests completed and failed|[1-9]\d* tests? (completed )?failed"
            yield Case(name, 4, (str(SCALAPACK / name),), right, wrong, SCALAPACK, compared=False)


def run(command: list[str], case: Case, folder: Path, seconds: float, **variables: str) -> Run:
    for data in case.inputs.glob("*.dat") if case.inputs else ():
        (folder / data.name).write_bytes(data.read_bytes())
    with tempfile.TemporaryFile() as out:
        job = subprocess.Popen(
            [*command, *case.command],
            cwd=folder,
            env=dict(os.environ) | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"} | variables,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
            start_new_session=True,
        )
        before = os.times()
        try:
            job.wait(timeout=seconds)
            exit_code: int | None = job.returncode
        except subprocess.TimeoutExpired:
            exit_code = None
        finally:
            # Ends all processes that the run started, even after an interruption.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(job.pid, signal.SIGKILL)
            job.wait()
        after = os.times()
        out.seek(0)
        text = out.read().decode(errors="replace")
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return Run(text, exit_code, cpu)


class Programs:
    def __init__(self, options: argparse.Namespace) -> None:
        self._options = options
        self._haichi = str(options.haichi.resolve())

    def ours(self, case: Case, folder: Path, **variables: str) -> Run:
        report = ["--json", "-o", str(folder / "report.json")]
        machine = ["-m", self._options.machine, "-n", str(case.ranks)]
        command = [self._haichi, "run", *machine, *report, *self._options.option, "--"]
        return run(command, case, folder, self._options.seconds, **variables)

    def real(self, case: Case, folder: Path, **variables: str) -> Run:
        seconds = self._options.real_seconds
        variables["MPIEXEC_TIMEOUT"] = str(int(seconds))
        return run(["mpiexec.mpich", "-n", str(case.ranks)], case, folder, seconds + 5, **variables)

    def verify(self, case: Case) -> str:
        """Runs a case and returns its row of the table."""
        with tempfile.TemporaryDirectory() as place:
            one = self.ours(case, Path(place))
            report: dict[str, Any] = {}
            with contextlib.suppress(OSError, ValueError):
                report = json.loads((Path(place) / "report.json").read_text())["runs"][0]
        seconds, packets = report.get("seconds"), report.get("packets", "-")
        simulated = f"{seconds:.6f}" if seconds is not None else "-"
        if one.verifies(case):
            said = "yes"
        else:
            with tempfile.TemporaryDirectory() as place:
                real = "verifies" if self.real(case, Path(place)).verifies(case) else "does not verify either"
            said = f"NO ({one.last_words()}); real MPICH {real}"
        return f"| {case.name} | {case.ranks} | {said} | {one.cpu_seconds:.2f} | {simulated} | {packets} |"

    def compare(self, case: Case) -> str:
        """Compares real and simulated messages, as counted by the profiler."""
        library = str(self._options.profiler.resolve())
        counted = []
        for who in (self.real, self.ours):
            with tempfile.TemporaryDirectory() as place:
                log = Path(place) / "profile"
                one = who(case, Path(place), LD_PRELOAD=library, HAICHI_PROF=f"file={log}")
                whose = "real MPICH" if who == self.real else "ours"
                if one.exit_code != 0:
                    return f"| {case.name} | {whose}: {one.last_words()} | - |"
                if not log.with_suffix(".haichi-log").is_file():
                    return f"| {case.name} | {whose}: no log | - |"
                counted.append(self.entries(log.with_suffix(".haichi-log")))
        real, ours = counted
        different = sorted(key for key in real.keys() | ours.keys() if real.get(key) != ours.get(key))
        if not different:
            return f"| {case.name} | {len(real)} entries are equal | 0 |"
        first = different[0]
        words = f"first of them: {first}: {real.get(first)} in reality, {ours.get(first)} simulated"
        return f"| {case.name} | {len(real)} entries, {words} | {len(different)} |"

    def entries(self, log: Path) -> dict[str, tuple[int, ...]]:
        """Counts messages and bytes, sent and received, for each rank and function, and for each rank and peer."""
        command = [self._haichi, "log", "show", "--json", str(log)]
        shown = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        found: dict[str, tuple[int, ...]] = {}
        for rank in shown["per_rank"]:
            for function in rank["functions"]:
                for direction in ("sent", "received"):
                    counts = function[direction]
                    if counts["messages"]:
                        key = f"rank {rank['rank']} {function['name']} {direction}"
                        found[key] = (counts["messages"], counts["bytes"]["total"])
            for peer in rank["peers"]:
                keys = ("sent_messages", "sent_bytes", "received_messages", "received_bytes")
                found[f"rank {rank['rank']} peer {peer['peer']}"] = tuple(peer[key] for key in keys)
        return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("haichi", type=Path)
    parser.add_argument("--npb", type=Path)
    parser.add_argument("--prk", type=Path)
    parser.add_argument("--debian", action="store_true")
    parser.add_argument("--profiler", type=Path, help="libhaichi-prof-mpich.so: compare messages, too")
    parser.add_argument("--compare-ranks", type=int, default=16, help="at most so many")
    parser.add_argument("--only", default="", help="programs whose name this regular expression finds")
    parser.add_argument("--machine", default="torus:4x4x4")
    parser.add_argument(
        "--option", action="append", default=[], help="one more option for haichi simulate; may be repeated"
    )
    parser.add_argument("--seconds", type=float, default=300, help="for a program of ours")
    parser.add_argument("--real-seconds", type=float, default=120, help="for a program under mpiexec.mpich")
    parser.add_argument("--sizes", action="store_true", help="measure what many ranks cost, and nothing else")
    options = parser.parse_args()
    if options.sizes:
        measure_sizes(options.haichi, options.only)
        return

    cases = [
        *(npb_cases(options.npb.resolve()) if options.npb else ()),
        *(prk_cases(options.prk.resolve()) if options.prk else ()),
        *(debian_cases() if options.debian else ()),
    ]
    cases = [case for case in cases if re.search(options.only, case.name)]
    programs = Programs(options)
    verified = 0
    print("| program | ranks | verified | CPU s | simulated s | packets |\n|---|---|---|---|---|---|", flush=True)
    for case in cases:
        row = programs.verify(case)
        verified += "| yes |" in row
        print(row, flush=True)
    print(f"\n{verified} of {len(cases)} verify")
    if options.profiler is None:
        sys.exit(0 if verified == len(cases) else 1)
    print("\n| program | messages of each rank by function, of each pair | different |\n|---|---|---|", flush=True)
    for case in cases:
        if case.compared and case.ranks <= options.compare_ranks:
            print(programs.compare(case), flush=True)


if __name__ == "__main__":
    main()
