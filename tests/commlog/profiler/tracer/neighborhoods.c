#include "tests/commlog/profiler/tracer/tracer.h"

/* Neighbourhood collectives. Given bytes count once if all neighbours get the same data (allgather). Received bytes
 * count for all neighbours. */

static void neighbors_of(MPI_Comm comm, int* from, int* to) {
    int kind, weighted;
    PMPI_Topo_test(comm, &kind);
    if (kind == MPI_CART) {
        int dimensions;
        PMPI_Cartdim_get(comm, &dimensions);
        *from = 2 * dimensions;
        *to = 2 * dimensions;
    } else if (kind == MPI_DIST_GRAPH) {
        PMPI_Dist_graph_neighbors_count(comm, from, to, &weighted);
    } else {
        PMPI_Graph_neighbors_count(comm, rank_in(comm), from);
        *to = *from;
    }
}

int MPI_Neighbor_allgather(const void* send, int send_count, MPI_Datatype send_type, void* recv, int recv_count,
                           MPI_Datatype recv_type, MPI_Comm comm) {
    int from, to;
    neighbors_of(comm, &from, &to);
    trace_call("MPI_Neighbor_allgather");
    trace_given("MPI_Neighbor_allgather", bytes_of(send_count, send_type));
    trace_got("MPI_Neighbor_allgather", (Count)from * bytes_of(recv_count, recv_type));
    return PMPI_Neighbor_allgather(send, send_count, send_type, recv, recv_count, recv_type, comm);
}

int MPI_Neighbor_allgatherv(const void* send, int send_count, MPI_Datatype send_type, void* recv, const int counts[],
                            const int displacements[], MPI_Datatype recv_type, MPI_Comm comm) {
    int from, to;
    neighbors_of(comm, &from, &to);
    trace_call("MPI_Neighbor_allgatherv");
    trace_given("MPI_Neighbor_allgatherv", bytes_of(send_count, send_type));
    trace_got("MPI_Neighbor_allgatherv", bytes_of(sum(counts, from), recv_type));
    return PMPI_Neighbor_allgatherv(send, send_count, send_type, recv, counts, displacements, recv_type, comm);
}

int MPI_Neighbor_alltoall(const void* send, int send_count, MPI_Datatype send_type, void* recv, int recv_count,
                          MPI_Datatype recv_type, MPI_Comm comm) {
    int from, to;
    neighbors_of(comm, &from, &to);
    trace_call("MPI_Neighbor_alltoall");
    trace_given("MPI_Neighbor_alltoall", (Count)to * bytes_of(send_count, send_type));
    trace_got("MPI_Neighbor_alltoall", (Count)from * bytes_of(recv_count, recv_type));
    return PMPI_Neighbor_alltoall(send, send_count, send_type, recv, recv_count, recv_type, comm);
}

int MPI_Neighbor_alltoallv(const void* send, const int send_counts[], const int send_displacements[],
                           MPI_Datatype send_type, void* recv, const int recv_counts[], const int recv_displacements[],
                           MPI_Datatype recv_type, MPI_Comm comm) {
    int from, to;
    neighbors_of(comm, &from, &to);
    trace_call("MPI_Neighbor_alltoallv");
    trace_given("MPI_Neighbor_alltoallv", bytes_of(sum(send_counts, to), send_type));
    trace_got("MPI_Neighbor_alltoallv", bytes_of(sum(recv_counts, from), recv_type));
    return PMPI_Neighbor_alltoallv(send, send_counts, send_displacements, send_type, recv, recv_counts,
                                   recv_displacements, recv_type, comm);
}

int MPI_Ineighbor_alltoall(const void* send, int send_count, MPI_Datatype send_type, void* recv, int recv_count,
                           MPI_Datatype recv_type, MPI_Comm comm, MPI_Request* request) {
    int from, to;
    neighbors_of(comm, &from, &to);
    trace_call("MPI_Ineighbor_alltoall");
    trace_given("MPI_Ineighbor_alltoall", (Count)to * bytes_of(send_count, send_type));
    trace_got("MPI_Ineighbor_alltoall", (Count)from * bytes_of(recv_count, recv_type));
    return PMPI_Ineighbor_alltoall(send, send_count, send_type, recv, recv_count, recv_type, comm, request);
}

int MPI_Neighbor_alltoallw(const void* send, const int send_counts[], const MPI_Aint send_displacements[],
                           const MPI_Datatype send_types[], void* recv, const int recv_counts[],
                           const MPI_Aint recv_displacements[], const MPI_Datatype recv_types[], MPI_Comm comm) {
    int from, to;
    Count given = 0;
    Count got = 0;
    neighbors_of(comm, &from, &to);
    trace_call("MPI_Neighbor_alltoallw");
    for (int i = 0; i < to; ++i) given += bytes_of(send_counts[i], send_types[i]);
    for (int i = 0; i < from; ++i) got += bytes_of(recv_counts[i], recv_types[i]);
    trace_given("MPI_Neighbor_alltoallw", given);
    trace_got("MPI_Neighbor_alltoallw", got);
    return PMPI_Neighbor_alltoallw(send, send_counts, send_displacements, send_types, recv, recv_counts,
                                   recv_displacements, recv_types, comm);
}
