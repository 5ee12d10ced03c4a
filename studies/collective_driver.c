/* Prints the messages that each rank sends in collective operations. The preloaded collective_counter.c counts them.
 * The file in the argument contains one case per line, OPERATION ROOT COUNT (items of four bytes). For each case rank 0
 * repeats the line and then prints a line "FROM TO MESSAGES BYTES" for each pair of ranks. The study
 * collective_matrices.py runs this program and states the date and the result.
 */
#include <dlfcn.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;

/* Functions of collective_counter.c. */
static void (*counter_reset)(void);
static void (*counter_read)(uint64_t* messages, uint64_t* bytes, int ranks);
static void (*counter_learn)(int to);

static void find_counters(void) {
    counter_reset = (void (*)(void))dlsym(RTLD_DEFAULT, "haichi_counter_reset");
    counter_read = (void (*)(uint64_t*, uint64_t*, int))dlsym(RTLD_DEFAULT, "haichi_counter_read");
    counter_learn = (void (*)(int))dlsym(RTLD_DEFAULT, "haichi_counter_learn");
    if (counter_reset == NULL || counter_read == NULL || counter_learn == NULL) {
        fprintf(stderr, "collective_counter is not preloaded\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
}

/* Sends a message to each rank, so that the counter learns its endpoint. */
static void learn_ranks(void) {
    int in = 0, out = 0;
    for (int i = 1; i < size; ++i) {
        const int to = (rank + i) % size;
        MPI_Request request;
        MPI_Irecv(&in, 1, MPI_INT, (rank + size - i) % size, 0, MPI_COMM_WORLD, &request);
        counter_learn(to);
        MPI_Send(&out, 1, MPI_INT, to, 0, MPI_COMM_WORLD);
        counter_learn(-1);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

static int is(const char* operation, const char* name) { return strcmp(operation, name) == 0; }

static void call(const char* operation, int root, int count, int* sent, int* received, int* counts, int* offsets) {
    if (is(operation, "barrier")) MPI_Barrier(MPI_COMM_WORLD);
    if (is(operation, "bcast")) MPI_Bcast(received, count, MPI_INT, root, MPI_COMM_WORLD);
    if (is(operation, "gather")) MPI_Gather(sent, count, MPI_INT, received, count, MPI_INT, root, MPI_COMM_WORLD);
    if (is(operation, "gatherv")) {
        MPI_Gatherv(sent, counts[rank], MPI_INT, received, counts, offsets, MPI_INT, root, MPI_COMM_WORLD);
    }
    if (is(operation, "scatter")) MPI_Scatter(sent, count, MPI_INT, received, count, MPI_INT, root, MPI_COMM_WORLD);
    if (is(operation, "scatterv")) {
        MPI_Scatterv(sent, counts, offsets, MPI_INT, received, counts[rank], MPI_INT, root, MPI_COMM_WORLD);
    }
    if (is(operation, "allgather")) MPI_Allgather(sent, count, MPI_INT, received, count, MPI_INT, MPI_COMM_WORLD);
    if (is(operation, "allgatherv")) {
        MPI_Allgatherv(sent, counts[rank], MPI_INT, received, counts, offsets, MPI_INT, MPI_COMM_WORLD);
    }
    if (is(operation, "alltoall")) MPI_Alltoall(sent, count, MPI_INT, received, count, MPI_INT, MPI_COMM_WORLD);
    if (is(operation, "alltoallv")) {
        /* Every rank sends the same count to rank i, so a rank receives its own count from each rank. */
        int* const equal = malloc(sizeof(int) * (size_t)size);
        int* const places = malloc(sizeof(int) * (size_t)size);
        for (int i = 0; i < size; ++i) {
            equal[i] = counts[rank];
            places[i] = i * counts[rank];
        }
        MPI_Alltoallv(sent, counts, offsets, MPI_INT, received, equal, places, MPI_INT, MPI_COMM_WORLD);
        free(equal);
        free(places);
    }
    if (is(operation, "reduce")) MPI_Reduce(sent, received, count, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD);
    if (is(operation, "allreduce")) MPI_Allreduce(sent, received, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (is(operation, "reduce_scatter")) {
        MPI_Reduce_scatter(sent, received, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    if (is(operation, "reduce_scatter_block")) {
        MPI_Reduce_scatter_block(sent, received, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    if (is(operation, "scan")) MPI_Scan(sent, received, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (is(operation, "exscan")) MPI_Exscan(sent, received, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    find_counters();
    learn_ranks();
    FILE* const file = argc > 1 ? fopen(argv[1], "r") : NULL;
    if (file == NULL) {
        fprintf(stderr, "usage: collective_driver CASES\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
        return 2;
    }
    const size_t n = (size_t)size;
    uint64_t* const cells = calloc(2 * n, sizeof(uint64_t)); /* n message counts, then n byte counts */
    uint64_t* const all = calloc(2 * n * n, sizeof(uint64_t));
    int* const counts = malloc(n * sizeof(int));
    int* const offsets = malloc(n * sizeof(int));
    char operation[64];
    int root, count;
    while (fscanf(file, "%63s %d %d", operation, &root, &count) == 3) {
        int total = 0;
        for (int i = 0; i < size; ++i) {
            counts[i] = count + i % 3;
            offsets[i] = total;
            total += counts[i];
        }
        int* const sent = calloc((size_t)total + n * n, sizeof(int));
        int* const received = calloc(((size_t)count + 3) * n + (size_t)total, sizeof(int));
        MPI_Barrier(MPI_COMM_WORLD);
        counter_reset();
        call(operation, root, count, sent, received, counts, offsets);
        counter_read(cells, cells + n, size);
        MPI_Gather(cells, 2 * size, MPI_UINT64_T, all, 2 * size, MPI_UINT64_T, 0, MPI_COMM_WORLD);
        if (rank == 0) {
            printf("case %s %d %d %d\n", operation, size, root, count);
            for (size_t from = 0; from < n; ++from) {
                for (size_t to = 0; to < n; ++to) {
                    const uint64_t messages = all[2 * n * from + to];
                    if (messages > 0 && from != to) {
                        printf("%zu %zu %llu %llu\n", from, to, (unsigned long long)messages,
                               (unsigned long long)all[2 * n * from + n + to]);
                    }
                }
            }
        }
        free(sent);
        free(received);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
