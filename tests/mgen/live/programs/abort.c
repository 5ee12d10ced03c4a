/* Rank 1 ends the job with code 7 while the others wait. */

#include "tests/mgen/live/programs/require.h"

int main(int argc, char** argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) printf("before\n");
    fflush(stdout);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) MPI_Abort(MPI_COMM_WORLD, 7);
    MPI_Barrier(MPI_COMM_WORLD);
    printf("never\n");
    MPI_Finalize();
    return 0;
}
