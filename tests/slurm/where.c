/* Each rank prints "RANK number node", where the node is the name that Slurm gives it. */

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
    int rank = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const char* node = getenv("SLURMD_NODENAME");
    printf("RANK %d %s\n", rank, node != NULL ? node : "?");
    MPI_Finalize();
    return 0;
}
