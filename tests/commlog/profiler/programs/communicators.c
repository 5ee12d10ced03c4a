/* Peers are counted as ranks of MPI_COMM_WORLD, whatever the communicator. communicators ROUNDS */

#include "tests/commlog/profiler/programs/require.h"

static int buffer[256], received[256];

static void ring(MPI_Comm comm, int count, int tag) {
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Sendrecv(buffer, count, MPI_INT, (rank + 1) % size, tag, received, 256, MPI_INT, (rank + size - 1) % size, tag,
                 comm, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
    int rank, size;
    MPI_Comm half, backwards, copy, cart, row, chosen, pending;
    MPI_Group world_group, group;
    MPI_Request requests[2];

    MPI_Init(&argc, &argv);
    require(argc == 2);
    const int rounds = atoi(argv[1]);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    ring(MPI_COMM_WORLD, 1, 0);
    ring(MPI_COMM_SELF, 2, 0);

    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    ring(half, 3, 0);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &backwards);
    ring(backwards, 4, 0);
    /* Some ranks are in none of the new communicators. */
    MPI_Comm_split(MPI_COMM_WORLD, rank == 1 ? MPI_UNDEFINED : 5, rank, &chosen);
    if (chosen != MPI_COMM_NULL) {
        ring(chosen, 5, 0);
        MPI_Comm_free(&chosen);
    }

    /* Many short-lived communicators: their handles are reused for others. */
    for (int i = 0; i < rounds; ++i) {
        MPI_Comm_dup(i % 2 == 0 ? backwards : half, &copy);
        ring(copy, 6 + i % 5, 1);
        MPI_Comm_free(&copy);
    }
    MPI_Comm_idup(backwards, &copy, &requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    ring(copy, 12, 1);

    /* The communicator is freed before its posted messages have completed. */
    MPI_Comm_dup(backwards, &pending);
    int here;
    MPI_Comm_rank(pending, &here);
    MPI_Irecv(received, 256, MPI_INT, MPI_ANY_SOURCE, 2, pending, &requests[0]);
    MPI_Isend(buffer, 13, MPI_INT, (here + 1) % size, 2, pending, &requests[1]);
    MPI_Comm_free(&pending);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);

    const int members[2] = {size - 1, 0};
    MPI_Comm_group(MPI_COMM_WORLD, &world_group);
    MPI_Group_incl(world_group, size > 1 ? 2 : 1, members, &group);
    MPI_Comm_create(MPI_COMM_WORLD, group, &chosen);
    if (chosen != MPI_COMM_NULL) {
        ring(chosen, 20, 3);
        MPI_Comm_free(&chosen);
    }
    if (rank == 0 || rank == size - 1) {
        MPI_Comm_create_group(MPI_COMM_WORLD, group, 4, &chosen);
        ring(chosen, 21, 3);
        MPI_Comm_free(&chosen);
    }
    MPI_Group_free(&group);
    MPI_Group_free(&world_group);

    int sizes[2] = {0, 0}, coordinates[2], from, to;
    const int periods[2] = {1, 0}, kept[2] = {0, 1};
    MPI_Dims_create(size, 2, sizes);
    MPI_Cart_create(MPI_COMM_WORLD, 2, sizes, periods, 0, &cart);
    MPI_Cart_coords(cart, rank, 2, coordinates);
    for (int direction = 0; direction < 2; ++direction) {
        MPI_Cart_shift(cart, direction, 1, &from, &to);
        MPI_Sendrecv(buffer, 30, MPI_INT, to, 5, received, 256, MPI_INT, from, 5, cart, MPI_STATUS_IGNORE);
    }
    MPI_Cart_sub(cart, kept, &row);
    ring(row, 31, 5);
    MPI_Comm_free(&row);
    MPI_Comm_free(&cart);

    /* Between the halves, peers are ranks of the other half. */
    if (size > 1) {
        MPI_Comm between, merged;
        int other, own;
        MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 6, &between);
        MPI_Comm_rank(between, &own);
        MPI_Comm_remote_size(between, &other);
        MPI_Comm_test_inter(between, &from);
        require(from);
        if (own < other) {
            MPI_Sendrecv(buffer, 40, MPI_INT, own, 7, received, 256, MPI_INT, own, 7, between, MPI_STATUS_IGNORE);
        }
        if (rank % 2 == 0) {
            MPI_Send(buffer, 41, MPI_INT, own % other, 8, between);
        } else {
            for (int i = own; i < (size + 1) / 2; i += size / 2) {
                MPI_Irecv(received, 256, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, between, &requests[0]);
                MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
            }
        }
        MPI_Barrier(between);
        MPI_Bcast(buffer, 9, MPI_INT, rank % 2 != 0 ? 0 : (own == 0 ? MPI_ROOT : MPI_PROC_NULL), between);
        MPI_Intercomm_merge(between, rank % 2, &merged);
        ring(merged, 42, 9);
        MPI_Comm_free(&merged);
        MPI_Comm_free(&between);
    }
    MPI_Comm_free(&copy);
    MPI_Comm_free(&backwards);
    MPI_Comm_free(&half);
    MPI_Finalize();
    return 0;
}
