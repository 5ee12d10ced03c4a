#pragma once

#include <mpi.h>

#include <memory>
#include <vector>

#include "mgen/abi/mpich/counts.h"
#include "mgen/mpi/communicator.h"
#include "mgen/mpi/datatype.h"
#include "mgen/mpi/operation.h"

namespace haichi::abi::mpich {

/// A rank's call of a collective operation, with checked arguments. The object holds everything that the operation
/// needs, so the operation may run at once, in the background, or repeatedly.
struct CollectiveCall {
    struct Parts {
        collectives::CollectiveArguments arguments{};
        std::vector<mpi::DatatypeRef> types{};
        std::vector<const collectives::ItemType*> send_types{};
        std::vector<const collectives::ItemType*> receive_types{};
        std::vector<int> sources{};
        std::vector<int> destinations{};
        mpi::OperationRef operation{};
    };
    MPI_Comm comm = MPI_COMM_NULL;
    mpi::MembershipRef membership{};
    std::shared_ptr<Parts> parts{};  ///< null if there is nothing to do, as with MPI_PROC_NULL on an inter-communicator
};

int run(const CollectiveCall& call);
int begin(const CollectiveCall& call, MPI_Request* request);
int prepare(const CollectiveCall& call, MPI_Request* request);

}  // namespace haichi::abi::mpich
