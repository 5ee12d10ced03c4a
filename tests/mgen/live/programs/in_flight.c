/* in_flight N: rank 0 sends N messages of 1 MB, which differ, before rank 1 receives them. */
#include "tests/mgen/live/programs/require.h"

enum { kBytes = 1000000 };

int main(int argc, char** argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int count = argc > 1 ? atoi(argv[1]) : 1;
    MPI_Request* requests = malloc(count * sizeof *requests);
    unsigned char* bytes = malloc(kBytes);
    for (int i = 0; i < kBytes; ++i) bytes[i] = (unsigned char)(i % 251);
    for (int i = 0; rank == 0 && i < count; ++i) MPI_Isend(bytes, kBytes, MPI_BYTE, 1, i, MPI_COMM_WORLD, &requests[i]);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; rank == 1 && i < count; ++i) {
        MPI_Recv(bytes, kBytes, MPI_BYTE, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    if (rank == 1) printf("%d MB arrived\n", count);
    free(bytes);
    free(requests);
    MPI_Finalize();
    return 0;
}
