#pragma once

#include "mgen/mpi/collectives/algorithms.h"

namespace haichi::mpi {

const Table<AlgorithmRow>& barrier_algorithms();

}  // namespace haichi::mpi
