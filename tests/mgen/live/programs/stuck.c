/* stuck compute|wait: rank 1 never makes its next MPI call. */

#include <string.h>
#include <unistd.h>

#include "tests/mgen/live/programs/require.h"

int main(int argc, char** argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    printf("rank %d\n", rank);
    MPI_Barrier(MPI_COMM_WORLD);  // stuck.c: here
    if (rank == 1) {
        printf("the end of rank 1\n");
        for (volatile int i = 0; strcmp(argv[1], "wait") != 0;) i = i + 1;
        pause();
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
