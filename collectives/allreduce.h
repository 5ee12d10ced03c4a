#pragma once

#include "collectives/algorithms.h"

namespace haichi::collectives {

const Table<AlgorithmRow>& allreduce_algorithms();

Steps allreduce_recursive_doubling(Exchange& exchange, CollectiveArguments arguments, Tuning tuning);
Steps allreduce_ring(Exchange& exchange, CollectiveArguments arguments, Tuning tuning);
Steps allreduce_segmented_ring(Exchange& exchange, CollectiveArguments arguments, Tuning tuning);

}  // namespace haichi::collectives
