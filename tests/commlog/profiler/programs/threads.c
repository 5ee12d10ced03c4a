/* Four threads communicate at once, each with the same thread of the next rank. They use separate communicators, and
 * separate tags in MPI_COMM_WORLD. */

#include <pthread.h>

#include "tests/commlog/profiler/programs/require.h"

enum { kThreads = 4, kRounds = 60 };

static int rank, size;
static MPI_Comm comms[kThreads];

static void* communicate(void* argument) {
    const int thread = *(int*)argument;
    const int next = (rank + 1) % size;
    const int previous = (rank + size - 1) % size;
    char out[512] = {0}, in[6][512];
    for (int round = 0; round < kRounds; ++round) {
        MPI_Request requests[6];
        int index, done, indices[6];
        const MPI_Comm comm = round % 2 == 0 ? comms[thread] : MPI_COMM_WORLD;
        for (int i = 0; i < 3; ++i) {
            MPI_Irecv(in[i], 512, MPI_BYTE, i == 0 ? MPI_ANY_SOURCE : previous, 10 * thread + i, comm, &requests[i]);
        }
        for (int i = 0; i < 3; ++i) {
            out[0] = (char)round;
            MPI_Isend(out, 1 + i * 100 + thread, MPI_BYTE, next, 10 * thread + i, comm, &requests[3 + i]);
        }
        switch (round % 3) {
            case 0:
                MPI_Waitall(6, requests, MPI_STATUSES_IGNORE);
                break;
            case 1:
                for (int i = 0; i < 6; ++i) MPI_Waitany(6, requests, &index, MPI_STATUS_IGNORE);
                break;
            default:
                for (int i = 0; i < 6; ++i) MPI_Testsome(6, requests, &done, indices, MPI_STATUSES_IGNORE);
                MPI_Waitall(6, requests, MPI_STATUSES_IGNORE);
        }
        require(in[0][0] == (char)round);
        MPI_Sendrecv(out, 8 + thread, MPI_BYTE, next, 10 * thread + 5, in[0], 512, MPI_BYTE, previous, 10 * thread + 5,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (round % 10 == 0) MPI_Allreduce(MPI_IN_PLACE, in[1], 4 * thread, MPI_BYTE, MPI_BOR, comms[thread]);
    }
    return NULL;
}

int main(int argc, char** argv) {
    int provided;
    pthread_t threads[kThreads];
    int numbers[kThreads];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    require(provided == MPI_THREAD_MULTIPLE);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < kThreads; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    for (int i = 0; i < kThreads; ++i) {
        numbers[i] = i;
        pthread_create(&threads[i], NULL, communicate, &numbers[i]);
    }
    for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
    for (int i = 0; i < kThreads; ++i) MPI_Comm_free(&comms[i]);
    MPI_Finalize();
    return 0;
}
