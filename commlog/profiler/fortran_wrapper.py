"""The Fortran wrappers of MPI functions. mpif.h and `use mpi` call mpi_x_, and `use mpi_f08` calls mpi_x_f08_. In MPICH
it also calls mpi_x_f08ts_ (choice buffers as descriptors) and mpi_x_f08ts_large_ (large counts).

Every Fortran argument is one word, so wrappers pass words to the procedure's profiling name. The lengths of character
arguments follow all other arguments."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from families import Values, body
from functions import JOB_FAMILIES, Row, row_of

if TYPE_CHECKING:
    from mpi_prototypes import Function

# Number of C arguments that Fortran does not have.
WITHOUT_ARGUMENTS = {"MPI_Init": 2, "MPI_Init_thread": 2}

# Families whose functions return indices of completed requests.
COMPLETES = {"waitany": "kWaitAny", "testany": "kTestAny", "waitsome": "kSome"}


class FortranValues(Values):
    """Arguments as Fortran passes them, by address."""

    is_fortran = True

    def __init__(self, roles: tuple[str, ...], arguments: list[str], function: Function, procedure: str) -> None:
        super().__init__(roles, arguments)
        self.function = function
        self.procedure = procedure
        self.has_descriptors = "f08ts" in procedure

    def count_type(self, role: str) -> str:
        return "MPI_Count" if "MPI_Count" in self.function.parameters[self.roles.index(role)].kind else "MPI_Fint"

    def number(self, role: str) -> str:
        return f"*static_cast<const MPI_Fint*>({self.argument(role)})"

    def value(self, role: str) -> str:
        argument = self.argument(role)
        if role in ("count", "count2"):
            return f"static_cast<std::int64_t>(*static_cast<const {self.count_type(role)}*>({argument}))"
        if role in ("counts", "counts2"):
            return f"static_cast<const {self.count_type(role)}*>({argument})"
        if role in ("types", "types2"):
            return f"static_cast<const FortranType*>({argument})"
        if role == "place":
            return f"{'is_descriptor_in_place' if self.has_descriptors else 'is_in_place'}({argument})"
        if role == "indices":
            return f"static_cast<const MPI_Fint*>({argument})"
        converted = {
            "type": "type_of", "type2": "type_of", "comm": "comm_of", "parent": "comm_of", "new_comm": "comm_of",
            "comm_variable": "comm_of", "request": "request_of", "message": "message_of",
            "op": "op_of",
        }  # fmt: skip
        if role in converted:
            return f"{converted[role]}({self.number(role)})"
        return self.number(role)

    def requests(self) -> str:
        count, requests = (
            f"static_cast<const MPI_Fint*>({self.argument(role)})" for role in ("request_count", "requests")
        )
        return f"fortran_requests(call.thread(), {count}, {requests})"

    def object_number(self, role: str) -> str:
        return f"fortran_object({self.number(role)})"

    def is_ignored(self, role: str) -> str:
        return f"is_{role}_ignored({self.argument(role)})"

    def status_type(self) -> str:
        return "void*"

    def variadic_word(self) -> str:
        return "reinterpret_cast<std::uintptr_t>(more)"

    def place(self, index: str) -> str:
        return f"static_cast<std::uint32_t>({index} - first_of_{self.procedure})"

    def call(self, real: str) -> list[str]:
        return [f"    {real}({', '.join(self.arguments)});", "    [[maybe_unused]] const int result = *error;"]

    def result(self) -> list[str]:
        return []


def exported_names(wrapper_or_libraries: list[str]) -> set[str]:
    """Names that are defined in the Fortran libraries, which are given or linked by the compiler wrapper. Empty if
    there are no such libraries."""
    given = [Path(word) for word in wrapper_or_libraries]
    if given and all(".so" in path.name for path in given):
        missing = [str(path) for path in given if not path.is_file()]
        if missing:
            raise SystemExit(f"fortran_wrapper.py: cannot find the libraries {', '.join(missing)}")
        return set().union(*map(names_in, given))
    return set().union(*map(names_in, linked_libraries(wrapper_or_libraries)))


def names_in(library: Path) -> set[str]:
    # Some files are linker scripts instead of libraries. Linker scripts do not belong to an MPI library.
    listed = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True)
    return {line.split()[-1].partition("@")[0] for line in listed.stdout.splitlines() if line}


def linked_libraries(wrapper: list[str]) -> list[Path]:
    """The libraries that the compiler wrapper links. Empty if there is no wrapper."""
    try:
        shown = subprocess.run([*wrapper, "-show"], capture_output=True, text=True, check=True).stdout.split()
    except (OSError, subprocess.CalledProcessError):
        return []
    folders = [word[2:] for word in shown if word.startswith("-L")]
    libraries = []
    for library in (f"lib{word[2:]}.so" for word in shown if word.startswith("-l")):
        paths = [path for folder in folders if (path := Path(folder) / library).exists()]
        if not paths:
            found = subprocess.run(
                ["gcc", f"-print-file-name={library}"], capture_output=True, text=True
            ).stdout.strip()
            paths = [Path(found)] if Path(found).is_absolute() else []
        libraries += paths[:1]
    return libraries


def profiling_name(name: str, names: set[str]) -> str | None:
    """The second name of a procedure: pmpi_x_, or pmpir_x_f08_ in MPICH's mpi_f08."""
    for second in (f"p{name}", f"P{name}", name.replace("mpi_", "pmpir_", 1)):
        if second in names:
            return second
    return None


def words(function: Function, is_function: bool) -> list[str]:
    dropped = WITHOUT_ARGUMENTS.get(function.name, 0)
    arguments = [f"a{i}" for i in range(len(function.parameters) - dropped)]
    if not is_function and not function.is_variadic:
        arguments.append("error")
    if function.is_variadic:
        arguments.append("more")
    texts = sum(1 for p in function.parameters if p.kind.startswith("char"))
    return arguments + [f"length{i}" for i in range(texts)]


def fortran_wrapper(function: Function, name: str, second: str, others: list[str]) -> str:
    """`others` are names of the same procedure with other compilers' decorations."""
    number = f"function::{function.name[4:]}"
    is_function = function.result != "int"
    arguments = words(function, is_function)
    row: Row | None = row_of(function.name)
    roles = row.roles if row else ()
    result = function.result if is_function else "void"
    types = ["MPI_Fint*" if a == "error" else "std::size_t" if a.startswith("length") else "void*" for a in arguments]
    signature = ", ".join(f"{t} {a}" for t, a in zip(types, arguments))  # noqa: B905 (Python 3.9)
    lines = [f"static {result} (*real_{name})({', '.join(types)});", f"EXPORTED {result} {name}({signature}) {{"]
    find = f'real_{name} = reinterpret_cast<decltype(real_{name})>(find_fortran("{second}"));'
    if row is not None and row.family in COMPLETES:
        lines.insert(1, f"static int first_of_{name} = 1;")
        which = f"Completes::{COMPLETES[row.family]}"
        find += f" first_of_{name} = first_index(reinterpret_cast<void*>(real_{name}), {which});"
    lines += [f"    if (real_{name} == nullptr) [[unlikely]] {{ {find} }}"]
    values = FortranValues(roles, arguments, function, name)
    if "error" in arguments:
        # With `use mpi_f08`, ierror is optional.
        lines += ["    MPI_Fint own_error = MPI_SUCCESS;", "    if (error == nullptr) error = &own_error;"]
    if row is not None and row.family in JOB_FAMILIES:
        if "error" not in arguments:
            lines += ["    MPI_Fint own_error = MPI_SUCCESS;", "    MPI_Fint* const error = &own_error;"]
        lines += body(row, number, values, f"real_{name}")
    else:
        lines += ["    Call call(__builtin_return_address(0));", "    if (!call.is_recorded()) [[unlikely]]"]
        lines += [f"        return real_{name}({', '.join(arguments)});"]
        if is_function:
            lines += [f"    const auto result = real_{name}({', '.join(arguments)});", "    call.over();"]
            lines += [f"    count_call(call.thread(), {number}, kNoCommunicator);", "    return result;"]
        else:
            lines += body(row, number, values, f"real_{name}")
    lines += ["}"]
    lines += [f'EXPORTED {result} {other}({signature}) __attribute__((alias("{name}")));' for other in others]
    return "\n".join([*lines, ""])


def fortran_wrappers(functions: list[Function], names: set[str]) -> list[str]:
    wrappers = []
    by_name = {f.name: f for f in functions}
    for f in functions:
        if f.name.endswith("_c") and f.name[:-2] in by_name:
            kinds = ["f08_large", "f08ts_large"]
            stem = f.name[:-2].lower()
        else:
            kinds = ["", "f08", "f08ts"]
            stem = f.name.lower()
        for kind in kinds:
            name = f"{stem}_{kind}_" if kind else f"{stem}_"
            second = profiling_name(name, names)
            if name not in names or second is None:
                continue
            others = [stem, f"{stem}__", stem.upper()] if not kind else []
            others = [o for o in others if o in names and profiling_name(o, names) is not None and o not in by_name]
            wrappers.append(fortran_wrapper(f, name, second, others))
    return wrappers
