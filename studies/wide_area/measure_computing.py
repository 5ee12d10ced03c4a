"""Measures the computation times of the NAS programs on one core of this machine, and writes computing.json.

    python studies/wide_area/measure_computing.py NPB3.3-MPI [--class C] [--repeat N] [-o computing.json]

The script builds each program for one process, with few iterations and with more. The difference of their CPU times
(minimum over several runs) gives the time of an iteration, without the parts before and after the loop. NPB's own
config/make.def names the compiler. The script keeps the other classes in computing.json, and the factor. The factor is
the geometric mean of two ratios between this processor and the study's processor: of their LINPACK rates
(processor_rates.f90) and of their memory rates.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Program:
    folder: str
    header: str  # file that sets the number of iterations, which `pattern` matches
    pattern: str
    few: int
    more: int
    all: int  # iterations of classes B and C
    is_power: bool = False  # the number in the file is the base-2 logarithm of the iterations

    def work(self, number: int) -> int:
        return 2**number if self.is_power else number

    def all_of(self, npb_class: str) -> int:
        return self.all + (2 if self.is_power and npb_class == "C" else 0)


PROGRAMS = {
    "ep": Program("EP", "npbparams.h", r"(parameter \(m=)\d+", 24, 26, 30, is_power=True),
    "cg": Program("CG", "npbparams.h", r"(niter=)\d+", 1, 4, 75),
    "mg": Program("MG", "npbparams.h", r"(nit_default=)\d+", 2, 12, 20),
    "ft": Program("FT", "npbparams.h", r"(niter_default=)\d+", 1, 4, 20),
    "is": Program("IS", "is.c", r"(#define\s+MAX_ITERATIONS\s+)\d+", 2, 10, 10),
    "lu": Program("LU", "npbparams.h", r"(itmax_default=)\d+", 2, 8, 250),
    "bt": Program("BT", "npbparams.h", r"(niter_default=)\d+", 2, 8, 200),
    "sp": Program("SP", "npbparams.h", r"(niter_default=)\d+", 2, 12, 400),
}


def build(npb: Path, name: str, npb_class: str, number: int) -> Path:
    program = PROGRAMS[name]
    make = ["make", name, f"CLASS={npb_class}", "NPROCS=1"]
    subprocess.run(make, cwd=npb, check=True, capture_output=True)  # this writes the header
    header = npb / program.folder / program.header
    text, count = re.subn(program.pattern, rf"\g<1>{number}", header.read_text())
    if count != 1:
        raise SystemExit(f"{header}: {program.pattern} is there {count} times, not once")
    header.write_text(text)
    for built in (npb / program.folder).glob("*.o"):
        built.unlink()
    subprocess.run(make, cwd=npb, check=True, capture_output=True)
    made = next(path for path in npb.glob(f"bin/{name}.{npb_class}.*") if path.suffix in (".1", ".x"))
    return made.rename(made.with_name(f"{name}.{npb_class}.{number}-iterations"))


def cpu_seconds(program: Path, repeat: int) -> float:
    least = float("inf")
    for _ in range(repeat):
        child = subprocess.Popen([program], stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = status
        if status != 0:
            raise SystemExit(f"{program} ended with {status}")
        least = min(least, usage.ru_utime + usage.ru_stime)
    return least


def processor() -> str:
    found = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    return found[1] if found else platform.processor()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("npb", type=Path, help="the directory of NPB 3.3's MPI programs, with config/make.def")
    parser.add_argument("--class", dest="npb_class", choices=("B", "C"), default="B", help="B without it")
    parser.add_argument("--repeat", type=int, default=3, help="runs of each, of which the least counts; 3 without it")
    parser.add_argument("-o", "--output", type=Path, default=Path(__file__).with_name("computing.json"))
    arguments = parser.parse_args()
    programs = {}
    for name, program in PROGRAMS.items():
        few, more = (
            cpu_seconds(build(arguments.npb.resolve(), name, arguments.npb_class, number), arguments.repeat)
            for number in (program.few, program.more)
        )
        per_work = (more - few) / (program.work(program.more) - program.work(program.few))
        programs[name] = {
            "seconds": round(per_work * program.work(program.all_of(arguments.npb_class)), 3),
            "measured": {str(program.few): round(few, 3), str(program.more): round(more, 3)},
            "all": program.all_of(arguments.npb_class),
        }
        print(name, json.dumps(programs[name]), flush=True)
    known = json.loads(arguments.output.read_text()) if arguments.output.exists() else {}
    text = known | {
        "processor": processor(),
        "what": "CPU seconds of all iterations of one process; measured: of whole runs with so many iterations",
        "classes": known.get("classes", {}) | {arguments.npb_class: programs},
    }
    arguments.output.write_text(json.dumps(text, indent=1) + "\n")


if __name__ == "__main__":
    main()
