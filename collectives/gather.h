#pragma once

#include "collectives/algorithms.h"

namespace haichi::collectives {

const Table<AlgorithmRow>& gather_algorithms();
const Table<AlgorithmRow>& gatherv_algorithms();
const Table<AlgorithmRow>& scatter_algorithms();
const Table<AlgorithmRow>& scatterv_algorithms();

/// Copies the member's own block to its position in the receive buffer, unless it is there already.
void keep_own_block(Exchange& exchange, const CollectiveArguments& arguments);

}  // namespace haichi::collectives
