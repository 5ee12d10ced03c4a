/* State of which each process of an MPI program has its own: options, random numbers, static data, tokens, exit
 * handlers, exit codes. Output is the same on a simulated machine and under a real MPI. */
#include <getopt.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int counter = 5;
static int zeros[1000];
static _Thread_local int of_thread = 3;
static char line[200];
static int rank = -1;

static void at_end(void) { printf("rank %d: at the end, counter %d\n", rank, counter); }

int main(int argc, char** argv) {
    int size, n = -1, verbose = 0, code = 0, c;
    const struct option longs[] = {{"number", required_argument, 0, 'n'}, {"verbose", no_argument, &verbose, 1}, {0}};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    while ((c = getopt_long(argc, argv, "n:x:", longs, NULL)) != -1) {
        MPI_Barrier(MPI_COMM_WORLD); /* the others parse their options meanwhile */
        if (c == 'n') n = atoi(optarg);
        if (c == 'x') code = atoi(optarg);
    }
    argv[optind][0] = (char)('a' + rank % 26);
    MPI_Barrier(MPI_COMM_WORLD);
    atexit(at_end);
    counter += rank;
    zeros[rank % 1000]++;
    of_thread += rank;
    if (rank % 2) srand((unsigned)rank);
    strcpy(line, "one two three");
    char* token = strtok(line, " ");
    for (int i = 0; i < 3; ++i) {
        MPI_Barrier(MPI_COMM_WORLD);
        counter += rand() % 10;
        counter += (int)(drand48() * 10);
        if (i < 2) token = strtok(NULL, " ");
    }
    int sum = 0;
    for (int i = 0; i < 1000; ++i) sum += zeros[i];
    for (int r = 0; r < size; ++r) {
        if (r == rank) {
            printf("rank %d: n %d verbose %d counter %d zeros %d thread %d token %s argument %s random %ld\n", rank, n,
                   verbose, counter, sum, of_thread, token, argv[optind], random());
            fflush(stdout);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    exit(rank == 1 ? code : 0);
}
