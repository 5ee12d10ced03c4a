/* Persistent requests: started one by one and together, waited for while some are inactive, freed. */

#include <string.h>

#include "tests/commlog/profiler/programs/require.h"

enum { kRounds = 7, kMost = 4096 };

int main(int argc, char** argv) {
    int rank, size;
    char out[4][kMost], in[4][kMost];
    MPI_Request requests[8];
    MPI_Status statuses[8];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int next = (rank + 1) % size;
    const int previous = (rank + size - 1) % size;
    memset(out, rank, sizeof(out));

    /* Receives may be longer than the message; the status states its size. */
    for (int i = 0; i < 4; ++i) {
        const int bytes = i == 3 ? 0 : 3 << (4 * i);
        MPI_Recv_init(in[i], kMost, MPI_BYTE, i % 2 == 0 ? previous : MPI_ANY_SOURCE, i, MPI_COMM_WORLD, &requests[i]);
        if (i % 2 == 0) {
            MPI_Send_init(out[i], bytes, MPI_BYTE, next, i, MPI_COMM_WORLD, &requests[4 + i]);
        } else {
            MPI_Ssend_init(out[i], bytes, MPI_BYTE, next, i, MPI_COMM_WORLD, &requests[4 + i]);
        }
    }

    for (int round = 0; round < kRounds; ++round) {
        MPI_Startall(8, requests);
        MPI_Waitall(8, requests, round % 2 == 0 ? statuses : MPI_STATUSES_IGNORE);
        require(in[2][3 << 8 >> 1] == (char)previous);

        /* Two of the eight are started; the six inactive ones are in the same array. */
        MPI_Start(&requests[1]);
        MPI_Start(&requests[5]);
        MPI_Waitall(8, requests, statuses);
        int count;
        MPI_Get_count(&statuses[1], MPI_BYTE, &count);
        require(count == 48 && statuses[1].MPI_SOURCE == previous);
    }

    /* All requests are inactive, so these calls find nothing. */
    int index, flag, done, indices[8];
    MPI_Waitall(8, requests, statuses);
    MPI_Waitany(8, requests, &index, statuses);
    require(index == MPI_UNDEFINED);
    MPI_Testsome(8, requests, &done, indices, statuses);
    require(done == MPI_UNDEFINED);
    MPI_Testall(8, requests, &flag, statuses);
    require(flag);
    MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
    require(flag);

    /* Waitany and Waitsome complete persistent requests without freeing them. */
    MPI_Startall(8, requests);
    for (int i = 0; i < 4; ++i) MPI_Waitany(4, requests, &index, MPI_STATUS_IGNORE);
    for (int i = 0; i < 4; ++i) MPI_Waitsome(4, requests + 4, &done, indices, MPI_STATUSES_IGNORE);

    /* An active send may be freed. */
    MPI_Request once, to_nobody;
    MPI_Send_init(out[0], 100, MPI_BYTE, next, 9, MPI_COMM_WORLD, &once);
    MPI_Start(&once);
    MPI_Request_free(&once);
    MPI_Recv(in[0], kMost, MPI_BYTE, previous, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);

    MPI_Send_init(out[0], 64, MPI_BYTE, MPI_PROC_NULL, 9, MPI_COMM_WORLD, &to_nobody);
    MPI_Start(&to_nobody);
    MPI_Wait(&to_nobody, MPI_STATUS_IGNORE);
    MPI_Request_free(&to_nobody);
    for (int i = 0; i < 8; ++i) MPI_Request_free(&requests[i]);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
