/* A rank polls for answers in vain after each of its sends. Its polling must not delay any of its messages. */
#include "tests/mgen/live/programs/require.h"

int main(int argc, char** argv) {
    int rank, flag, got = 0;
    const int count = 500;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; rank == 0 && i < count; ++i) {
        MPI_Send(&i, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
        MPI_Iprobe(1, 2, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        require(!flag);
    }
    for (int i = 0; rank == 1 && i < count; ++i) {
        MPI_Recv(&got, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        require(got == i);
    }
    if (rank == 1) {
        MPI_Send(&got, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
    } else if (rank == 0) {
        MPI_Recv(&got, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("answered %d\n", got);
    }
    MPI_Finalize();
    return 0;
}
