/* For the tests of libhaichi-barriers: iterations of two communication sets with persistent requests, and an
 * all-reduce.
 *
 *     persistent ITERATIONS each|sets|all
 *
 * MPI_Start starts each request, or MPI_Startall starts those of a set, or those of both sets at once. */

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char** argv) {
    int rank, ranks, sum = 0, sent[2], received[2];
    MPI_Request requests[5];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int iterations = argc > 1 ? atoi(argv[1]) : 5;
    const char* const how = argc > 2 ? argv[2] : "each";
    for (int set = 0; set < 2; ++set) {
        const int steps = set + 1, before = (rank + ranks - steps) % ranks, after = (rank + steps) % ranks;
        MPI_Recv_init(&received[set], 1, MPI_INT, before, set, MPI_COMM_WORLD, &requests[2 * set]);
        MPI_Send_init(&sent[set], 1, MPI_INT, after, set, MPI_COMM_WORLD, &requests[2 * set + 1]);
    }
    MPI_Send_init(sent, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &requests[4]);
    for (int i = 0; i < iterations; ++i) {
        sent[0] = sent[1] = rank + i;
        received[0] = received[1] = -1;
        if (strcmp(how, "all") == 0) {
            MPI_Startall(5, requests);
            MPI_Waitall(5, requests, MPI_STATUSES_IGNORE);
        } else {
            for (int set = 0; set < 2; ++set) {
                if (strcmp(how, "sets") == 0) {
                    MPI_Startall(2, requests + 2 * set);
                } else {
                    for (int k = 0; k < 2; ++k) MPI_Start(&requests[2 * set + k]);
                }
                MPI_Waitall(2, requests + 2 * set, MPI_STATUSES_IGNORE);
            }
        }
        for (int set = 0; set < 2; ++set) {
            if (received[set] != (rank + ranks - set - 1) % ranks + i) MPI_Abort(MPI_COMM_WORLD, 1);
        }
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    for (int k = 0; k < 5; ++k) MPI_Request_free(&requests[k]);
    if (rank == 0) printf("done %d\n", sum);
    MPI_Finalize();
    return 0;
}
