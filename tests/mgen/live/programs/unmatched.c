/* Rank 1 sends three messages to rank 0, which receives one of them. */

#include "tests/mgen/live/programs/require.h"

int main(int argc, char** argv) {
    int rank, value = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1) {
        for (int tag = 0; tag < 3; ++tag) MPI_Send(&tag, 1, MPI_INT, 0, tag, MPI_COMM_WORLD);
    }
    if (rank == 0) MPI_Recv(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    if (rank == 0) printf("received %d\n", value);
    return 0;
}
