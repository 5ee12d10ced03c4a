/* new_comms dup|split: one new communicator, and nothing else. */

#include <string.h>

#include "tests/mgen/live/programs/require.h"

int main(int argc, char** argv) {
    int rank;
    MPI_Comm made;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    require(argc == 2);
    if (strcmp(argv[1], "dup") == 0) {
        MPI_Comm_dup(MPI_COMM_WORLD, &made);
    } else {
        MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &made);
    }
    MPI_Comm_free(&made);
    MPI_Finalize();
    return 0;
}
