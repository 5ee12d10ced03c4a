/* A bidirectional ring: every rank sends to both neighbours and receives from both. ring [BYTES [ROUNDS]] */

#include <string.h>

#include "tests/mgen/live/programs/require.h"

int main(int argc, char** argv) {
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int bytes = argc > 1 ? atoi(argv[1]) : 1024, rounds = argc > 2 ? atoi(argv[2]) : 3;
    const int up = (rank + 1) % size, down = (rank + size - 1) % size;
    char* buffers[4];
    for (int i = 0; i < 4; ++i) buffers[i] = malloc(bytes);
    memset(buffers[0], rank, bytes);
    memset(buffers[1], rank + 1, bytes);
    for (int round = 0; round < rounds; ++round) {
        MPI_Request requests[4];
        MPI_Irecv(buffers[2], bytes, MPI_BYTE, down, 1, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(buffers[3], bytes, MPI_BYTE, up, 2, MPI_COMM_WORLD, &requests[1]);
        MPI_Isend(buffers[0], bytes, MPI_BYTE, up, 1, MPI_COMM_WORLD, &requests[2]);
        MPI_Isend(buffers[1], bytes, MPI_BYTE, down, 2, MPI_COMM_WORLD, &requests[3]);
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
        /* Payload above 64 KiB is moved only on request. */
        require(bytes > 65536 || (buffers[2][bytes - 1] == (char)down && buffers[3][bytes - 1] == (char)(up + 1)));
    }
    if (rank == 0) printf("ring: %d ranks, %d bytes, %d rounds\n", size, bytes, rounds);
    for (int i = 0; i < 4; ++i) free(buffers[i]);
    MPI_Finalize();
    return 0;
}
