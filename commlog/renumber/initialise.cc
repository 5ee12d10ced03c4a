// MPI_Init for C and Fortran: calls the function of the MPI library, then renumbers.

#include "commlog/preload/initialise.h"

#include "commlog/renumber/world.h"

HAICHI_REPLACE_INIT(static_cast<void>(0), haichi::renumber::renumber_world())
