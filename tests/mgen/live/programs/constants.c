/* Constants of MPI, as calls take and return them. */

#include "tests/mgen/live/programs/require.h"

#include <stdlib.h>

static void types(int rank, int size) {
    const int sizes[2] = {4, 6}, parts[2] = {2, 3}, starts[2] = {1, 2};
    const int distributions[2] = {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_NONE};
    const int arguments[2] = {MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG}, processes[2] = {size, 1};
    MPI_Datatype made[3], of[1];
    MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_FORTRAN, MPI_FLOAT, &made[0]);
    MPI_Type_create_darray(size, rank, 2, sizes, distributions, arguments, processes, MPI_ORDER_C, MPI_SHORT, &made[1]);
    MPI_Type_vector(2, 1, 3, MPI_DOUBLE_INT, &made[2]);
    const int combiners[3] = {MPI_COMBINER_SUBARRAY, MPI_COMBINER_DARRAY, MPI_COMBINER_VECTOR};
    const MPI_Datatype items[3] = {MPI_FLOAT, MPI_SHORT, MPI_DOUBLE_INT};
    for (int t = 0; t < 3; ++t) {
        int integers, addresses, number, combiner, values[20];
        MPI_Type_get_envelope(made[t], &integers, &addresses, &number, &combiner);
        require(combiner == combiners[t] && addresses == 0 && number == 1 && integers <= 20);
        MPI_Type_get_contents(made[t], 20, 0, 1, values, NULL, of);
        require(of[0] == items[t]);
        if (t == 0) {
            require(values[integers - 1] == MPI_ORDER_FORTRAN);
        }
        if (t == 1) {
            require(values[integers - 1] == MPI_ORDER_C && values[5] == MPI_DISTRIBUTE_CYCLIC);
            require(values[6] == MPI_DISTRIBUTE_NONE && values[7] == MPI_DISTRIBUTE_DFLT_DARG);
        }
        MPI_Type_free(&made[t]);
        require(made[t] == MPI_DATATYPE_NULL);
    }
    MPI_Datatype matched;
    MPI_Type_match_size(MPI_TYPECLASS_REAL, 8, &matched);
    int bytes;
    MPI_Type_size(matched, &bytes);
    require(bytes == 8);
}

static void topologies(int rank, int size) {
    int kind, source, destination;
    const int dims[1] = {size}, periods[1] = {0};
    MPI_Comm line, graph;
    MPI_Topo_test(MPI_COMM_WORLD, &kind);
    require(kind == MPI_UNDEFINED);
    MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &line);
    MPI_Topo_test(line, &kind);
    require(kind == MPI_CART);
    MPI_Cart_shift(line, 0, 1, &source, &destination);
    require(source == (rank > 0 ? rank - 1 : MPI_PROC_NULL));
    require(destination == (rank < size - 1 ? rank + 1 : MPI_PROC_NULL));
    int got = -5;
    MPI_Status status;
    MPI_Sendrecv(&rank, 1, MPI_INT, destination, 4, &got, 1, MPI_INT, source, 4, line, &status);
    require(status.MPI_SOURCE == source && got == (rank > 0 ? rank - 1 : -5));
    const int next = (rank + 1) % size, before = (rank + size - 1) % size;
    MPI_Dist_graph_create_adjacent(line, 1, &before, MPI_UNWEIGHTED, 1, &next, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                   &graph);
    MPI_Topo_test(graph, &kind);
    require(kind == MPI_DIST_GRAPH);
    int in, out, weighted;
    MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted);
    require(in == 1 && out == 1 && !weighted);
    MPI_Neighbor_allgather(&rank, 1, MPI_INT, &got, 1, MPI_INT, graph);
    require(got == before);
    MPI_Comm_free(&graph);
    MPI_Comm_free(&line);
}

static void communicators(int rank, int size) {
    int result, there, ranks[2] = {0, MPI_PROC_NULL}, translated[2];
    MPI_Comm twin, half;
    MPI_Group world, own;
    MPI_Comm_dup(MPI_COMM_WORLD, &twin);
    MPI_Comm_compare(MPI_COMM_WORLD, twin, &result);
    require(result == MPI_CONGRUENT);
    MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : 1, 0, &half);
    require((half == MPI_COMM_NULL) == (rank == 0));
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_excl(world, 1, ranks, &own);
    MPI_Group_rank(own, &there);
    require(there == (rank == 0 ? MPI_UNDEFINED : rank - 1));
    MPI_Group_translate_ranks(world, 2, ranks, own, translated);
    require(translated[0] == MPI_UNDEFINED && translated[1] == MPI_PROC_NULL);
    MPI_Group_free(&own);
    MPI_Group_free(&world);
    if (half != MPI_COMM_NULL) MPI_Comm_free(&half);
    MPI_Comm_free(&twin);
    MPI_Comm shared;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &shared);
    require(shared != MPI_COMM_NULL);
    MPI_Comm_free(&shared);
    int* value;
    int flag;
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &flag);
    require(flag && *value >= 32767);
    (void)size;
}

static void messages(int rank, int size) {
    int values[4], flag, count, index, indices[4];
    MPI_Request requests[4];
    MPI_Status statuses[4], status;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    requests[0] = MPI_REQUEST_NULL;
    MPI_Irecv(&values[1], 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(&rank, 1, MPI_INT, (rank + 1) % size, 1, MPI_COMM_WORLD, &requests[2]);
    MPI_Irecv(&values[3], 1, MPI_INT, MPI_PROC_NULL, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, statuses);
    require(statuses[0].MPI_SOURCE == MPI_ANY_SOURCE && statuses[0].MPI_TAG == MPI_ANY_TAG);
    require(statuses[1].MPI_SOURCE == values[1] && statuses[1].MPI_TAG == 1);
    require(statuses[3].MPI_SOURCE == MPI_PROC_NULL);
    for (int r = 0; r < 4; ++r) require(requests[r] == MPI_REQUEST_NULL);
    MPI_Waitany(4, requests, &index, &status);
    require(index == MPI_UNDEFINED);
    MPI_Waitsome(4, requests, &count, indices, MPI_STATUSES_IGNORE);
    require(count == MPI_UNDEFINED);
    MPI_Irecv(values, 1, MPI_INT, 0, 99, MPI_COMM_SELF, &requests[0]);
    MPI_Cancel(&requests[0]);
    MPI_Wait(&requests[0], &status);
    MPI_Test_cancelled(&status, &flag);
    require(flag);
    MPI_Message message;
    if (rank == 0) {
        MPI_Isend(values, 2, MPI_INT, 0, 5, MPI_COMM_SELF, &requests[0]);
        MPI_Mprobe(MPI_ANY_SOURCE, 5, MPI_COMM_SELF, &message, &status);
        MPI_Get_count(&status, MPI_INT, &count);
        require(count == 2 && message != MPI_MESSAGE_NULL);
        MPI_Mrecv(values, 2, MPI_INT, &message, MPI_STATUS_IGNORE);
        require(message == MPI_MESSAGE_NULL);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    }
    values[0] = rank;
    MPI_Allreduce(MPI_IN_PLACE, values, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    require(values[0] == size - 1);
}

static void windows(int rank, int size) {
    int *base, *value, flag, got = -1;
    MPI_Win win;
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, &value, &flag);
    require(flag && *value == MPI_WIN_FLAVOR_ALLOCATE);
    MPI_Win_get_attr(win, MPI_WIN_MODEL, &value, &flag);
    require(flag && *value == MPI_WIN_UNIFIED);
    *base = rank;
    MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
    MPI_Get(&got, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, win);
    MPI_Win_fence(MPI_MODE_NOSTORE | MPI_MODE_NOSUCCEED, win);
    require(got == (rank + 1) % size);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Accumulate(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win);
    MPI_Win_unlock(0, win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, 0, MPI_MODE_NOCHECK, win);
    MPI_Fetch_and_op(NULL, &got, MPI_INT, 0, 0, MPI_NO_OP, win);
    MPI_Win_unlock(0, win);
    require(got == size * (size - 1) / 2);
    MPI_Win_free(&win);
    require(win == MPI_WIN_NULL);
}

int main(int argc, char** argv) {
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    types(rank, size);
    topologies(rank, size);
    communicators(rank, size);
    messages(rank, size);
    windows(rank, size);
    require(MPI_Comm_f2c(MPI_Comm_c2f(MPI_COMM_WORLD)) == MPI_COMM_WORLD);
    require(MPI_Type_f2c(MPI_Type_c2f(MPI_INT)) == MPI_INT);
    printf("rank %d: the constants are right\n", rank);
    MPI_Finalize();
    return 0;
}
