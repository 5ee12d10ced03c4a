/* Prints the measurements of two ranks on one machine: "call_ns latency_ns bytes_per_second". */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static double round_trip(int rank, char* buffer, int bytes, int rounds) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    for (int i = 0; i < rounds; ++i) {
        if (rank == 0) {
            MPI_Send(buffer, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
            MPI_Recv(buffer, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(buffer, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(buffer, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
        }
    }
    return (MPI_Wtime() - begin) / rounds;
}

/* Returns the least of several measurements, because the machine is shared. */
static double least_round_trip(int rank, char* buffer, int bytes, int rounds) {
    double least = 1e9;
    for (int i = 0; i < 20; ++i) {
        const double time = round_trip(rank, buffer, bytes, rounds);
        if (time < least) least = time;
    }
    return least;
}

/* Times a send that is not waited for. */
static double call_seconds(int rank, char* buffer) {
    enum { kCalls = 64 };
    MPI_Request requests[kCalls];
    double least = 1e9;
    for (int i = 0; i < 50; ++i) {
        for (int c = 0; rank == 1 && c < kCalls; ++c) {
            MPI_Irecv(buffer + 8 * c, 8, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &requests[c]);
        }
        MPI_Barrier(MPI_COMM_WORLD);
        const double begin = MPI_Wtime();
        for (int c = 0; rank == 0 && c < kCalls; ++c) {
            MPI_Isend(buffer + 8 * c, 8, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &requests[c]);
        }
        const double time = (MPI_Wtime() - begin) / kCalls;
        MPI_Waitall(kCalls, requests, MPI_STATUSES_IGNORE);
        if (time < least) least = time;
    }
    return least;
}

int main(int argc, char** argv) {
    enum { kLarge = 4 << 20 };
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    char* buffer = calloc(kLarge, 1);
    const double small = least_round_trip(rank, buffer, 8, 1000);
    const double large = least_round_trip(rank, buffer, kLarge, 10);
    const double call = call_seconds(rank, buffer);
    if (rank == 0) printf("%.1f %.1f %.0f\n", call * 1e9, small / 2 * 1e9, kLarge / ((large - small) / 2));
    free(buffer);
    MPI_Finalize();
    return 0;
}
