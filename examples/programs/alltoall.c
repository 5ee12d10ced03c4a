/* alltoall [pairwise|bruck|library [BYTES]]: each rank sends a block of BYTES to each other rank.
 *
 * - pairwise (for large blocks): ranks - 1 steps, in which every block is sent once. Step i exchanges with rank
 *   XOR i if the number of ranks is a power of two. Otherwise it sends to rank + i and receives from rank - i.
 * - bruck (for small blocks, Bruck et al. 1997): ceil(log2 ranks) steps. Step k sends one message to rank + 2^k, with
 *   all blocks whose distance has bit k set. Blocks are forwarded several times, but in few messages.
 * - library: MPI_Alltoall. */

#include "pattern.h"

static void pairwise(const char* blocks, char* received, int bytes, int rank, int ranks) {
    const int is_power = (ranks & (ranks - 1)) == 0;
    memcpy(received + (size_t)rank * bytes, blocks + (size_t)rank * bytes, bytes);
    for (int i = 1; i < ranks; ++i) {
        const int to = is_power ? rank ^ i : (rank + i) % ranks;
        const int from = is_power ? to : (rank + ranks - i) % ranks;
        MPI_Sendrecv(blocks + (size_t)to * bytes, bytes, MPI_BYTE, to, i, received + (size_t)from * bytes, bytes,
                     MPI_BYTE, from, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static void bruck(const char* blocks, char* received, int bytes, int rank, int ranks) {
    char* ways = malloc((size_t)ranks * bytes);  /* entry w is the block for rank + w */
    char* going = malloc((size_t)ranks * bytes); /* all blocks that one step sends, joined */
    char* coming = malloc((size_t)ranks * bytes);
    for (int w = 0; w < ranks; ++w)
        memcpy(ways + (size_t)w * bytes, blocks + (size_t)((rank + w) % ranks) * bytes, bytes);
    for (int bit = 1; bit < ranks; bit *= 2) {
        int count = 0;
        for (int w = 0; w < ranks; ++w) {
            if (w & bit) memcpy(going + (size_t)count++ * bytes, ways + (size_t)w * bytes, bytes);
        }
        MPI_Sendrecv(going, count * bytes, MPI_BYTE, (rank + bit) % ranks, bit, coming, count * bytes, MPI_BYTE,
                     (rank + ranks - bit) % ranks, bit, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        count = 0;
        for (int w = 0; w < ranks; ++w) {
            if (w & bit) memcpy(ways + (size_t)w * bytes, coming + (size_t)count++ * bytes, bytes);
        }
    }
    /* Entry w is now the block from rank - w. */
    for (int w = 0; w < ranks; ++w) {
        memcpy(received + (size_t)((rank + ranks - w) % ranks) * bytes, ways + (size_t)w * bytes, bytes);
    }
    free(ways);
    free(going);
    free(coming);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    const char* algorithm = argc > 1 ? argv[1] : "bruck";
    const int bytes = argument(argc, argv, 2, 4);
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    char *blocks = malloc((size_t)ranks * bytes), *received = calloc(ranks, bytes);
    for (int to = 0; to < ranks; ++to) memset(blocks + (size_t)to * bytes, (3 * rank + 5 * to) % 127, bytes);

    const double begin = begin_together();
    if (strcmp(algorithm, "pairwise") == 0) {
        pairwise(blocks, received, bytes, rank, ranks);
    } else if (strcmp(algorithm, "bruck") == 0) {
        bruck(blocks, received, bytes, rank, ranks);
    } else {
        check(strcmp(algorithm, "library") == 0, "the algorithm is pairwise, bruck or library");
        MPI_Alltoall(blocks, bytes, MPI_BYTE, received, bytes, MPI_BYTE, MPI_COMM_WORLD);
    }
    const double seconds = MPI_Wtime() - begin;

    for (int from = 0; from < ranks; ++from) {
        for (int i = 0; i < bytes; ++i) {
            check(received[(size_t)from * bytes + i] == (3 * from + 5 * rank) % 127, "a block");
        }
    }
    char what[80];
    snprintf(what, sizeof what, "%s all-to-all of %d ranks, %d bytes", algorithm, ranks, bytes);
    report(what, seconds);
    free(blocks);
    free(received);
    MPI_Finalize();
    return 0;
}
