#include "tests/commlog/profiler/tracer/tracer.h"

/* Nonblocking collectives count when they are called, not when they complete. */

int MPI_Ibarrier(MPI_Comm comm, MPI_Request* request) {
    trace_call("MPI_Ibarrier");
    return PMPI_Ibarrier(comm, request);
}

int MPI_Ibcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request* request) {
    trace_call("MPI_Ibcast");
    if (root != MPI_PROC_NULL) {
        if (is_root(root, comm)) {
            trace_given("MPI_Ibcast", bytes_of(count, type));
        } else {
            trace_got("MPI_Ibcast", bytes_of(count, type));
        }
    }
    return PMPI_Ibcast(buffer, count, type, root, comm, request);
}

int MPI_Ireduce(const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm,
                MPI_Request* request) {
    trace_call("MPI_Ireduce");
    trace_given("MPI_Ireduce", bytes_of(count, type));
    if (is_root(root, comm)) trace_got("MPI_Ireduce", bytes_of(count, type));
    return PMPI_Ireduce(send, recv, count, type, op, root, comm, request);
}

int MPI_Iallreduce(const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                   MPI_Request* request) {
    trace_call("MPI_Iallreduce");
    trace_given("MPI_Iallreduce", bytes_of(count, type));
    trace_got("MPI_Iallreduce", bytes_of(count, type));
    return PMPI_Iallreduce(send, recv, count, type, op, comm, request);
}

int MPI_Iscan(const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
              MPI_Request* request) {
    trace_call("MPI_Iscan");
    trace_given("MPI_Iscan", bytes_of(count, type));
    trace_got("MPI_Iscan", bytes_of(count, type));
    return PMPI_Iscan(send, recv, count, type, op, comm, request);
}

int MPI_Iexscan(const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                MPI_Request* request) {
    trace_call("MPI_Iexscan");
    trace_given("MPI_Iexscan", bytes_of(count, type));
    if (rank_in(comm) != 0) trace_got("MPI_Iexscan", bytes_of(count, type));
    return PMPI_Iexscan(send, recv, count, type, op, comm, request);
}

int MPI_Igather(const void* send, int send_count, MPI_Datatype send_type, void* recv, int recv_count,
                MPI_Datatype recv_type, int root, MPI_Comm comm, MPI_Request* request) {
    trace_call("MPI_Igather");
    if (send == MPI_IN_PLACE) {
        trace_given("MPI_Igather", bytes_of(recv_count, recv_type));
    } else {
        trace_given("MPI_Igather", bytes_of(send_count, send_type));
    }
    if (is_root(root, comm)) trace_got("MPI_Igather", (Count)peers_of(comm) * bytes_of(recv_count, recv_type));
    return PMPI_Igather(send, send_count, send_type, recv, recv_count, recv_type, root, comm, request);
}

int MPI_Igatherv(const void* send, int send_count, MPI_Datatype send_type, void* recv, const int counts[],
                 const int displacements[], MPI_Datatype recv_type, int root, MPI_Comm comm, MPI_Request* request) {
    trace_call("MPI_Igatherv");
    if (send == MPI_IN_PLACE) {
        trace_given("MPI_Igatherv", bytes_of(counts[rank_in(comm)], recv_type));
    } else {
        trace_given("MPI_Igatherv", bytes_of(send_count, send_type));
    }
    if (is_root(root, comm)) trace_got("MPI_Igatherv", bytes_of(sum(counts, peers_of(comm)), recv_type));
    return PMPI_Igatherv(send, send_count, send_type, recv, counts, displacements, recv_type, root, comm, request);
}

int MPI_Iscatter(const void* send, int send_count, MPI_Datatype send_type, void* recv, int recv_count,
                 MPI_Datatype recv_type, int root, MPI_Comm comm, MPI_Request* request) {
    trace_call("MPI_Iscatter");
    if (is_root(root, comm)) trace_given("MPI_Iscatter", (Count)peers_of(comm) * bytes_of(send_count, send_type));
    if (recv == MPI_IN_PLACE) {
        trace_got("MPI_Iscatter", bytes_of(send_count, send_type));
    } else {
        trace_got("MPI_Iscatter", bytes_of(recv_count, recv_type));
    }
    return PMPI_Iscatter(send, send_count, send_type, recv, recv_count, recv_type, root, comm, request);
}

int MPI_Iscatterv(const void* send, const int counts[], const int displacements[], MPI_Datatype send_type, void* recv,
                  int recv_count, MPI_Datatype recv_type, int root, MPI_Comm comm, MPI_Request* request) {
    trace_call("MPI_Iscatterv");
    if (is_root(root, comm)) trace_given("MPI_Iscatterv", bytes_of(sum(counts, peers_of(comm)), send_type));
    if (recv == MPI_IN_PLACE) {
        trace_got("MPI_Iscatterv", bytes_of(counts[rank_in(comm)], send_type));
    } else {
        trace_got("MPI_Iscatterv", bytes_of(recv_count, recv_type));
    }
    return PMPI_Iscatterv(send, counts, displacements, send_type, recv, recv_count, recv_type, root, comm, request);
}

int MPI_Iallgather(const void* send, int send_count, MPI_Datatype send_type, void* recv, int recv_count,
                   MPI_Datatype recv_type, MPI_Comm comm, MPI_Request* request) {
    trace_call("MPI_Iallgather");
    if (send == MPI_IN_PLACE) {
        trace_given("MPI_Iallgather", bytes_of(recv_count, recv_type));
    } else {
        trace_given("MPI_Iallgather", bytes_of(send_count, send_type));
    }
    trace_got("MPI_Iallgather", (Count)peers_of(comm) * bytes_of(recv_count, recv_type));
    return PMPI_Iallgather(send, send_count, send_type, recv, recv_count, recv_type, comm, request);
}

int MPI_Iallgatherv(const void* send, int send_count, MPI_Datatype send_type, void* recv, const int counts[],
                    const int displacements[], MPI_Datatype recv_type, MPI_Comm comm, MPI_Request* request) {
    trace_call("MPI_Iallgatherv");
    if (send == MPI_IN_PLACE) {
        trace_given("MPI_Iallgatherv", bytes_of(counts[rank_in(comm)], recv_type));
    } else {
        trace_given("MPI_Iallgatherv", bytes_of(send_count, send_type));
    }
    trace_got("MPI_Iallgatherv", bytes_of(sum(counts, peers_of(comm)), recv_type));
    return PMPI_Iallgatherv(send, send_count, send_type, recv, counts, displacements, recv_type, comm, request);
}

int MPI_Ialltoall(const void* send, int send_count, MPI_Datatype send_type, void* recv, int recv_count,
                  MPI_Datatype recv_type, MPI_Comm comm, MPI_Request* request) {
    const Count n = (Count)peers_of(comm);
    trace_call("MPI_Ialltoall");
    if (send == MPI_IN_PLACE) {
        trace_given("MPI_Ialltoall", n * bytes_of(recv_count, recv_type));
    } else {
        trace_given("MPI_Ialltoall", n * bytes_of(send_count, send_type));
    }
    trace_got("MPI_Ialltoall", n * bytes_of(recv_count, recv_type));
    return PMPI_Ialltoall(send, send_count, send_type, recv, recv_count, recv_type, comm, request);
}

int MPI_Ialltoallv(const void* send, const int send_counts[], const int send_displacements[], MPI_Datatype send_type,
                   void* recv, const int recv_counts[], const int recv_displacements[], MPI_Datatype recv_type,
                   MPI_Comm comm, MPI_Request* request) {
    const int n = peers_of(comm);
    trace_call("MPI_Ialltoallv");
    if (send == MPI_IN_PLACE) {
        trace_given("MPI_Ialltoallv", bytes_of(sum(recv_counts, n), recv_type));
    } else {
        trace_given("MPI_Ialltoallv", bytes_of(sum(send_counts, n), send_type));
    }
    trace_got("MPI_Ialltoallv", bytes_of(sum(recv_counts, n), recv_type));
    return PMPI_Ialltoallv(send, send_counts, send_displacements, send_type, recv, recv_counts, recv_displacements,
                           recv_type, comm, request);
}

int MPI_Ialltoallw(const void* send, const int send_counts[], const int send_displacements[],
                   const MPI_Datatype send_types[], void* recv, const int recv_counts[], const int recv_displacements[],
                   const MPI_Datatype recv_types[], MPI_Comm comm, MPI_Request* request) {
    const int n = peers_of(comm);
    Count given = 0;
    Count got = 0;
    trace_call("MPI_Ialltoallw");
    for (int i = 0; i < n; ++i) {
        got += bytes_of(recv_counts[i], recv_types[i]);
        if (send != MPI_IN_PLACE) given += bytes_of(send_counts[i], send_types[i]);
    }
    trace_given("MPI_Ialltoallw", send == MPI_IN_PLACE ? got : given);
    trace_got("MPI_Ialltoallw", got);
    return PMPI_Ialltoallw(send, send_counts, send_displacements, send_types, recv, recv_counts, recv_displacements,
                           recv_types, comm, request);
}

int MPI_Ireduce_scatter(const void* send, void* recv, const int counts[], MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                        MPI_Request* request) {
    int n;
    PMPI_Comm_size(comm, &n);
    trace_call("MPI_Ireduce_scatter");
    trace_given("MPI_Ireduce_scatter", bytes_of(sum(counts, n), type));
    trace_got("MPI_Ireduce_scatter", bytes_of(counts[rank_in(comm)], type));
    return PMPI_Ireduce_scatter(send, recv, counts, type, op, comm, request);
}

int MPI_Ireduce_scatter_block(const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                              MPI_Request* request) {
    int n;
    PMPI_Comm_size(comm, &n);
    trace_call("MPI_Ireduce_scatter_block");
    trace_given("MPI_Ireduce_scatter_block", (Count)n * bytes_of(count, type));
    trace_got("MPI_Ireduce_scatter_block", bytes_of(count, type));
    return PMPI_Ireduce_scatter_block(send, recv, count, type, op, comm, request);
}
