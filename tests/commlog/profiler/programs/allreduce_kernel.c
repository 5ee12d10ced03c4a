/* Reductions over MPI_COMM_WORLD or over its halves, between sends to the next rank.
 * allreduce_kernel world|halves ITERATIONS SEED */

#include <string.h>
#include <unistd.h>

#include "tests/commlog/profiler/programs/require.h"

int main(int argc, char** argv) {
    int rank, size;
    static double values[512], sums[512];
    MPI_Comm comm;
    MPI_Init(&argc, &argv);
    require(argc == 4);
    const int iterations = atoi(argv[2]);
    const int seed = atoi(argv[3]);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    srand((unsigned)(seed * 1000 + rank));
    if (strcmp(argv[1], "halves") == 0) {
        MPI_Comm_split(MPI_COMM_WORLD, rank / (size / 2), rank, &comm);
    } else {
        comm = MPI_COMM_WORLD;
    }
    for (int iteration = 0; iteration < iterations; ++iteration) {
        if (seed != 0 && rand() % 4 == 0) usleep((useconds_t)(rand() % 300));
        MPI_Sendrecv(values, 256, MPI_DOUBLE, (rank + 1) % size, 1, sums, 512, MPI_DOUBLE, (rank + size - 1) % size, 1,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Allreduce(values, sums, 128, MPI_DOUBLE, MPI_SUM, comm);
    }
    MPI_Finalize();
    return 0;
}
