#ifndef HAICHI_MGEN_MPI_H
#define HAICHI_MGEN_MPI_H

/* Replaces mpi.h: an MPI program runs unchanged on the simulated machine, and may use MGEN_Comp() and the others. */

#include <mgen.h>

#endif
