/* Completion in an order that differs from run to run, and wildcards. The number of calls is constant: each test is
 * made a fixed number of times, and then the program waits for the rest. */

#include <unistd.h>

#include "tests/commlog/profiler/programs/require.h"

enum { kMessages = 12, kTests = 20 };

static int rank, size;
static int out[kMessages][1024], in[kMessages][1024];
static MPI_Request requests[2 * kMessages];
static MPI_Status statuses[2 * kMessages];
static int indices[2 * kMessages];

/* Posts receives from any source and with any tag, then as many sends of growing sizes. */
static void post(int distance) {
    const int to = (rank + distance) % size;
    for (int i = 0; i < kMessages; ++i) {
        MPI_Irecv(in[i], 1024, MPI_INT, i % 3 == 0 ? (rank + size - distance % size) % size : MPI_ANY_SOURCE,
                  i % 2 == 0 ? i : MPI_ANY_TAG, MPI_COMM_WORLD, &requests[i]);
    }
    for (int i = 0; i < kMessages; ++i) {
        MPI_Isend(out[i], i * i * 7, MPI_INT, to, i, MPI_COMM_WORLD, &requests[kMessages + i]);
    }
}

int main(int argc, char** argv) {
    int index, done, flag;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    post(1);
    for (int i = 0; i < 2 * kMessages; ++i) {
        MPI_Waitany(2 * kMessages, requests, &index, i % 2 == 0 ? &statuses[0] : MPI_STATUS_IGNORE);
        require(index != MPI_UNDEFINED && requests[index] == MPI_REQUEST_NULL);
    }
    MPI_Barrier(MPI_COMM_WORLD);

    post(1);
    for (int i = 0; i < 2 * kMessages; ++i) {
        MPI_Waitsome(2 * kMessages, requests, &done, indices, i % 2 == 0 ? statuses : MPI_STATUSES_IGNORE);
    }
    require(done == MPI_UNDEFINED);
    MPI_Barrier(MPI_COMM_WORLD);

    post(2);
    int found = 0;
    for (int i = 0; i < kTests; ++i) {
        usleep(200);
        MPI_Testany(2 * kMessages, requests, &index, &flag, i % 2 == 0 ? &statuses[0] : MPI_STATUS_IGNORE);
        if (flag && index != MPI_UNDEFINED) ++found;
    }
    MPI_Waitall(2 * kMessages, requests, MPI_STATUSES_IGNORE);
    require(found > 0);
    MPI_Barrier(MPI_COMM_WORLD);

    post(3);
    found = 0;
    for (int i = 0; i < kTests; ++i) {
        usleep(200);
        MPI_Testsome(2 * kMessages, requests, &done, indices, i % 2 == 0 ? statuses : MPI_STATUSES_IGNORE);
        if (done != MPI_UNDEFINED) found += done;
    }
    MPI_Waitall(2 * kMessages, requests, statuses);
    require(found > 0);
    MPI_Barrier(MPI_COMM_WORLD);

    post(1);
    for (int i = 0; i < kTests; ++i) {
        usleep(200);
        MPI_Testall(2 * kMessages, requests, &flag, i % 2 == 0 ? statuses : MPI_STATUSES_IGNORE);
    }
    MPI_Waitall(2 * kMessages, requests, statuses);
    MPI_Barrier(MPI_COMM_WORLD);

    post(1);
    for (int i = 0; i < 2 * kMessages; ++i) {
        for (int k = 0; k < 3; ++k) MPI_Test(&requests[i], &flag, k == 0 ? &statuses[0] : MPI_STATUS_IGNORE);
        MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);

    /* Blocking receives from any source. All ranks send to rank 0, and the size identifies the rank. */
    if (rank == 0) {
        for (int i = 1; i < size; ++i) {
            int count;
            MPI_Recv(in[0], 1024, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &statuses[0]);
            MPI_Get_count(&statuses[0], MPI_INT, &count);
            require(count == statuses[0].MPI_SOURCE && statuses[0].MPI_TAG == 100 + count);
        }
    } else {
        MPI_Send(out[0], rank, MPI_INT, 0, 100 + rank, MPI_COMM_WORLD);
    }

    MPI_Barrier(MPI_COMM_WORLD);

    /* Half of a request array is null. */
    for (int i = 0; i < 8; ++i) requests[i] = MPI_REQUEST_NULL;
    MPI_Irecv(in[0], 1024, MPI_INT, MPI_ANY_SOURCE, 77, MPI_COMM_WORLD, &requests[3]);
    MPI_Isend(out[0], 5, MPI_INT, (rank + 1) % size, 77, MPI_COMM_WORLD, &requests[6]);
    MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
    MPI_Waitall(0, NULL, MPI_STATUSES_IGNORE);
    MPI_Finalize();
    return 0;
}
