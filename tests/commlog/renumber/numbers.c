/* For the tests of libhaichi-renumber: every process prints its view of MPI_COMM_WORLD.
 *
 *     PLACE rank size sum left split_rank split_size dup_rank group_rank name tag_ub answer file
 *
 * PLACE is the number of the process on the machine, from the launcher's environment. */

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char* place(void) {
    const char* of_open_mpi = getenv("OMPI_COMM_WORLD_RANK");
    const char* of_mpich = getenv("PMI_RANK");
    return of_open_mpi != NULL ? of_open_mpi : of_mpich != NULL ? of_mpich : "?";
}

int main(int argc, char** argv) {
    int provided = 0;
    if (argc > 1 && strcmp(argv[1], "thread") == 0) {
        MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    } else {
        MPI_Init(&argc, &argv);
    }
    int rank = -1, size = -1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    int sum = 0;
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);

    /* A ring: takes the left neighbour's rank from the message and compares it with the status. */
    int left = -1;
    MPI_Status status;
    MPI_Request request;
    MPI_Irecv(&left, 1, MPI_INT, (rank + size - 1) % size, 7, MPI_COMM_WORLD, &request);
    MPI_Send(&rank, 1, MPI_INT, (rank + 1) % size, 7, MPI_COMM_WORLD);
    MPI_Wait(&request, &status);
    if (status.MPI_SOURCE != left) left = -2;

    MPI_Comm half, dup, cart;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    int half_rank = -1, half_size = -1, dup_rank = -1, group_rank = -1, compared = -1;
    MPI_Comm_rank(half, &half_rank);
    MPI_Comm_size(half, &half_size);
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    MPI_Comm_rank(dup, &dup_rank);
    MPI_Group group;
    MPI_Comm_group(MPI_COMM_WORLD, &group);
    MPI_Group_rank(group, &group_rank);
    MPI_Comm_compare(MPI_COMM_WORLD, dup, &compared);
    if (compared != MPI_CONGRUENT) dup_rank = -2;
    int periodic = 1, coordinate = -1;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &cart);
    MPI_Cart_coords(cart, dup_rank, 1, &coordinate);
    if (coordinate != rank) dup_rank = -3;

    char name[MPI_MAX_OBJECT_NAME];
    int length = 0, flag = 0, has_answer = 0;
    MPI_Comm_get_name(MPI_COMM_WORLD, name, &length);
    int* tag_ub = NULL;
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &tag_ub, &flag);
    int key = MPI_KEYVAL_INVALID, value = 42, *answer = NULL;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_WORLD, key, &value);
    MPI_Comm_get_attr(MPI_COMM_WORLD, key, &answer, &has_answer);

    /* Errors of calls without a communicator must also be returned from here on. */
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    const int is_error = MPI_Send(&rank, 1, MPI_INT, size, 0, MPI_COMM_WORLD) != MPI_SUCCESS;

    printf("%s %d %d %d %d %d %d %d %d %s %d %d %d\n", place(), rank, size, sum, left, half_rank, half_size, dup_rank,
           group_rank, name, flag && *tag_ub >= 32767, has_answer ? *answer : -1, is_error);
    fflush(stdout);
    if (argc > 1 && strcmp(argv[1], "abort") == 0 && rank == size - 1) MPI_Abort(MPI_COMM_WORLD, 3);
    if (argc > 1 && strcmp(argv[1], "abort") == 0) MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_free(&half);
    MPI_Comm_free(&dup);
    MPI_Comm_free(&cart);
    MPI_Group_free(&group);
    MPI_Finalize();
    return 0;
}
