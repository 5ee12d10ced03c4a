"""Writes the exports of the stand-in for an MPI library, from the library's header and the table of calls.

    python3 generate_exports.py --compiler mpicc.mpich --calls mpich/calls.txt --output DIRECTORY [--openmpi OBJECTS]

A line of the table is `MPI_Name`, blanks, and one of these words:

    yes             haichi::abi::mpich::Name implements the function. calls_generated.h declares it with the parameters
                    of the header. If MPI_Name_c has its own line, Name_c implements it.
    large           Name implements both MPI_Name and MPI_Name_c, with the parameters of the latter. Arrays of counts
                    or displacements have the type Counts (counts.h), to which both kinds of arrays convert.
    collective      Name describes the operation of MPI_Name, MPI_Iname, MPI_Name_init and their large forms. The
                    functions run(), begin() and prepare() (collective_call.h) perform it.
    no REASON       The function is refused. A program that needs it does not start.

Functions of the header without a line are refused. The script writes calls_generated.h and exports_generated.cc. It
also writes refused_generated.cc, which has the refused names and reasons for the check before a program starts. With
--openmpi, the exports have the types of Open MPI, and convert the arguments (openmpi_arguments.py). The file
objects_generated.cc then defines the objects of Open MPI's predefined handles.
"""

from __future__ import annotations

import argparse
import re
import sys
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "commlog" / "profiler"))
sys.path.insert(0, str(Path(__file__).resolve().parent / "openmpi"))

import openmpi_arguments  # noqa: E402
from mpi_prototypes import Function, prototypes  # noqa: E402

LINE = re.compile(r"(?P<name>MPI_\w+)\s+(?P<how>yes|large|collective|no)(\s+(?P<reason>.+))?")


HANDLES = ("Comm", "Datatype", "Errhandler", "Group", "Info", "Message", "Op", "Request", "Session", "Win")
# Types of parameters that are addresses at which a call stores a result or changes a handle. A null address is an
# error.
PLACES = {"int *", "MPI_Aint *", "MPI_Count *", *(f"MPI_{handle} *" for handle in HANDLES)}
MAY_BE_NULL = ("MPI_Init", "MPI_Init_thread")


@dataclass(frozen=True)
class Row:
    how: str
    reason: str


def read_table(path: Path) -> dict[str, Row]:
    rows: dict[str, Row] = {}
    for number, line in enumerate(path.read_text().splitlines(), 1):
        text = line.partition("#")[0].strip()
        if not text:
            continue
        match = LINE.fullmatch(text)
        if match is None:
            raise SystemExit(f"{path}:{number}: expected 'MPI_Name yes|large|collective|no [REASON]', found '{text}'")
        if match["name"] in rows:
            raise SystemExit(f"{path}:{number}: duplicate {match['name']}")
        rows[match["name"]] = Row(match["how"], match["reason"] or "")
    return rows


def is_array(declared: str) -> bool:
    return declared.endswith("]")


def internal_parameters(function: Function, large: Function | None) -> list[str]:
    """The parameter declarations of haichi::abi::mpich::Name."""
    if large is None:
        return [p.declared for p in function.parameters]
    of_both = zip(function.parameters, large.parameters, strict=True)
    return [
        "Counts {}" if is_array(wide.declared) and wide.kind != narrow.kind else wide.declared
        for narrow, wide in of_both
    ]


class Mpich:
    """Exports with the types of MPICH's header."""

    headers = ("mgen/abi/mpich/guard.h",)
    uses = ("mpich",)

    def argument(self, function: Function, i: int) -> str:
        return f"a{i}"

    def implementation(self, own: str) -> str:
        return f"haichi::abi::mpich::{own}"

    def result(self, function: Function, made: str) -> str:
        return f"return {made};"

    def define(self, function: Function, body: str) -> str:
        """Exports the function and its second name, which a tool may replace."""
        name = function.name[4:]
        return (
            f"EXPORTED {function.signature('PMPI_' + name)} {{ {body} }}\n"
            f'EXPORTED_WEAK("PMPI_{name}") {function.signature(function.name)};'
        )

    def implements(self, function: Function) -> bool:
        return True


class OpenMpi(Mpich):
    """Exports with the types of Open MPI. The generated source gives them other names, because the header declares
    MPICH's functions with the names that programs call."""

    headers = ("mgen/abi/openmpi/arguments.h", "mgen/abi/openmpi/own_calls.h")
    uses = ("mpich", "openmpi")

    def argument(self, function: Function, i: int) -> str:
        return openmpi_arguments.argument(function, i)

    def implementation(self, own: str) -> str:
        return f"haichi::abi::{'openmpi' if own in openmpi_arguments.OWN else 'mpich'}::{own}"

    def result(self, function: Function, made: str) -> str:
        return f"return error_number({made});" if function.result == "int" else f"return {made};"

    def define(self, function: Function, body: str) -> str:
        name = function.name[4:]
        # Initialisers of Open MPI's C++ library call these functions before any rank begins.
        if name in ("Initialized", "Finalized"):
            body = f"if (haichi::host::LiveRank::current() == nullptr) {{ *a0 = 0; return MPI_SUCCESS; }} {body}"
        signature = openmpi_arguments.declared(function.signature(f"openmpi_{name}"))
        second = openmpi_arguments.declared(function.signature(f"openmpi_second_{name}"))
        return (
            f'EXPORTED {signature} asm("PMPI_{name}");\n'
            f"{signature} {{ {body} }}\n"
            f'EXPORTED_WEAK("PMPI_{name}") {second} asm("MPI_{name}");'
        )

    def implements(self, function: Function) -> bool:
        """conversion_calls.cc defines the other functions."""
        return not re.search(r"_(c2f|f2c)$", function.name) or function.name.startswith("MPI_File")


def export(abi: Mpich, function: Function, own: str, internal: list[str]) -> str:
    """Exports a function that `own` implements."""
    given = []
    before, behind = [], []
    for i, (parameter, wanted) in enumerate(zip(function.parameters, internal, strict=True)):
        # The caller's result has type int, but the value may be larger.
        if parameter.kind == "int *" and wanted == "MPI_Count * {}":
            before.append(f"MPI_Count b{i} = 0;")
            behind.append(f"*a{i} = narrow(b{i});")
            given.append(f"&b{i}")
        elif wanted == "Counts {}":
            given.append(f"Counts(a{i})")
        else:
            given.append(abi.argument(function, i))
    made = f"{abi.implementation(own)}({', '.join(given)})"
    last = f"const auto r = {made}; {' '.join(behind)} return r;" if before else f"return {made};"
    body = " ".join([*before, last])
    return exported(abi, function, body)


def exported(abi: Mpich, function: Function, body: str) -> str:
    if function.name not in MAY_BE_NULL:
        places = [f"a{i}" for i, p in enumerate(function.parameters) if p.kind in PLACES and not is_array(p.declared)]
        body = "".join(f"check_place({place}); " for place in places) + body
    return abi.define(function, abi.result(function, f'call("{function.name}", CALLER, [&] {{ {body} }})'))


def forms(functions: dict[str, Function], name: str) -> list[tuple[str, Function]]:
    """Exports the functions of a collective operation, with the name of the function that performs each of them."""
    own = name[4:]
    names = {"run": name, "begin": f"MPI_I{own[0].lower()}{own[1:]}", "prepare": f"{name}_init"}
    found = [(how, functions.get(each + suffix)) for how, each in names.items() for suffix in ("", "_c")]
    return [(how, function) for how, function in found if function is not None]


def collective_export(abi: Mpich, function: Function, how: str, name: str, internal: list[str]) -> str:
    """A form's extra parameters (the info, the request) come after the operation's own parameters."""
    given = [
        f"Counts(a{i})" if wanted == "Counts {}" else abi.argument(function, i) for i, wanted in enumerate(internal)
    ]
    operation = f"haichi::abi::mpich::{name[4:]}({', '.join(given)})"
    request = "" if how == "run" else f", {abi.argument(function, len(function.parameters) - 1)}"
    return exported(abi, function, f"return {how}({operation}{request});")


def objects(path: Path) -> str:
    """The source of the objects for Open MPI's predefined handles, and of the tables of these handles."""
    rows = [line.split() for line in path.read_text().splitlines() if line and not line.startswith("#")]
    kinds = {kind: [row[1:] for row in rows if row[0] == kind] for kind in openmpi_arguments.KINDS}
    lines = ["// Made by generate_exports.py.", '#include "mgen/abi/openmpi/handles.h"', ""]
    lines += ["using namespace haichi::abi::openmpi;", "", 'extern "C" {']
    for kind, of_kind in kinds.items():
        for symbol, _, handle in of_kind:
            value = "0" if kind == "File" else handle
            lines.append(f'__attribute__((visibility("default"))) {kind}Object {symbol} = {{{{kMagic, {value}}}}};')
    lines += ["}", "", "namespace haichi::abi::openmpi {", ""]
    for kind, of_kind in kinds.items():
        lines += ["template <>", f"std::span<const Predefined<{kind}>> predefined() {{"]
        lines.append(f"    static const Predefined<{kind}> kAll[] = {{")
        lines += [f"        {{&{symbol}, {-1 if number == '-' else number}}}," for symbol, number, _ in of_kind]
        lines += ["    };", "    return kAll;", "}"]
    return "\n".join([*lines, "}  // namespace haichi::abi::openmpi", ""])


def write(path: Path, text: str) -> None:
    """Does not rewrite an unchanged file, so that its includers are not compiled again."""
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compiler", required=True, help="the MPI's compiler wrapper, or any C compiler")
    parser.add_argument("--include", nargs="*", default=[], help="directories of the MPI's header")
    parser.add_argument("--calls", required=True, type=Path, help="the table of calls")
    parser.add_argument("--output", required=True, type=Path)
    parser.add_argument("--openmpi", metavar="OBJECTS", type=Path, help="export Open MPI's types and these objects")
    given = parser.parse_args()
    given.output.mkdir(parents=True, exist_ok=True)
    rows = read_table(given.calls)
    functions = {f.name: f for f in prototypes(given.compiler, given.include)}
    for name in rows:
        if name not in functions and not name.endswith("_c"):
            print(f"generate_exports.py: mpi.h does not declare {name}", file=sys.stderr)

    declared = [
        "// Made by generate_exports.py.",
        "#pragma once",
        "",
        "#include <mpi.h>",
        "",
        '#include "mgen/abi/mpich/collective_call.h"',
        "",
        "namespace haichi::abi::mpich {",
        "",
    ]
    abi = OpenMpi() if given.openmpi else Mpich()
    exports = ["// Made by generate_exports.py."]
    exports += [f'#include "{header}"' for header in abi.headers]
    exports += ["#include <calls_generated.h>", ""]
    exports += [*(f"using namespace haichi::abi::{name};" for name in abi.uses), ""]
    refused = [
        "// Made by generate_exports.py.",
        '#include "mgen/abi/refused_calls.h"',
        "",
        "namespace haichi::abi {",
        "",
    ]
    refused += [
        f"const std::vector<RefusedCall>& refused_calls_of_{abi.uses[-1]}() {{",
        "    static const std::vector<RefusedCall> kRefused = {",
    ]
    done: set[str] = set()
    for name, row in rows.items():
        if row.how == "no" or name not in functions:
            continue
        function = functions[name]
        large = functions.get(name + "_c") if row.how in ("large", "collective") else None
        internal = internal_parameters(function, large)
        parameters = ", ".join(text.format(f"a{i}") for i, text in enumerate(internal))
        if row.how == "collective":
            declared.append(f"CollectiveCall {name[4:]}({parameters});")
            for how, each in forms(functions, name):
                exports.append(collective_export(abi, each, how, name, internal))
                done.add(each.name)
            continue
        declared.append(f"{function.result} {name[4:]}({parameters});")
        for each in (function, large):
            if each is not None:
                exports.append(export(abi, each, name[4:], internal))
                done.add(each.name)
    for name, function in functions.items():
        if name in done or not abi.implements(function):
            continue
        reason = rows[name].reason if name in rows else ""
        exports.append(abi.define(function, f'refuse("{name}");'))
        refused.append(f'        {{"{name}", "{reason}"}},')
    refused += ["    };", "    return kRefused;", "}", "", "}  // namespace haichi::abi", ""]
    declared += ["", "}  // namespace haichi::abi::mpich", ""]
    write(given.output / "calls_generated.h", "\n".join(declared))
    write(given.output / "exports_generated.cc", "\n".join(exports) + "\n")
    write(given.output / "refused_generated.cc", "\n".join(refused))
    if given.openmpi:
        write(given.output / "objects_generated.cc", objects(given.openmpi))
    return 0


if __name__ == "__main__":
    sys.exit(main())
