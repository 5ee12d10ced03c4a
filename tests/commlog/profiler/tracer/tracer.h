#pragma once

#include <mpi.h>
#include <stddef.h>

/* A tracer of MPI calls for tests, which check the profiler against it. It is preloaded instead of the profiler and
 * shares no code with it. It is written to be obviously right, not fast: handwritten wrappers, one lock, linked lists,
 * and names compared as text. At MPI_Finalize every rank writes its counts as JSON to $HAICHI_TRACE.RANK.json.
 *
 * A sent message counts when it is posted, for the function that posts it (MPI_Start for persistent requests). A
 * received message counts when the program learns of its completion. Its bytes are those of the status, and it counts
 * for the function that posted it. Messages to and from MPI_PROC_NULL, cancelled receives and receives freed before
 * their end do not count. A collective is counted with all its bytes when it is called, once per direction in which the
 * rank gives or gets data. */

typedef unsigned long long Count;

/* Counts a call. Functions that move no message need nothing else. */
void trace_call(const char* function);

Count bytes_of(Count count, MPI_Datatype type);

/* Point-to-point functions. Peers are ranks of `comm` (of its remote group if it is an intercommunicator). */
void trace_send(const char* function, int peer, MPI_Comm comm, Count bytes);
void trace_receive(const char* function, MPI_Comm comm, const MPI_Status* status);

/* The bytes that this rank gives to a collective and gets from it. */
void trace_given(const char* function, Count bytes);
void trace_got(const char* function, Count bytes);

/* Returns the number of ranks that a rank exchanges with in a collective. In an intercommunicator they are in the
 * remote group. */
int peers_of(MPI_Comm comm);
int rank_in(MPI_Comm comm);
int is_root(int root, MPI_Comm comm);
Count sum(const int counts[], int n);

/* Receives and persistent requests, which must be known when they complete. Sends and collectives are counted when they
 * are posted and need no entry. Libraries may use one handle for several requests that complete immediately. */
typedef struct Open {
    struct Open* next;
    MPI_Request request;
    const char* function; /* the function that posted it */
    int receives;
    int persistent;
    int active;
    MPI_Group group; /* group of the peers; the communicator may be freed before the request completes */
    int peer;        /* peer of a persistent send */
    Count bytes;     /* size of a persistent send */
    int collective;  /* whether it is a persistent collective, which gives `bytes` and gets `got` */
    Count got;
} Open;

void open_receive(const char* function, MPI_Request request, MPI_Comm comm);
void open_matched_receive(const char* function, MPI_Request request, MPI_Group group);
void open_persistent(MPI_Request request, int receives, int peer, MPI_Comm comm, Count bytes);

void open_persistent_collective(MPI_Request request, Count given, Count got);
/* Marks a persistent request as started by `function`. */
void start_open(const char* function, MPI_Request request);
/* Call it before a call that may complete or free `request`. It removes the request from the list, because the call may
 * free the handle and another thread may get the same one. It returns NULL if there is nothing to count. Pass the
 * result to one of the next three functions afterwards. */
Open* take_open(MPI_Request request);
void complete_open(Open* open, const MPI_Status* status);
void keep_open(Open* open);
void forget_open(Open* open);

/* Messages of MPI_Mprobe, with the groups of their peers. */
void keep_message(MPI_Message message, MPI_Comm comm);
MPI_Group take_message(MPI_Message message);
void trace_receive_in_group(const char* function, MPI_Group group, const MPI_Status* status);

void write_trace(void);
