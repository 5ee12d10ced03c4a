#include <stdlib.h>

#include "tests/commlog/profiler/tracer/tracer.h"

/* Calls that report completed requests to the program. */

static Open** take_all(int count, const MPI_Request requests[]) {
    Open** open = calloc((size_t)count + 1, sizeof(Open*));
    for (int i = 0; i < count; ++i) open[i] = take_open(requests[i]);
    return open;
}

static void keep_all(int count, Open** open) {
    for (int i = 0; i < count; ++i) keep_open(open[i]);
}

/* Passes a request that the call completed to complete_open() and sets it to NULL. The rest stays open. */
static void complete_one(Open** open, int index, const MPI_Status* status) {
    complete_open(open[index], status);
    open[index] = NULL;
}

static MPI_Status* new_statuses(int count) { return calloc((size_t)count + 1, sizeof(MPI_Status)); }

int MPI_Wait(MPI_Request* request, MPI_Status* status) {
    MPI_Status own;
    if (status == MPI_STATUS_IGNORE) status = &own;
    trace_call("MPI_Wait");
    Open* open = take_open(*request);
    int error = PMPI_Wait(request, status);
    complete_open(open, status);
    return error;
}

int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
    MPI_Status own;
    if (status == MPI_STATUS_IGNORE) status = &own;
    trace_call("MPI_Test");
    Open* open = take_open(*request);
    int error = PMPI_Test(request, flag, status);
    if (*flag) {
        complete_open(open, status);
    } else {
        keep_open(open);
    }
    return error;
}

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
    MPI_Status* own = new_statuses(count);
    if (statuses == MPI_STATUSES_IGNORE) statuses = own;
    trace_call("MPI_Waitall");
    Open** open = take_all(count, requests);
    int error = PMPI_Waitall(count, requests, statuses);
    for (int i = 0; i < count; ++i) complete_one(open, i, &statuses[i]);
    keep_all(count, open);
    free(open);
    free(own);
    return error;
}

int MPI_Testall(int count, MPI_Request requests[], int* flag, MPI_Status statuses[]) {
    MPI_Status* own = new_statuses(count);
    if (statuses == MPI_STATUSES_IGNORE) statuses = own;
    trace_call("MPI_Testall");
    Open** open = take_all(count, requests);
    int error = PMPI_Testall(count, requests, flag, statuses);
    if (*flag) {
        for (int i = 0; i < count; ++i) complete_one(open, i, &statuses[i]);
    }
    keep_all(count, open);
    free(open);
    free(own);
    return error;
}

int MPI_Waitany(int count, MPI_Request requests[], int* index, MPI_Status* status) {
    MPI_Status own;
    if (status == MPI_STATUS_IGNORE) status = &own;
    trace_call("MPI_Waitany");
    Open** open = take_all(count, requests);
    int error = PMPI_Waitany(count, requests, index, status);
    if (*index != MPI_UNDEFINED) complete_one(open, *index, status);
    keep_all(count, open);
    free(open);
    return error;
}

int MPI_Testany(int count, MPI_Request requests[], int* index, int* flag, MPI_Status* status) {
    MPI_Status own;
    if (status == MPI_STATUS_IGNORE) status = &own;
    trace_call("MPI_Testany");
    Open** open = take_all(count, requests);
    int error = PMPI_Testany(count, requests, index, flag, status);
    if (*flag && *index != MPI_UNDEFINED) complete_one(open, *index, status);
    keep_all(count, open);
    free(open);
    return error;
}

int MPI_Waitsome(int count, MPI_Request requests[], int* done, int indices[], MPI_Status statuses[]) {
    MPI_Status* own = new_statuses(count);
    if (statuses == MPI_STATUSES_IGNORE) statuses = own;
    trace_call("MPI_Waitsome");
    Open** open = take_all(count, requests);
    int error = PMPI_Waitsome(count, requests, done, indices, statuses);
    if (*done != MPI_UNDEFINED) {
        for (int i = 0; i < *done; ++i) complete_one(open, indices[i], &statuses[i]);
    }
    keep_all(count, open);
    free(open);
    free(own);
    return error;
}

int MPI_Testsome(int count, MPI_Request requests[], int* done, int indices[], MPI_Status statuses[]) {
    MPI_Status* own = new_statuses(count);
    if (statuses == MPI_STATUSES_IGNORE) statuses = own;
    trace_call("MPI_Testsome");
    Open** open = take_all(count, requests);
    int error = PMPI_Testsome(count, requests, done, indices, statuses);
    if (*done != MPI_UNDEFINED) {
        for (int i = 0; i < *done; ++i) complete_one(open, indices[i], &statuses[i]);
    }
    keep_all(count, open);
    free(open);
    free(own);
    return error;
}

int MPI_Request_get_status(MPI_Request request, int* flag, MPI_Status* status) {
    trace_call("MPI_Request_get_status");
    return PMPI_Request_get_status(request, flag, status);
}
