/* Calls that fail in a program that continues. They count as calls, but not as messages. */

#include "tests/commlog/profiler/programs/require.h"

int main(int argc, char** argv) {
    int rank, size;
    char out[100] = {0}, in[100];
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    const int next = (rank + 1) % size;
    const int previous = (rank + size - 1) % size;

    require(MPI_Send(out, 10, MPI_BYTE, size, 1, MPI_COMM_WORLD) != MPI_SUCCESS);
    require(MPI_Isend(out, 11, MPI_BYTE, size + 3, 1, MPI_COMM_WORLD, &request) != MPI_SUCCESS);
    require(MPI_Recv(in, 12, MPI_BYTE, size, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE) != MPI_SUCCESS);
    /* The message is longer than the receive buffer. */
    if (rank % 2 == 0) {
        MPI_Send(out, 100, MPI_BYTE, next, 2, MPI_COMM_WORLD);
    } else {
        require(MPI_Recv(in, 10, MPI_BYTE, previous, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE) != MPI_SUCCESS);
    }
    /* Correct calls count as usual. */
    MPI_Isend(out, 20, MPI_BYTE, next, 3, MPI_COMM_WORLD, &request);
    MPI_Recv(in, 100, MPI_BYTE, previous, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
