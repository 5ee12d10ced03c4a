/* A program that opens its MPI at run time and takes the functions from a handle, as Python and Julia do. It is built
 * without an MPI. Arguments are the MPI library and "local", "global" or "deep". With "deep" the library has ring() and
 * is linked with its MPI. It is opened so that the MPI's names precede all others. Prints its results. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS 20

#ifdef RING_LIBRARY
#define ENTRY(name) MPI_##name
int ring(void) {
    const MPI_Comm world = MPI_COMM_WORLD;
    const MPI_Datatype type = MPI_INT;
#else
static void* library;

static void* entry(const char* name) {
    dlerror();
    void* found = dlsym(library, name);
    if (found == NULL || dlerror() != NULL) {
        fprintf(stderr, "no %s\n", name);
        exit(1);
    }
    return found;
}

#define ENTRY(name) ((int (*)())entry("MPI_" #name))
static int ring(void) {
#ifdef OPEN_MPI
    const MPI_Comm world = (MPI_Comm)entry("ompi_mpi_comm_world");
    const MPI_Datatype type = (MPI_Datatype)entry("ompi_mpi_int");
#else
    const MPI_Comm world = MPI_COMM_WORLD;
    const MPI_Datatype type = MPI_INT;
#endif
#endif
    int rank, ranks, sum = 0;
    MPI_Request request;
    ENTRY(Init)(NULL, NULL);
    ENTRY(Comm_rank)(world, &rank);
    ENTRY(Comm_size)(world, &ranks);
    for (int round = 0; round < ROUNDS; ++round) {
        const int out[3] = {rank, round, 1};
        int in[3];
        ENTRY(Irecv)(in, 3, type, (rank + ranks - 1) % ranks, 5, world, &request);
        ENTRY(Send)(out, 3, type, (rank + 1) % ranks, 5, world);
        ENTRY(Wait)(&request, MPI_STATUS_IGNORE);
        sum += in[0] + in[1] + in[2];
    }
    printf("rank %d of %d: %d\n", rank, ranks, sum);
    fflush(stdout);
    return ENTRY(Finalize)();
}

#ifndef RING_LIBRARY
static void expect_no_mpi(void* handle, const char* what) {
    if (dlsym(handle, "MPI_Get_version") != NULL || dlerror() == NULL) {
        fprintf(stderr, "an MPI before one is opened, by %s\n", what);
        exit(1);
    }
}

int main(int argc, char** argv) {
    if (argc != 3) return 2;
    expect_no_mpi(RTLD_DEFAULT, "RTLD_DEFAULT");
    expect_no_mpi(dlopen(NULL, RTLD_LAZY), "the program's handle");
    const int flags = !strcmp(argv[2], "global") ? RTLD_GLOBAL : !strcmp(argv[2], "deep") ? RTLD_DEEPBIND : RTLD_LOCAL;
    library = dlopen(argv[1], RTLD_NOW | flags);
    if (library == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    if (!strcmp(argv[2], "deep")) return ((int (*)(void))entry("ring"))();
    if (!strcmp(argv[2], "global") && dlsym(RTLD_DEFAULT, "MPI_Get_version") == NULL) return 1;
    return ring();
}
#endif
