/* Each rank sends to the next rank, and waits only for its receive. */

#include "tests/mgen/live/programs/require.h"

int main(int argc, char** argv) {
    int rank, size, from = -1;
    MPI_Request send, receive;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Irecv(&from, 1, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD, &receive);
    MPI_Isend(&rank, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD, &send);
    MPI_Wait(&receive, MPI_STATUS_IGNORE);
    require(from == (rank + size - 1) % size);
    MPI_Finalize();
    return 0;
}
