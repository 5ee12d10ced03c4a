"""The semantics of MPI functions, one table entry each. generate_wrappers.py makes the C and Fortran wrappers from it.

An entry has the family of the function and the roles of its arguments in order; "_" has no role. A function without an
entry gets a wrapper that counts its calls and their time. Variants with large counts (MPI_x_c) use the entry of MPI_x.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Row:
    family: str
    roles: tuple[str, ...]
    # For sends, CallFlags. For functions that create communicators, OtherDetail. For one-sided operations, puts, gets
    # or both. For collectives, the operation and the function that computes the sizes.
    flags: str = "0"
    operation: str = "kOther"
    sizes: str = ""
    size_roles: tuple[str, ...] = field(default=())


ROWS: dict[str, Row] = {}


def add(names: str, family: str, roles: str, flags: str = "0") -> None:
    for name in names.split():
        ROWS["MPI_" + name] = Row(family, tuple(roles.split()), flags)


# Point-to-point functions.
add("Send Bsend Rsend", "send", "_ count type peer tag comm")
add("Ssend", "send", "_ count type peer tag comm", "kSynchronous")
add("Isend Ibsend Irsend", "isend", "_ count type peer tag comm request")
add("Issend", "isend", "_ count type peer tag comm request", "kSynchronous")
add("Send_init Bsend_init Rsend_init", "send_init", "_ count type peer tag comm request")
add("Ssend_init", "send_init", "_ count type peer tag comm request", "kSynchronous")
add("Recv", "recv", "_ _ _ source source_tag comm status")
add("Irecv", "irecv", "_ _ _ source source_tag comm request")
add("Recv_init", "recv_init", "_ _ _ source source_tag comm request")
add("Sendrecv", "sendrecv", "_ count type peer tag _ _ _ source source_tag comm status")
add("Sendrecv_replace", "sendrecv", "_ count type peer tag source source_tag comm status")
add("Isendrecv", "isendrecv", "_ count type peer tag _ _ _ source source_tag comm request")
add("Isendrecv_replace", "isendrecv", "_ count type peer tag source source_tag comm request")
add("Mprobe", "mprobe", "source source_tag comm message status")
add("Improbe", "improbe", "source source_tag comm flag message status")
add("Mrecv", "mrecv", "_ _ _ message status")
add("Imrecv", "imrecv", "_ _ _ message request")

# Functions that start or complete requests.
add("Start", "start", "request")
add("Startall", "startall", "request_count requests")
add("Wait", "wait", "request status")
add("Test", "test", "request flag status")
add("Waitall", "waitall", "request_count requests statuses")
add("Testall", "testall", "request_count requests flag statuses")
add("Waitany", "waitany", "request_count requests index status")
add("Testany", "testany", "request_count requests index flag status")
add("Waitsome Testsome", "waitsome", "request_count requests completed indices statuses")
add("Request_free", "request_free", "request")

# Functions that create requests whose contents are unknown.
add("Grequest_start", "other_request", "_ _ _ _ request")
add(
    "File_iread File_iwrite File_iread_shared File_iwrite_shared File_iread_all File_iwrite_all",
    "other_request",
    "_ _ _ _ request",
)
add("File_iread_at File_iwrite_at File_iread_at_all File_iwrite_at_all", "other_request", "_ _ _ _ _ request")


# One-sided operations, in which the caller writes to the target's memory (puts), reads from it (gets), or both.
add("Put", "one_sided", "_ count type peer _ _ _ object_value", "puts")
add("Rput", "one_sided", "_ count type peer _ _ _ object_value request", "puts")
add("Accumulate", "one_sided", "_ count type peer _ _ _ _ object_value", "puts")
add("Raccumulate", "one_sided", "_ count type peer _ _ _ _ object_value request", "puts")
add("Get", "one_sided", "_ count type peer _ _ _ object_value", "gets")
add("Rget", "one_sided", "_ count type peer _ _ _ object_value request", "gets")
add("Get_accumulate", "one_sided", "_ count type _ count2 type2 peer _ _ _ _ object_value", "both")
add("Rget_accumulate", "one_sided", "_ count type _ count2 type2 peer _ _ _ _ object_value request", "both")
add("Fetch_and_op", "one_sided", "_ _ type peer _ _ object_value", "both")
add("Compare_and_swap", "one_sided", "_ _ _ type peer _ object_value", "both")


def collective(name: str, operation: str, sizes: str, roles: str, size_roles: str) -> None:
    """Adds the blocking, the nonblocking and the persistent variant of a collective."""
    given = tuple(roles.split())
    wanted = tuple(size_roles.split())
    ROWS[f"MPI_{name}"] = Row("collective", given, "0", operation, sizes, wanted)
    ROWS[f"MPI_I{name.lower()}"] = Row("icollective", (*given, "request"), "0", operation, sizes, wanted)
    ROWS[f"MPI_{name}_init"] = Row("collective_init", (*given, "_", "request"), "0", operation, sizes, wanted)


collective("Barrier", "kBarrier", "", "comm", "")
collective("Bcast", "kBroadcast", "broadcast", "_ count type root comm", "count type root")
collective("Reduce", "kReduce", "reduce", "_ _ count type op root comm", "count type root")
collective("Allreduce", "kAllreduce", "allreduce", "_ _ count type op comm", "count type")
collective("Scan", "kScan", "allreduce", "_ _ count type op comm", "count type")
collective("Exscan", "kExscan", "exclusive_scan", "_ _ count type op comm", "count type")
collective(
    "Gather", "kGather", "gather", "place count type _ count2 type2 root comm", "place count type count2 type2 root"
)
collective(
    "Gatherv",
    "kGatherv",
    "gatherv",
    "place count type _ counts2 _ type2 root comm",
    "place count type counts2 type2 root",
)
collective(
    "Scatter", "kScatter", "scatter", "_ count type place count2 type2 root comm", "count type place count2 type2 root"
)
collective(
    "Scatterv",
    "kScatterv",
    "scatterv",
    "_ counts _ type place count2 type2 root comm",
    "counts type place count2 type2 root",
)
collective(
    "Allgather", "kAllgather", "allgather", "place count type _ count2 type2 comm", "place count type count2 type2"
)
collective(
    "Allgatherv",
    "kAllgatherv",
    "allgatherv",
    "place count type _ counts2 _ type2 comm",
    "place count type counts2 type2",
)
collective("Alltoall", "kAlltoall", "alltoall", "place count type _ count2 type2 comm", "place count type count2 type2")
collective(
    "Alltoallv",
    "kAlltoallv",
    "alltoallv",
    "place counts _ type _ counts2 _ type2 comm",
    "place counts type counts2 type2",
)
collective(
    "Alltoallw",
    "kAlltoallw",
    "alltoallw",
    "place counts _ types _ counts2 _ types2 comm",
    "place counts types counts2 types2",
)
collective(
    "Reduce_scatter_block",
    "kReduceScatterBlock",
    "reduce_scatter_block",
    "_ _ count type op comm",
    "count type",
)
collective("Reduce_scatter", "kReduceScatter", "reduce_scatter", "_ _ counts type op comm", "counts type")
collective(
    "Neighbor_allgather",
    "kNeighbor",
    "neighbor_allgather",
    "_ count type _ count2 type2 comm",
    "count type count2 type2",
)
collective(
    "Neighbor_allgatherv",
    "kNeighbor",
    "neighbor_allgatherv",
    "_ count type _ counts2 _ type2 comm",
    "count type counts2 type2",
)
collective(
    "Neighbor_alltoall", "kNeighbor", "neighbor_alltoall", "_ count type _ count2 type2 comm", "count type count2 type2"
)
collective(
    "Neighbor_alltoallv",
    "kNeighbor",
    "neighbor_alltoallv",
    "_ counts _ type _ counts2 _ type2 comm",
    "counts type counts2 type2",
)
collective(
    "Neighbor_alltoallw",
    "kNeighbor",
    "neighbor_alltoallw",
    "_ counts _ types _ counts2 _ types2 comm",
    "counts types counts2 types2",
)

# Functions that create communicators. A function with the role "parent" is collective over that communicator.
add("Comm_dup", "new_comm", "parent new_comm", "kAgrees")
add("Comm_dup_with_info", "new_comm", "parent _ new_comm", "kAgrees")
add("Comm_create", "new_comm", "parent _ new_comm", "kAgrees")
add("Comm_split", "new_comm", "parent _ _ new_comm", "kSplits")
add("Comm_split_type", "new_comm", "parent _ _ _ new_comm", "kSplits")
add("Cart_create", "new_comm", "parent _ _ _ _ new_comm", "kAgrees")
add("Cart_sub", "new_comm", "parent _ new_comm", "kSplits")
add("Graph_create", "new_comm", "parent _ _ _ _ new_comm", "kAgrees")
add("Dist_graph_create", "new_comm", "parent _ _ _ _ _ _ _ new_comm")
add("Dist_graph_create_adjacent", "new_comm", "parent _ _ _ _ _ _ _ _ new_comm", "kAgrees")
add("Intercomm_create", "new_comm", "parent _ _ _ _ new_comm")
add("Intercomm_merge", "new_comm", "parent _ new_comm")
add("Comm_accept Comm_connect", "new_comm", "_ _ _ parent new_comm")
add("Comm_spawn", "new_comm", "_ _ _ _ _ parent new_comm _")
add("Comm_spawn_multiple", "new_comm", "_ _ _ _ _ _ parent new_comm _")
# Functions that only the members of the new communicator call.
add("Comm_create_group", "new_comm_of_members", "parent _ _ new_comm", "kAgrees")
add("Comm_create_from_group", "new_comm_alone", "_ _ _ _ new_comm")
add("Intercomm_create_from_groups", "new_comm_alone", "_ _ _ _ _ _ _ new_comm")
add("Comm_join", "new_comm_alone", "_ new_comm")
add("Comm_idup", "icomm", "parent new_comm request")
add("Comm_idup_with_info", "icomm", "parent _ new_comm request")
add("Comm_free Comm_disconnect", "free_comm", "comm_variable")

# Type handles may be reused after this call.
add("Type_free", "free_type", "_")

# Windows and files: these operations are collective over their communicator.
add("Win_create", "new_object", "_ _ _ _ comm object")
add("Win_allocate Win_allocate_shared", "new_object", "_ _ _ comm _ object")
add("Win_create_dynamic", "new_object", "_ comm object")
add("File_open", "new_object", "comm _ _ _ object")
add("Win_free File_close", "free_object", "object")
add("Win_fence", "object_operation", "_ object_value")
add("File_set_view", "object_operation", "object_value _ _ _ _ _")
add("File_set_size File_preallocate File_set_atomicity", "object_operation", "object_value _")
add("File_sync", "object_operation", "object_value")
add("File_read_all File_write_all File_read_ordered File_write_ordered", "object_operation", "object_value _ _ _ _")
add("File_read_at_all File_write_at_all", "object_operation", "object_value _ _ _ _ _")

# Job functions, whose wrappers act whether or not the profiler records.
JOB_FAMILIES = ("init", "session", "finalize", "abort", "control")
add("Init", "init", "_ _")
add("Init_thread", "init", "_ _ _ _")
add("Session_init", "session", "_ _ session")
add("Finalize", "finalize", "")
add("Abort", "abort", "_ _")
add("Pcontrol", "control", "level")


def row_of(name: str) -> Row | None:
    if name in ROWS:
        return ROWS[name]
    return ROWS.get(name[:-2]) if name.endswith("_c") else None
