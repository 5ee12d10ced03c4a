/* Communicators of all kinds; each rank prints its rank in them. Requires an even number of ranks, 8 or more. */
#include <mpi.h>
#include <stdio.h>

static int rank, ranks;

static void say(const char* what, MPI_Comm comm) {
    int own = -1, size = -1, remote = -1, is_inter = 0, sum = -1;
    if (comm != MPI_COMM_NULL) {
        MPI_Comm_rank(comm, &own);
        MPI_Comm_size(comm, &size);
        MPI_Comm_test_inter(comm, &is_inter);
        if (is_inter) MPI_Comm_remote_size(comm, &remote);
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
    }
    printf("%s: rank %d is %d of %d, other side %d, sum %d\n", what, rank, own, size, remote, sum);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);

    MPI_Comm part, copy, half, bridge, made;
    MPI_Request request;
    MPI_Comm_split(MPI_COMM_WORLD, rank == 1 ? MPI_UNDEFINED : rank % 3, -rank, &part);
    say("split", part);
    if (part != MPI_COMM_NULL) {
        MPI_Comm_idup(part, &copy, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        say("idup", copy);
        MPI_Comm_free(&copy);
        MPI_Comm_free(&part);
    }

    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 5, &bridge);
    say("bridge", bridge);
    MPI_Comm_idup(bridge, &copy, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    say("its copy", copy);
    MPI_Comm_split(copy, rank / 2 % 2, 0, &made);
    say("its split", made);
    MPI_Comm_free(&made);
    MPI_Intercomm_merge(copy, rank % 2 == 0, &made);
    say("merged", made);

    MPI_Group all, some;
    int range[1][3] = {{ranks - 1, 1, -2}};
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_range_incl(all, 1, range, &some);
    MPI_Comm_create(MPI_COMM_WORLD, some, &made);
    say("create", made);
    if (made != MPI_COMM_NULL) {
        MPI_Comm_create_group(MPI_COMM_WORLD, some, 3, &copy);
        say("create_group", copy);
    }

    int sizes[2] = {0, 0}, periods[2] = {1, 0}, remains[2] = {0, 1}, from, to;
    MPI_Dims_create(ranks - 2, 2, sizes);
    MPI_Cart_create(MPI_COMM_WORLD, 2, sizes, periods, 1, &made);
    say("grid", made);
    if (made != MPI_COMM_NULL) {
        MPI_Cart_shift(made, 0, 1, &from, &to);
        printf("rank %d has %d and %d\n", rank, from, to);
        MPI_Cart_sub(made, remains, &copy);
        say("row", copy);
    }

    int source = (rank + 1) % ranks, degree = 1, destination = (rank + 2) % ranks, weight = rank, in, in_weight, out,
        out_weight;
    MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &source, &degree, &destination, &weight, MPI_INFO_NULL, 0, &made);
    MPI_Dist_graph_neighbors(made, 1, &in, &in_weight, 1, &out, &out_weight);
    printf("rank %d: from %d, %d; to %d, %d\n", rank, in, in_weight, out, out_weight);
    MPI_Finalize();
    return 0;
}
