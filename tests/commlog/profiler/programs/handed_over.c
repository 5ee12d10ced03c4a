/* One thread posts requests and another one waits for them. A thread ends, and the next one continues. */

#include <pthread.h>

#include "tests/commlog/profiler/programs/require.h"

enum { kRounds = 50 };

static int rank, size;
static char out[2][300], in[2][300];
static MPI_Request requests[4];

static void* post(void* argument) {
    const int round = *(int*)argument;
    const int next = (rank + 1) % size;
    const int previous = (rank + size - 1) % size;
    MPI_Irecv(in[0], 300, MPI_BYTE, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(in[1], 300, MPI_BYTE, next, 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(out[0], round, MPI_BYTE, next, 1, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(out[1], 2 * round, MPI_BYTE, previous, 2, MPI_COMM_WORLD, &requests[3]);
    return NULL;
}

int main(int argc, char** argv) {
    int provided, index;
    MPI_Request persistent[2];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    require(provided == MPI_THREAD_MULTIPLE);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    /* More threads in succession than a profiler would keep counters for. */
    for (int round = 0; round < kRounds; ++round) {
        pthread_t thread;
        require(pthread_create(&thread, NULL, post, &round) == 0);
        pthread_join(thread, NULL);
        if (round % 2 == 0) {
            MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
        } else {
            for (int i = 0; i < 4; ++i) MPI_Waitany(4, requests, &index, MPI_STATUS_IGNORE);
        }
    }
    /* A persistent request is completed and started in turn. */
    MPI_Recv_init(in[0], 300, MPI_BYTE, (rank + size - 1) % size, 3, MPI_COMM_WORLD, &persistent[0]);
    MPI_Send_init(out[0], 111, MPI_BYTE, (rank + 1) % size, 3, MPI_COMM_WORLD, &persistent[1]);
    for (int round = 0; round < 3; ++round) {
        MPI_Startall(2, persistent);
        MPI_Waitall(2, persistent, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free(&persistent[0]);
    MPI_Request_free(&persistent[1]);
    MPI_Finalize();
    return 0;
}
