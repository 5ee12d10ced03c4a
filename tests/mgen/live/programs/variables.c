/* variables [SMALL]: 16 KiB of variables per rank, in and around collectives. With an argument, only a barrier and two
 * all-reduces, for measurements of large runs. */

#include "tests/mgen/live/programs/require.h"

#define COUNT 2048
#define MOST_RANKS 64

static long mine[COUNT];
static long sums[16];
static long weights[16];
static int counts[MOST_RANKS], offsets[MOST_RANKS];
static long gathered[3 * MOST_RANKS];
static long uses;
static double far_away;
static __thread long of_thread;

/* Reads and writes variables of the calling rank. */
static void add_counted(void* in, void* inout, int* count, MPI_Datatype* type) {
    (void)type;
    for (int i = 0; i < *count; ++i) ((long*)inout)[i] += ((long*)in)[i];
    uses += mine[0] + 1;
}

static void check_mine(int rank) {
    for (int i = 0; i < COUNT; ++i) require(mine[i] == 1000L * rank + i);
}

static void small(int rank, int size) {
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < 2; ++i) {
        long own = rank + i, sum = -1;
        MPI_Allreduce(&own, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
        require(sum == (long)size * (size - 1) / 2 + (long)size * i);
    }
}

static void in_variables(int rank, int size) {
    MPI_Allreduce(mine, sums, 16, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < 16; ++i) require(sums[i] == 500L * size * (size - 1) + (long)size * i);

    // From variables to a stack and back, in the background, while other ranks run.
    long on_stack[16];
    MPI_Request requests[3];
    MPI_Iallreduce(mine, on_stack, 16, MPI_LONG, MPI_MAX, MPI_COMM_WORLD, &requests[0]);
    MPI_Iallreduce(MPI_IN_PLACE, sums, 16, MPI_LONG, MPI_MIN, MPI_COMM_WORLD, &requests[1]);
    for (int r = 0, at = 0; r < size; ++r) {
        counts[r] = 1 + r % 3;
        offsets[r] = at;
        at += counts[r];
    }
    MPI_Iallgatherv(mine, counts[rank], MPI_LONG, gathered, counts, offsets, MPI_LONG, MPI_COMM_WORLD, &requests[2]);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 16; ++i) require(on_stack[i] == 1000L * (size - 1) + i);
    for (int i = 0; i < 16; ++i) require(sums[i] == 500L * size * (size - 1) + (long)size * i);
    for (int r = 0; r < size; ++r) {
        for (int i = 0; i < counts[r]; ++i) require(gathered[offsets[r] + i] == 1000L * r + i);
    }
}

static void by_the_program(int rank, int size) {
    MPI_Op add;
    MPI_Op_create(add_counted, 1, &add);
    long from[16], to[16];
    for (int i = 0; i < 16; ++i) from[i] = rank + i;
    MPI_Request request;
    MPI_Iallreduce(from, to, 16, MPI_LONG, add, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < 16; ++i) require(to[i] == (long)size * (size - 1) / 2 + (long)size * i);
    require(uses % (1000L * rank + 1) == 0);
    MPI_Op_free(&add);

    // A data type that contains the address of a variable.
    MPI_Aint address;
    MPI_Get_address(&far_away, &address);
    const int one = 1;
    MPI_Datatype type;
    MPI_Type_create_hindexed(1, &one, &address, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    if (rank == size - 1) far_away = 2.5;
    MPI_Bcast(MPI_BOTTOM, 1, type, size - 1, MPI_COMM_WORLD);
    require(far_away == 2.5);
    far_away += rank;
    MPI_Barrier(MPI_COMM_WORLD);
    require(far_away == 2.5 + rank);
    MPI_Type_free(&type);
}

int main(int argc, char** argv) {
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < COUNT; ++i) mine[i] = 1000L * rank + i;
    for (int i = 0; i < 16; ++i) weights[i] = rank;
    of_thread = rank;
    small(rank, size);
    if (argc == 1) {
        require(size <= MOST_RANKS);
        in_variables(rank, size);
        by_the_program(rank, size);
    }
    check_mine(rank);
    for (int i = 0; i < 16; ++i) require(weights[i] == rank);
    require(of_thread == rank);
    if (rank == 0) printf("variables of %d ranks\n", size);
    MPI_Finalize();
    return 0;
}
