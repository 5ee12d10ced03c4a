/* Neighbourhood collectives on a grid with borders and on a directed graph. */

#include "tests/commlog/profiler/programs/require.h"

static int send[1024], recv[1024];

int main(int argc, char** argv) {
    int rank, size;
    MPI_Comm grid, graph;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    int sizes[2] = {0, 0};
    const int periods[2] = {0, 1};
    MPI_Dims_create(size, 2, sizes);
    MPI_Cart_create(MPI_COMM_WORLD, 2, sizes, periods, 0, &grid);
    MPI_Neighbor_allgather(send, 3, MPI_INT, recv, 3, MPI_INT, grid);
    MPI_Neighbor_alltoall(send, 4, MPI_INT, recv, 4, MPI_INT, grid);
    MPI_Ineighbor_alltoall(send, 5, MPI_INT, recv, 5, MPI_INT, grid, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_free(&grid);

    /* Every rank sends rank + 1 numbers to the next rank and to rank 0. Rank 0 receives from all. */
    int from[65], to[2] = {(rank + 1) % size, 0};
    int in = 0;
    from[in++] = (rank + size - 1) % size;
    if (rank == 0) {
        for (int i = 0; i < size; ++i) from[in++] = i;
    }
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, in, from, MPI_UNWEIGHTED, 2, to, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                   &graph);
    int send_counts[2] = {rank + 1, rank + 1}, send_places[2] = {0, rank + 1}, recv_counts[65], recv_places[65];
    MPI_Aint send_bytes[2] = {0, 4 * (rank + 1)}, recv_bytes[65];
    MPI_Datatype send_types[2] = {MPI_INT, MPI_INT}, recv_types[65];
    for (int i = 0, place = 0; i < in; ++i) {
        recv_counts[i] = from[i] + 1;
        recv_places[i] = place;
        recv_bytes[i] = 4 * place;
        recv_types[i] = MPI_INT;
        place += recv_counts[i];
    }
    MPI_Neighbor_allgatherv(send, rank + 1, MPI_INT, recv, recv_counts, recv_places, MPI_INT, graph);
    MPI_Neighbor_alltoallv(send, send_counts, send_places, MPI_INT, recv, recv_counts, recv_places, MPI_INT, graph);
    MPI_Neighbor_alltoallw(send, send_counts, send_bytes, send_types, recv, recv_counts, recv_bytes, recv_types, graph);
    MPI_Comm_free(&graph);
    MPI_Finalize();
    return 0;
}
