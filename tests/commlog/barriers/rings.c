/* For the tests of libhaichi-barriers: iterations of two communication sets and an all-reduce.
 *
 *     rings ITERATIONS [HOW RANK AT]
 *
 * From iteration AT on, RANK behaves differently:
 *     tag     another tag in the first set, and its neighbour agrees
 *     early   the rank sends and receives the second set first, and so do its partners in this set
 *     probe   the rank probes for a message before it receives it
 *     leave   all ranks end their iterations before the all-reduce */

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, ranks;

/* The first set: a message to the next rank. */
static void near_set(int tag_from, int tag_to, int probes) {
    int sent = rank, received = -1;
    const int before = (rank + ranks - 1) % ranks, after = (rank + 1) % ranks;
    MPI_Request requests[2];
    if (probes) {
        MPI_Isend(&sent, 1, MPI_INT, after, tag_to, MPI_COMM_WORLD, &requests[1]);
        MPI_Probe(before, tag_from, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Irecv(&received, 1, MPI_INT, before, tag_from, MPI_COMM_WORLD, &requests[0]);
    } else {
        MPI_Irecv(&received, 1, MPI_INT, before, tag_from, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(&sent, 1, MPI_INT, after, tag_to, MPI_COMM_WORLD, &requests[1]);
    }
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    if (received != before) MPI_Abort(MPI_COMM_WORLD, 1);
}

/* The second set: a message to the rank after the next. */
static void far_set(MPI_Comm comm) {
    int sent = rank, received = -1;
    MPI_Sendrecv(&sent, 1, MPI_INT, (rank + 2) % ranks, 2, &received, 1, MPI_INT, (rank + ranks - 2) % ranks, 2, comm,
                 MPI_STATUS_IGNORE);
    if (received != (rank + ranks - 2) % ranks) MPI_Abort(MPI_COMM_WORLD, 2);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int iterations = argc > 1 ? atoi(argv[1]) : 5;
    const char* const how = argc > 4 ? argv[2] : "same";
    const int other = argc > 4 ? atoi(argv[3]) : -1, from = argc > 4 ? atoi(argv[4]) : iterations;
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    int all = rank, sum = 0;
    MPI_Bcast(&all, 1, MPI_INT, 0, comm);
    for (int i = 0; i < iterations; ++i) {
        const int differs = i >= from;
        const int is_other = differs && rank == other;
        const int is_next = differs && rank == (other + 1) % ranks;
        if (strcmp(how, "early") == 0 && differs && rank % 2 == other % 2) {
            far_set(comm);
            near_set(1, 1, 0);
        } else {
            near_set(strcmp(how, "tag") == 0 && is_next ? 7 : 1, strcmp(how, "tag") == 0 && is_other ? 7 : 1,
                     strcmp(how, "probe") == 0 && is_other);
            far_set(comm);
        }
        if (strcmp(how, "leave") == 0 && differs) break;
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Comm_free(&comm);
    if (rank == 0) printf("done %d\n", sum);
    MPI_Finalize();
    return 0;
}
