"""Makes the C wrapper of one MPI function, according to the family in its table entry."""

from __future__ import annotations

from typing import TYPE_CHECKING

from families import Values, body
from functions import JOB_FAMILIES, row_of

if TYPE_CHECKING:
    from mpi_prototypes import Function


class CValues(Values):
    """Arguments of a C wrapper, which have their C types."""

    is_fortran = False

    def value(self, role: str) -> str:
        name = self.argument(role)
        if role in ("count", "count2"):
            return f"static_cast<std::int64_t>({name})"
        if role == "place":
            return f"({name} == MPI_IN_PLACE)"
        if role in ("request", "message", "new_comm", "comm_variable", "object", "index", "flag", "completed"):
            return f"*{name}"
        return name

    def requests(self) -> str:
        return f"c_requests({self.argument('request_count')}, {self.argument('requests')})"

    def is_ignored(self, role: str) -> str:
        ignored = "MPI_STATUSES_IGNORE" if role == "statuses" else "MPI_STATUS_IGNORE"
        return f"{self.argument(role)} == {ignored}"

    def status_type(self) -> str:
        return "MPI_Status*"

    def object_number(self, role: str) -> str:
        given = self.argument(role)
        return f"number_of({given if role == 'object_value' else '*' + given})"

    def call(self, real: str) -> list[str]:
        return [f"    const auto result = {real}({', '.join(self.arguments)});"]

    def result(self) -> list[str]:
        return ["    return result;"]

    def variadic_word(self) -> str:
        return "more"

    def place(self, index: str) -> str:
        return f"static_cast<std::uint32_t>({index})"


def c_wrapper(function: Function) -> str:
    """Makes a wrapper whose arguments are machine words. If the process has another MPI than the wrapper, with handles
    of another size, all bits of the arguments are still passed on."""
    name = function.name[4:]
    count = len(function.parameters)
    arguments = [f"a{i}" for i in range(count)]
    words = [f"word{i}" for i in range(count)]
    row = row_of(function.name)
    if row is not None and len(row.roles) != count:
        raise SystemExit(f"functions.py: {function.name} has {count} arguments, but its entry has {row.roles}")
    values = CValues(row.roles if row else (), arguments)
    signature = ", ".join([f"Word {word}" for word in words] + ["Word more"] * function.is_variadic)
    passed_on = f"as_words<{count}>(HAICHI_MPI({name}))"
    lines = [f'EXPORTED {function.result} wrapped_{name}({signature}) __asm__("{function.name}");']
    lines += [f"{function.result} wrapped_{name}({signature}) {{"]
    typed = [
        f"    [[maybe_unused]] const auto {a} = from_word<{p.declared.format('').strip()}>({word});"
        for a, p, word in zip(arguments, function.parameters, words)  # noqa: B905 (Python 3.9)
    ]
    if row is not None and row.family in JOB_FAMILIES:
        values.arguments = words
        lines += typed + body(row, f"function::{name}", values, passed_on)
    else:
        lines += ["    Call call(__builtin_return_address(0));", "    if (!call.is_recorded()) [[unlikely]]"]
        lines += [f"        return {passed_on}({', '.join(words)});"]
        lines += typed + body(row, f"function::{name}", values, f"real.{name}")
    return "\n".join([*lines, "}", ""])
