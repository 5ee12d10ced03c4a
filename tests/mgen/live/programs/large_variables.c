/* large_variables: one mebibyte of variables per rank, and their addresses. */

#include "tests/mgen/live/programs/require.h"

static int values[1 << 18];

int main(int argc, char** argv) {
    int rank, size, from = -1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 1 << 18; ++i) values[i] = rank + i;
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 0, &from, 1, MPI_INT, (rank + size - 1) % size, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < 1 << 18; ++i) require(values[i] == rank + i);
    require(from == (rank + size - 1) % size);
    printf("%p\n", (void*)values);
    MPI_Finalize();
    return 0;
}
