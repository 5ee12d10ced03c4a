/* All non-blocking collectives, several at once, completed in a different order than started. */

#include <string.h>

#include "tests/mgen/live/programs/require.h"

enum { kMostRanks = 64, kOperations = 17 };

static int rank, size;
static int in[kOperations][4 * kMostRanks], out[kOperations][4 * kMostRanks];
static int counts[kMostRanks], places[kMostRanks], byte_places[kMostRanks], twos[kMostRanks];
static MPI_Datatype types[kMostRanks];

static void begin(MPI_Comm comm, MPI_Request* requests) {
    const int root = size - 1;
    MPI_Ibarrier(comm, &requests[0]);
    MPI_Ibcast(in[1], 3, MPI_INT, root, comm, &requests[1]);
    MPI_Igather(out[2], 2, MPI_INT, in[2], 2, MPI_INT, root, comm, &requests[2]);
    MPI_Igatherv(out[3], counts[rank], MPI_INT, in[3], counts, places, MPI_INT, root, comm, &requests[3]);
    MPI_Iscatter(out[4], 2, MPI_INT, in[4], 2, MPI_INT, root, comm, &requests[4]);
    MPI_Iscatterv(out[5], counts, places, MPI_INT, in[5], counts[rank], MPI_INT, root, comm, &requests[5]);
    MPI_Iallgather(out[6], 2, MPI_INT, in[6], 2, MPI_INT, comm, &requests[6]);
    MPI_Iallgatherv(out[7], counts[rank], MPI_INT, in[7], counts, places, MPI_INT, comm, &requests[7]);
    MPI_Ialltoall(out[8], 2, MPI_INT, in[8], 2, MPI_INT, comm, &requests[8]);
    MPI_Ialltoallv(out[9], twos, places, MPI_INT, in[9], twos, places, MPI_INT, comm, &requests[9]);
    MPI_Ialltoallw(out[10], twos, byte_places, types, in[10], twos, byte_places, types, comm, &requests[10]);
    MPI_Ireduce(out[11], in[11], 4, MPI_INT, MPI_SUM, root, comm, &requests[11]);
    MPI_Iallreduce(out[12], in[12], 4, MPI_INT, MPI_MAX, comm, &requests[12]);
    MPI_Ireduce_scatter(out[13], in[13], counts, MPI_INT, MPI_SUM, comm, &requests[13]);
    MPI_Ireduce_scatter_block(out[14], in[14], 2, MPI_INT, MPI_SUM, comm, &requests[14]);
    MPI_Iscan(out[15], in[15], 2, MPI_INT, MPI_SUM, comm, &requests[15]);
    MPI_Iexscan(out[16], in[16], 2, MPI_INT, MPI_SUM, comm, &requests[16]);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    require(size <= kMostRanks);
    for (int i = 0; i < size; ++i) {
        counts[i] = 1 + i % 3;
        twos[i] = 2;
        places[i] = 4 * i;
        byte_places[i] = 16 * i;
        types[i] = MPI_INT;
    }
    MPI_Comm other;
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    for (int round = 0; round < 3; ++round) {
        MPI_Request requests[2 * kOperations];
        for (int operation = 0; operation < kOperations; ++operation) {
            for (int i = 0; i < 4 * kMostRanks; ++i) {
                out[operation][i] = 100000 * operation + 1000 * rank + i + round;
                in[operation][i] = -1;
            }
        }
        if (rank == size - 1) memcpy(in[1], out[1], sizeof in[1]);
        begin(round == 1 ? other : MPI_COMM_WORLD, requests);
        if (round == 0) {
            MPI_Waitall(kOperations, requests, MPI_STATUSES_IGNORE);
        } else if (round == 1) {
            for (int i = kOperations - 1; i >= 0; --i) MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
        } else {
            int done = 0;
            while (!done) MPI_Testall(kOperations, requests, &done, MPI_STATUSES_IGNORE);
        }
        for (int operation = 1; operation < kOperations; ++operation) {
            unsigned hash = 2166136261U;
            for (int i = 0; i < 4 * size; ++i) hash = (hash ^ (unsigned)in[operation][i]) * 16777619U;
            printf("round %d rank %d operation %d: %08x\n", round, rank, operation,
                   operation == 16 && rank == 0 ? 0 : hash); /* rank 0 of an exclusive scan has no result */
        }
    }
    MPI_Comm_free(&other);
    MPI_Finalize();
    return 0;
}
