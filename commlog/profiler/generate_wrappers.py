"""Writes the profiler's wrappers of all MPI functions that an installed mpi.h declares.

    python3 generate_wrappers.py --compiler mpicc.openmpi --fortran mpif90.openmpi --output DIRECTORY

It writes real_functions_generated.h (pointers to the functions, their numbers and names), wrappers_c_*.cc and
wrappers_fortran_*.cc to DIRECTORY. Fortran procedures are wrapped if the installed libraries export them.
functions.py has the semantics of the functions. They call recording.h, completions.h and collective_sizes.h.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from c_wrapper import c_wrapper
from fortran_wrapper import exported_names, fortran_wrappers
from mpi_prototypes import Function, prototypes

FILES = 4  # number of wrapper files, which are compiled in parallel


def real_functions(functions: list[Function]) -> str:
    lines = ["// Made by generate_wrappers.py.", "#pragma once", "", "namespace haichi::profiler {", ""]
    lines += ["struct RealFunctions {"]
    for f in functions:
        lines.append(f"    decltype(&::{f.name}) {f.name[4:]} = nullptr;")
    lines += ["", "    template <class Each>", "    void visit(Each each) {"]
    lines += [f'        each({f.name[4:]}, "P{f.name}");' for f in functions]
    lines += ["    }", "};", "", "/// Numbers of the functions in the profile.", "namespace function {"]
    lines += ["enum : std::uint32_t {"] + [f"    {f.name[4:]}," for f in functions] + ["    kCount", "};", "}"]
    lines += ["inline constexpr std::uint32_t kFunctions = function::kCount;"]
    lines += ["inline constexpr const char* kFunctionNames[kFunctions] = {"]
    lines += [f'    "{f.name}",' for f in functions]
    lines += ["};", "", "}  // namespace haichi::profiler", ""]
    return "\n".join(lines)


HEAD = """// Made by generate_wrappers.py.
#include "commlog/profiler/collective_sizes.h"
#include "commlog/profiler/completions.h"
#include "commlog/profiler/fortran_constants.h"
#include "commlog/profiler/job.h"
#include "commlog/profiler/objects.h"
#include "commlog/profiler/words.h"

using namespace haichi;
using namespace haichi::profiler;

#define EXPORTED extern "C" __attribute__((visibility("default")))

"""


def write(path: Path, text: str) -> None:
    """Does not rewrite an unchanged file, so that its includers are not compiled again."""
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--compiler", required=True, help="compiler wrapper of the MPI, or any C compiler")
    arguments.add_argument("--include", nargs="*", default=[], help="directories of the MPI header")
    arguments.add_argument(
        "--fortran",
        nargs="*",
        default=[],
        help="Fortran compiler wrapper of the MPI, or its Fortran libraries; optional",
    )
    arguments.add_argument("--output", required=True, type=Path)
    given = arguments.parse_args()
    given.output.mkdir(parents=True, exist_ok=True)
    functions = prototypes(given.compiler, given.include)
    write(given.output / "real_functions_generated.h", real_functions(functions))
    for part in range(FILES):
        text = HEAD + "\n".join(c_wrapper(f) for f in functions[part::FILES])
        write(given.output / f"wrappers_c_{part}.cc", text)
    fortran = fortran_wrappers(functions, exported_names(given.fortran))
    for part in range(FILES):
        write(given.output / f"wrappers_fortran_{part}.cc", HEAD + "\n".join(fortran[part::FILES]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
