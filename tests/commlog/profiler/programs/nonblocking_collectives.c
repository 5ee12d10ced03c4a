/* Every nonblocking collective; several at once, completed together and one by one. */

#include "tests/commlog/profiler/programs/require.h"

enum { kMost = 4096, kOperations = 17 };

static int send[kMost], recv[kOperations][kMost];

int main(int argc, char** argv) {
    int rank, size, index, flag;
    MPI_Request requests[kOperations + 2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const MPI_Comm world = MPI_COMM_WORLD;
    const int last = size - 1;
    int counts[64], places[64], other_counts[64], other_places[64], byte_places[64], other_byte_places[64];
    MPI_Datatype types[64];
    for (int i = 0, place = 0; i < size; ++i) {
        counts[i] = 2 * i + 1;
        places[i] = place;
        place += counts[i];
        other_counts[i] = 2 * rank + 1;
        other_places[i] = i * (2 * rank + 1);
        byte_places[i] = 4 * places[i];
        other_byte_places[i] = 4 * other_places[i];
        types[i] = MPI_INT;
    }
    for (int i = 0; i < kMost; ++i) send[i] = rank;

    for (int round = 0; round < 3; ++round) {
        int k = 0;
        MPI_Ibarrier(world, &requests[k++]);
        MPI_Ibcast(recv[k], 10, MPI_INT, last, world, &requests[k]), ++k;
        MPI_Ireduce(send, recv[k], 11, MPI_INT, MPI_SUM, last, world, &requests[k]), ++k;
        MPI_Iallreduce(send, recv[k], 12, MPI_INT, MPI_SUM, world, &requests[k]), ++k;
        MPI_Iscan(send, recv[k], 13, MPI_INT, MPI_SUM, world, &requests[k]), ++k;
        MPI_Iexscan(send, recv[k], 14, MPI_INT, MPI_SUM, world, &requests[k]), ++k;
        MPI_Igather(send, 15, MPI_INT, recv[k], 15, MPI_INT, last, world, &requests[k]), ++k;
        MPI_Igatherv(send, counts[rank], MPI_INT, recv[k], counts, places, MPI_INT, 0, world, &requests[k]), ++k;
        MPI_Iscatter(send, 16, MPI_INT, recv[k], 16, MPI_INT, last, world, &requests[k]), ++k;
        MPI_Iscatterv(send, counts, places, MPI_INT, recv[k], counts[rank], MPI_INT, 0, world, &requests[k]), ++k;
        MPI_Iallgather(send, 17, MPI_INT, recv[k], 17, MPI_INT, world, &requests[k]), ++k;
        MPI_Iallgatherv(send, counts[rank], MPI_INT, recv[k], counts, places, MPI_INT, world, &requests[k]), ++k;
        MPI_Ialltoall(send, 18, MPI_INT, recv[k], 18, MPI_INT, world, &requests[k]), ++k;
        MPI_Ialltoallv(send, counts, places, MPI_INT, recv[k], other_counts, other_places, MPI_INT, world,
                       &requests[k]),
            ++k;
        MPI_Ialltoallw(send, counts, byte_places, types, recv[k], other_counts, other_byte_places, types, world,
                       &requests[k]),
            ++k;
        MPI_Ireduce_scatter(send, recv[k], counts, MPI_INT, MPI_SUM, world, &requests[k]), ++k;
        MPI_Ireduce_scatter_block(send, recv[k], 19, MPI_INT, MPI_SUM, world, &requests[k]), ++k;
        require(k == kOperations);
        /* Messages are in the same array of requests. */
        MPI_Irecv(recv[0], kMost, MPI_INT, MPI_ANY_SOURCE, round, world, &requests[k++]);
        MPI_Isend(send, 21 + round, MPI_INT, (rank + 1) % size, round, world, &requests[k++]);
        if (round == 0) {
            MPI_Waitall(k, requests, MPI_STATUSES_IGNORE);
        } else if (round == 1) {
            for (int i = 0; i < k; ++i) MPI_Waitany(k, requests, &index, MPI_STATUS_IGNORE);
        } else {
            for (int i = 0; i < k; ++i) {
                MPI_Test(&requests[i], &flag, MPI_STATUS_IGNORE);
                MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
            }
        }
        require(recv[3][0] == size * (size - 1) / 2 && recv[1][9] == 0 + recv[1][0]);
    }
    MPI_Iallreduce(MPI_IN_PLACE, recv[0], 20, MPI_INT, MPI_SUM, world, &requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Iallgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, recv[0], 20, MPI_INT, world, &requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Ialltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, recv[0], 20, MPI_INT, world, &requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
