"""Writes the functions of libhaichi-renumber: every MPI function that takes a communicator, in C and in Fortran, with
MPI_COMM_WORLD replaced by the renumbered one.

    python3 generate_replacements.py --compiler mpicc.openmpi --output FILE

A Fortran routine has the arguments of its C function, all by address. The error code and the lengths of texts follow.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "profiler"))

from mpi_prototypes import Function, prototypes  # noqa: E402

COMMUNICATOR = "MPI_Comm"
# MPI_Abort must end all processes, and c2f must return the number that Fortran knows.
KEPT = {"MPI_Abort", "MPI_Comm_c2f"}
# Only the real MPI_COMM_WORLD has the predefined attributes.
ATTRIBUTES = {"MPI_Comm_get_attr", "MPI_Attr_get"}
# Errors without a communicator go to the error handler of the real MPI_COMM_WORLD.
HANDLERS = {"MPI_Comm_set_errhandler", "MPI_Errhandler_set"}
# Symbols of mpif.h and `use mpi`, then of `use mpi_f08`. MPICH has more of them, for descriptors and large counts.
FORTRAN_ENDINGS = ("_", "_f08_", "_f08ts_", "_f08_large_", "_f08ts_large_")
# Overloads of a routine that have another symbol.
POINTER_OVERLOADS = {"MPI_Win_allocate"}

HEAD = """// Made by generate_replacements.py.
#include "commlog/renumber/world.h"

using namespace haichi::renumber;

#define EXPORTED extern "C" __attribute__((visibility("default")))

"""


def communicators(function: Function) -> set[int]:
    return {i for i, p in enumerate(function.parameters) if p.kind == COMMUNICATOR}


def body(name: str, call: str, plain_call: str, flag: str) -> list[str]:
    """Returns statements with `call` for the replaced communicator and `plain_call` for the given one. Both calls
    return an error code."""
    if name in ATTRIBUTES:
        return [f"    const int result = {call};", f"    if (is_replaced(a0) && {flag} == 0) return {plain_call};"]
    if name in HANDLERS:
        return [f"    const int result = {call};", f"    if (is_replaced(a0)) return {plain_call};"]
    return [f"    return {call};"]


def c_function(function: Function) -> str:
    name = function.name
    count = len(function.parameters)
    replaced = communicators(function)
    arguments = [f"renumbered(a{i})" if i in replaced else f"a{i}" for i in range(count)]
    plain = [f"a{i}" for i in range(count)]
    lines = [f"EXPORTED {function.signature(name)} {{"]
    lines += [f'    static const auto real = next_function<decltype(&::{name})>("{name}");']
    lines += body(name, f"real({', '.join(arguments)})", f"real({', '.join(plain)})", "*static_cast<const int*>(a3)")
    if "const int result" in lines[-2]:
        lines += ["    return result;"]
    return "\n".join([*lines, "}", ""])


def fortran_routine(function: Function, symbol: str) -> str:
    name = function.name
    replaced = communicators(function)
    count = len(function.parameters) + 1
    texts = sum("char" in p.kind for p in function.parameters)
    declared = [f"void* a{i}" for i in range(count)] + [f"std::size_t l{i}" for i in range(texts)]
    kinds = ["void*"] * count + ["std::size_t"] * texts
    lengths = [f"l{i}" for i in range(texts)]
    arguments = [f"renumbered_fortran(a{i})" if i in replaced else f"a{i}" for i in range(count)] + lengths
    plain = [f"a{i}" for i in range(count)] + lengths
    lines = [f"EXPORTED void {symbol}({', '.join(declared)}) {{"]
    lines += [f"    using Routine = void (*)({', '.join(kinds)});"]
    lines += [f'    static const auto real = next_function<Routine>("{symbol}");']
    lines += [f"    real({', '.join(arguments)});"]
    if name in ATTRIBUTES:
        lines += [
            f"    if (is_replaced_fortran(a0) && *static_cast<const MPI_Fint*>(a3) == 0) real({', '.join(plain)});"
        ]
    if name in HANDLERS:
        lines += [f"    if (is_replaced_fortran(a0)) real({', '.join(plain)});"]
    return "\n".join([*lines, "}", ""])


def replacements(functions: list[Function]) -> str:
    chosen = [f for f in functions if communicators(f) and f.name not in KEPT]
    for f in chosen:
        if f.is_variadic or f.result != "int":
            raise SystemExit(f"generate_replacements.py: cannot wrap {f.name}")
    texts = [c_function(f) for f in chosen]
    for f in chosen:
        if f.name.endswith("_c"):  # Fortran has large counts as overloads
            continue
        texts += [fortran_routine(f, f.name.lower() + ending) for ending in FORTRAN_ENDINGS]
        if any(f.name.startswith(name) for name in POINTER_OVERLOADS):
            texts.append(fortran_routine(f, f.name.lower() + "_cptr_"))
    return HEAD + "\n".join(texts)


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--compiler", required=True, help="compiler wrapper of the MPI, or any C compiler")
    arguments.add_argument("--include", nargs="*", default=[], help="directories of the MPI header")
    arguments.add_argument("--output", required=True, type=Path)
    given = arguments.parse_args()
    given.output.parent.mkdir(parents=True, exist_ok=True)
    given.output.write_text(replacements(prototypes(given.compiler, given.include)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
