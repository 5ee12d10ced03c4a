#ifndef PATTERN_H
#define PATTERN_H

/* Functions that the programs in this directory share. With `haichi mgencc`, the header mgen-mpi.h exists, and
 * MGEN_Comp() spends simulated computation time. With mpicc, the header is missing, and MGEN_Comp() does nothing. */

#if __has_include(<mgen-mpi.h>)
#include <mgen-mpi.h>
#else
#include <mpi.h>
static inline void MGEN_Comp(double seconds) { (void)seconds; }
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Aborts the program if a result is wrong. */
static inline void check(int holds, const char* what) {
    if (holds) return;
    fprintf(stderr, "wrong: %s\n", what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static inline int argument(int argc, char** argv, int number, int otherwise) {
    return argc > number ? atoi(argv[number]) : otherwise;
}

/* Waits for all ranks and returns the current time. */
static inline double begin_together(void) {
    MPI_Barrier(MPI_COMM_WORLD);
    return MPI_Wtime();
}

/* Prints the time of the slowest rank. Only rank 0 prints. */
static inline void report(const char* what, double seconds) {
    int rank;
    double most = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Reduce(&seconds, &most, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("%s: verified\ntime %.3f us\n", what, most * 1e6);
}

#endif
