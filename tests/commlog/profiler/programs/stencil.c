/* A periodic 3D stencil: six receives and six sends. It waits for all of them, or for one at a time with delays.
 * stencil X Y Z ITERATIONS all|any SEED */

#include <string.h>
#include <unistd.h>

#include "tests/commlog/profiler/programs/require.h"

enum { kMost = 4096 };

static char out[6][kMost], in[6][kMost];

int main(int argc, char** argv) {
    int rank, size;
    MPI_Request requests[12];
    MPI_Init(&argc, &argv);
    require(argc == 7);
    const int sizes[3] = {atoi(argv[1]), atoi(argv[2]), atoi(argv[3])};
    const int iterations = atoi(argv[4]);
    const int waits_for_any = strcmp(argv[5], "any") == 0;
    const int seed = atoi(argv[6]);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    require(size == sizes[0] * sizes[1] * sizes[2]);
    srand((unsigned)(seed * 1000 + rank));
    const int place[3] = {rank / (sizes[1] * sizes[2]), rank / sizes[2] % sizes[1], rank % sizes[2]};

    /* Neighbours 2 a (up) and 2 a + 1 (down) along axis a. A message along it has 1024 (a + 1) bytes. */
    int neighbors[6];
    for (int n = 0; n < 6; ++n) {
        int at[3] = {place[0], place[1], place[2]};
        const int a = n / 2;
        at[a] = (at[a] + (n % 2 == 0 ? 1 : sizes[a] - 1)) % sizes[a];
        neighbors[n] = (at[0] * sizes[1] + at[1]) * sizes[2] + at[2];
    }
    MPI_Bcast(out, 100, MPI_BYTE, 0, MPI_COMM_WORLD);
    for (int iteration = 0; iteration < iterations; ++iteration) {
        for (int n = 0; n < 6; ++n) {
            MPI_Irecv(in[n], kMost, MPI_BYTE, neighbors[n], n, MPI_COMM_WORLD, &requests[n]);
        }
        /* Messages sent up come from below. */
        for (int n = 0; n < 6; ++n) {
            if (seed != 0 && rand() % 8 == 0) usleep((useconds_t)(rand() % 500));
            MPI_Isend(out[n], 1024 * (n / 2 + 1), MPI_BYTE, neighbors[n], n ^ 1, MPI_COMM_WORLD, &requests[6 + n]);
        }
        if (waits_for_any) {
            for (int i = 0; i < 12; ++i) {
                int index;
                MPI_Waitany(12, requests, &index, MPI_STATUS_IGNORE);
                require(index != MPI_UNDEFINED);
                if (seed != 0 && rand() % 8 == 0) usleep((useconds_t)(rand() % 300));
            }
        } else {
            MPI_Waitall(12, requests, MPI_STATUSES_IGNORE);
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
