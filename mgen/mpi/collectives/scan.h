#pragma once

#include "mgen/mpi/collectives/algorithms.h"

namespace haichi::mpi {

const Table<AlgorithmRow>& scan_algorithms();
const Table<AlgorithmRow>& exscan_algorithms();

}  // namespace haichi::mpi
