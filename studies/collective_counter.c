/* A preloaded library that counts the messages of a rank for collective_driver.
 *
 * Open MPI: pml_monitoring calls mca_common_monitoring_record_pml() for every message. This file replaces the function.
 * MPICH on UCX with MPIR_CVAR_NOLOCAL=1: every message goes through ucp_tag_send_nbx(). The driver first sends
 * a message to each rank, which shows the rank of each endpoint.
 *
 * The file is part of the study collective_matrices.py, which states its date and result. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define MOST_RANKS 1024

static uint64_t messages_to[MOST_RANKS];
static uint64_t bytes_to[MOST_RANKS];

void haichi_counter_reset(void) {
    memset(messages_to, 0, sizeof messages_to);
    memset(bytes_to, 0, sizeof bytes_to);
}

void haichi_counter_read(uint64_t* messages, uint64_t* bytes, int ranks) {
    for (int i = 0; i < ranks; ++i) {
        messages[i] = messages_to[i];
        bytes[i] = bytes_to[i];
    }
}

static void count(int rank, uint64_t bytes) {
    if (rank < 0 || rank >= MOST_RANKS) return;
    ++messages_to[rank];
    bytes_to[rank] += bytes;
}

void mca_common_monitoring_record_pml(int world_rank, size_t data_size, int tag) {
    (void)tag;
    count(world_rank, data_size);
}

/* The rest of the file is for MPICH. */
static void* endpoint_of[MOST_RANKS];
static int learning = -1;

void haichi_counter_learn(int rank) { learning = rank; }

/* First members of ucp_request_param_t. */
struct request_parameters {
    uint32_t fields;
    uint32_t flags;
    void* request;
    void* callback;
    uint64_t datatype;
};
#define HAS_DATATYPE (1u << 3)
/* Marks messages of a non-contiguous type, because the arguments of UCX do not show their size. */
#define SIZE_UNKNOWN (1ull << 40)

static void count_message(void* endpoint, size_t items, const struct request_parameters* parameters) {
    if (learning >= 0) endpoint_of[learning] = endpoint;
    for (int i = 0; i < MOST_RANKS; ++i) {
        if (endpoint_of[i] != endpoint) continue;
        uint64_t bytes = items;
        if ((parameters->fields & HAS_DATATYPE) != 0) {
            const uint64_t type = parameters->datatype;
            bytes = (type & 7) == 0 ? items * (type >> 3) : SIZE_UNKNOWN;
        }
        count(i, bytes);
        return;
    }
}

typedef void* (*SendFunction)(void*, const void*, size_t, uint64_t, const struct request_parameters*);

void* ucp_tag_send_nbx(void* endpoint, const void* buffer, size_t items, uint64_t tag,
                       const struct request_parameters* parameters) {
    static SendFunction next;
    if (next == NULL) next = (SendFunction)dlsym(RTLD_NEXT, "ucp_tag_send_nbx");
    count_message(endpoint, items, parameters);
    return next(endpoint, buffer, items, tag, parameters);
}

void* ucp_tag_send_sync_nbx(void* endpoint, const void* buffer, size_t items, uint64_t tag,
                            const struct request_parameters* parameters) {
    static SendFunction next;
    if (next == NULL) next = (SendFunction)dlsym(RTLD_NEXT, "ucp_tag_send_sync_nbx");
    count_message(endpoint, items, parameters);
    return next(endpoint, buffer, items, tag, parameters);
}
