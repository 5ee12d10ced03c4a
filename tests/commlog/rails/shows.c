/* For the tests of libhaichi-rails: prints variables after MPI_Init, when the MPI library has read them. */

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 1; i < argc; ++i) {
        const char* const value = getenv(argv[i]);
        printf("%d %s=%s\n", rank, argv[i], value == NULL ? "" : value);
    }
    MPI_Finalize();
    return 0;
}
