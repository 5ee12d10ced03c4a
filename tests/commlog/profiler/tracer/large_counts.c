#include "tests/commlog/profiler/tracer/tracer.h"

#if MPI_VERSION >= 4

/* Functions of MPI 4.0: counts of 64 bits, exchanges with one request, persistent collectives. */

int MPI_Send_c(const void* buffer, MPI_Count count, MPI_Datatype type, int peer, int tag, MPI_Comm comm) {
    trace_call("MPI_Send_c");
    trace_send("MPI_Send_c", peer, comm, bytes_of((Count)count, type));
    return PMPI_Send_c(buffer, count, type, peer, tag, comm);
}

int MPI_Recv_c(void* buffer, MPI_Count count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Status* status) {
    MPI_Status own;
    if (status == MPI_STATUS_IGNORE) status = &own;
    trace_call("MPI_Recv_c");
    int error = PMPI_Recv_c(buffer, count, type, peer, tag, comm, status);
    trace_receive("MPI_Recv_c", comm, status);
    return error;
}

int MPI_Isend_c(const void* buffer, MPI_Count count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
                MPI_Request* request) {
    trace_call("MPI_Isend_c");
    trace_send("MPI_Isend_c", peer, comm, bytes_of((Count)count, type));
    return PMPI_Isend_c(buffer, count, type, peer, tag, comm, request);
}

int MPI_Irecv_c(void* buffer, MPI_Count count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
                MPI_Request* request) {
    trace_call("MPI_Irecv_c");
    int error = PMPI_Irecv_c(buffer, count, type, peer, tag, comm, request);
    if (peer != MPI_PROC_NULL) open_receive("MPI_Irecv_c", *request, comm);
    return error;
}

int MPI_Sendrecv_c(const void* send_buffer, MPI_Count send_count, MPI_Datatype send_type, int to, int send_tag,
                   void* buffer, MPI_Count count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                   MPI_Status* status) {
    MPI_Status own;
    if (status == MPI_STATUS_IGNORE) status = &own;
    trace_call("MPI_Sendrecv_c");
    trace_send("MPI_Sendrecv_c", to, comm, bytes_of((Count)send_count, send_type));
    int error =
        PMPI_Sendrecv_c(send_buffer, send_count, send_type, to, send_tag, buffer, count, type, from, tag, comm, status);
    trace_receive("MPI_Sendrecv_c", comm, status);
    return error;
}

int MPI_Isendrecv(const void* send_buffer, int send_count, MPI_Datatype send_type, int to, int send_tag, void* buffer,
                  int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request* request) {
    trace_call("MPI_Isendrecv");
    trace_send("MPI_Isendrecv", to, comm, bytes_of((Count)send_count, send_type));
    int error =
        PMPI_Isendrecv(send_buffer, send_count, send_type, to, send_tag, buffer, count, type, from, tag, comm, request);
    if (from != MPI_PROC_NULL) open_receive("MPI_Isendrecv", *request, comm);
    return error;
}

int MPI_Send_init_c(const void* buffer, MPI_Count count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
                    MPI_Request* request) {
    trace_call("MPI_Send_init_c");
    int error = PMPI_Send_init_c(buffer, count, type, peer, tag, comm, request);
    open_persistent(*request, 0, peer, comm, bytes_of((Count)count, type));
    return error;
}

int MPI_Recv_init_c(void* buffer, MPI_Count count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
                    MPI_Request* request) {
    trace_call("MPI_Recv_init_c");
    int error = PMPI_Recv_init_c(buffer, count, type, peer, tag, comm, request);
    open_persistent(*request, 1, peer, comm, bytes_of((Count)count, type));
    return error;
}

int MPI_Bcast_c(void* buffer, MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm) {
    trace_call("MPI_Bcast_c");
    if (is_root(root, comm)) {
        trace_given("MPI_Bcast_c", bytes_of((Count)count, type));
    } else {
        trace_got("MPI_Bcast_c", bytes_of((Count)count, type));
    }
    return PMPI_Bcast_c(buffer, count, type, root, comm);
}

int MPI_Allreduce_c(const void* send, void* recv, MPI_Count count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    trace_call("MPI_Allreduce_c");
    trace_given("MPI_Allreduce_c", bytes_of((Count)count, type));
    trace_got("MPI_Allreduce_c", bytes_of((Count)count, type));
    return PMPI_Allreduce_c(send, recv, count, type, op, comm);
}

int MPI_Allgather_c(const void* send, MPI_Count send_count, MPI_Datatype send_type, void* recv, MPI_Count recv_count,
                    MPI_Datatype recv_type, MPI_Comm comm) {
    trace_call("MPI_Allgather_c");
    trace_given("MPI_Allgather_c", bytes_of((Count)send_count, send_type));
    trace_got("MPI_Allgather_c", (Count)peers_of(comm) * bytes_of((Count)recv_count, recv_type));
    return PMPI_Allgather_c(send, send_count, send_type, recv, recv_count, recv_type, comm);
}

int MPI_Alltoallv_c(const void* send, const MPI_Count send_counts[], const MPI_Aint send_displacements[],
                    MPI_Datatype send_type, void* recv, const MPI_Count recv_counts[],
                    const MPI_Aint recv_displacements[], MPI_Datatype recv_type, MPI_Comm comm) {
    const int n = peers_of(comm);
    Count given = 0;
    Count got = 0;
    trace_call("MPI_Alltoallv_c");
    for (int i = 0; i < n; ++i) {
        given += bytes_of((Count)send_counts[i], send_type);
        got += bytes_of((Count)recv_counts[i], recv_type);
    }
    trace_given("MPI_Alltoallv_c", given);
    trace_got("MPI_Alltoallv_c", got);
    return PMPI_Alltoallv_c(send, send_counts, send_displacements, send_type, recv, recv_counts, recv_displacements,
                            recv_type, comm);
}

int MPI_Type_contiguous_c(MPI_Count count, MPI_Datatype type, MPI_Datatype* created) {
    trace_call("MPI_Type_contiguous_c");
    return PMPI_Type_contiguous_c(count, type, created);
}

int MPI_Get_count_c(const MPI_Status* status, MPI_Datatype type, MPI_Count* count) {
    trace_call("MPI_Get_count_c");
    return PMPI_Get_count_c(status, type, count);
}

int MPI_Type_size_c(MPI_Datatype type, MPI_Count* size) {
    trace_call("MPI_Type_size_c");
    return PMPI_Type_size_c(type, size);
}

/* Persistent collectives are counted at each start, under the function that starts them. */

int MPI_Allreduce_init(const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                       MPI_Info info, MPI_Request* request) {
    trace_call("MPI_Allreduce_init");
    int error = PMPI_Allreduce_init(send, recv, count, type, op, comm, info, request);
    open_persistent_collective(*request, bytes_of((Count)count, type), bytes_of((Count)count, type));
    return error;
}

#endif
