/* Communicators: split, duplicated, made from groups, Cartesian, graphs, inter-communicators, attributes, names. */

#include <string.h>

#include "tests/mgen/live/programs/require.h"

static int rank, size;

static int sum_over(MPI_Comm comm) {
    int sum = 0;
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
    return sum;
}

static int copied, deleted;

static int copy(MPI_Comm comm, int key, void* state, void* in, void* out, int* flag) {
    (void)comm, (void)key, (void)state;
    ++copied;
    *(void**)out = (char*)in + 1;
    *flag = 1;
    return MPI_SUCCESS;
}

static int delete (MPI_Comm comm, int key, void* value, void* state) {
    (void)comm, (void)key, (void)value, (void)state;
    ++deleted;
    return MPI_SUCCESS;
}

static void attributes(void) {
    int key, flag;
    char* value = NULL;
    static char base[8];
    MPI_Comm dup;
    char name[MPI_MAX_OBJECT_NAME];
    int length;
    MPI_Comm_create_keyval(copy, delete, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_WORLD, key, base);
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    MPI_Comm_get_attr(dup, key, &value, &flag);
    require(flag && value == base + 1);
    MPI_Comm_set_name(dup, rank == 0 ? "of rank 0" : "of another");
    MPI_Comm_get_name(dup, name, &length);
    MPI_Comm_free(&dup);
    MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
    MPI_Comm_free_keyval(&key);
    printf("rank %d: %d copied, %d deleted, name '%s'\n", rank, copied, deleted, name);
}

static void topologies(void) {
    int dims[2] = {0, 0}, periods[2] = {1, 0}, coordinates[2], source, target, row_size;
    MPI_Comm grid, rows, ring;
    MPI_Dims_create(size, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &grid);
    int grid_rank;
    MPI_Comm_rank(grid, &grid_rank);
    MPI_Cart_coords(grid, grid_rank, 2, coordinates);
    MPI_Cart_shift(grid, 1, 1, &source, &target);
    const int keep[2] = {0, 1};
    MPI_Cart_sub(grid, keep, &rows);
    MPI_Comm_size(rows, &row_size);
    printf("rank %d: (%d, %d) of %dx%d, from %d to %d, row of %d, sum %d\n", rank, coordinates[0], coordinates[1],
           dims[0], dims[1], source, target, row_size, sum_over(rows));
    int around[4] = {-1, -1, -1, -1};
    MPI_Neighbor_allgather(&rank, 1, MPI_INT, around, 1, MPI_INT, grid);
    printf("rank %d: neighbours %d %d %d %d\n", rank, around[0], around[1], around[2], around[3]);

    const int from[1] = {(rank + size - 1) % size}, to[1] = {(rank + 1) % size};
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, from, MPI_UNWEIGHTED, 1, to, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                   &ring);
    int got = -1;
    MPI_Neighbor_alltoall(&rank, 1, MPI_INT, &got, 1, MPI_INT, ring);
    require(got == from[0]);
    MPI_Comm_free(&ring);
    MPI_Comm_free(&rows);
    MPI_Comm_free(&grid);
}

static void between_groups(void) {
    MPI_Comm half, inter, merged;
    const int upper = rank >= size / 2;
    MPI_Comm_split(MPI_COMM_WORLD, upper, 0, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, upper ? 0 : size / 2, 17, &inter);
    int remote, sum = 0, is_inter, merged_rank;
    MPI_Comm_remote_size(inter, &remote);
    MPI_Comm_test_inter(inter, &is_inter);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, inter); /* the sum over the other group */
    MPI_Intercomm_merge(inter, !upper, &merged);
    MPI_Comm_rank(merged, &merged_rank);
    printf("rank %d: remote %d, inter %d, their sum %d, merged as %d, sum %d\n", rank, remote, is_inter, sum,
           merged_rank, sum_over(merged));
    MPI_Comm_free(&merged);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    MPI_Comm reversed, some, none;
    MPI_Group world, every_second;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &reversed);
    int my_place, their_size, compared;
    MPI_Comm_rank(reversed, &my_place);
    MPI_Comm_size(reversed, &their_size);
    MPI_Comm_compare(reversed, MPI_COMM_WORLD, &compared);
    printf("rank %d: %d of %d, sum %d, compared %d\n", rank, my_place, their_size, sum_over(reversed),
           compared == MPI_UNEQUAL);
    MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : 1, rank, &none);
    require((none == MPI_COMM_NULL) == (rank == 0));

    int range[1][3] = {{0, size - 1, 2}};
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_range_incl(world, 1, range, &every_second);
    MPI_Comm_create(MPI_COMM_WORLD, every_second, &some);
    require((some != MPI_COMM_NULL) == (rank % 2 == 0));
    if (some != MPI_COMM_NULL) printf("rank %d: every second, sum %d\n", rank, sum_over(some));
    MPI_Group_free(&every_second);
    MPI_Group_free(&world);

    attributes();
    topologies();
    if (size > 1) between_groups();
    MPI_Finalize();
    return 0;
}
