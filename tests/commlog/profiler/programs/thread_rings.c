/* Two threads of each rank, each with a ring. They have separate tags, or share the same tags.
 * thread_rings own|shared STEPS */

#include <pthread.h>
#include <string.h>

#include "tests/commlog/profiler/programs/require.h"

static int rank, size, steps, own_tags;

static void* ring(void* argument) {
    const int thread = *(const int*)argument;
    char out[2048], in[2048];
    memset(out, 0, sizeof out);
    const int bytes = own_tags ? 1024 * (thread + 1) : 1024;
    const int tag = own_tags ? thread : 0;
    for (int step = 0; step < steps; ++step) {
        MPI_Sendrecv(out, bytes, MPI_BYTE, (rank + 1) % size, tag, in, bytes, MPI_BYTE, (rank + size - 1) % size, tag,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    return NULL;
}

int main(int argc, char** argv) {
    int level;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    require(argc == 3 && level == MPI_THREAD_MULTIPLE);
    own_tags = strcmp(argv[1], "own") == 0;
    steps = atoi(argv[2]);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int first = 0, second = 1;
    pthread_t thread;
    require(pthread_create(&thread, NULL, ring, &second) == 0);
    ring(&first);
    require(pthread_join(thread, NULL) == 0);
    MPI_Finalize();
    return 0;
}
