#ifndef HAICHI_MGEN_MPI_H
#define HAICHI_MGEN_MPI_H

/* In the place of mpi.h: an MPI program runs on the simulated machine as it is, and may use MGEN_Comp() and the others.
 */

#include <mgen.h>

#endif
