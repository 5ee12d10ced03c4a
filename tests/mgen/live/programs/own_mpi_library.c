/* The library of indirect.c, the only part of the program that calls MPI. */

#include "tests/mgen/live/programs/require.h"

static int uses;

int run_in_library(int argc, char** argv) {
    int rank, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    uses += rank + 1;
    MPI_Allreduce(&uses, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    printf("rank %d: %d of %d\n", rank, uses, sum);
    MPI_Finalize();
    return 0;
}
