"""The parts of the generators of preloaded libraries: the signatures of MPI functions in C and in Fortran, and the
command line.

A Fortran routine has the arguments of its C function, all by address. The error code and the lengths of texts follow.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "profiler"))

from mpi_prototypes import Function, prototypes  # noqa: E402

EXPORTED = '#define EXPORTED extern "C" __attribute__((visibility("default")))\n'
# Endings for mpif.h and `use mpi`, and for `use mpi_f08`. In MPICH, the latter also has endings for buffers as
# descriptors and for large counts.
FORTRAN_ENDINGS = ("_", "_f08_", "_f08ts_", "_f08_large_", "_f08ts_large_")
# Functions with an overload that has a different symbol.
POINTER_OVERLOADS = {"MPI_Win_allocate"}
# Number of C arguments that Fortran does not have.
WITHOUT_ARGUMENTS = {"MPI_Init": 2, "MPI_Init_thread": 2}


@dataclass(frozen=True)
class Routine:
    """A Fortran symbol of an MPI function, with its parameters, their kinds, and the words that pass them on."""

    function: Function
    symbol: str
    declared: list[str]
    kinds: list[str]
    arguments: list[str]


def routine(function: Function, symbol: str) -> Routine:
    count = len(function.parameters) - WITHOUT_ARGUMENTS.get(function.name, 0) + 1
    texts = sum("char" in p.kind for p in function.parameters)
    return Routine(
        function,
        symbol,
        [f"void* a{i}" for i in range(count)] + [f"std::size_t l{i}" for i in range(texts)],
        ["void*"] * count + ["std::size_t"] * texts,
        [f"a{i}" for i in range(count)] + [f"l{i}" for i in range(texts)],
    )


def routines(function: Function, endings: tuple[str, ...] = FORTRAN_ENDINGS) -> list[Routine]:
    """Returns the Fortran routines of a function. In Fortran, a function with large counts is an overload."""
    if function.name.endswith("_c"):
        return []
    symbols = [function.name.lower() + ending for ending in endings]
    if any(function.name.startswith(name) for name in POINTER_OVERLOADS):
        symbols.append(function.name.lower() + "_cptr_")
    return [routine(function, symbol) for symbol in symbols]


def generate(description: str | None, text_of: Callable[[list[Function]], str]) -> int:
    """Implements the command line of a generator."""
    arguments = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--compiler", required=True, help="compiler wrapper of the MPI, or any C compiler")
    arguments.add_argument("--include", nargs="*", default=[], help="directories of the MPI header")
    arguments.add_argument("--output", required=True, type=Path)
    given = arguments.parse_args()
    given.output.parent.mkdir(parents=True, exist_ok=True)
    given.output.write_text(text_of(prototypes(given.compiler, given.include)))
    return 0
