#pragma once

#include "collectives/algorithms.h"

namespace haichi::collectives {

const Table<AlgorithmRow>& neighbor_algorithms();

}  // namespace haichi::collectives
