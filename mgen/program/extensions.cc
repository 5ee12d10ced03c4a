// What mgen.h declares besides MPI. The simulated machine gives the functions behind it to the running program; under a
// real MPI there are none, and MPI's own do.

#include "mgen/program/mgen.h"
#include "mgen/program/simulated_calls.h"

extern "C" {

void MGEN_Comp(double seconds) {
    if (haichi_mgen_compute != nullptr) haichi_mgen_compute(seconds);
}

int MGEN_Isend_with(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                    const MGEN_Send_options* options, MPI_Request* request) {
    if (haichi_mgen_next_send != nullptr && options != nullptr) haichi_mgen_next_send(options);
    return MPI_Isend(buffer, count, type, to, tag, comm, request);
}

int MGEN_Send_with(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                   const MGEN_Send_options* options) {
    if (haichi_mgen_next_send != nullptr && options != nullptr) haichi_mgen_next_send(options);
    return MPI_Send(buffer, count, type, to, tag, comm);
}
}
