#pragma once

#include "collectives/algorithms.h"

namespace haichi::collectives {

const Table<AlgorithmRow>& allgather_algorithms();
const Table<AlgorithmRow>& allgatherv_algorithms();

}  // namespace haichi::collectives
