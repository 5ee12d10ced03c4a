/* Static data written by every rank: 16 KiB, or -DGLOBAL_BYTES bytes. globals [ROUNDS] */

#include <string.h>

#include "tests/mgen/live/programs/require.h"

#ifndef GLOBAL_BYTES
#define GLOBAL_BYTES 16384
#endif

static unsigned char zeroed[GLOBAL_BYTES / 2];
static int initialised[GLOBAL_BYTES / 8] = {17, 4};
static int calls;

static int count_calls(void) {
    static int inside = 100;
    ++calls;
    return ++inside;
}

int main(int argc, char** argv) {
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int rounds = argc > 1 ? atoi(argv[1]) : 2;
    require(initialised[0] == 17 && initialised[1] == 4 && zeroed[sizeof zeroed - 1] == 0);
    memset(zeroed, rank + 1, sizeof zeroed);
    initialised[0] = rank;
    initialised[GLOBAL_BYTES / 8 - 1] = -rank;
    MPI_Barrier(MPI_COMM_WORLD);
    for (int round = 0; round < rounds; ++round) {
        int sum = -1;
        for (int i = 0; i <= rank % 5; ++i) count_calls();
        MPI_Allreduce(&initialised[0], &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        require(sum == size * (size - 1) / 2);
        for (size_t i = 0; i < sizeof zeroed; ++i) require(zeroed[i] == (unsigned char)(rank + 1));
        require(initialised[0] == rank && initialised[1] == 4 && initialised[GLOBAL_BYTES / 8 - 1] == -rank);
        require(calls == (round + 1) * (rank % 5 + 1));
    }
    require(count_calls() == 101 + calls - 1);
    if (size <= 64 || rank == 0) printf("rank %d: %d calls\n", rank, calls);
    MPI_Finalize();
    return 0;
}
