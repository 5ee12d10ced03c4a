/* random_ring [BYTES [RINGS]]: rings through all ranks in random orders, as in the HPC Challenge benchmark (b_eff). In
 * each ring, every rank exchanges messages with its predecessor and its successor. The program measures
 * two calls of MPI_Sendrecv and also non-blocking calls, and reports the faster ones. Routes between random nodes are
 * long, so the bisection limits the result. */

#include "pattern.h"

/* Draws from the 32-bit generator of Numerical Recipes, by its upper bits. All ranks and machines get equal numbers. */
static unsigned drawn(unsigned* state, unsigned below) {
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 16) % below;
}

static void exchange(const int* mine, int* of_left, int* of_right, int count, int left, int right, int is_blocking) {
    if (is_blocking) {
        MPI_Sendrecv(mine, count, MPI_INT, right, 0, of_left, count, MPI_INT, left, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        MPI_Sendrecv(mine, count, MPI_INT, left, 1, of_right, count, MPI_INT, right, 1, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        return;
    }
    MPI_Request requests[4];
    MPI_Irecv(of_left, count, MPI_INT, left, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(of_right, count, MPI_INT, right, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(mine, count, MPI_INT, right, 0, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(mine, count, MPI_INT, left, 1, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    const int count = (argument(argc, argv, 1, 1024) + 3) / 4;
    const int rings = argument(argc, argv, 2, 4);
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int* order = malloc(ranks * sizeof *order);
    int *mine = malloc(count * sizeof *mine), *of_left = malloc(count * sizeof *mine);
    int* of_right = malloc(count * sizeof *mine);
    for (int i = 0; i < count; ++i) mine[i] = rank * 1000 + i;

    double seconds = 0;
    unsigned state = 1;
    for (int ring = 0; ring < rings; ++ring) {
        for (int i = 0; i < ranks; ++i) order[i] = i;
        for (int i = ranks - 1; i > 0; --i) { /* Fisher-Yates shuffle */
            const int other = (int)drawn(&state, i + 1), kept = order[i];
            order[i] = order[other];
            order[other] = kept;
        }
        int place = 0;
        while (order[place] != rank) ++place;
        const int left = order[(place + ranks - 1) % ranks], right = order[(place + 1) % ranks];
        double fastest = 0;
        for (int is_blocking = 0; is_blocking < 2; ++is_blocking) {
            const double begin = begin_together();
            exchange(mine, of_left, of_right, count, left, right, is_blocking);
            double time = MPI_Wtime() - begin, of_all;
            MPI_Allreduce(&time, &of_all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
            fastest = is_blocking && fastest < of_all ? fastest : of_all;
            for (int i = 0; i < count; ++i) {
                check(of_left[i] == left * 1000 + i && of_right[i] == right * 1000 + i, "a neighbour's message");
            }
        }
        seconds += fastest / rings;
    }
    char what[80];
    snprintf(what, sizeof what, "%d random rings of %d ranks, %d bytes", rings, ranks, 4 * count);
    report(what, seconds);
    free(order);
    free(mine);
    free(of_left);
    free(of_right);
    MPI_Finalize();
    return 0;
}
