/* One-sided communication with all kinds of synchronisation: every rank prints the values in its memory and those it
 * gets. */

#include <stdio.h>
#include <string.h>

#include "tests/mgen/live/programs/require.h"

enum { kItems = 8, kRounds = 20 };

static int rank, size;
static int in_static_memory[kItems];

static void fences(void) {
    MPI_Win window;
    int got[kItems];
    MPI_Win_create(in_static_memory, sizeof in_static_memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    for (int i = 0; i < kItems; ++i) in_static_memory[i] = 100 * rank + i;
    MPI_Win_fence(MPI_MODE_NOPRECEDE, window);
    const int next = (rank + 1) % size;
    const int value = 1000 + rank;
    MPI_Put(&value, 1, MPI_INT, next, 3, 1, MPI_INT, window);
    MPI_Win_fence(0, window);
    MPI_Get(got, kItems, MPI_INT, next, 0, kItems, MPI_INT, window);
    MPI_Accumulate(&value, 1, MPI_INT, 0, 5, 1, MPI_INT, MPI_SUM, window);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
    printf("fence %d: %d %d %d %d\n", rank, in_static_memory[3], got[2], got[3], rank == 0 ? in_static_memory[5] : 0);
    MPI_Win_free(&window);
}

/* Even ranks expose their memory to odd ones. */
static void posts(void) {
    MPI_Win window;
    MPI_Group all, others;
    int* memory;
    MPI_Win_allocate(sizeof(int) * 64, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    int members[64], count = 0;
    for (int r = 1 - rank % 2; r < size; r += 2) members[count++] = r;
    MPI_Group_incl(all, count, members, &others);
    for (int round = 0; round < 3; ++round) {
        if (rank % 2 == 0) {
            for (int i = 0; i < 64; ++i) memory[i] = 0;
            MPI_Win_post(others, 0, window);
            int is_over = 0;
            while (round == 1 && !is_over) MPI_Win_test(window, &is_over);
            if (round != 1) MPI_Win_wait(window);
            int sum = 0;
            for (int i = 0; i < 64; ++i) sum += memory[i];
            printf("post %d in round %d: %d\n", rank, round, sum);
        } else {
            MPI_Datatype spread;
            const int values[2] = {rank, 10 * rank};
            MPI_Type_vector(2, 1, 32, MPI_INT, &spread);
            MPI_Type_commit(&spread);
            MPI_Win_start(others, 0, window);
            for (int i = 0; i < count; ++i) MPI_Put(values, 2, MPI_INT, members[i], rank / 2, 1, spread, window);
            MPI_Win_complete(window);
            MPI_Type_free(&spread);
        }
    }
    MPI_Group_free(&others);
    MPI_Group_free(&all);
    MPI_Win_free(&window);
}

/* A counter at rank 0, updated in three ways, and a lock that protects two related values. */
static void locks(void) {
    MPI_Win window;
    long* memory;
    MPI_Win_allocate(rank == 0 ? 8 * sizeof(long) : 0, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Barrier(MPI_COMM_WORLD);
    const long one = 1;
    long before = -1, last = -1;
    for (int i = 0; i < kRounds; ++i) {
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
        MPI_Fetch_and_op(&one, &before, MPI_LONG, 0, 0, MPI_SUM, window);
        MPI_Win_unlock(0, window);
        require(before > last);
        last = before;
    }
    for (int i = 0; i < kRounds; ++i) {
        long pair[2];
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
        MPI_Get(pair, 2, MPI_LONG, 0, 1, 2, MPI_LONG, window);
        MPI_Win_flush(0, window);
        require(pair[1] == 2 * pair[0]);
        pair[0] += 1;
        pair[1] += 2;
        MPI_Put(pair, 2, MPI_LONG, 0, 1, 2, MPI_LONG, window);
        MPI_Win_unlock(0, window);
    }
    MPI_Win_lock_all(0, window);
    for (int i = 0; i < kRounds; ++i) {
        for (;;) {
            long seen, found;
            MPI_Get_accumulate(NULL, 0, MPI_LONG, &seen, 1, MPI_LONG, 0, 3, 1, MPI_LONG, MPI_NO_OP, window);
            MPI_Win_flush_local(0, window);
            const long wanted = seen + 1;
            MPI_Compare_and_swap(&wanted, &seen, &found, MPI_LONG, 0, 3, window);
            MPI_Win_flush(0, window);
            if (found == seen) break;
        }
    }
    MPI_Win_unlock_all(window);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) printf("locks: %ld %ld %ld %ld\n", memory[0], memory[1], memory[2], memory[3]);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_free(&window);
}

/* Dynamic windows, requests, and order-dependent accumulates. */
static void others(void) {
    MPI_Win window;
    int memory[kItems] = {0};
    MPI_Aint address, addresses[64];
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_attach(window, memory, sizeof memory);
    MPI_Get_address(memory, &address);
    MPI_Allgather(&address, 1, MPI_AINT, addresses, 1, MPI_AINT, MPI_COMM_WORLD);
    const int next = (rank + 1) % size;
    MPI_Win_lock_all(0, window);
    int value = 7 * rank, got = -1;
    MPI_Request requests[2];
    MPI_Rput(&value, 1, MPI_INT, next, addresses[next], 1, MPI_INT, window, &requests[0]);
    MPI_Raccumulate(&value, 1, MPI_INT, next, addresses[next] + 4, 1, MPI_INT, MPI_REPLACE, window, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Win_flush(next, window);
    int numbers[50];
    for (int i = 0; i < 50; ++i) {
        numbers[i] = i;
        MPI_Accumulate(&numbers[i], 1, MPI_INT, next, addresses[next] + 8, 1, MPI_INT, MPI_REPLACE, window);
    }
    MPI_Rget(&got, 1, MPI_INT, next, addresses[next] + 4, 1, MPI_INT, window, &requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Win_unlock_all(window);
    MPI_Barrier(MPI_COMM_WORLD);
    printf("others %d: %d %d %d, got %d\n", rank, memory[0], memory[1], memory[2], got);
    MPI_Win_detach(window, memory);
    MPI_Win_free(&window);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    fences();
    posts();
    locks();
    others();
    MPI_Finalize();
    return 0;
}
