"""How the exports of the stand-in for Open MPI convert arguments, for generate_exports.py.

The exports take handles, statuses and numbers of Open MPI. The functions that they call take those of MPICH's header;
arguments.h defines the conversions. The type and the name of a parameter in MPICH's header, which uses the names of the
MPI standard, determine its conversion.
"""

from __future__ import annotations

import re

from mpi_prototypes import Function

KINDS = ("Comm", "Datatype", "Errhandler", "File", "Group", "Info", "Message", "Op", "Request", "Session", "Win")

# haichi::abi::openmpi::Name implements these functions and gets converted arguments.
OWN = {
    *("Comm_create_errhandler", "Errhandler_create", "File_create_errhandler", "Session_create_errhandler"),
    *("Win_create_errhandler", "Comm_create_keyval", "Keyval_create", "Type_create_keyval", "Win_create_keyval"),
    *("Comm_get_attr", "Attr_get", "Win_get_attr", "Op_create", "Op_create_c", "Grequest_start"),
    *("Comm_get_name", "Type_get_name", "Win_get_name", "Error_string", "Get_library_version", "Get_version"),
    *("Type_get_contents", "Type_get_contents_c", "Comm_split_type"),
}
# Functions that change the handle at an address, in addition to those that end in _free. Other functions only store a
# handle.
CHANGES = re.compile(r"_(free|disconnect|finalize)$|^MPI_(Wait|Test|Start|Cancel|Mrecv|Imrecv|Type_commit)")

RANKS = {"dest", "source", "rank", "root", "target_rank"}
KEYVALS = {"keyval", "comm_keyval", "type_keyval", "win_keyval"}
BUFFERS = {"sendbuf", "recvbuf", "buf", "buffer", "inbuf", "inoutbuf"}
WEIGHTS = {"weights", "sourceweights", "destweights"}
NUMBERS = {
    "assert": "assertion",
    "errorclass": "error_code_of_mpich",
    "errorcode": "error_code_of_mpich",
    "lock_type": "lock_type",
    "order": "array_order",
    "typeclass": "type_class",
}
# Parameters that are addresses of results, with the conversion of the result.
RESULTS = {
    "combiner": "combiner",
    "errorclass": "error_number",
    "errorcode": "error_number",
    "rank_dest": "rank",
    "rank_source": "rank",
    "status": "topology_kind",  # an int result only in MPI_Topo_test
}
# Parameters that are arrays of numbers, with the conversion and the parameter that has the length.
ARRAYS = {
    "array_of_dargs": ("distribution_argument", "ndims"),
    "array_of_distribs": ("distribution", "ndims"),
    "ranks1": ("rank_of_mpich", "n"),
}
HANDLE = re.compile(rf"\bMPI_({'|'.join(KINDS)}|Status)\b(?!_)")


def declared(text: str) -> str:
    """The declaration of a parameter or function with Open MPI's types."""
    return HANDLE.sub(r"haichi::abi::openmpi::\1", text)


def number_of(function: Function, name: str) -> int:
    return next(i for i, parameter in enumerate(function.parameters) if parameter.name == name)


def length(function: Function, name: str) -> str:
    """The length of an array of handles or statuses."""
    short = function.name[4:].removesuffix("_c").removesuffix("_init")
    if short.lower().endswith("alltoallw"):
        comm = f"a{number_of(function, 'comm')}"
        side = "senders" if name.startswith("recv") else "receivers"
        sends = f"a{number_of(function, 'sendbuf')}, " if name.startswith("send") else ""
        of = "neighbor_" if "eighbor" in short else ""
        return f"{of}{side}({sends}{comm})"
    for counter in ("count", "incount"):
        if any(p.name == counter for p in function.parameters):
            return f"a{number_of(function, counter)}"
    raise SystemExit(f"openmpi_arguments.py: {function.name} has no length for '{name}'")


def argument(function: Function, i: int) -> str:
    """An expression that converts the argument a{i}."""
    parameter = function.parameters[i]
    given, name, kind = f"a{i}", parameter.name, parameter.kind
    is_array, is_const = parameter.declared.endswith("]"), parameter.declared.startswith("const ")
    match = re.fullmatch(r"MPI_(\w+?)( \*)?", kind)
    if match is not None and match[1] in KINDS:
        if name == "array_of_datatypes":  # a result, which haichi::abi::openmpi::Type_get_contents converts
            return given
        if not match[2]:
            return f"file({given})" if match[1] == "File" else f"handle({given})"
        if is_array:
            count = length(function, name)
            return f"Handles({given}, {count})" if is_const else f"ChangedHandles({given}, {count})"
        changes = CHANGES.search(function.name.removesuffix("_c")) is not None
        return f"ChangedHandle({given})" if changes else f"NewHandle({given})"
    if kind == "MPI_Status *":
        if is_const:
            return f"StatusValue({given})"
        return f"Statuses({given}, {length(function, name)})" if is_array else f"StatusPlace({given})"
    if kind == "int":
        if name in RANKS:
            return f"rank_of_mpich({given})"
        if name in KEYVALS:
            return f"keyval_of_mpich({given})"
        if name in NUMBERS and function.name != "MPI_Abort":
            return f"{NUMBERS[name]}({given})"
    if kind == "int *":
        if name in KEYVALS and function.name.endswith("_free") or "free_keyval" in function.name:
            return f"FreedKeyval({given})"
        if name in RESULTS and not is_array:
            return f"Result<{RESULTS[name]}>({given})"
        if name in ARRAYS:
            conversion, counter = ARRAYS[name]
            return f"Numbers<{conversion}>({given}, a{number_of(function, counter)})"
        if name == "ranks2":
            return f"Results<rank>({given}, a{number_of(function, 'n')})"
        if name in WEIGHTS:
            return f"weights({given})"
    if kind == "void *" and name in BUFFERS:
        return f"buffer({given})"
    return given
