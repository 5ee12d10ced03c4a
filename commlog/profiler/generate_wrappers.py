"""Writes the profiler's wrappers of all MPI functions that an installed mpi.h declares.

    python3 generate_wrappers.py --compiler mpicc.openmpi --fortran mpif90.openmpi --output FOLDER

FOLDER gets real_functions_generated.h (pointers to the functions, their numbers and names), wrappers_c_*.cc and
wrappers_fortran_*.cc. Of Fortran, what the installed libraries export is wrapped; nothing if there are none.
What the functions mean is in functions.py; the code they call is recording.h, completions.h and collective_sizes.h.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from c_wrapper import c_wrapper
from fortran_wrapper import exported_names, fortran_wrappers

PROTOTYPE = re.compile(r"^(?P<result>[A-Za-z_][\w \*]*?[\s\*])(?P<name>MPI_\w+) ?\((?P<parameters>.*)\)$")
FILES = 4  # of wrappers, so that they compile side by side


@dataclass(frozen=True)
class Parameter:
    """`declared` has {} where the name belongs."""

    declared: str
    kind: str  # the type without const and array


@dataclass(frozen=True)
class Function:
    name: str
    result: str
    parameters: tuple[Parameter, ...]
    is_variadic: bool

    def signature(self, name: str) -> str:
        declared = [p.declared.format(f"a{i}") for i, p in enumerate(self.parameters)]
        return f"{self.result} {name}({', '.join(declared + ['...'] * self.is_variadic) or 'void'})"


def without_attributes(text: str) -> str:
    """`__attribute__((...))` with its nested parentheses cut out."""
    while (begin := text.find("__attribute__")) >= 0:
        depth, end = 0, begin + len("__attribute__")
        while True:
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
            if depth == 0 and text[end - 1] == ")":
                break
        text = text[:begin] + text[end:]
    return text


def split_parameters(text: str) -> Iterator[str]:
    depth, current = 0, ""
    for character in text:
        depth += {"(": 1, ")": -1}.get(character, 0)
        if character == "," and depth == 0:
            yield current.strip()
            current = ""
        else:
            current += character
    yield current.strip()


def parameter(text: str) -> Parameter:
    match = re.fullmatch(r"(?P<type>.*?[\s\*])(?P<name>\w+)\s*(?P<array>(\[\d*\])*)", text)
    if match is None:
        raise SystemExit(f"generate_wrappers.py: cannot read the parameter '{text}'")
    kind = re.sub(r"\s+", " ", match["type"]).strip()
    return Parameter(f"{kind} {{}}{match['array']}", kind.removeprefix("const ") + (" *" if match["array"] else ""))


def prototypes(compiler: str) -> list[Function]:
    source = "#include <mpi.h>\n"
    text = subprocess.run(
        [compiler, "-E", "-P", "-x", "c", "-"], input=source, capture_output=True, text=True, check=True
    ).stdout
    found: dict[str, Function] = {}
    for statement in without_attributes(text.replace("\n", " ")).split(";"):
        statement = re.sub(r"\s+", " ", statement.rpartition("}")[2]).strip().removeprefix("extern ")
        match = PROTOTYPE.match(statement)
        if match is None or statement.startswith("typedef"):
            continue
        parts = [p for p in split_parameters(match["parameters"]) if p not in ("", "void")]
        found[match["name"]] = Function(
            match["name"],
            match["result"].strip(),
            tuple(parameter(p) for p in parts if p != "..."),
            "..." in parts,
        )
    if len(found) < 300:
        raise SystemExit(f"generate_wrappers.py: only {len(found)} functions found in mpi.h of {compiler}")
    # These have no second name in MPICH: what a program gets of them is the MPI's own.
    return [f for f in found.values() if not re.fullmatch(r"MPI_Status_(c2f08|f082c|f082f|f2f08)", f.name)]


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

using namespace haichi;
using namespace haichi::profiler;

#define EXPORTED extern "C" __attribute__((visibility("default")))

"""


def write(path: Path, text: str) -> None:
    """Leaves a file as it is that would not change: what includes it is then not compiled again."""
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--compiler", required=True, help="the MPI's compiler wrapper")
    arguments.add_argument("--fortran", required=True, help="its Fortran compiler wrapper; need not be there")
    arguments.add_argument("--output", required=True, type=Path)
    given = arguments.parse_args()
    given.output.mkdir(parents=True, exist_ok=True)
    functions = prototypes(given.compiler)
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
