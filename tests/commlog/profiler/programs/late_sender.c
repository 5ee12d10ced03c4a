/* Rank 0 waits for rank 1, which sleeps for half a second before it sends. */

#include <time.h>

#include "tests/commlog/profiler/programs/require.h"

int main(int argc, char** argv) {
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    double values[3] = {1, 2, rank == 0 ? 0 : 3};
    if (rank == 0) {
        MPI_Recv(values, 3, MPI_DOUBLE, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        require(values[2] == 3);
    } else {
        const struct timespec half_a_second = {0, 500000000};
        nanosleep(&half_a_second, NULL);
        MPI_Send(values, 3, MPI_DOUBLE, 0, 5, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
