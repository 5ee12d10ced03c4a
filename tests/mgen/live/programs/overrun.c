/* Rank 1 recurses infinitely. */

#include "tests/mgen/live/programs/require.h"

static int deeper(volatile int* from) {
    volatile int here[256];
    here[0] = *from + 1;
    const int found = deeper(&here[0]);  // overrun.c: here
    return found + here[0];
}

int main(int argc, char** argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    volatile int start = 0;
    if (rank == 1) printf("%d\n", deeper(&start));
    MPI_Finalize();
    return 0;
}
