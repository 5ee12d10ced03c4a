/* Fails in the way that the first argument names. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int deeper(int n) {
    volatile char room[1000];
    room[0] = (char)n;
    return n == 0 ? 0 : deeper(n + 1) + room[0];
}

static void* nothing(void* of) { return of; }

int main(int argc, char** argv) {
    int rank, value = 0;
    volatile int zero = 0;
    const char* how = argc > 1 ? argv[1] : "";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    printf("rank %d begins\n", rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) {
        if (!strcmp(how, "null")) *(volatile int*)16 = 1;
        if (!strcmp(how, "divide")) value = rank / zero;
        if (!strcmp(how, "abort")) abort();
        if (!strcmp(how, "stack")) value = deeper(1);
        if (!strcmp(how, "thread")) {
            pthread_t thread;
            pthread_create(&thread, NULL, nothing, NULL);
        }
        if (!strcmp(how, "fork")) fork();
        if (!strcmp(how, "deadlock")) MPI_Recv(&value, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (!strcmp(how, "exit")) exit(9);
        if (!strcmp(how, "chdir") && chdir("/") != 0) return 1;
    }
    MPI_Finalize();
    return value;
}
