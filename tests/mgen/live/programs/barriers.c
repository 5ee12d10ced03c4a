/* barriers [COUNT [REDUCTIONS]]: barriers, then all-reduces of the ranks. */

#include "tests/mgen/live/programs/require.h"

int main(int argc, char** argv) {
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int count = argc > 1 ? atoi(argv[1]) : 1, reductions = argc > 2 ? atoi(argv[2]) : 0;
    for (int i = 0; i < count; ++i) MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < reductions; ++i) {
        long mine = rank + i, sum = -1;
        MPI_Allreduce(&mine, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
        require(sum == (long)size * (size - 1) / 2 + (long)size * i);
    }
    if (rank == 0) printf("%d barriers, %d reductions\n", count, reductions);
    MPI_Finalize();
    return 0;
}
