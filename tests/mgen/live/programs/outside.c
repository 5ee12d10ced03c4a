/* Calls outside MPI_Init and MPI_Finalize, a rank that exits, a data type that is too large. */

#include <limits.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char** argv) {
    const char* what = argc > 1 ? argv[1] : "";
    int rank = 0;
    if (strcmp(what, "early") == 0) {
        MPI_Comm_rank(MPI_COMM_WORLD, &rank); /* early */
    }
    int is_initialized = 0, version = 0, subversion = 0;
    MPI_Info info;
    MPI_Initialized(&is_initialized);
    MPI_Get_version(&version, &subversion);
    MPI_Info_create(&info);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (strcmp(what, "leaves") == 0) {
        if (rank == 1) exit(3);
        MPI_Barrier(MPI_COMM_WORLD); /* the others wait */
    }
    if (strcmp(what, "huge") == 0) {
        MPI_Datatype type, larger;
        MPI_Type_contiguous(INT_MAX, MPI_DOUBLE, &type);
        MPI_Type_contiguous(INT_MAX, type, &larger); /* huge */
    }
    MPI_Finalize();
    MPI_Info_free(&info);
    MPI_Finalized(&is_initialized);
    if (strcmp(what, "late") == 0) MPI_Barrier(MPI_COMM_WORLD); /* late */
    return 0;
}
