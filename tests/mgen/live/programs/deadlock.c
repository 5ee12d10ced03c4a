/* Every rank receives before it sends. */

#include "tests/mgen/live/programs/require.h"

int main(int argc, char** argv) {
    int rank, size, value = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Recv(&value, 1, MPI_INT, (rank + 1) % size, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);  // deadlock.c: here
    MPI_Send(&value, 1, MPI_INT, (rank + size - 1) % size, 5, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
