/* Clocks show simulated time: they advance with simulated activity and with each reading. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static double clock_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(int argc, char** argv) {
    int rank;
    struct timeval day;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        const double begin = clock_seconds();
        sleep(100);
        usleep(500000);
        const double end = clock_seconds();
        gettimeofday(&day, NULL);
        printf("slept %.1f s, date %ld, time %ld\n", end - begin, (long)day.tv_sec, (long)time(NULL));
        const double from = MPI_Wtime();
        long looks = 0;
        while (MPI_Wtime() < from + 1e-4) ++looks;
        printf("looked %s\n", looks > 100 && looks <= 1000 ? "often" : "never");
    }
    MPI_Finalize();
    return 0;
}
