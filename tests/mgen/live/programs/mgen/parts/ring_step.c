#include "ring_step.h"

#include <mgen-mpi.h>

int ring_step(int value, int rank, int ranks) {
    MPI_Request requests[2];
    int received = -1;
    MPI_Irecv(&received, 1, MPI_INT, (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(&value, 1, MPI_INT, (rank + 1) % ranks, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    return received;
}
