/* Rank 2 writes to an unmapped address. */

#include "tests/mgen/live/programs/require.h"

static int* volatile nowhere;

static void write_somewhere(void) { *nowhere = 1; }  // crash.c: here

int main(int argc, char** argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 2) write_somewhere();
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
