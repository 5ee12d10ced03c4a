"""Writes the functions of libhaichi-barriers: every MPI function whose calls are in a log, in C and in Fortran. Each
jumps to the next library's function, or reports the call first (calls.h).

    python3 generate_calls.py --compiler mpicc.openmpi --output FILE
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "preload"))

from interposing import EXPORTED, Function, Routine, generate, routines  # noqa: E402

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "profiler"))

from functions import Row, row_of  # noqa: E402

HEAD = "\n".join(
    [
        "// Made by generate_calls.py.",
        '#include "commlog/barriers/calls.h"',
        "using namespace haichi;",
        "using namespace haichi::barriers;",
        EXPORTED,
    ]
)

# Functions that wait for a message, but do not receive it.
PROBES = {"MPI_Probe", "MPI_Iprobe"}
# Open MPI's Fortran interface calls PMPI functions, so these endings need replacements. MPICH also has an interface
# that calls the replaced C functions.
ENDINGS = ("_", "_f08_")
WAITS = ("wait", "test", "waitall", "testall", "waitany", "testany", "waitsome")


@dataclass(frozen=True)
class Values:
    """The arguments of a call, by role."""

    row: Row
    is_fortran: bool

    def name(self, role: str) -> str:
        return f"a{self.row.roles.index(role)}"

    def number(self, role: str) -> str:
        name = self.name(role)
        return f"*static_cast<const MPI_Fint*>({name})" if self.is_fortran else name

    def comm(self, role: str = "comm", is_variable: bool = False) -> str:
        if self.is_fortran:
            return f"comm_of({self.number(role)})"
        return f"*{self.name(role)}" if is_variable else self.name(role)

    def handle(self, role: str, is_variable: bool = True) -> str:
        if self.is_fortran:
            return f"fortran_number({self.number(role)})"
        return f"number_of(*{self.name(role)})" if is_variable else f"number_of({self.name(role)})"

    def send(self) -> str:
        return f"Send{{{self.number('peer')}, {self.number('tag')}}}"

    def receive(self) -> str:
        return f"Receive{{{self.number('source')}, {self.number('source_tag')}}}"

    def flag(self) -> str:
        return self.number("flag") if self.is_fortran else f"*{self.name('flag')}"

    def collective(self) -> str:
        root = self.number("root") if "root" in self.row.roles else "kNobody"
        return f"CollectiveOperation::{self.row.operation}, {self.comm()}, {root}"


def other(comm: str, flags: str = "kBlocking") -> str:
    return f"collective(CollectiveOperation::kOther, {comm}, kNobody, {flags});"


def start_all(v: Values, next_function: str, error: str) -> list[str]:
    """Returns the body of a function that starts several requests, between which there may be barriers."""
    count, requests = v.number("request_count"), v.name("requests")
    if v.is_fortran:
        call = [
            "        MPI_Fint some = end - first;",
            f"        {next_function}(&some, static_cast<MPI_Fint*>({requests}) + first, {error});",
            "        return MPI_SUCCESS;",
        ]
        made = f"start_all_fortran({count}, static_cast<const MPI_Fint*>({requests}), start)"
    else:
        call = [f"        return {next_function}(end - first, {requests} + first);"]
        made = f"start_all({count}, {requests}, start)"
    return [
        "    const auto start = [&](int first, int end) {",
        "        const Inside guard;",
        *call,
        "    };",
        f"    {'' if v.is_fortran else 'return '}inside == 0 ? {made} : start(0, {count});",
    ]


def found_message(v: Values) -> str:
    return f"found_message({v.receive()}, {v.comm()}, {v.handle('message')});"


Statement = Callable[[Values], str]
# The statement that comes before or after the call, by family.
BEFORE: dict[str, Statement] = {
    "send": lambda v: f"send({v.send()}, {v.comm()}, kBlocking | {v.row.flags});",
    "isend": lambda v: f"send({v.send()}, {v.comm()}, {v.row.flags});",
    "recv": lambda v: f"receive({v.receive()}, {v.comm()}, kBlocking);",
    "irecv": lambda v: f"receive({v.receive()}, {v.comm()}, 0);",
    "sendrecv": lambda v: f"send_and_receive({v.send()}, {v.receive()}, {v.comm()});",
    "isendrecv": lambda v: f"send_and_receive({v.send()}, {v.receive()}, {v.comm()});",
    "mrecv": lambda v: f"receive_message({v.handle('message')}, kBlocking);",
    "imrecv": lambda v: f"receive_message({v.handle('message')}, 0);",
    "start": lambda v: f"start({v.handle('request')});",
    "collective": lambda v: f"collective({v.collective()}, kBlocking);",
    "icollective": lambda v: f"collective({v.collective()}, 0);",
    "new_comm": lambda v: other(v.comm("parent")),
    "icomm": lambda v: other(v.comm("parent"), "0"),
    "free_comm": lambda v: f"free_communicator({v.comm('comm_variable', is_variable=True)});",
    "new_object": lambda v: other(v.comm()),
    "free_object": lambda v: f"object_operation({v.handle('object')});",
    "object_operation": lambda v: f"object_operation({v.handle('object_value', is_variable=False)});",
    **dict.fromkeys(("mprobe", "improbe", "probe"), lambda v: "probe();"),
    **dict.fromkeys(WAITS, lambda v: "wait();"),
}
AFTER: dict[str, Statement] = {
    "send_init": lambda v: f"prepare_send({v.send()}, {v.comm()}, {v.row.flags}, {v.handle('request')});",
    "recv_init": lambda v: f"prepare_receive({v.receive()}, {v.comm()}, {v.handle('request')});",
    "collective_init": lambda v: f"prepare_collective({v.collective()}, {v.handle('request')});",
    "mprobe": found_message,
    "improbe": lambda v: f"if ({v.flag()} != 0) {found_message(v)}",
    "new_comm_of_members": lambda v: f"made_by_members({v.comm('new_comm', is_variable=True)});",
    "new_object": lambda v: f"new_object({v.handle('object')}, {v.comm()});",
}


def row_of_call(name: str) -> Row | None:
    if re.sub("_c$", "", name) in PROBES:
        return Row("probe", ())
    return row_of(name)


def statements(v: Values, call: str) -> list[str]:
    before, after = (table[v.row.family](v) if v.row.family in table else "" for table in (BEFORE, AFTER))
    lines = ["    const bool is_own = inside == 0;"] if before or after else []
    lines += [f"    if (is_own) {before}"] if before else []
    lines += ["    const Inside guard;", f"    {'' if v.is_fortran else 'const int result = '}{call};"]
    condition = "is_own" if v.is_fortran else "is_own && result == MPI_SUCCESS"
    lines += [f"    if ({condition}) {{ {after} }}"] if after else []
    return lines if v.is_fortran else [*lines, "    return result;"]


def replaced(kind: str, result: str, declared: str, arguments: str, name: str, index: int, body: list[str]) -> str:
    """Returns an exported function that jumps to the function in its slot."""
    return "\n".join(
        [
            f"static {result} first_{name}({declared});",
            f"static {kind} slot_{name} = first_{name};",
            f"static {kind} next_{name} = nullptr;",
            f"static {result} following_{name}({declared}) {{",
            *body,
            "}",
            f"EXPORTED {result} {name}({declared}) {{ return slot_{name}({arguments}); }}",
            f"static {result} first_{name}({declared}) {{",
            f"    return reinterpret_cast<{kind}>(take_next(replaced[{index}]))({arguments});",
            "}",
            "",
        ]
    )


def table_row(name: str) -> str:
    addresses = [f"reinterpret_cast<void*>(first_{name})", f"reinterpret_cast<void*>(following_{name})"]
    addresses += [f"reinterpret_cast<void**>(&slot_{name})", f"reinterpret_cast<void**>(&next_{name})"]
    return f'    {{"{name}", {", ".join(addresses)}}},'


def c_function(function: Function, row: Row, index: int) -> str:
    name = function.name
    arguments = ", ".join(f"a{i}" for i in range(len(function.parameters)))
    declared = function.signature("").partition("(")[2].removesuffix(")")
    declared = "" if declared == "void" else declared
    values = Values(row, False)
    is_divided = row.family == "startall"
    body = start_all(values, f"next_{name}", "") if is_divided else statements(values, f"next_{name}({arguments})")
    return replaced(f"Pointer_{name}", "int", declared, arguments, name, index, body)


def fortran_function(routine: Routine, row: Row, index: int) -> str:
    name = routine.symbol
    arguments = ", ".join(routine.arguments)
    values, error = Values(row, True), routine.arguments[-1]
    is_divided = row.family == "startall"
    body = start_all(values, f"next_{name}", error) if is_divided else statements(values, f"next_{name}({arguments})")
    return replaced(f"Pointer_{name}", "void", ", ".join(routine.declared), arguments, name, index, body)


def calls(functions: list[Function]) -> str:
    texts, names, pointers = [], [], []
    for f in functions:
        row = row_of_call(f.name)
        if row is None or f.result != "int" or f.is_variadic:
            continue
        if row.family not in BEFORE and row.family not in AFTER and row.family != "startall":
            continue
        pointers.append(f"using Pointer_{f.name} = decltype(&::{f.name});")
        texts.append(c_function(f, row, len(names)))
        names.append(f.name)
        for routine in routines(f, ENDINGS):
            pointers.append(f"using Pointer_{routine.symbol} = void (*)({', '.join(routine.kinds)});")
            texts.append(fortran_function(routine, row, len(names)))
            names.append(routine.symbol)
    table = "namespace {\nReplaced replaced[] = {\n" + "\n".join(map(table_row, names)) + "\n};\n}\n"
    enter = f"[[gnu::constructor]] static void enter() {{ add_replaced(replaced, {len(names)}); }}\n"
    declared = "namespace {\nextern Replaced replaced[];\n}\n"
    return HEAD + "\n".join([*pointers, declared, *texts, table, enter])


if __name__ == "__main__":
    sys.exit(generate(__doc__, calls))
