#pragma once

#include "collectives/algorithms.h"

namespace haichi::collectives {

const Table<AlgorithmRow>& reduce_scatter_algorithms();
const Table<AlgorithmRow>& reduce_scatter_block_algorithms();

Steps reduce_scatter_recursive_halving(Exchange& exchange, CollectiveArguments arguments, Tuning tuning);
Steps reduce_scatter_recursive_doubling(Exchange& exchange, CollectiveArguments arguments, Tuning tuning);
Steps reduce_scatter_butterfly(Exchange& exchange, CollectiveArguments arguments, Tuning tuning);
/// For equal blocks on a power of two of members. The blocks are put in the order in which the halves are sent.
Steps reduce_scatter_permuted_butterfly(Exchange& exchange, CollectiveArguments arguments, Tuning tuning);

}  // namespace haichi::collectives
