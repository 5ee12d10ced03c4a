// Remote memory access for programs. A real MPI ignores puts, gets and polls, as it ignores the time of MGEN_Comp().
// The result of an atomic operation cannot be guessed, so the program ends there.

#include <cstdio>

#include "mgen/program/mgen.h"
#include "mgen/program/simulated_calls.h"

namespace {

void end(const char* name) {
    std::fprintf(stderr, "error: %s requires the simulated machine: haichi run ... -- PROGRAM\n", name);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

}  // namespace

extern "C" {

MGEN_acp_handle_t MGEN_rdma_put(int dest_rank, int data_size, int tag) {
    return MGEN_rdma_put_with(dest_rank, data_size, tag, nullptr);
}

MGEN_acp_handle_t MGEN_rdma_put_with(int dest_rank, int data_size, int tag, const MGEN_Send_options* options) {
    return haichi_mgen_put != nullptr ? haichi_mgen_put(dest_rank, data_size, tag, options) : 0;
}

MGEN_acp_handle_t MGEN_rdma_get(int source_rank, int data_size) {
    return MGEN_rdma_get_with(source_rank, data_size, nullptr);
}

MGEN_acp_handle_t MGEN_rdma_get_with(int source_rank, int data_size, const MGEN_Send_options* options) {
    return haichi_mgen_get != nullptr ? haichi_mgen_get(source_rank, data_size, options) : 0;
}

MGEN_acp_handle_t MGEN_rdma_fetch_and_add(int rank, int word, long long value, long long* result) {
    if (haichi_mgen_word != nullptr) return haichi_mgen_word(rank, word, nullptr, value, result);
    end("MGEN_rdma_fetch_and_add");
    return 0;
}

MGEN_acp_handle_t MGEN_rdma_compare_and_swap(int rank, int word, long long expected, long long value,
                                             long long* result) {
    if (haichi_mgen_word != nullptr) return haichi_mgen_word(rank, word, &expected, value, result);
    end("MGEN_rdma_compare_and_swap");
    return 0;
}

void MGEN_rdma_poll(int tag) {
    if (haichi_mgen_poll != nullptr) haichi_mgen_poll(tag);
}

void MGEN_acp_complete(MGEN_acp_handle_t handle) {
    if (haichi_mgen_complete != nullptr) haichi_mgen_complete(handle);
}
}
