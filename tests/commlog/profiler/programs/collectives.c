/* Every blocking collective, also with parts of different sizes and in place. */

#include "tests/commlog/profiler/programs/require.h"

enum { kMost = 4096 };

static int send[kMost], recv[kMost];

int main(int argc, char** argv) {
    int rank, size;
    MPI_Comm half;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const MPI_Comm world = MPI_COMM_WORLD;
    const int last = size - 1;
    int counts[64], places[64], other_counts[64], other_places[64];
    MPI_Datatype types[64];
    /* Rank i has i + 1 numbers, and rank 1 has none. */
    for (int i = 0, place = 0; i < size; ++i) {
        counts[i] = i == 1 ? 0 : i + 1;
        places[i] = place;
        place += counts[i];
        types[i] = i % 2 == 0 ? MPI_INT : MPI_SHORT;
    }
    for (int i = 0; i < kMost; ++i) send[i] = rank;

    MPI_Barrier(world);
    MPI_Bcast(recv, 11, MPI_INT, last, world);
    MPI_Bcast(recv, 0, MPI_INT, 0, world);
    MPI_Reduce(send, recv, 12, MPI_INT, MPI_SUM, last, world);
    MPI_Reduce(rank == 0 ? MPI_IN_PLACE : send, rank == 0 ? recv : NULL, 12, MPI_INT, MPI_SUM, 0, world);
    MPI_Allreduce(send, recv, 1, MPI_INT, MPI_SUM, world);
    require(recv[0] == size * (size - 1) / 2);
    MPI_Allreduce(MPI_IN_PLACE, recv, 100, MPI_INT, MPI_MAX, world);
    MPI_Scan(send, recv, 13, MPI_INT, MPI_SUM, world);
    MPI_Scan(MPI_IN_PLACE, recv, 13, MPI_INT, MPI_SUM, world);
    MPI_Exscan(send, recv, 14, MPI_INT, MPI_SUM, world);

    MPI_Gather(send, 15, MPI_INT, recv, 15, MPI_INT, last, world);
    if (rank == last) require(recv[0] == 0 && recv[15 * last] == last);
    MPI_Gather(rank == 0 ? MPI_IN_PLACE : send, 16, MPI_INT, recv, 16, MPI_INT, 0, world);
    MPI_Gatherv(send, counts[rank], MPI_INT, recv, counts, places, MPI_INT, 0, world);
    MPI_Gatherv(rank == 0 ? MPI_IN_PLACE : send, counts[rank], MPI_INT, recv, counts, places, MPI_INT, 0, world);
    MPI_Scatter(send, 17, MPI_INT, recv, 17, MPI_INT, last, world);
    require(recv[16] == last);
    MPI_Scatter(send, 18, MPI_INT, rank == 0 ? MPI_IN_PLACE : recv, 18, MPI_INT, 0, world);
    MPI_Scatterv(send, counts, places, MPI_INT, recv, counts[rank], MPI_INT, last, world);
    MPI_Scatterv(send, counts, places, MPI_INT, rank == 0 ? MPI_IN_PLACE : recv, counts[rank], MPI_INT, 0, world);

    /* Data sent as numbers of 4 bytes may be received as bytes. */
    MPI_Allgather(send, 3, MPI_INT, recv, 12, MPI_BYTE, world);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, recv, 20, MPI_INT, world);
    MPI_Allgatherv(send, counts[rank], MPI_INT, recv, counts, places, MPI_INT, world);
    require(size == 2 || recv[places[last]] == last);
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, recv, counts, places, MPI_INT, world);
    MPI_Alltoall(send, 21, MPI_INT, recv, 21, MPI_INT, world);
    MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, recv, 22, MPI_INT, world);
    /* Rank a sends b + 1 numbers to b, so each rank receives rank + 1 numbers from each other rank. */
    for (int i = 0; i < size; ++i) {
        other_counts[i] = counts[rank];
        other_places[i] = i * counts[rank];
    }
    MPI_Alltoallv(send, counts, places, MPI_INT, recv, other_counts, other_places, MPI_INT, world);
    for (int i = 0; i < size; ++i) {
        other_counts[i] = 5;
        other_places[i] = 5 * i;
    }
    MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, recv, other_counts, other_places, MPI_INT, world);
    MPI_Datatype here[64];
    for (int i = 0; i < size; ++i) {
        places[i] *= 4;
        other_counts[i] = counts[rank];
        other_places[i] = 4 * i * counts[rank];
        here[i] = types[rank];
    }
    MPI_Alltoallw(send, counts, places, types, recv, other_counts, other_places, here, world);
    MPI_Reduce_scatter(send, recv, counts, MPI_INT, MPI_SUM, world);
    MPI_Reduce_scatter_block(send, recv, 6, MPI_INT, MPI_SUM, world);
    MPI_Reduce_scatter_block(MPI_IN_PLACE, send, 6, MPI_INT, MPI_SUM, world);

    MPI_Comm_split(world, rank % 2, rank, &half);
    MPI_Allgather(send, 7, MPI_DOUBLE, recv, 7, MPI_DOUBLE, half);
    MPI_Bcast(recv, 8, MPI_DOUBLE, 0, half);
    MPI_Allreduce(send, recv, 9, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF);
    MPI_Comm_free(&half);
    MPI_Finalize();
    return 0;
}
