#pragma once

#include "collectives/algorithms.h"

namespace haichi::collectives {

const Table<AlgorithmRow>& barrier_algorithms();

}  // namespace haichi::collectives
