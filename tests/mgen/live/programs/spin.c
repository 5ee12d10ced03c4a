/* spin SECONDS: rank 0 computes for SECONDS of CPU time on this machine. The others wait for it. */
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "tests/mgen/live/programs/require.h"

/* From the kernel: the C library's clocks show simulated time. */
static double cpu_seconds(void) {
    struct timespec now;
    syscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec + now.tv_nsec * 1e-9;
}

int main(int argc, char** argv) {
    int rank, value = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const double begin = MPI_Wtime();
    const double until = cpu_seconds() + (argc > 1 ? atof(argv[1]) : 0.01);
    while (rank == 0 && cpu_seconds() < until) {
    }
    MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
    printf("rank %d: %.6f\n", rank, MPI_Wtime() - begin);
    MPI_Finalize();
    return 0;
}
