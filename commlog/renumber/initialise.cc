// Replaces MPI_Init in C and Fortran: calls the MPI's function, then renumbers.

#include "commlog/preload/initialise.h"

#include "commlog/renumber/world.h"

HAICHI_REPLACE_INIT(static_cast<void>(0), haichi::renumber::renumber_world())
