#pragma once

#include "mgen/abi/mpich/mpich_rank.h"

namespace haichi::abi::mpich {

/// The rank's part in a communicator that is none between two groups; CallError for others.
const mpi::MembershipRef& intra(MpichRank& state, MPI_Comm handle);

/// Gives a new communicator a handle, and the error handler of the one that it was made from; none: MPI_COMM_NULL.
MPI_Comm add_communicator(MpichRank& state, MPI_Comm parent, mpi::MembershipRef membership, Topology topology = {});

}  // namespace haichi::abi::mpich
