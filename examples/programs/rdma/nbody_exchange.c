/* nbody_exchange [put|messages [sync|free [FITS [COUNTS]]]]: the particle exchange of an n-body code. The ranks form
 * a ring of domains, as in the study of RDMA on one switch. Every rank
 *   1. sends every other rank the number of particles that it has for it (counts),
 *   2. waits in a barrier until all buffers are ready,
 *   3. packs each block and puts it to its owner,
 *   4. waits until all of its puts are complete,
 *   5. waits in a barrier until all data have arrived,
 *   6. unpacks the received blocks.
 * `free` omits the barriers ("without synchronisation" in the study), and ranks poll for the data. `messages` sends the
 * blocks by MPI_Isend and MPI_Irecv.
 *
 * FITS is a file with one linear fit per line, `pack SECONDS SECONDS_PER_BYTE` or `unpack SECONDS SECONDS_PER_BYTE`. A
 * # starts a comment. COUNTS is a file with RANKS lines of RANKS numbers: entry j of line i is the bytes from rank i to
 * rank j. Without COUNTS, a rank sends NEAR bytes to its two neighbours and FAR bytes to all others. */

#include <mgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NEAR = 262144, FAR = 131072, COUNT_TAG = 1000, DATA_TAG = 2000, BARRIER_TAG = 3000 };

struct fit {
    double seconds, seconds_per_byte;
};
static struct fit pack = {1e-6, 0.25e-9}, unpack = {1e-6, 0.25e-9};
static int rank, ranks, barriers;

static void fail(const char* text, const char* about) {
    fprintf(stderr, "nbody_exchange: %s%s\n", text, about);
    exit(2);
}

static void read_fits(const char* path) {
    FILE* file = fopen(path, "r");
    if (file == NULL) fail("cannot open ", path);
    char line[256], name[16];
    while (fgets(line, sizeof line, file) != NULL) {
        struct fit read;
        if (line[0] == '#' || line[strspn(line, " \t\n")] == '\0') continue;
        if (sscanf(line, "%15s %lf %lf", name, &read.seconds, &read.seconds_per_byte) != 3) fail("not a fit: ", line);
        if (strcmp(name, "pack") != 0 && strcmp(name, "unpack") != 0) fail("a fit of pack or unpack, not ", name);
        *(strcmp(name, "pack") == 0 ? &pack : &unpack) = read;
    }
    fclose(file);
}

static void read_counts(const char* path, int* counts) {
    FILE* file = fopen(path, "r");
    if (file == NULL) fail("cannot open ", path);
    for (int i = 0; i < ranks * ranks; ++i) {
        if (fscanf(file, "%d", &counts[i]) != 1 || counts[i] < 0) fail("too few counts, or one below 0, in ", path);
    }
    fclose(file);
}

static void work(const struct fit* of, int bytes) { MGEN_Comp(of->seconds + of->seconds_per_byte * bytes); }

/* Dissemination barrier by puts. Each step has its own tag. */
static void meet(void) {
    const int number = barriers++;
    for (int step = 0; 1 << step < ranks; ++step) {
        MGEN_rdma_put((rank + (1 << step)) % ranks, 0, BARRIER_TAG + 32 * number + step);
        MGEN_rdma_poll(BARRIER_TAG + 32 * number + step);
    }
}

int MGEN_Main(int argc, char** argv) {
    const int by_put = argc < 2 || strcmp(argv[1], "put") == 0;
    const int meets = argc < 3 || strcmp(argv[2], "sync") == 0;
    if (argc > 1 && !by_put && strcmp(argv[1], "messages") != 0) fail("put or messages, not ", argv[1]);
    if (argc > 2 && !meets && strcmp(argv[2], "free") != 0) fail("sync or free, not ", argv[2]);
    MGEN_Comm_rank(MGEN_COMM_WORLD, &rank);
    MGEN_Comm_size(MGEN_COMM_WORLD, &ranks);
    if (argc > 3) read_fits(argv[3]);
    int* counts = malloc(sizeof *counts * ranks * ranks);
    for (int from = 0; from < ranks; ++from) {
        for (int to = 0; to < ranks; ++to) {
            const int ahead = (to + ranks - from) % ranks;
            counts[from * ranks + to] = ahead == 0 ? 0 : ahead == 1 || ahead == ranks - 1 ? NEAR : FAR;
        }
    }
    if (argc > 4) read_counts(argv[4], counts);

    if (by_put) {
        for (int ahead = 1; ahead < ranks; ++ahead) MGEN_rdma_put((rank + ahead) % ranks, sizeof(int), COUNT_TAG);
        for (int ahead = 1; ahead < ranks; ++ahead) MGEN_rdma_poll(COUNT_TAG);
        MGEN_acp_complete(MGEN_ACP_HANDLE_ALL);
    } else {
        int *mine = calloc(ranks, sizeof *mine), *theirs = calloc(ranks, sizeof *theirs);
        MGEN_Alltoall(mine, 1, MPI_INT, theirs, 1, MPI_INT, MGEN_COMM_WORLD);
        free(mine);
        free(theirs);
    }
    if (meets && by_put) meet();
    if (meets && !by_put) MGEN_Barrier(MGEN_COMM_WORLD);

    MPI_Request* requests = malloc(sizeof *requests * 2 * ranks);
    int open = 0;
    for (int ahead = 1; ahead < ranks && !by_put; ++ahead) {
        const int from = (rank + ranks - ahead) % ranks, bytes = counts[from * ranks + rank];
        MGEN_Irecv(malloc(bytes + 1), bytes, MPI_BYTE, from, 0, MGEN_COMM_WORLD, &requests[open++]);
    }
    for (int ahead = 1; ahead < ranks; ++ahead) {
        const int to = (rank + ahead) % ranks, bytes = counts[rank * ranks + to];
        work(&pack, bytes);
        if (by_put) {
            MGEN_rdma_put(to, bytes, DATA_TAG);
        } else {
            MGEN_Isend(calloc(1, bytes + 1), bytes, MPI_BYTE, to, 0, MGEN_COMM_WORLD, &requests[open++]);
        }
    }
    if (by_put) {
        MGEN_acp_complete(MGEN_ACP_HANDLE_ALL);
    } else {
        MGEN_Waitall(open, requests, MPI_STATUSES_IGNORE);
    }
    if (meets && by_put) meet();
    if (meets && !by_put) MGEN_Barrier(MGEN_COMM_WORLD);
    for (int ahead = 1; ahead < ranks && by_put; ++ahead) MGEN_rdma_poll(DATA_TAG);
    for (int ahead = 1; ahead < ranks; ++ahead) work(&unpack, counts[(rank + ranks - ahead) % ranks * ranks + rank]);
    free(counts);
    free(requests);
    return 0;
}
