#pragma once

#include "mgen/abi/mpich/mpich_rank.h"

namespace haichi::abi::mpich {

/// Returns the rank's membership in an intra-communicator. Throws CallError for inter-communicators.
const mpi::MembershipRef& intra(MpichRank& state, MPI_Comm handle);

/// Creates a handle for a new communicator, which inherits the error handler of its parent. Returns MPI_COMM_NULL if
/// `membership` is null.
MPI_Comm add_communicator(MpichRank& state, MPI_Comm parent, mpi::MembershipRef membership, Topology topology = {});

}  // namespace haichi::abi::mpich
