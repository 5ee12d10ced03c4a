/* A ring in both directions, in which every step has its own tags.
 * counting_tags step|modulo STEPS */

#include <string.h>

#include "tests/commlog/profiler/programs/require.h"

static char out[2][4096], in[2][4096];

int main(int argc, char** argv) {
    int rank, size;
    MPI_Request requests[4];
    MPI_Init(&argc, &argv);
    require(argc == 3);
    const int modulo = strcmp(argv[1], "modulo") == 0 ? 7 : 1 << 20;
    const int steps = atoi(argv[2]);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int next = (rank + 1) % size;
    const int before = (rank + size - 1) % size;
    for (int step = 0; step < steps; ++step) {
        const int tag = 2 * (step % modulo);
        MPI_Irecv(in[0], 4096, MPI_BYTE, before, tag, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(in[1], 512, MPI_BYTE, next, tag + 1, MPI_COMM_WORLD, &requests[1]);
        MPI_Isend(out[0], 4096, MPI_BYTE, next, tag, MPI_COMM_WORLD, &requests[2]);
        MPI_Isend(out[1], 512, MPI_BYTE, before, tag + 1, MPI_COMM_WORLD, &requests[3]);
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
