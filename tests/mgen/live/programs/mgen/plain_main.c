// An MPI program in which only the header's name was changed. It consists of two files.
#include <mgen-mpi.h>
#include <stdio.h>

#include "ring_step.h"

int main(int argc, char** argv) {
    int rank, ranks, token = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int step = 0; step < ranks; ++step) token = ring_step(token + rank, rank, ranks);
    printf("rank %d has %d\n", rank, token);
    MPI_Finalize();
    return 0;
}
