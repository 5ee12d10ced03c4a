/* A second thread in a rank. */

#include <pthread.h>

#include "tests/mgen/live/programs/require.h"

static void* run(void* argument) { return argument; }

int main(int argc, char** argv) {
    pthread_t thread;
    MPI_Init(&argc, &argv);
    pthread_create(&thread, NULL, run, NULL);  // thread.c: here
    pthread_join(thread, NULL);
    MPI_Finalize();
    return 0;
}
