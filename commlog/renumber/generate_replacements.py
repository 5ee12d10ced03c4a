"""Writes the functions of libhaichi-renumber: every MPI function that takes a communicator, in C and in Fortran, with
MPI_COMM_WORLD replaced by the renumbered one.

    python3 generate_replacements.py --compiler mpicc.openmpi --output FILE
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "preload"))

from interposing import EXPORTED, Function, Routine, generate, routines  # noqa: E402

COMMUNICATOR = "MPI_Comm"
# MPI_Abort must end all processes, and c2f must return the handle that Fortran uses.
KEPT = {"MPI_Abort", "MPI_Comm_c2f"}
# Functions for predefined attributes, which only the real MPI_COMM_WORLD has.
ATTRIBUTES = {"MPI_Comm_get_attr", "MPI_Attr_get"}
# Functions for error handlers, because errors without a communicator go to the handler of the real MPI_COMM_WORLD.
HANDLERS = {"MPI_Comm_set_errhandler", "MPI_Errhandler_set"}

HEAD = "\n".join(
    [
        "// Made by generate_replacements.py.",
        '#include "commlog/renumber/world.h"',
        "using namespace haichi::preload;",
        "using namespace haichi::renumber;",
        EXPORTED,
    ]
)


def communicators(function: Function) -> set[int]:
    return {i for i, p in enumerate(function.parameters) if p.kind == COMMUNICATOR}


def body(name: str, call: str, plain_call: str, flag: str) -> list[str]:
    """Returns statements that use `call` for the replaced communicator, and `plain_call` for the communicator that was
    passed. Both expressions yield an error code."""
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


def fortran_routine(routine: Routine) -> str:
    name = routine.function.name
    replaced = communicators(routine.function)
    arguments = [f"renumbered_fortran({a})" if i in replaced else a for i, a in enumerate(routine.arguments)]
    plain = routine.arguments
    lines = [f"EXPORTED void {routine.symbol}({', '.join(routine.declared)}) {{"]
    lines += [f"    using Routine = void (*)({', '.join(routine.kinds)});"]
    lines += [f'    static const auto real = next_function<Routine>("{routine.symbol}");']
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
    texts += [fortran_routine(r) for f in chosen for r in routines(f)]
    return HEAD + "\n".join(texts)


if __name__ == "__main__":
    sys.exit(generate(__doc__, replacements))
