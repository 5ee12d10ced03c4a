/* A tracer for the tests of libhaichi-barriers: writes the names of some MPI functions, in the order of their calls, to
 * HAICHI_ORDER.RANK. It is preloaded after the library. */

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static FILE* out;

static void note(const char* name) {
    const char* const prefix = getenv("HAICHI_ORDER");
    if (prefix == NULL) return;
    if (out == NULL) {
        char path[4096];
        int rank;
        PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
        snprintf(path, sizeof path, "%s.%d", prefix, rank);
        out = fopen(path, "w");
    }
    fprintf(out, "%s\n", name);
    fflush(out);
}

int MPI_Irecv(void* b, int n, MPI_Datatype t, int source, int tag, MPI_Comm c, MPI_Request* r) {
    note("Irecv");
    return PMPI_Irecv(b, n, t, source, tag, c, r);
}
int MPI_Isend(const void* b, int n, MPI_Datatype t, int to, int tag, MPI_Comm c, MPI_Request* r) {
    note("Isend");
    return PMPI_Isend(b, n, t, to, tag, c, r);
}
int MPI_Send(const void* b, int n, MPI_Datatype t, int to, int tag, MPI_Comm c) {
    note("Send");
    return PMPI_Send(b, n, t, to, tag, c);
}
int MPI_Waitall(int n, MPI_Request* r, MPI_Status* s) {
    note("Waitall");
    return PMPI_Waitall(n, r, s);
}
int MPI_Sendrecv(const void* b, int n, MPI_Datatype t, int to, int tag, void* rb, int rn, MPI_Datatype rt, int from,
                 int rtag, MPI_Comm c, MPI_Status* s) {
    note("Sendrecv");
    return PMPI_Sendrecv(b, n, t, to, tag, rb, rn, rt, from, rtag, c, s);
}
int MPI_Allreduce(const void* b, void* rb, int n, MPI_Datatype t, MPI_Op op, MPI_Comm c) {
    note("Allreduce");
    return PMPI_Allreduce(b, rb, n, t, op, c);
}
int MPI_Start(MPI_Request* r) {
    note("Start");
    return PMPI_Start(r);
}
int MPI_Startall(int n, MPI_Request* r) {
    note("Startall");
    return PMPI_Startall(n, r);
}
int MPI_Ibarrier(MPI_Comm c, MPI_Request* r) {
    note("Ibarrier");
    return PMPI_Ibarrier(c, r);
}
