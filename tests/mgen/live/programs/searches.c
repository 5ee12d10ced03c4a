/* Looks up a function by its name. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    printf("%s\n", dlsym(RTLD_DEFAULT, "puts") != NULL ? "found" : "not found");
    MPI_Finalize();
    return 0;
}
