/* Rank 3 ends early. */

#include "tests/mgen/live/programs/require.h"

int main(int argc, char** argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 3) return 0;
    MPI_Finalize();
    return 0;
}
