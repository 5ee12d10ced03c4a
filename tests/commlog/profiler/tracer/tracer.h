#pragma once

#include <mpi.h>
#include <stddef.h>

/* A tracer of MPI calls for the tests: the judge of the profiler. It is preloaded instead of the profiler, shares
 * nothing with it, and is written to be obviously right, not fast: each wrapper by hand, one lock, linked lists, names
 * compared as text. At MPI_Finalize every rank writes what it has counted as JSON to $HAICHI_TRACE.RANK.json.
 *
 * What counts: a message sent when it is posted, under the function that posts it (MPI_Start for persistent requests);
 * a message received when the program is told of its completion, with the bytes of the status, under the function that
 * posted it. Nothing from or to MPI_PROC_NULL, no cancelled receive, no receive freed before its end. A collective
 * counts once per direction in which the rank gives or gets something, with all bytes of it, when it is called. */

typedef unsigned long long Count;

/* Counts a call; without more for functions that move no message. */
void trace_call(const char* function);

Count bytes_of(Count count, MPI_Datatype type);

/* Point-to-point. Peers are ranks of `comm` (of its remote group if it is an intercommunicator). */
void trace_send(const char* function, int peer, MPI_Comm comm, Count bytes);
void trace_receive(const char* function, MPI_Comm comm, const MPI_Status* status);

/* What this rank gives to a collective, and gets. */
void trace_given(const char* function, Count bytes);
void trace_got(const char* function, Count bytes);

/* The number of ranks that a rank exchanges with in a collective: of the remote group in an intercommunicator. */
int peers_of(MPI_Comm comm);
int rank_in(MPI_Comm comm);
int is_root(int root, MPI_Comm comm);
Count sum(const int counts[], int n);

/* Requests that have to be known when they complete: receives, and persistent ones. Not sends and collectives: these
 * have counted when they were posted, and libraries hand out one handle for several that are complete at once. */
typedef struct Open {
    struct Open* next;
    MPI_Request request;
    const char* function; /* that posted it */
    int receives;
    int persistent;
    int active;
    MPI_Group group; /* of the peers; the communicator may be freed before the request completes */
    int peer;        /* of a persistent send */
    Count bytes;     /* likewise */
    int collective;  /* it is persistent: `bytes` are given, `got` comes */
    Count got;
} Open;

void open_receive(const char* function, MPI_Request request, MPI_Comm comm);
void open_matched_receive(const char* function, MPI_Request request, MPI_Group group);
void open_persistent(MPI_Request request, int receives, int peer, MPI_Comm comm, Count bytes);

void open_persistent_collective(MPI_Request request, Count given, Count got);
/* A persistent request is started by `function`. */
void start_open(const char* function, MPI_Request request);
/* Before a call that may complete or free `request`: takes it off the list, because the call may free the handle and
 * another thread be given the same. NULL if there is nothing to count. Give it to one of the next three afterwards. */
Open* take_open(MPI_Request request);
void complete_open(Open* open, const MPI_Status* status);
void keep_open(Open* open);
void forget_open(Open* open);

/* Messages of MPI_Mprobe: where their peers are. */
void keep_message(MPI_Message message, MPI_Comm comm);
MPI_Group take_message(MPI_Message message);
void trace_receive_in_group(const char* function, MPI_Group group, const MPI_Status* status);

void write_trace(void);
