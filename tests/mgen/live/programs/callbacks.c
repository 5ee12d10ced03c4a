/* Functions of the program that MPI calls get the handles, statuses and codes of the program's MPI. */

#include "tests/mgen/live/programs/require.h"

#include <stdlib.h>
#include <string.h>

static MPI_Comm copied_of;
static int deletions;

static int copy_attribute(MPI_Comm comm, int key, void* extra, void* value, void* copied, int* flag) {
    (void)key;
    copied_of = comm;
    *(void**)copied = (char*)value + *(int*)extra;
    *flag = 1;
    return MPI_SUCCESS;
}
static int delete_attribute(MPI_Comm comm, int key, void* value, void* extra) {
    (void)comm, (void)key, (void)value, (void)extra;
    ++deletions;
    return MPI_SUCCESS;
}

static MPI_Comm failed;
static int failed_class;

static void note_error(MPI_Comm* comm, int* code, ...) {
    failed = *comm;
    MPI_Error_class(*code, &failed_class);
}

static void largest(void* in, void* inout, int* count, MPI_Datatype* type) {
    int size;
    MPI_Type_size(*type, &size);
    require(*type == MPI_LONG && size == (int)sizeof(long));
    for (int i = 0; i < *count; ++i) {
        const long one = ((long*)in)[i];
        if (one > ((long*)inout)[i]) ((long*)inout)[i] = one;
    }
}

static int query(void* extra, MPI_Status* status) {
    MPI_Status_set_elements(status, MPI_INT, *(int*)extra);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = MPI_UNDEFINED;
    status->MPI_TAG = 17;
    return MPI_SUCCESS;
}
static int release(void* extra) {
    *(int*)extra = -1;
    return MPI_SUCCESS;
}
static int cancel(void* extra, int is_complete) {
    (void)extra, (void)is_complete;
    return MPI_SUCCESS;
}

int main(int argc, char** argv) {
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    char text[] = "attributes";
    int distance = 3, key, flag;
    char* found = NULL;
    MPI_Comm twin;
    MPI_Comm_create_keyval(copy_attribute, delete_attribute, &key, &distance);
    MPI_Comm_set_attr(MPI_COMM_WORLD, key, text);
    MPI_Comm_dup(MPI_COMM_WORLD, &twin);
    require(copied_of == MPI_COMM_WORLD);
    MPI_Comm_get_attr(twin, key, &found, &flag);
    require(flag);
    printf("rank %d: the attribute of the copy is %s\n", rank, found);
    MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
    MPI_Comm_free_keyval(&key);
    require(key == MPI_KEYVAL_INVALID);

    MPI_Errhandler handler, set;
    MPI_Comm_create_errhandler(note_error, &handler);
    MPI_Comm_set_errhandler(twin, handler);
    MPI_Comm_get_errhandler(twin, &set);
    require(set == handler);
    MPI_Errhandler_free(&set);
    MPI_Errhandler_free(&handler);
    require(handler == MPI_ERRHANDLER_NULL);
    int code, error_class;
    code = MPI_Send(&rank, 1, MPI_INT, size + 5, 0, twin);
    MPI_Error_class(code, &error_class);
    require(failed == twin && failed_class == MPI_ERR_RANK && error_class == MPI_ERR_RANK);
    MPI_Comm_set_errhandler(twin, MPI_ERRORS_RETURN);
    MPI_Comm_get_errhandler(twin, &set);
    require(set == MPI_ERRORS_RETURN);
    code = MPI_Bcast(&rank, 1, MPI_INT, -7, twin);
    MPI_Error_class(code, &error_class);
    require(error_class == MPI_ERR_ROOT);
    code = MPI_Send(&rank, -1, MPI_INT, 0, 0, twin);
    MPI_Error_class(code, &error_class);
    require(error_class == MPI_ERR_COUNT);

    long own[2] = {rank, -rank}, all[2];
    MPI_Op op;
    MPI_Op_create(largest, 1, &op);
    MPI_Allreduce(own, all, 2, MPI_LONG, op, twin);
    printf("rank %d: largest %ld %ld\n", rank, all[0], all[1]);
    MPI_Op_free(&op);
    require(op == MPI_OP_NULL);

    MPI_Request request;
    MPI_Status status;
    int elements = 6, count;
    MPI_Grequest_start(query, release, cancel, &elements, &request);
    MPI_Grequest_complete(request);
    MPI_Wait(&request, &status);
    require(request == MPI_REQUEST_NULL && status.MPI_TAG == 17 && status.MPI_SOURCE == MPI_UNDEFINED);
    MPI_Get_elements(&status, MPI_INT, &count);
    printf("rank %d: %d elements, then %d\n", rank, count, elements);

    MPI_Comm_free(&twin);
    require(twin == MPI_COMM_NULL && deletions == 2);
    MPI_Finalize();
    return 0;
}
