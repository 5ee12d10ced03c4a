"""Writes mgen-names.h: MGEN_Send for MPI_Send, MGEN_INT for MPI_INT, and so on for every name of MPI's header.

python3 generate_names.py --compiler mpicc.mpich --output mgen-names.h
"""

from __future__ import annotations

import argparse
import re
import subprocess
from pathlib import Path

NAME = re.compile(r"\bMPI_[A-Za-z]\w*")
# MGEN's own names, and names that do not concern programs.
NOT_RENAMED = {"MPI_Main", "MPI_Comp"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compiler", required=True, help="the MPI's compiler wrapper, or any C compiler")
    parser.add_argument("--include", nargs="*", default=[], help="directories of the MPI's header")
    parser.add_argument("--output", required=True, type=Path)
    given = parser.parse_args()
    names: set[str] = set()
    for options in (["-E", "-P"], ["-E", "-dM"]):
        command = [given.compiler, *(f"-I{folder}" for folder in given.include), *options, "-x", "c", "-"]
        text = subprocess.run(command, input="#include <mpi.h>\n", capture_output=True, text=True, check=True).stdout
        names.update(NAME.findall(text))
    lines = ["/* Made by generate_names.py. */", "#ifndef HAICHI_MGEN_NAMES_H", "#define HAICHI_MGEN_NAMES_H", ""]
    lines += [f"#define MGEN_{name[4:]} {name}" for name in sorted(names - NOT_RENAMED)]
    given.output.parent.mkdir(parents=True, exist_ok=True)
    given.output.write_text("\n".join([*lines, "", "#endif", ""]))


if __name__ == "__main__":
    main()
