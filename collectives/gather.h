#pragma once

#include "collectives/algorithms.h"

namespace haichi::collectives {

const Table<AlgorithmRow>& gather_algorithms();
const Table<AlgorithmRow>& gatherv_algorithms();
const Table<AlgorithmRow>& scatter_algorithms();
const Table<AlgorithmRow>& scatterv_algorithms();

/// The root copies its own block to where it belongs, unless it is there.
void keep_own_block(Exchange& exchange, const CollectiveArguments& arguments);

}  // namespace haichi::collectives
