/* bandwidth ring|bisection [BYTES [messages|put [SEED]]]: every rank sends BYTES (1 MiB) at the same time. The
 * bandwidth of a rank is BYTES divided by the simulated time.
 *
 * - ring: each rank sends to the next one in a ring through all ranks in a random order.
 * - bisection: each rank exchanges with the rank at the distance `ranks / 2`, which is in the other half.
 *
 * Messages are not copied (zero copy), and receives are posted beforehand. The simulated time covers only the
 * exchange. */

#include <mgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Draws from the 32-bit generator of Numerical Recipes, by its upper bits. All ranks get equal numbers. */
static int drawn(unsigned* state, unsigned below) {
    *state = *state * 1664525u + 1013904223u;
    return (int)((*state >> 16) % below);
}

static void fail(const char* text) {
    fprintf(stderr, "bandwidth: %s\n", text);
    exit(2);
}

int MGEN_Main(int argc, char** argv) {
    if (argc < 2) fail("ring or bisection");
    const int is_ring = strcmp(argv[1], "ring") == 0;
    if (!is_ring && strcmp(argv[1], "bisection") != 0) fail("ring or bisection");
    const int bytes = argc > 2 ? atoi(argv[2]) : 1 << 20;
    const int by_put = argc > 3 && strcmp(argv[3], "put") == 0;
    unsigned state = argc > 4 ? (unsigned)atoi(argv[4]) : 1;
    int rank, ranks, to, from;
    MGEN_Comm_rank(MGEN_COMM_WORLD, &rank);
    MGEN_Comm_size(MGEN_COMM_WORLD, &ranks);
    if (is_ring) {
        int *order = malloc(sizeof *order * ranks), place = 0;
        for (int i = 0; i < ranks; ++i) order[i] = i;
        for (int i = ranks - 1; i > 0; --i) { /* Fisher-Yates shuffle */
            const int other = drawn(&state, i + 1), kept = order[i];
            order[i] = order[other];
            order[other] = kept;
        }
        while (order[place] != rank) ++place;
        to = order[(place + 1) % ranks];
        from = order[(place + ranks - 1) % ranks];
        free(order);
    } else {
        to = from = (rank + ranks / 2) % ranks;
        if (ranks % 2 != 0) fail("a bisection has two halves of equal size");
    }
    if (by_put) {
        MGEN_rdma_put(to, bytes, 0);
        MGEN_rdma_poll(0);
        MGEN_acp_complete(MGEN_ACP_HANDLE_ALL);
        return 0;
    }
    char *going = calloc(1, bytes + 1), *coming = malloc(bytes + 1);
    MGEN_Send_options options = MGEN_SEND_DEFAULTS;
    options.zero_copy = 1;
    MPI_Request requests[2];
    MGEN_Irecv(coming, bytes, MPI_BYTE, from, 0, MGEN_COMM_WORLD, &requests[0]);
    MGEN_Isend_with(going, bytes, MPI_BYTE, to, 0, MGEN_COMM_WORLD, &options, &requests[1]);
    MGEN_Waitall(2, requests, MPI_STATUSES_IGNORE);
    free(going);
    free(coming);
    return 0;
}
