/* All-to-all of 4 bytes per pair of ranks with the messages of Bruck's steps, as in NSIM's study. The messages are
 * non-blocking. bruck [BYTES [untouched]]: with "untouched", the buffers are never written. */

#include <string.h>

#include "tests/mgen/live/programs/require.h"

int main(int argc, char** argv) {
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int bytes = argc > 1 ? atoi(argv[1]) : 4;
    char* out = malloc((size_t)size / 2 * bytes + bytes);
    char* in = malloc((size_t)size / 2 * bytes + bytes);
    if (argc < 3) memset(out, rank, (size_t)size / 2 * bytes + bytes);
    for (int distance = 1; distance < size; distance *= 2) {
        /* The numbers below `size` with this bit set. */
        const int rest = size % (2 * distance) - distance;
        const int blocks = size / (2 * distance) * distance + (rest > 0 ? rest : 0);
        MPI_Request requests[2];
        MPI_Irecv(in, blocks * bytes, MPI_BYTE, (rank + size - distance) % size, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(out, blocks * bytes, MPI_BYTE, (rank + distance) % size, 0, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    if (rank == 0) printf("bruck: %d ranks, %d bytes\n", size, bytes);
    free(out);
    free(in);
    MPI_Finalize();
    return 0;
}
