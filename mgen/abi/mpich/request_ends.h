#pragma once

#include <mpi.h>

#include "mgen/abi/mpich/mpich_rank.h"

namespace haichi::abi::mpich {

/// What a call returns whose message had this status; throws CallError for one with an error.
int end_of_call(const mpi::Status& status, MPI_Status* to);

/// The request is complete or inactive: gives its status; one that is not persistent is gone, its handle null.
mpi::Status end_request(MpichRank& state, MPI_Request* handle);

}  // namespace haichi::abi::mpich
