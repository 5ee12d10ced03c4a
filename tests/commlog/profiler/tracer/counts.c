#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/commlog/profiler/tracer/tracer.h"

enum { kClasses = 24 };

typedef struct {
    Count count, total, min, max, empty, classes[kClasses];
} Messages;

typedef struct Function {
    struct Function* next;
    char name[64];
    Count calls;
    Messages sent, received;
} Function;

typedef struct {
    Count sent_messages, sent_bytes, received_messages, received_bytes;
} Peer;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Function* functions;
static Peer* peers; /* one for each rank of MPI_COMM_WORLD */

static Function* function_named(const char* name) {
    for (Function* f = functions; f != NULL; f = f->next) {
        if (strcmp(f->name, name) == 0) return f;
    }
    Function* f = calloc(1, sizeof(Function));
    snprintf(f->name, sizeof(f->name), "%s", name);
    f->next = functions;
    functions = f;
    return f;
}

static void count_message(Messages* messages, Count bytes) {
    if (messages->count == 0 || bytes < messages->min) messages->min = bytes;
    if (messages->count == 0 || bytes > messages->max) messages->max = bytes;
    messages->count += 1;
    messages->total += bytes;
    if (bytes == 0) messages->empty += 1;
    /* Class k is [2^k, 2^(k+1)). Class 0 also holds 0 bytes, and the last class all larger sizes. */
    int k = 0;
    Count end = 2;
    while (bytes >= end && k < kClasses - 1) {
        end *= 2;
        k += 1;
    }
    messages->classes[k] += 1;
}

static Peer* peer_of(MPI_Group group, int rank) {
    MPI_Group world;
    int world_rank = MPI_UNDEFINED;
    int size;
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    PMPI_Group_translate_ranks(group, 1, &rank, world, &world_rank);
    PMPI_Group_free(&world);
    PMPI_Comm_size(MPI_COMM_WORLD, &size);
    if (world_rank == MPI_UNDEFINED) {
        fprintf(stderr, "tracer: a peer outside MPI_COMM_WORLD\n");
        abort();
    }
    if (peers == NULL) peers = calloc((size_t)size, sizeof(Peer));
    return &peers[world_rank];
}

static MPI_Group group_of_peers(MPI_Comm comm) {
    MPI_Group group;
    int is_intercommunicator;
    PMPI_Comm_test_inter(comm, &is_intercommunicator);
    if (is_intercommunicator) {
        PMPI_Comm_remote_group(comm, &group);
    } else {
        PMPI_Comm_group(comm, &group);
    }
    return group;
}

void trace_call(const char* function) {
    pthread_mutex_lock(&lock);
    function_named(function)->calls += 1;
    pthread_mutex_unlock(&lock);
}

Count bytes_of(Count count, MPI_Datatype type) {
    if (count == 0) return 0; /* the type may be invalid */
    MPI_Count size;
    PMPI_Type_size_x(type, &size);
    return count * (Count)size;
}

static void send_in_group(const char* function, int peer, MPI_Group group, Count bytes) {
    if (peer == MPI_PROC_NULL) return;
    pthread_mutex_lock(&lock);
    count_message(&function_named(function)->sent, bytes);
    Peer* counters = peer_of(group, peer);
    counters->sent_messages += 1;
    counters->sent_bytes += bytes;
    pthread_mutex_unlock(&lock);
}

void trace_send(const char* function, int peer, MPI_Comm comm, Count bytes) {
    MPI_Group group = group_of_peers(comm);
    send_in_group(function, peer, group, bytes);
    PMPI_Group_free(&group);
}

void trace_receive_in_group(const char* function, MPI_Group group, const MPI_Status* status) {
    if (status->MPI_SOURCE == MPI_PROC_NULL) return;
    MPI_Count bytes;
    PMPI_Get_elements_x(status, MPI_BYTE, &bytes);
    pthread_mutex_lock(&lock);
    count_message(&function_named(function)->received, (Count)bytes);
    Peer* counters = peer_of(group, status->MPI_SOURCE);
    counters->received_messages += 1;
    counters->received_bytes += (Count)bytes;
    pthread_mutex_unlock(&lock);
}

void trace_receive(const char* function, MPI_Comm comm, const MPI_Status* status) {
    MPI_Group group = group_of_peers(comm);
    trace_receive_in_group(function, group, status);
    PMPI_Group_free(&group);
}

void trace_given(const char* function, Count bytes) {
    pthread_mutex_lock(&lock);
    count_message(&function_named(function)->sent, bytes);
    pthread_mutex_unlock(&lock);
}

void trace_got(const char* function, Count bytes) {
    pthread_mutex_lock(&lock);
    count_message(&function_named(function)->received, bytes);
    pthread_mutex_unlock(&lock);
}

static Open* all_open;

void keep_open(Open* open) {
    if (open == NULL) return;
    pthread_mutex_lock(&lock);
    open->next = all_open;
    all_open = open;
    pthread_mutex_unlock(&lock);
}

void open_matched_receive(const char* function, MPI_Request request, MPI_Group group) {
    Open* open = calloc(1, sizeof(Open));
    open->request = request;
    open->function = function;
    open->receives = 1;
    open->active = 1;
    open->group = group;
    keep_open(open);
}

void open_receive(const char* function, MPI_Request request, MPI_Comm comm) {
    open_matched_receive(function, request, group_of_peers(comm));
}

void open_persistent(MPI_Request request, int receives, int peer, MPI_Comm comm, Count bytes) {
    Open* open = calloc(1, sizeof(Open));
    open->request = request;
    open->receives = receives;
    open->persistent = 1;
    open->peer = peer;
    open->bytes = bytes;
    open->group = group_of_peers(comm);
    keep_open(open);
}

void open_persistent_collective(MPI_Request request, Count given, Count got) {
    Open* open = calloc(1, sizeof(Open));
    open->request = request;
    open->persistent = 1;
    open->collective = 1;
    open->bytes = given;
    open->got = got;
    open->group = MPI_GROUP_NULL;
    keep_open(open);
}

Open* take_open(MPI_Request request) {
    if (request == MPI_REQUEST_NULL) return NULL;
    pthread_mutex_lock(&lock);
    Open** link = &all_open;
    while (*link != NULL && (*link)->request != request) link = &(*link)->next;
    Open* open = *link;
    if (open != NULL) *link = open->next;
    pthread_mutex_unlock(&lock);
    return open;
}

void start_open(const char* function, MPI_Request request) {
    Open* open = take_open(request);
    open->active = 1;
    open->function = function;
    if (open->collective) {
        trace_given(function, open->bytes);
        trace_got(function, open->got);
    } else if (!open->receives) {
        send_in_group(function, open->peer, open->group, open->bytes);
    }
    keep_open(open);
}

void complete_open(Open* open, const MPI_Status* status) {
    if (open == NULL) return;
    if (open->active && open->receives) {
        int cancelled;
        PMPI_Test_cancelled(status, &cancelled);
        if (!cancelled) trace_receive_in_group(open->function, open->group, status);
    }
    open->active = 0;
    if (open->persistent) {
        keep_open(open);
    } else {
        forget_open(open);
    }
}

void forget_open(Open* open) {
    if (open == NULL) return;
    if (open->group != MPI_GROUP_NULL) PMPI_Group_free(&open->group);
    free(open);
}

typedef struct Probed {
    struct Probed* next;
    MPI_Message message;
    MPI_Group group;
} Probed;
static Probed* all_probed;

void keep_message(MPI_Message message, MPI_Comm comm) {
    Probed* probed = calloc(1, sizeof(Probed));
    probed->message = message;
    probed->group = group_of_peers(comm);
    pthread_mutex_lock(&lock);
    probed->next = all_probed;
    all_probed = probed;
    pthread_mutex_unlock(&lock);
}

MPI_Group take_message(MPI_Message message) {
    pthread_mutex_lock(&lock);
    Probed** link = &all_probed;
    while (*link != NULL && (*link)->message != message) link = &(*link)->next;
    if (*link == NULL) {
        fprintf(stderr, "tracer: a message that no probe has given\n");
        abort();
    }
    Probed* probed = *link;
    *link = probed->next;
    pthread_mutex_unlock(&lock);
    MPI_Group group = probed->group;
    free(probed);
    return group;
}

static void write_messages(FILE* file, const char* name, const Messages* m) {
    fprintf(file, "\"%s\": {\"messages\": %llu, \"bytes\": {\"total\": %llu, \"min\": %llu, \"max\": %llu}, ", name,
            m->count, m->total, m->min, m->max);
    fprintf(file, "\"empty\": %llu, \"classes\": [", m->empty);
    for (int k = 0; k < kClasses; ++k) fprintf(file, "%s%llu", k == 0 ? "" : ", ", m->classes[k]);
    fprintf(file, "]}");
}

void write_trace(void) {
    const char* prefix = getenv("HAICHI_TRACE");
    char name[4096];
    int rank, size;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &size);
    snprintf(name, sizeof(name), "%s.%d.json", prefix == NULL ? "trace" : prefix, rank);
    FILE* file = fopen(name, "w");
    if (file == NULL) abort();
    fprintf(file, "{\"rank\": %d, \"ranks\": %d, \"functions\": [", rank, size);
    for (const Function* f = functions; f != NULL; f = f->next) {
        fprintf(file, "%s\n  {\"name\": \"%s\", \"calls\": %llu, ", f == functions ? "" : ",", f->name, f->calls);
        write_messages(file, "sent", &f->sent);
        fprintf(file, ",\n    ");
        write_messages(file, "received", &f->received);
        fprintf(file, "}");
    }
    fprintf(file, "],\n \"peers\": [");
    for (int peer = 0; peer < size; ++peer) {
        const Peer none = {0, 0, 0, 0};
        const Peer p = peers == NULL ? none : peers[peer];
        fprintf(file, "%s[%llu, %llu, %llu, %llu]", peer == 0 ? "" : ", ", p.sent_messages, p.sent_bytes,
                p.received_messages, p.received_bytes);
    }
    fprintf(file, "]}\n");
    fclose(file);
}
