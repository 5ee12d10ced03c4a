/* Rank 0 tests for a message that nobody sends. */

#include "tests/mgen/live/programs/require.h"

int main(int argc, char** argv) {
    int rank, value = 0, done = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Request request;
        MPI_Irecv(&value, 1, MPI_INT, 1, 9, MPI_COMM_WORLD, &request);
        while (!done) MPI_Test(&request, &done, MPI_STATUS_IGNORE);  // endless_poll.c: here
    }
    MPI_Finalize();
    return 0;
}
