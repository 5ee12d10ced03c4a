/* Calls that MPI does not allow; each returns the error class of its fault. */

#include <limits.h>
#include <string.h>

#include "tests/mgen/live/programs/require.h"

static int rank;

static void tell(const char* what, int code) {
    int class = 0, length = 0;
    char text[MPI_MAX_ERROR_STRING];
    MPI_Error_class(code, &class);
    MPI_Error_string(class, text, &length);
    if (rank == 0) printf("%s: %d %s\n", what, class, text);
}

#define TRY(CALL) tell(#CALL, CALL)

static void messages(MPI_Comm comm) {
    int data[4] = {0, 0, 0, 0};
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Status status;
    MPI_Datatype uncommitted;
    MPI_Type_contiguous(2, MPI_INT, &uncommitted);
    TRY(MPI_Send(data, 1, MPI_INT, 99, 0, comm));
    TRY(MPI_Send(data, 1, MPI_INT, -7, 0, comm));
    TRY(MPI_Send(data, 1, MPI_INT, MPI_ANY_SOURCE, 0, comm));
    TRY(MPI_Send(data, 1, MPI_INT, 0, -2, comm));
    TRY(MPI_Send(data, 1, MPI_INT, 0, MPI_ANY_TAG, comm));
    TRY(MPI_Send(data, 1, MPI_INT, 0, INT_MAX, comm));
    TRY(MPI_Send(data, -1, MPI_INT, 0, 0, comm));
    TRY(MPI_Send(data, 1, MPI_DATATYPE_NULL, 0, 0, comm));
    TRY(MPI_Send(data, 1, uncommitted, 0, 0, comm));
    TRY(MPI_Send(NULL, 1, MPI_INT, 0, 0, comm));
    TRY(MPI_Send(data, 1, MPI_INT, 0, 0, MPI_COMM_NULL));
    TRY(MPI_Recv(data, 1, MPI_INT, 99, 0, comm, &status));
    TRY(MPI_Recv(data, 1, MPI_INT, 0, -2, comm, &status));
    TRY(MPI_Recv(data, -1, MPI_INT, 0, 0, comm, &status));
    TRY(MPI_Recv(NULL, 1, MPI_INT, 0, 0, comm, &status));
    TRY(MPI_Irecv(data, 1, MPI_INT, 77, 0, comm, &request));
    TRY(MPI_Isend(data, 1, MPI_INT, 0, 0, MPI_COMM_NULL, &request));
    TRY(MPI_Isend(data, 1, MPI_INT, 0, 0, comm, NULL));
    TRY(MPI_Wait(NULL, &status));
    TRY(MPI_Comm_size(comm, NULL));
    TRY(MPI_Probe(99, 0, comm, &status));
    TRY(MPI_Sendrecv(data, 1, MPI_INT, 99, 0, data, 1, MPI_INT, 0, 0, comm, &status));
    TRY(MPI_Send_init(data, -1, MPI_INT, 0, 0, comm, &request));
    TRY(MPI_Bsend(data, 4, MPI_INT, rank, 0, comm));
    TRY(MPI_Get_count(&status, MPI_DATATYPE_NULL, data));
    MPI_Type_free(&uncommitted);
}

static void truncations(MPI_Comm comm) {
    int data[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    MPI_Request requests[2];
    MPI_Status status, statuses[2];
    MPI_Isend(data, 8, MPI_INT, rank, 5, comm, &requests[0]);
    TRY(MPI_Recv(data, 4, MPI_INT, rank, 5, comm, &status));
    tell("the status", status.MPI_SOURCE == rank && status.MPI_TAG == 5 ? MPI_SUCCESS : MPI_ERR_OTHER);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Irecv(data, 1, MPI_INT, rank, 6, comm, &requests[0]);
    MPI_Irecv(data + 4, 4, MPI_INT, rank, 7, comm, &requests[1]);
    MPI_Request sends[2];
    int from[4] = {9, 9, 9, 9};
    MPI_Isend(from, 4, MPI_INT, rank, 6, comm, &sends[0]);
    MPI_Isend(from, 4, MPI_INT, rank, 7, comm, &sends[1]);
    TRY(MPI_Waitall(2, requests, statuses));
    tell("the first", statuses[0].MPI_ERROR);
    MPI_Waitall(2, sends, MPI_STATUSES_IGNORE);
}

static void collectives(MPI_Comm comm) {
    int in[8] = {0}, out[8] = {0};
    double number = 0, result = 0;
    TRY(MPI_Bcast(in, 1, MPI_INT, 99, comm));
    TRY(MPI_Bcast(in, 1, MPI_INT, -1, comm));
    TRY(MPI_Bcast(in, -1, MPI_INT, 0, comm));
    TRY(MPI_Bcast(NULL, 1, MPI_INT, 0, comm));
    TRY(MPI_Bcast(in, 1, MPI_DATATYPE_NULL, 0, comm));
    TRY(MPI_Reduce(in, out, 1, MPI_INT, MPI_OP_NULL, 0, comm));
    TRY(MPI_Reduce(in, out, 1, MPI_INT, MPI_SUM, 99, comm));
    TRY(MPI_Allreduce(&number, &result, 1, MPI_DOUBLE, MPI_BAND, comm));
    TRY(MPI_Allreduce(in, in, 1, MPI_INT, MPI_SUM, comm));
    TRY(MPI_Allreduce(in, out, 1, MPI_INT, MPI_REPLACE, comm));
    TRY(MPI_Gather(in, 1, MPI_INT, out, -1, MPI_INT, rank, comm));
    TRY(MPI_Barrier(MPI_COMM_NULL));
}

static void communicators(MPI_Comm comm) {
    MPI_Comm other;
    MPI_Group group, part;
    int dims[2] = {40, 40}, periods[2] = {0, 0}, wrong[1] = {77}, place = 0;
    MPI_Comm_group(comm, &group);
    TRY(MPI_Cart_create(comm, 2, dims, periods, 0, &other));
    TRY(MPI_Cart_create(comm, -1, dims, periods, 0, &other));
    TRY(MPI_Cart_coords(comm, 0, 2, dims));
    TRY(MPI_Group_incl(group, 1, wrong, &part));
    TRY(MPI_Group_size(MPI_GROUP_NULL, &place));
    TRY(MPI_Comm_size(MPI_COMM_NULL, &place));
    TRY(MPI_Comm_free(&(MPI_Comm){MPI_COMM_WORLD}));
    TRY(MPI_Comm_set_attr(comm, MPI_KEYVAL_INVALID, NULL));
    TRY(MPI_Intercomm_create(comm, 99, MPI_COMM_NULL, 0, 3, &other));
    dims[0] = 3, dims[1] = 0;
    TRY(MPI_Dims_create(4, 2, dims));
    MPI_Group_free(&group);
}

static void types(void) {
    MPI_Datatype type;
    TRY(MPI_Type_contiguous(-1, MPI_INT, &type));
    TRY(MPI_Type_vector(2, -1, 1, MPI_INT, &type));
    TRY(MPI_Type_vector(2, 1, 1, MPI_DATATYPE_NULL, &type));
    TRY(MPI_Type_commit(&(MPI_Datatype){MPI_DATATYPE_NULL}));
    TRY(MPI_Type_free(&(MPI_Datatype){MPI_INT}));
    TRY(MPI_Op_free(&(MPI_Op){MPI_SUM}));
}

static void windows(MPI_Comm comm) {
    int* memory = NULL;
    int data[2] = {0, 0};
    MPI_Win win;
    TRY(MPI_Win_create(memory, -1, 1, MPI_INFO_NULL, comm, &win));
    TRY(MPI_Win_create(memory, 0, 0, MPI_INFO_NULL, comm, &win));
    MPI_Win_allocate(64, 4, MPI_INFO_NULL, comm, (void*)&memory, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    TRY(MPI_Put(data, 1, MPI_INT, 0, 0, 1, MPI_INT, win));
    TRY(MPI_Win_unlock(0, win));
    TRY(MPI_Win_complete(win));
    TRY(MPI_Win_wait(win));
    TRY(MPI_Win_flush(0, win));
    MPI_Win_fence(0, win);
    TRY(MPI_Put(data, 1, MPI_INT, 99, 0, 1, MPI_INT, win));
    TRY(MPI_Put(data, -1, MPI_INT, 0, 0, 1, MPI_INT, win));
    TRY(MPI_Put(data, 1, MPI_INT, 0, -1, 1, MPI_INT, win));
    TRY(MPI_Put(NULL, 1, MPI_INT, 0, 0, 1, MPI_INT, win));
    TRY(MPI_Put(data, 1, MPI_DATATYPE_NULL, 0, 0, 1, MPI_INT, win));
    TRY(MPI_Accumulate(data, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_OP_NULL, win));
    TRY(MPI_Win_fence(0, MPI_WIN_NULL));
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    MPI_Barrier(comm);
    MPI_Win_free(&win);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    messages(comm);
    truncations(comm);
    collectives(comm);
    communicators(comm);
    types();
    windows(comm);
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
