#ifndef HAICHI_MGEN_H
#define HAICHI_MGEN_H

/* Programs as traffic, as in NSIM (MGEN): MPI plus functions that only a simulated machine provides. `haichi mgencc`
 * compiles such a program; `haichi run -m MACHINE -n RANKS -- ./program` runs it. The program also runs under a real
 * MPI, which ignores computation times and send options.
 *
 * MGEN_COMM_WORLD, MGEN_Comm_rank(), MGEN_Isend() and so on are other names for MPI's. */

#include <mpi.h>

#include <mgen-names.h>

#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 11
/* MPICH declares arguments as arrays, but MPI_STATUSES_IGNORE and MPI_UNWEIGHTED are not arrays. gcc 12 and later
 * report an overflow for each call with them. */
#pragma GCC diagnostic ignored "-Wstringop-overflow"
#pragma GCC diagnostic ignored "-Wstringop-overread"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The main function of the program, called on each rank between MPI_Init and MPI_Finalize. A program with its own
 * main() does not define it. */
int MGEN_Main(int argc, char** argv);

/* Computes for `seconds` of simulated time. Code between calls takes no time by itself. */
void MGEN_Comp(double seconds);

/* Options of a message. MGEN_SEND_DEFAULTS initialises them to 0 and -1. */
typedef struct MGEN_Send_options {
    int protocol;       /* MGEN_BY_SIZE, MGEN_EAGER or MGEN_RENDEZVOUS */
    int zero_copy;      /* if not 0, sent from the user's buffer, which is free when the message has left */
    int nic;            /* NIC of the node, from 0; -1 for the NICs in turn */
    double gap_seconds; /* pause of the NIC after each packet */
} MGEN_Send_options;

enum { MGEN_BY_SIZE = 0, MGEN_EAGER = 1, MGEN_RENDEZVOUS = 2 };
#define MGEN_SEND_DEFAULTS \
    { MGEN_BY_SIZE, 0, -1, 0.0 }

/* Like MPI_Isend and MPI_Send, with options. */
int MGEN_Isend_with(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                    const MGEN_Send_options* options, MPI_Request* request);
int MGEN_Send_with(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                   const MGEN_Send_options* options);

/* Remote memory access (RDMA) by the NICs, between ranks of MGEN_COMM_WORLD. Only sizes are simulated; the bytes of
 * puts and gets are not moved. The calls return at once, with a handle for MGEN_acp_complete(). They are not ordered,
 * so a later one may be performed first. Sizes must not be negative. docs/develop/simulator.md has the rules. */
typedef long long MGEN_acp_handle_t;
/* All incomplete operations of the rank. */
#define MGEN_ACP_HANDLE_ALL ((MGEN_acp_handle_t)-1)

/* Writes data_size bytes into the memory of dest_rank, where MGEN_rdma_poll(tag) waits for them. */
MGEN_acp_handle_t MGEN_rdma_put(int dest_rank, int data_size, int tag);
/* Like MGEN_rdma_put(), with the options nic and gap_seconds. */
MGEN_acp_handle_t MGEN_rdma_put_with(int dest_rank, int data_size, int tag, const MGEN_Send_options* options);
/* Waits until the data of one put with this tag are in the memory of this rank, and consumes that one arrival. The next
 * poll waits for another one. */
void MGEN_rdma_poll(int tag);
/* Reads data_size bytes of source_rank's memory. */
MGEN_acp_handle_t MGEN_rdma_get(int source_rank, int data_size);
MGEN_acp_handle_t MGEN_rdma_get_with(int source_rank, int data_size, const MGEN_Send_options* options);
/* Atomic operations on words of 64 bits. Every rank has words with any number, which are 0 initially. The NIC of `rank`
 * performs the operation at once. *result is the word's previous value once the operation is complete; it may be NULL.
 */
MGEN_acp_handle_t MGEN_rdma_fetch_and_add(int rank, int word, long long value, long long* result);
MGEN_acp_handle_t MGEN_rdma_compare_and_swap(int rank, int word, long long expected, long long value,
                                             long long* result);
/* Waits for the control packet of a put, the data of a get, or the result of an atomic operation. */
void MGEN_acp_complete(MGEN_acp_handle_t handle);

/* MGEN_Key() of NSIM-ACE cuts calls that a simulation does not need. haichi executes all calls, so each use of
 * MGEN_Key() is a compile-time error. */
void haichi_refuses_MGEN_Key(void)
    __attribute__((error("MGEN_Key is not supported. hint: remove it, and enclose code "
                         "that the simulation does not need in #ifndef HAICHI_MGEN_H")));
#define MGEN_Key(...) haichi_refuses_MGEN_Key()

#ifdef __cplusplus
}
#endif

#endif
