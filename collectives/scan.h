#pragma once

#include "collectives/algorithms.h"

namespace haichi::collectives {

const Table<AlgorithmRow>& scan_algorithms();
const Table<AlgorithmRow>& exscan_algorithms();

}  // namespace haichi::collectives
