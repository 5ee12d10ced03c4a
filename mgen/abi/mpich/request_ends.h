#pragma once

#include <mpi.h>

#include "mgen/abi/mpich/mpich_rank.h"

namespace haichi::abi::mpich {

/// Stores the status of a call's message and returns the call's result. Throws CallError if the status has an error.
int end_of_call(const mpi::Status& status, MPI_Status* to);

/// Ends a complete or inactive request and returns its status. Releases the request and sets its handle to
/// MPI_REQUEST_NULL, unless the request is persistent.
mpi::Status end_request(MpichRank& state, MPI_Request* handle);

}  // namespace haichi::abi::mpich
