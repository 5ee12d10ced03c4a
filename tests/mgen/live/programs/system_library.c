/* Each rank has its own variables of a library in the system's directories: crypt() returns its static buffer. */
#include <crypt.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char** argv) {
    int rank;
    char key[16], first[CRYPT_OUTPUT_SIZE];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(key, sizeof(key), "rank %d", rank);
    const char* const in_library = crypt(key, "$1$salt$");
    strcpy(first, in_library);
    MPI_Barrier(MPI_COMM_WORLD);
    printf("rank %d: %s %s\n", rank, first, strcmp(first, in_library) == 0 ? "kept" : "overwritten");
    MPI_Finalize();
    return 0;
}
