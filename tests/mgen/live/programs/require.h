/* Shared by these programs: a check that ends the program if it fails. */

#ifndef HAICHI_LIVE_REQUIRE_H
#define HAICHI_LIVE_REQUIRE_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define require(holds)                                                                      \
    do {                                                                                    \
        if (!(holds)) {                                                                     \
            fprintf(stderr, "%s:%d: this does not hold: %s\n", __FILE__, __LINE__, #holds); \
            MPI_Abort(MPI_COMM_WORLD, 70);                                                  \
        }                                                                                   \
    } while (0)

#endif
