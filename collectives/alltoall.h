#pragma once

#include "collectives/algorithms.h"

namespace haichi::collectives {

const Table<AlgorithmRow>& alltoall_algorithms();
const Table<AlgorithmRow>& alltoallv_algorithms();
const Table<AlgorithmRow>& alltoallw_algorithms();

}  // namespace haichi::collectives
