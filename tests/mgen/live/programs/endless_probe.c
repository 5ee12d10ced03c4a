/* endless_probe COMPUTES: rank 0 probes for a message that never arrives and counts its polls, while rank 1 pauses. */
#include <unistd.h>

#include "tests/mgen/live/programs/require.h"

int main(int argc, char** argv) {
    int rank, flag = 0;
    long looks = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1 && argc > 1) sleep(atoi(argv[1]));
    while (rank == 0 && !flag) {
        MPI_Iprobe(1, 3, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);  // endless_probe.c: here
        ++looks;
    }
    printf("looks %ld\n", looks);
    MPI_Finalize();
    return 0;
}
