#pragma once

#include <mpi.h>

#include <cstdint>
#include <limits>
#include <type_traits>

#include "collectives/algorithms.h"

namespace haichi::abi::mpich {

static_assert(std::is_same_v<MPI_Count, std::int64_t> && std::is_same_v<MPI_Aint, std::int64_t>);

using collectives::Counts;

/// The count as an int, or MPI_UNDEFINED if it does not fit.
inline int narrow(MPI_Count count) {
    return count > std::numeric_limits<int>::max() ? MPI_UNDEFINED : static_cast<int>(count);
}

}  // namespace haichi::abi::mpich
