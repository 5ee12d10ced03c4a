/* bidirectional_ring BYTES TIMES: each rank only exchanges messages with both neighbours, as in NSIM's paper. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    const int bytes = argc > 1 ? atoi(argv[1]) : 1024;
    const int times = argc > 2 ? atoi(argv[2]) : 1;
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int right = (rank + 1) % ranks;
    const int left = (rank + ranks - 1) % ranks;
    char* buffers = calloc(4, bytes);
    for (int i = 0; i < times; ++i) {
        MPI_Request requests[4];
        MPI_Irecv(buffers, bytes, MPI_BYTE, left, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(buffers + bytes, bytes, MPI_BYTE, right, 1, MPI_COMM_WORLD, &requests[1]);
        MPI_Isend(buffers + 2 * bytes, bytes, MPI_BYTE, right, 0, MPI_COMM_WORLD, &requests[2]);
        MPI_Isend(buffers + 3 * bytes, bytes, MPI_BYTE, left, 1, MPI_COMM_WORLD, &requests[3]);
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    }
    free(buffers);
    MPI_Finalize();
    return 0;
}
