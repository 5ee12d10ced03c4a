#ifndef HAICHI_MGEN_H
#define HAICHI_MGEN_H

/* Programs as traffic, as in NSIM (MGEN): MPI with what only a simulated machine can do. `haichi mgencc` compiles such
 * a program; `haichi simulate -m MACHINE -n RANKS -- ./program` runs it. Under a real MPI it runs as well: computing
 * times and wishes are then ignored.
 *
 * MGEN_COMM_WORLD, MGEN_Comm_rank(), MGEN_Isend() and so on are MPI's, by other names. */

#include <mpi.h>

#include <mgen-names.h>

#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 11
/* MPICH declares arguments as arrays, and MPI_STATUSES_IGNORE and MPI_UNWEIGHTED are none: gcc 12 and later take each
 * call with them for an overflow. */
#pragma GCC diagnostic ignored "-Wstringop-overflow"
#pragma GCC diagnostic ignored "-Wstringop-overread"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The program: called on each rank between MPI_Init and MPI_Finalize. A program with a main() of its own has none. */
int MGEN_Main(int argc, char** argv);

/* The rank computes for so long, in simulated time. Code between calls takes no time by itself. */
void MGEN_Comp(double seconds);

/* What a message may ask for. Set all to 0 and -1 by MGEN_SEND_DEFAULTS. */
typedef struct MGEN_Send_options {
    int protocol;       /* MGEN_BY_SIZE, MGEN_EAGER or MGEN_RENDEZVOUS */
    int zero_copy;      /* not 0: from the user's buffer, which is free when the message has left */
    int nic;            /* of the node, from 0; -1: in turn */
    double gap_seconds; /* pause of the NIC behind each packet */
} MGEN_Send_options;

enum { MGEN_BY_SIZE = 0, MGEN_EAGER = 1, MGEN_RENDEZVOUS = 2 };
#define MGEN_SEND_DEFAULTS \
    { MGEN_BY_SIZE, 0, -1, 0.0 }

/* As MPI_Isend and MPI_Send, with wishes. */
int MGEN_Isend_with(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                    const MGEN_Send_options* options, MPI_Request* request);
int MGEN_Send_with(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                   const MGEN_Send_options* options);

#ifdef __cplusplus
}
#endif

#endif
