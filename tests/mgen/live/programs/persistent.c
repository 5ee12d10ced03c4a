/* Persistent requests in all send modes, started together and again, with inactive requests in between. */

#include <string.h>

#include "tests/mgen/live/programs/require.h"

int main(int argc, char** argv) {
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    enum { kKinds = 4 };
    int out[kKinds], in[kKinds];
    static char attached[4096];
    MPI_Request requests[2 * kKinds];
    MPI_Status statuses[2 * kKinds];
    const int up = (rank + 1) % size, down = (rank + size - 1) % size;
    MPI_Buffer_attach(attached, sizeof attached);
    for (int kind = 0; kind < kKinds; ++kind) {
        MPI_Recv_init(&in[kind], 1, MPI_INT, kind == 1 ? MPI_ANY_SOURCE : down, kind, MPI_COMM_WORLD, &requests[kind]);
    }
    MPI_Send_init(&out[0], 1, MPI_INT, up, 0, MPI_COMM_WORLD, &requests[4]);
    MPI_Ssend_init(&out[1], 1, MPI_INT, up, 1, MPI_COMM_WORLD, &requests[5]);
    MPI_Bsend_init(&out[2], 1, MPI_INT, up, 2, MPI_COMM_WORLD, &requests[6]);
    MPI_Rsend_init(&out[3], 1, MPI_INT, up, 3, MPI_COMM_WORLD, &requests[7]);
    for (int round = 0; round < 4; ++round) {
        for (int kind = 0; kind < kKinds; ++kind) {
            out[kind] = 100 * round + 10 * kind + rank;
            in[kind] = -1;
        }
        MPI_Startall(kKinds, requests);
        MPI_Barrier(MPI_COMM_WORLD); /* the receive of the ready send is posted */
        for (int i = kKinds; i < 2 * kKinds; ++i) MPI_Start(&requests[i]);
        if (round % 2 == 0) {
            MPI_Waitall(2 * kKinds, requests, statuses);
        } else {
            for (int done = 0; done < 2 * kKinds;) {
                int index, flag;
                MPI_Testany(2 * kKinds, requests, &index, &flag, &statuses[0]);
                if (flag) require(index != MPI_UNDEFINED);
                done += flag;
            }
        }
        for (int kind = 0; kind < kKinds; ++kind) require(in[kind] == 100 * round + 10 * kind + down);
        int flag = 0;
        MPI_Test(&requests[0], &flag, &statuses[0]); /* inactive: returns at once with an empty status */
        require(flag && statuses[0].MPI_SOURCE == MPI_ANY_SOURCE && requests[0] != MPI_REQUEST_NULL);
    }
    for (int i = 0; i < 2 * kKinds; ++i) MPI_Request_free(&requests[i]);
    void* buffer;
    int bytes;
    MPI_Buffer_detach(&buffer, &bytes);
    require(buffer == attached && bytes == sizeof attached);
    printf("rank %d: last %d %d %d %d\n", rank, in[0], in[1], in[2], in[3]);
    MPI_Finalize();
    return 0;
}
