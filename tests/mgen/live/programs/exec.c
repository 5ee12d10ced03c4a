/* Rank 1 becomes another program. */

#include <unistd.h>

#include "tests/mgen/live/programs/require.h"

int main(int argc, char** argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1) execl("/bin/echo", "echo", "replaced", (char*)NULL);  // exec.c: here
    MPI_Finalize();
    return 0;
}
