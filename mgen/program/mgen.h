#ifndef HAICHI_MGEN_H
#define HAICHI_MGEN_H

/* Programs as traffic, as in NSIM (MGEN): MPI with what only a simulated machine can do. `haichi mgencc` compiles such
 * a program; `haichi run -m MACHINE -n RANKS -- ./program` runs it. Under a real MPI it runs as well: computing
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

/* Remote memory access (RDMA) by the network interfaces, between ranks of MGEN_COMM_WORLD. Sizes only: the bytes of
 * puts and gets are not moved. The calls return at once, with a handle for MGEN_acp_complete(). Nothing orders them: a
 * later one may be done first. Sizes are not negative. docs/develop/simulator.md has the rules. */
typedef long long MGEN_acp_handle_t;
/* All of the rank that are not complete. */
#define MGEN_ACP_HANDLE_ALL ((MGEN_acp_handle_t)-1)

/* Writes data_size bytes into the memory of dest_rank, where MGEN_rdma_poll(tag) sees it arrive. */
MGEN_acp_handle_t MGEN_rdma_put(int dest_rank, int data_size, int tag);
/* The same with wishes: nic and gap_seconds. */
MGEN_acp_handle_t MGEN_rdma_put_with(int dest_rank, int data_size, int tag, const MGEN_Send_options* options);
/* Waits until the data of one put with this tag are in the memory of this rank, and consumes that one arrival: the next
 * poll waits for another. */
void MGEN_rdma_poll(int tag);
/* Reads data_size bytes of source_rank's memory. */
MGEN_acp_handle_t MGEN_rdma_get(int source_rank, int data_size);
MGEN_acp_handle_t MGEN_rdma_get_with(int source_rank, int data_size, const MGEN_Send_options* options);
/* On words of 64 bits that every rank has, by any number, 0 in the beginning: done at once by the NIC of `rank`.
 * *result is what the word was before, once the operation is complete; NULL: not wanted. */
MGEN_acp_handle_t MGEN_rdma_fetch_and_add(int rank, int word, long long value, long long* result);
MGEN_acp_handle_t MGEN_rdma_compare_and_swap(int rank, int word, long long expected, long long value,
                                             long long* result);
/* Waits until the control packet of a put, the data of a get, the result of an operation is here. */
void MGEN_acp_complete(MGEN_acp_handle_t handle);

/* A mark of where the rank is. It costs nothing and changes nothing; messages about a program that is stuck name the
 * last one. Further arguments are ignored. */
void MGEN_Key(int key, ...);

#ifdef __cplusplus
}
#endif

#endif
