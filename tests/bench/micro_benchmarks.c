/* Measurements of two ranks on a machine that they share with others, in the layout of the OSU micro-benchmarks. Each
 * time is the minimum of many short batches, in which no rank had to wait for its core.
 *
 *     mpiexec -n 2 micro_benchmarks latency|bandwidth|bibandwidth|barrier */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kWindow = 64, kBatchBytes = 1 << 18, kMostRounds = 100, kLeastBatches = 40, kMostBatches = 200 };

static int largest = 1 << 22;
static int given_batches = 0, given_rounds = 0; /* 0: chosen by the message size */

static MPI_Request requests[2 * kWindow];
static MPI_Status statuses[kWindow];
static char *sent, *received;
static char acknowledgement[4];

static void ping_pong(int rank, int bytes) {
    if (rank == 0) {
        MPI_Send(sent, bytes, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
        MPI_Recv(received, bytes, MPI_CHAR, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(received, bytes, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(sent, bytes, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
    }
}

static void stream(int rank, int bytes) {
    for (int i = 0; i < kWindow; ++i) {
        if (rank == 0) MPI_Isend(sent, bytes, MPI_CHAR, 1, 100, MPI_COMM_WORLD, &requests[i]);
        if (rank == 1) MPI_Irecv(received, bytes, MPI_CHAR, 0, 100, MPI_COMM_WORLD, &requests[i]);
    }
    MPI_Waitall(kWindow, requests, statuses);
    if (rank == 0) MPI_Recv(acknowledgement, 4, MPI_CHAR, 1, 101, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1) MPI_Send(acknowledgement, 4, MPI_CHAR, 0, 101, MPI_COMM_WORLD);
}

static void two_streams(int rank, int bytes) {
    const int peer = 1 - rank;
    for (int i = 0; i < kWindow; ++i) MPI_Irecv(received, bytes, MPI_CHAR, peer, 10, MPI_COMM_WORLD, &requests[i]);
    for (int i = 0; i < kWindow; ++i) {
        MPI_Isend(sent, bytes, MPI_CHAR, peer, 10, MPI_COMM_WORLD, &requests[kWindow + i]);
    }
    MPI_Waitall(kWindow, requests + kWindow, statuses);
    MPI_Waitall(kWindow, requests, statuses);
}

static void barrier(int rank, int bytes) {
    (void)rank;
    (void)bytes;
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Returns the seconds per round: the minimum over several batches of rounds. */
static double least(void (*round)(int, int), int rank, int bytes, int round_bytes) {
    int rounds = kMostRounds;
    if (round_bytes > kBatchBytes / kMostRounds) rounds = round_bytes < kBatchBytes ? kBatchBytes / round_bytes : 1;
    int batches = kMostBatches;
    if (round_bytes > kBatchBytes) batches = kLeastBatches;
    if (given_rounds > 0) rounds = given_rounds;
    if (given_batches > 0) batches = given_batches;
    double shortest = 1e9;
    for (int batch = 0; batch < batches; ++batch) {
        MPI_Barrier(MPI_COMM_WORLD);
        const double begin = MPI_Wtime();
        for (int i = 0; i < rounds; ++i) round(rank, bytes);
        const double time = (MPI_Wtime() - begin) / rounds;
        if (time < shortest) shortest = time;
    }
    return shortest;
}

int main(int argc, char** argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const char* what = argc > 1 ? argv[1] : "latency";
    if (argc > 2) largest = atoi(argv[2]);
    if (argc > 3) given_batches = atoi(argv[3]);
    if (argc > 4) given_rounds = atoi(argv[4]);
    sent = malloc(largest);
    received = malloc(largest);
    memset(sent, 1, largest);
    memset(received, 2, largest);
    const int is_stream = strcmp(what, "bandwidth") == 0 || strcmp(what, "bibandwidth") == 0;
    const int directions = strcmp(what, "bibandwidth") == 0 ? 2 : 1;
    if (strcmp(what, "barrier") == 0) {
        const double time = least(barrier, rank, 0, 0);
        if (rank == 0) printf("# OSU MPI Barrier Latency Test v7-layout\n# Avg Latency(us)\n%18.3f\n", time * 1e6);
    } else {
        const char* title = !is_stream ? "Latency" : directions == 2 ? "Bi-Directional Bandwidth" : "Bandwidth";
        if (rank == 0) printf("# OSU MPI %s Test v7-layout\n", title);
        if (rank == 0) printf(is_stream ? "# Size      Bandwidth (MB/s)\n" : "# Size       Avg Latency(us)\n");
        for (int bytes = 1; bytes <= largest; bytes *= 2) {
            if (is_stream) {
                const double time = least(directions == 2 ? two_streams : stream, rank, bytes, kWindow * bytes);
                if (rank == 0) printf("%-10d%18.3f\n", bytes, 1e-6 * directions * kWindow * bytes / time);
            } else {
                const double time = least(ping_pong, rank, bytes, bytes);
                if (rank == 0) printf("%-10d%18.3f\n", bytes, time / 2 * 1e6);
            }
        }
    }
    free(sent);
    free(received);
    MPI_Finalize();
    return 0;
}
