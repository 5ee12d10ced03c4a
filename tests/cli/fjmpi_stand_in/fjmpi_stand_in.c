/* For tests only. Responses come from the file in the environment variable FJMPI_STAND_IN. It contains the number of
 * dimensions and the shape, such as "3 2 6 8". Then each rank has its logical coordinates and X Y Z A B C, as plain
 * numbers. */

#include <mpi-ext.h>
#include <stdio.h>
#include <stdlib.h>

/* Reads dimensions and shape, and then 3 + 6 numbers per rank. Returns a nonzero value if they are missing. */
static int look_up(int rank, int head[4], int logical[3], int tofu[6]) {
    const char* path = getenv("FJMPI_STAND_IN");
    FILE* file = path == NULL ? NULL : fopen(path, "r");
    if (file == NULL) return FJMPI_STAND_IN_ERROR;
    int missing = 0;
    for (int k = 0; k < 4; ++k) missing |= fscanf(file, "%d", &head[k]) != 1;
    for (int r = 0; r <= rank && !missing; ++r) {
        for (int k = 0; k < 3; ++k) missing |= fscanf(file, "%d", &logical[k]) != 1;
        for (int k = 0; k < 6; ++k) missing |= fscanf(file, "%d", &tofu[k]) != 1;
    }
    fclose(file);
    return missing ? FJMPI_STAND_IN_ERROR : FJMPI_SUCCESS;
}

int FJMPI_Topology_get_dimension(int* size) {
    int head[4], logical[3], tofu[6];
    const int code = look_up(-1, head, logical, tofu);
    if (code == FJMPI_SUCCESS) *size = head[0];
    return code;
}

int FJMPI_Topology_get_shape(int* x, int* y, int* z) {
    int head[4], logical[3], tofu[6];
    const int code = look_up(-1, head, logical, tofu);
    if (code != FJMPI_SUCCESS) return code;
    *x = head[1];
    *y = head[0] > 1 ? head[2] : 0; /* Fujitsu's function returns 0 for missing dimensions */
    *z = head[0] > 2 ? head[3] : 0;
    return code;
}

int FJMPI_Topology_get_coords(MPI_Comm comm, int rank, int view, int maxdims, int coords[]) {
    int head[4], logical[3], tofu[6];
    (void)comm;
    const int code = look_up(rank, head, logical, tofu);
    if (code != FJMPI_SUCCESS) return code;
    if (view == FJMPI_LOGICAL && maxdims >= head[0]) {
        for (int k = 0; k < head[0]; ++k) coords[k] = logical[k];
        return code;
    }
    if (view != FJMPI_TOFU_REL || maxdims < 6) return FJMPI_STAND_IN_ERROR;
    for (int k = 0; k < 6; ++k) coords[k] = tofu[k];
    return code;
}

int FJMPI_Topology_rank2x(int rank, int* x) {
    return FJMPI_Topology_get_coords(MPI_COMM_WORLD, rank, FJMPI_LOGICAL, 1, x);
}

int FJMPI_Topology_rank2xy(int rank, int* x, int* y) {
    int at[2];
    const int code = FJMPI_Topology_get_coords(MPI_COMM_WORLD, rank, FJMPI_LOGICAL, 2, at);
    if (code == FJMPI_SUCCESS) *x = at[0], *y = at[1];
    return code;
}

int FJMPI_Topology_rank2xyz(int rank, int* x, int* y, int* z) {
    int at[3];
    const int code = FJMPI_Topology_get_coords(MPI_COMM_WORLD, rank, FJMPI_LOGICAL, 3, at);
    if (code == FJMPI_SUCCESS) *x = at[0], *y = at[1], *z = at[2];
    return code;
}

int FJMPI_Topology_rel_rank2xyzabc(int rank, int* x, int* y, int* z, int* a, int* b, int* c) {
    int at[6];
    const int code = FJMPI_Topology_get_coords(MPI_COMM_WORLD, rank, FJMPI_TOFU_REL, 6, at);
    if (code == FJMPI_SUCCESS) *x = at[0], *y = at[1], *z = at[2], *a = at[3], *b = at[4], *c = at[5];
    return code;
}
