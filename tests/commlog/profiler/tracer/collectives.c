#include "tests/commlog/profiler/tracer/tracer.h"

/* Blocking collectives. */

int MPI_Barrier(MPI_Comm comm) {
    trace_call("MPI_Barrier");
    return PMPI_Barrier(comm);
}

int MPI_Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
    trace_call("MPI_Bcast");
    if (root != MPI_PROC_NULL) {
        if (is_root(root, comm)) {
            trace_given("MPI_Bcast", bytes_of(count, type));
        } else {
            trace_got("MPI_Bcast", bytes_of(count, type));
        }
    }
    return PMPI_Bcast(buffer, count, type, root, comm);
}

int MPI_Reduce(const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
    trace_call("MPI_Reduce");
    trace_given("MPI_Reduce", bytes_of(count, type));
    if (is_root(root, comm)) trace_got("MPI_Reduce", bytes_of(count, type));
    return PMPI_Reduce(send, recv, count, type, op, root, comm);
}

int MPI_Allreduce(const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    trace_call("MPI_Allreduce");
    trace_given("MPI_Allreduce", bytes_of(count, type));
    trace_got("MPI_Allreduce", bytes_of(count, type));
    return PMPI_Allreduce(send, recv, count, type, op, comm);
}

int MPI_Scan(const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    trace_call("MPI_Scan");
    trace_given("MPI_Scan", bytes_of(count, type));
    trace_got("MPI_Scan", bytes_of(count, type));
    return PMPI_Scan(send, recv, count, type, op, comm);
}

int MPI_Exscan(const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    trace_call("MPI_Exscan");
    trace_given("MPI_Exscan", bytes_of(count, type));
    if (rank_in(comm) != 0) trace_got("MPI_Exscan", bytes_of(count, type)); /* rank 0 receives nothing */
    return PMPI_Exscan(send, recv, count, type, op, comm);
}

int MPI_Gather(const void* send, int send_count, MPI_Datatype send_type, void* recv, int recv_count,
               MPI_Datatype recv_type, int root, MPI_Comm comm) {
    trace_call("MPI_Gather");
    if (send == MPI_IN_PLACE) {
        trace_given("MPI_Gather", bytes_of(recv_count, recv_type));
    } else {
        trace_given("MPI_Gather", bytes_of(send_count, send_type));
    }
    if (is_root(root, comm)) trace_got("MPI_Gather", (Count)peers_of(comm) * bytes_of(recv_count, recv_type));
    return PMPI_Gather(send, send_count, send_type, recv, recv_count, recv_type, root, comm);
}

int MPI_Gatherv(const void* send, int send_count, MPI_Datatype send_type, void* recv, const int counts[],
                const int displacements[], MPI_Datatype recv_type, int root, MPI_Comm comm) {
    trace_call("MPI_Gatherv");
    if (send == MPI_IN_PLACE) {
        trace_given("MPI_Gatherv", bytes_of(counts[rank_in(comm)], recv_type));
    } else {
        trace_given("MPI_Gatherv", bytes_of(send_count, send_type));
    }
    if (is_root(root, comm)) trace_got("MPI_Gatherv", bytes_of(sum(counts, peers_of(comm)), recv_type));
    return PMPI_Gatherv(send, send_count, send_type, recv, counts, displacements, recv_type, root, comm);
}

int MPI_Scatter(const void* send, int send_count, MPI_Datatype send_type, void* recv, int recv_count,
                MPI_Datatype recv_type, int root, MPI_Comm comm) {
    trace_call("MPI_Scatter");
    if (is_root(root, comm)) trace_given("MPI_Scatter", (Count)peers_of(comm) * bytes_of(send_count, send_type));
    if (recv == MPI_IN_PLACE) {
        trace_got("MPI_Scatter", bytes_of(send_count, send_type));
    } else {
        trace_got("MPI_Scatter", bytes_of(recv_count, recv_type));
    }
    return PMPI_Scatter(send, send_count, send_type, recv, recv_count, recv_type, root, comm);
}

int MPI_Scatterv(const void* send, const int counts[], const int displacements[], MPI_Datatype send_type, void* recv,
                 int recv_count, MPI_Datatype recv_type, int root, MPI_Comm comm) {
    trace_call("MPI_Scatterv");
    if (is_root(root, comm)) trace_given("MPI_Scatterv", bytes_of(sum(counts, peers_of(comm)), send_type));
    if (recv == MPI_IN_PLACE) {
        trace_got("MPI_Scatterv", bytes_of(counts[rank_in(comm)], send_type));
    } else {
        trace_got("MPI_Scatterv", bytes_of(recv_count, recv_type));
    }
    return PMPI_Scatterv(send, counts, displacements, send_type, recv, recv_count, recv_type, root, comm);
}

int MPI_Allgather(const void* send, int send_count, MPI_Datatype send_type, void* recv, int recv_count,
                  MPI_Datatype recv_type, MPI_Comm comm) {
    trace_call("MPI_Allgather");
    if (send == MPI_IN_PLACE) {
        trace_given("MPI_Allgather", bytes_of(recv_count, recv_type));
    } else {
        trace_given("MPI_Allgather", bytes_of(send_count, send_type));
    }
    trace_got("MPI_Allgather", (Count)peers_of(comm) * bytes_of(recv_count, recv_type));
    return PMPI_Allgather(send, send_count, send_type, recv, recv_count, recv_type, comm);
}

int MPI_Allgatherv(const void* send, int send_count, MPI_Datatype send_type, void* recv, const int counts[],
                   const int displacements[], MPI_Datatype recv_type, MPI_Comm comm) {
    trace_call("MPI_Allgatherv");
    if (send == MPI_IN_PLACE) {
        trace_given("MPI_Allgatherv", bytes_of(counts[rank_in(comm)], recv_type));
    } else {
        trace_given("MPI_Allgatherv", bytes_of(send_count, send_type));
    }
    trace_got("MPI_Allgatherv", bytes_of(sum(counts, peers_of(comm)), recv_type));
    return PMPI_Allgatherv(send, send_count, send_type, recv, counts, displacements, recv_type, comm);
}

int MPI_Alltoall(const void* send, int send_count, MPI_Datatype send_type, void* recv, int recv_count,
                 MPI_Datatype recv_type, MPI_Comm comm) {
    const Count n = (Count)peers_of(comm);
    trace_call("MPI_Alltoall");
    if (send == MPI_IN_PLACE) {
        trace_given("MPI_Alltoall", n * bytes_of(recv_count, recv_type));
    } else {
        trace_given("MPI_Alltoall", n * bytes_of(send_count, send_type));
    }
    trace_got("MPI_Alltoall", n * bytes_of(recv_count, recv_type));
    return PMPI_Alltoall(send, send_count, send_type, recv, recv_count, recv_type, comm);
}

int MPI_Alltoallv(const void* send, const int send_counts[], const int send_displacements[], MPI_Datatype send_type,
                  void* recv, const int recv_counts[], const int recv_displacements[], MPI_Datatype recv_type,
                  MPI_Comm comm) {
    const int n = peers_of(comm);
    trace_call("MPI_Alltoallv");
    if (send == MPI_IN_PLACE) {
        trace_given("MPI_Alltoallv", bytes_of(sum(recv_counts, n), recv_type));
    } else {
        trace_given("MPI_Alltoallv", bytes_of(sum(send_counts, n), send_type));
    }
    trace_got("MPI_Alltoallv", bytes_of(sum(recv_counts, n), recv_type));
    return PMPI_Alltoallv(send, send_counts, send_displacements, send_type, recv, recv_counts, recv_displacements,
                          recv_type, comm);
}

int MPI_Alltoallw(const void* send, const int send_counts[], const int send_displacements[],
                  const MPI_Datatype send_types[], void* recv, const int recv_counts[], const int recv_displacements[],
                  const MPI_Datatype recv_types[], MPI_Comm comm) {
    const int n = peers_of(comm);
    Count given = 0;
    Count got = 0;
    trace_call("MPI_Alltoallw");
    for (int i = 0; i < n; ++i) {
        got += bytes_of(recv_counts[i], recv_types[i]);
        if (send != MPI_IN_PLACE) given += bytes_of(send_counts[i], send_types[i]);
    }
    trace_given("MPI_Alltoallw", send == MPI_IN_PLACE ? got : given);
    trace_got("MPI_Alltoallw", got);
    return PMPI_Alltoallw(send, send_counts, send_displacements, send_types, recv, recv_counts, recv_displacements,
                          recv_types, comm);
}

int MPI_Reduce_scatter(const void* send, void* recv, const int counts[], MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    int n;
    PMPI_Comm_size(comm, &n);
    trace_call("MPI_Reduce_scatter");
    trace_given("MPI_Reduce_scatter", bytes_of(sum(counts, n), type));
    trace_got("MPI_Reduce_scatter", bytes_of(counts[rank_in(comm)], type));
    return PMPI_Reduce_scatter(send, recv, counts, type, op, comm);
}

int MPI_Reduce_scatter_block(const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    int n;
    PMPI_Comm_size(comm, &n);
    trace_call("MPI_Reduce_scatter_block");
    trace_given("MPI_Reduce_scatter_block", (Count)n * bytes_of(count, type));
    trace_got("MPI_Reduce_scatter_block", bytes_of(count, type));
    return PMPI_Reduce_scatter_block(send, recv, count, type, op, comm);
}
