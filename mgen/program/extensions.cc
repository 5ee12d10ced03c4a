// The functions that mgen.h declares besides MPI. The simulated machine provides the underlying functions to the
// running program. Under a real MPI they are absent, and MPI's own functions are used.

#include "mgen/program/mgen.h"
#include "mgen/program/simulated_calls.h"

namespace {

/// Calls `send` with the options, which a real MPI ignores.
template <class Send>
int send_with(const MGEN_Send_options* options, const void* site, const Send& send) {
    if (haichi_mgen_begin_send == nullptr || haichi_mgen_end_send == nullptr) return send();
    int code = haichi_mgen_begin_send(options, site);
    if (code == MPI_SUCCESS) code = send();
    haichi_mgen_end_send();
    return code;
}

}  // namespace

extern "C" {

void MGEN_Comp(double seconds) {
    if (haichi_mgen_compute != nullptr) haichi_mgen_compute(seconds, __builtin_return_address(0));
}

int MGEN_Isend_with(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                    const MGEN_Send_options* options, MPI_Request* request) {
    return send_with(options, __builtin_return_address(0),
                     [&] { return MPI_Isend(buffer, count, type, to, tag, comm, request); });
}

int MGEN_Send_with(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                   const MGEN_Send_options* options) {
    return send_with(options, __builtin_return_address(0),
                     [&] { return MPI_Send(buffer, count, type, to, tag, comm); });
}
}
