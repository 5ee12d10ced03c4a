"""The bodies of wrappers by family: the code before and after the MPI call. C and Fortran wrappers have the same
bodies; they differ in how an argument becomes a C value (Values)."""

from __future__ import annotations

from abc import ABC, abstractmethod

from functions import Row


class Values(ABC):
    """The arguments of a wrapper, by role."""

    is_fortran: bool

    def __init__(self, roles: tuple[str, ...], arguments: list[str]) -> None:
        self.roles = roles
        self.arguments = list(arguments)  # as they are passed to the MPI function

    def argument(self, role: str) -> str:
        """Returns the name of the parameter with this role."""
        return f"a{self.roles.index(role)}"

    def pass_on(self, role: str, expression: str) -> None:
        self.arguments[self.roles.index(role)] = expression

    @abstractmethod
    def value(self, role: str) -> str:
        """Returns an expression for the C value; for a variable, its contents."""

    @abstractmethod
    def requests(self) -> str:
        """Returns an expression for a RequestArray."""

    def address(self, role: str) -> str:
        return self.argument(role)

    @abstractmethod
    def is_ignored(self, role: str) -> str:
        """Returns a test of whether the program ignores the status."""

    @abstractmethod
    def status_type(self) -> str: ...

    @abstractmethod
    def object_number(self, role: str) -> str:
        """Returns an expression that converts a window or file to a number."""

    @abstractmethod
    def variadic_word(self) -> str:
        """Returns the first variadic argument as a machine word."""

    @abstractmethod
    def call(self, real: str) -> list[str]:
        """Returns code that calls MPI and sets `result` to the return value."""

    @abstractmethod
    def result(self) -> list[str]:
        """Returns code that ends the wrapper."""

    @abstractmethod
    def place(self, index: str) -> str:
        """Converts an index from MPI to an index in the program's array, from 0."""


def body(row: Row | None, function: str, values: Values, real: str) -> list[str]:
    """Returns the body of the wrapper for the case in which the call is recorded."""
    if row is None:
        return timed(function, values, real)
    return FAMILIES[row.family](row, function, values, real)


def call(values: Values, real: str) -> list[str]:
    return [*values.call(real), "    call.over();"]


def index(values: Values) -> str:
    """Returns an expression for the index of the call's communicator."""
    for role in ("comm", "parent"):
        if role in values.roles:
            return f"index_of(t, {values.value(role)}, result)"
    return "kNoCommunicator"


def counted(function: str, values: Values) -> list[str]:
    return ["    Thread& t = call.thread();", f"    count_call(t, {function}, {index(values)});"]


def timed(function: str, values: Values, real: str) -> list[str]:
    """Counts only the call and its time."""
    return [*call(values, real), *counted(function, values), *values.result()]


def simple(row: Row, function: str, values: Values, real: str, *after: str, before: tuple[str, ...] = ()) -> list[str]:
    """Runs the statements `after` if the call has succeeded."""
    del row
    lines = [f"    {line}" for line in before] + call(values, real) + counted(function, values)
    lines += ["    if (result == MPI_SUCCESS) {", *(f"        {line}" for line in after), "    }", *values.result()]
    return lines


def send_of(values: Values) -> str:
    return "{" + ", ".join(values.value(r) for r in ("count", "type", "peer", "tag")) + "}"


def receive_of(values: Values) -> str:
    return "{" + ", ".join(values.value(r) for r in ("source", "source_tag")) + "}"


def own_status(values: Values, role: str = "status") -> tuple[str, ...]:
    """Declares a status for use in the wrapper if the program ignores it."""
    kind = values.status_type()
    given = values.argument(role)
    values.pass_on(role, "status")
    return (
        "MPI_Status own_status;",
        f"const auto status = {values.is_ignored(role)} ? reinterpret_cast<{kind}>(&own_status) : {given};",
    )


def request_of(values: Values) -> str:
    return f"{values.value('request')}, {values.address('request')}"


def send(row: Row, function: str, v: Values, real: str) -> list[str]:
    return simple(
        row, function, v, real, f"blocking_send(t, {function}, {send_of(v)}, {v.value('comm')}, {row.flags});"
    )


def isend(row: Row, function: str, v: Values, real: str) -> list[str]:
    made = f"post_send(t, {function}, {send_of(v)}, {v.value('comm')}, {request_of(v)}, {row.flags});"
    return simple(row, function, v, real, made)


def send_init(row: Row, function: str, v: Values, real: str) -> list[str]:
    made = f"prepare_send(t, {function}, {send_of(v)}, {v.value('comm')}, {v.value('request')}, {row.flags});"
    return simple(row, function, v, real, made)


def recv(row: Row, function: str, v: Values, real: str) -> list[str]:
    before = own_status(v)
    after = f"blocking_receive(t, {function}, {receive_of(v)}, {v.value('comm')}, status);"
    return simple(row, function, v, real, after, before=before)


def irecv(row: Row, function: str, v: Values, real: str) -> list[str]:
    made = f"post_receive(t, {function}, {receive_of(v)}, {v.value('comm')}, {request_of(v)});"
    return simple(row, function, v, real, made)


def recv_init(row: Row, function: str, v: Values, real: str) -> list[str]:
    made = f"prepare_receive(t, {function}, {receive_of(v)}, {v.value('comm')}, {v.value('request')});"
    return simple(row, function, v, real, made)


def sendrecv(row: Row, function: str, v: Values, real: str) -> list[str]:
    before = own_status(v)
    after = f"send_and_receive(t, {function}, {send_of(v)}, {receive_of(v)}, {v.value('comm')}, status);"
    return simple(row, function, v, real, after, before=before)


def isendrecv(row: Row, function: str, v: Values, real: str) -> list[str]:
    made = f"post_send_and_receive(t, {function}, {send_of(v)}, {receive_of(v)}, {v.value('comm')}, {request_of(v)});"
    return simple(row, function, v, real, made)


def mprobe(row: Row, function: str, v: Values, real: str) -> list[str]:
    return simple(
        row, function, v, real, f"found_message(t, {receive_of(v)}, {v.value('comm')}, {v.value('message')});"
    )


def improbe(row: Row, function: str, v: Values, real: str) -> list[str]:
    made = f"found_message(t, {receive_of(v)}, {v.value('comm')}, {v.value('message')});"
    return simple(row, function, v, real, f"if ({v.value('flag')} != 0) {made}")


def taken_message(v: Values) -> tuple[str, ...]:
    return (
        "RequestEntry message;",
        f"const bool is_known = take_message(call.thread(), {v.value('message')}, message);",
    )


def mrecv(row: Row, function: str, v: Values, real: str) -> list[str]:
    before = taken_message(v) + own_status(v)
    after = f"if (is_known) receive_message(t, {function}, message, status);"
    return simple(row, function, v, real, after, before=before)


def imrecv(row: Row, function: str, v: Values, real: str) -> list[str]:
    after = f"if (is_known) post_message(t, {function}, message, {request_of(v)});"
    return simple(row, function, v, real, after, before=taken_message(v))


def start(row: Row, function: str, v: Values, real: str) -> list[str]:
    return simple(row, function, v, real, f"profiler::start(t, {function}, {v.value('request')});")


def startall(row: Row, function: str, v: Values, real: str) -> list[str]:
    return simple(
        row, function, v, real,
        f"const RequestArray array = {v.requests()};",
        f"for (std::uint32_t i = 0; i < array.count; ++i) profiler::start(t, {function}, array.handles[i]);",
    )  # fmt: skip


def one_request(v: Values) -> tuple[str, ...]:
    kind = v.status_type()
    given = v.argument("status")
    ignored = v.is_ignored("status")
    v.pass_on("status", "status")
    return (
        f"const std::uint32_t slot = look_up(call.thread(), {v.value('request')});",
        "MPI_Status own_status;",
        f"const auto status = wants_status(slot) && {ignored} ? reinterpret_cast<{kind}>(&own_status) : {given};",
    )


def finished_or_not(row: Row, function: str, v: Values, real: str, condition: str) -> list[str]:
    lines = [f"    {line}" for line in one_request(v)] + call(v, real) + counted(function, v)
    return [
        *lines,
        f"    if (result == MPI_SUCCESS{condition}) {{",
        f"        finish(t, slot, {v.address('request')}, status);",
        "    } else {",
        "        leave_open(slot);",
        "    }",
        *v.result(),
    ]


def wait(row: Row, function: str, v: Values, real: str) -> list[str]:
    return finished_or_not(row, function, v, real, "")


def test(row: Row, function: str, v: Values, real: str) -> list[str]:
    return finished_or_not(row, function, v, real, f" && {v.value('flag')} != 0")


def all_requests(row: Row, function: str, v: Values, real: str, condition: str) -> list[str]:
    kind = v.status_type()
    given = v.argument("statuses")
    ignored = v.is_ignored("statuses")
    v.pass_on("statuses", "statuses")
    return [
        "    Thread& t = call.thread();",
        f"    AllRequests all(t, {v.requests()});",
        f"    const bool is_ignored = {ignored};",
        "    const auto statuses = is_ignored && all.wants_statuses()",
        f"                              ? reinterpret_cast<{kind}>(all.statuses())",
        f"                              : {given};",
        *call(v, real),
        f"    count_call(t, {function}, kNoCommunicator);",
        f"    if (result == MPI_SUCCESS{condition}) {{",
        "        all.finish(is_ignored && !all.wants_statuses() ? nullptr : statuses);",
        "    } else if (result == MPI_SUCCESS) {",
        "        all.leave_open();",
        "    } else {",
        "        all.fail(result == MPI_ERR_IN_STATUS, is_ignored && !all.wants_statuses() ? nullptr : statuses);",
        "    }",
        *v.result(),
    ]


def waitall(row: Row, function: str, v: Values, real: str) -> list[str]:
    return all_requests(row, function, v, real, "")


def testall(row: Row, function: str, v: Values, real: str) -> list[str]:
    return all_requests(row, function, v, real, f" && {v.value('flag')} != 0")


def any_request(row: Row, function: str, v: Values, real: str, condition: str) -> list[str]:
    index = v.value("index")
    return [
        "    Thread& t = call.thread();",
        f"    SomeRequests some(t, {v.requests()});",
        *(f"    {line}" for line in own_status(v)),
        *call(v, real),
        f"    count_call(t, {function}, kNoCommunicator);",
        f"    if (result == MPI_SUCCESS{condition} && {index} != MPI_UNDEFINED) some.finish({v.place(index)}, status);",
        "    some.end();",
        *v.result(),
    ]


def waitany(row: Row, function: str, v: Values, real: str) -> list[str]:
    return any_request(row, function, v, real, "")


def testany(row: Row, function: str, v: Values, real: str) -> list[str]:
    return any_request(row, function, v, real, f" && {v.value('flag')} != 0")


def waitsome(row: Row, function: str, v: Values, real: str) -> list[str]:
    kind = v.status_type()
    given = v.argument("statuses")
    ignored = v.is_ignored("statuses")
    v.pass_on("statuses", "statuses")
    return [
        "    Thread& t = call.thread();",
        f"    SomeRequests some(t, {v.requests()});",
        f"    const auto statuses = {ignored} ? reinterpret_cast<{kind}>(some.statuses()) : {given};",
        *call(v, real),
        f"    count_call(t, {function}, kNoCommunicator);",
        f"    if (result == MPI_SUCCESS && {v.value('completed')} != MPI_UNDEFINED) {{",
        f"        some.finish_these({v.value('completed')}, {v.value('indices')}, {v.place('0')}, statuses);",
        "    }",
        "    some.end();",
        *v.result(),
    ]


def request_free(row: Row, function: str, v: Values, real: str) -> list[str]:
    before = f"free_request(call.thread(), {request_of(v)});"
    return [f"    {before}", *timed(function, v, real)]


def other_request(row: Row, function: str, v: Values, real: str) -> list[str]:
    return simple(row, function, v, real, f"post_other(t, {request_of(v)});")


def one_sided(row: Row, function: str, v: Values, real: str) -> list[str]:
    """Counts two sizes: the bytes that the caller contributes and those that it receives."""

    window, target = v.object_number("object_value"), v.value("peer")
    # Operations without a count transfer one element.
    given = f"bytes_of(t, {v.value('count') if 'count' in row.roles else '1'}, {v.value('type')})"
    got = f"bytes_of(t, {v.value('count2')}, {v.value('type2')})" if "type2" in row.roles else given
    sizes = ["kNothing" if row.flags == "gets" else given, "kNothing" if row.flags == "puts" else got]
    made = f"count_one_sided(t, {function}, target_of({window}, {target}), {{{sizes[0]}, {sizes[1]}}});"
    after = [f"if ({target} != MPI_PROC_NULL) {made}"]
    if "request" in row.roles:
        after.append(f"post_other(t, {request_of(v)});")
    return simple(row, function, v, real, *after)


def sizes_of(row: Row, v: Values) -> tuple[str, ...]:
    if not row.sizes:
        return ("const CollectiveSizes sizes = no_sizes();",)
    lines = [f"Communicator& c = communicator(t, {v.value('comm')});"]
    if row.operation == "kNeighbor":
        lines.append(f"find_neighbors({v.value('comm')}, c);")
    wanted = ", ".join(v.value(role) for role in row.size_roles)
    lines.append(f"CollectiveSizes sizes = {row.sizes}_sizes(t, c, {wanted});")
    if detail := detail_of(row, v):
        lines.append(f"if (t.recorder) sizes.detail = {detail};")
    return tuple(lines)


def detail_of(row: Row, v: Values) -> str:
    """Returns the CollectiveDetail, from the type that is significant in every rank and from the reduction
    operation."""
    details = []
    if row.operation in ("kAllgather", "kAllgatherv"):
        details.append(f"item_detail(t, {v.value('type2')})")
    elif "op" in row.roles or row.operation == "kBroadcast":
        details.append(f"item_detail(t, {v.value('type')})")
    if "op" in row.roles:
        details.append(f"reduction_detail({v.value('op')})")
    if row.operation == "kAlltoall":
        details.append(f"({v.value('place')} ? kInPlace : 0)")
    return " | ".join(details)


def collective_of(row: Row, v: Values) -> str:
    root = v.value("root") if "root" in row.roles else "kNobody"
    return f"CollectiveOperation::{row.operation}, {v.value('comm')}, {root}, sizes"


def collective(row: Row, function: str, v: Values, real: str) -> list[str]:
    made = f"blocking_collective(t, {function}, {collective_of(row, v)});"
    return simple(row, function, v, real, *sizes_of(row, v), made)


def icollective(row: Row, function: str, v: Values, real: str) -> list[str]:
    made = f"post_collective(t, {function}, {collective_of(row, v)}, {request_of(v)});"
    return simple(row, function, v, real, *sizes_of(row, v), made)


def collective_init(row: Row, function: str, v: Values, real: str) -> list[str]:
    made = f"prepare_collective(t, {function}, {collective_of(row, v)}, {v.value('request')});"
    return simple(row, function, v, real, *sizes_of(row, v), made)


def other_collective(function: str, comm: str, detail: str = "0") -> str:
    told = "kUnknown" if detail == "0" else detail
    sizes = f"no_sizes(OtherDetail::{told})"
    return f"blocking_collective(t, {function}, CollectiveOperation::kOther, {comm}, kNobody, {sizes});"


def new_comm(row: Row, function: str, v: Values, real: str) -> list[str]:
    return simple(
        row, function, v, real,
        other_collective(function, v.value("parent"), row.flags),
        f"enter_communicator(communicator(t, {v.value('parent')}).identity, {v.value('new_comm')}, {function});",
    )  # fmt: skip


def new_comm_of_members(row: Row, function: str, v: Values, real: str) -> list[str]:
    return simple(
        row, function, v, real,
        f"const MPI_Comm made = {v.value('new_comm')};",
        f"enter_communicator(communicator(t, {v.value('parent')}).identity, made, {function});",
        f"if (made != handles.no_communicator) {other_collective(function, 'made', row.flags)}",
    )  # fmt: skip


def new_comm_alone(row: Row, function: str, v: Values, real: str) -> list[str]:
    return simple(row, function, v, real, f"enter_communicator(0, {v.value('new_comm')}, {function});")


def icomm(row: Row, function: str, v: Values, real: str) -> list[str]:
    is_fortran = "true" if v.is_fortran else "false"
    made = f"{v.value('parent')}, {v.address('new_comm')}, {is_fortran}, {request_of(v)}"
    return simple(row, function, v, real, f"post_communicator(t, {function}, {made});")


def free_comm(row: Row, function: str, v: Values, real: str) -> list[str]:
    before = (f"const MPI_Comm freed = {v.value('comm_variable')};",)
    after = (other_collective(function, "freed", "kTellsNone"), "release_communicator(freed);")
    # The communicator must be looked up before it is freed.
    known = "if (freed != handles.no_communicator) communicator(call.thread(), freed);"
    return simple(row, function, v, real, *after, before=(*before, known))


def free_type(row: Row, function: str, v: Values, real: str) -> list[str]:
    return simple(row, function, v, real, "forget_handles();")


def new_object(row: Row, function: str, v: Values, real: str) -> list[str]:
    return simple(
        row, function, v, real,
        other_collective(function, v.value("comm")),
        f"enter_object({v.object_number('object')}, {v.value('comm')});",
    )  # fmt: skip


def free_object(row: Row, function: str, v: Values, real: str) -> list[str]:
    before = (f"const std::uint64_t freed = {v.object_number('object')};",)
    return simple(
        row, function, v, real, f"object_operation(t, {function}, freed);", "forget_object(freed);", before=before
    )


def object_operation(row: Row, function: str, v: Values, real: str) -> list[str]:
    return simple(row, function, v, real, f"object_operation(t, {function}, {v.object_number('object_value')});")


def init(row: Row, function: str, v: Values, real: str) -> list[str]:
    del row, function
    return [*v.call(real), "    if (result == MPI_SUCCESS) begin_job();", *v.result()]


def session(row: Row, function: str, v: Values, real: str) -> list[str]:
    del row, function
    return [*v.call(real), "    if (result == MPI_SUCCESS) begin_session();", *v.result()]


def finalize(row: Row, function: str, v: Values, real: str) -> list[str]:
    del row, function
    return ["    end_job();", *v.call(real), *v.result()]


def abort(row: Row, function: str, v: Values, real: str) -> list[str]:
    del row, function
    return ["    abort_job();", *v.call(real), *v.result()]


def control(row: Row, function: str, v: Values, real: str) -> list[str]:
    del row, function
    return [f"    control({v.value('level')}, {v.variadic_word()});", *v.call(real), *v.result()]


FAMILIES = {
    "send": send, "isend": isend, "send_init": send_init, "recv": recv, "irecv": irecv,
    "recv_init": recv_init, "sendrecv": sendrecv, "isendrecv": isendrecv, "mprobe": mprobe, "improbe": improbe,
    "mrecv": mrecv, "imrecv": imrecv, "start": start, "startall": startall, "wait": wait, "test": test,
    "waitall": waitall, "testall": testall, "waitany": waitany, "testany": testany, "waitsome": waitsome,
    "request_free": request_free, "other_request": other_request, "one_sided": one_sided, "collective": collective,
    "icollective": icollective, "collective_init": collective_init, "new_comm": new_comm,
    "new_comm_of_members": new_comm_of_members, "new_comm_alone": new_comm_alone, "icomm": icomm,
    "free_comm": free_comm, "free_type": free_type, "new_object": new_object, "free_object": free_object,
    "object_operation": object_operation, "init": init, "session": session, "finalize": finalize, "abort": abort,
    "control": control,
}  # fmt: skip
