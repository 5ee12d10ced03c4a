/* For tests only: replaces the part of Fujitsu's <mpi-ext.h> that examples/fjmpi_coordinates uses. The example can then
 * be compiled and run with any MPI. The values of the constants are invented. */
#ifndef FJMPI_STAND_IN_H
#define FJMPI_STAND_IN_H

#include <mpi.h>

enum { FJMPI_SUCCESS = 0, FJMPI_STAND_IN_ERROR = 1 };
enum { FJMPI_LOGICAL = 11, FJMPI_TOFU_SYS = 12, FJMPI_TOFU_REL = 13 };

int FJMPI_Topology_get_dimension(int* size);
int FJMPI_Topology_get_shape(int* x, int* y, int* z);
int FJMPI_Topology_get_coords(MPI_Comm comm, int rank, int view, int maxdims, int coords[]);

int FJMPI_Topology_rank2x(int rank, int* x);
int FJMPI_Topology_rank2xy(int rank, int* x, int* y);
int FJMPI_Topology_rank2xyz(int rank, int* x, int* y, int* z);
int FJMPI_Topology_rel_rank2xyzabc(int rank, int* x, int* y, int* z, int* a, int* b, int* c);

#endif
