/* A master hands out numbers on request and receives results from any source; workers probe for messages. */

#include "tests/mgen/live/programs/require.h"

enum { kTasks = 40, kWork = 1, kResult = 2, kStop = 3 };

static void master(int size) {
    long sum = 0;
    int handed_out = 0, stopped = 0, done = 0;
    int values[8];
    for (int worker = 1; worker < size; ++worker) {
        values[0] = handed_out++;
        MPI_Send(values, 1 + worker % 8, MPI_INT, worker, kWork, MPI_COMM_WORLD);
    }
    while (stopped < size - 1) {
        long result;
        MPI_Status status;
        MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        int count;
        MPI_Get_count(&status, MPI_LONG, &count);
        require(count == 1 && status.MPI_TAG == kResult);
        MPI_Recv(&result, 1, MPI_LONG, status.MPI_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        sum += result;
        ++done;
        values[0] = handed_out;
        if (handed_out < kTasks) {
            ++handed_out;
            MPI_Ssend(values, 1, MPI_INT, status.MPI_SOURCE, kWork, MPI_COMM_WORLD);
        } else {
            MPI_Send(values, 0, MPI_INT, status.MPI_SOURCE, kStop, MPI_COMM_WORLD);
            ++stopped;
        }
    }
    printf("%d results, sum %ld\n", done, sum);
}

static void worker(void) {
    for (;;) {
        MPI_Message message;
        MPI_Status status;
        int there = 0, count, values[8];
        while (!there) MPI_Improbe(0, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &message, &status);
        MPI_Get_count(&status, MPI_INT, &count);
        require(count <= 8);
        MPI_Mrecv(values, count, MPI_INT, &message, &status);
        if (status.MPI_TAG == kStop) return;
        long result = (long)values[0] * values[0];
        MPI_Send(&result, 1, MPI_LONG, 0, kResult, MPI_COMM_WORLD);
    }
}

int main(int argc, char** argv) {
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0)
        master(size);
    else
        worker();
    MPI_Finalize();
    return 0;
}
