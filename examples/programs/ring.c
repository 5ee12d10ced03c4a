/* ring [BYTES [TIMES]]: each rank exchanges messages with both neighbours at the same time. This is the bidirectional
 * ring of the NSIM paper. */

#include "pattern.h"

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    const int bytes = argument(argc, argv, 1, 1024);
    const int times = argument(argc, argv, 2, 1);
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int right = (rank + 1) % ranks;
    const int left = (rank + ranks - 1) % ranks;
    char *mine = malloc(bytes), *of_left = malloc(bytes), *of_right = malloc(bytes);
    memset(mine, rank % 100, bytes);

    /* Without a barrier here, the time of the run is the time of the exchanges. */
    const double begin = MPI_Wtime();
    for (int i = 0; i < times; ++i) {
        MPI_Request requests[4];
        MPI_Irecv(of_left, bytes, MPI_BYTE, left, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(of_right, bytes, MPI_BYTE, right, 1, MPI_COMM_WORLD, &requests[1]);
        MPI_Isend(mine, bytes, MPI_BYTE, right, 0, MPI_COMM_WORLD, &requests[2]);
        MPI_Isend(mine, bytes, MPI_BYTE, left, 1, MPI_COMM_WORLD, &requests[3]);
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    }
    const double seconds = MPI_Wtime() - begin;

    for (int i = 0; i < bytes; ++i) {
        check(of_left[i] == left % 100, "the message of the left neighbour");
        check(of_right[i] == right % 100, "the message of the right neighbour");
    }
    char what[80];
    snprintf(what, sizeof what, "ring of %d ranks, %d bytes", ranks, bytes);
    report(what, seconds);
    free(mine);
    free(of_left);
    free(of_right);
    MPI_Finalize();
    return 0;
}
