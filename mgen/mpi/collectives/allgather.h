#pragma once

#include "mgen/mpi/collectives/algorithms.h"

namespace haichi::mpi {

const Table<AlgorithmRow>& allgather_algorithms();
const Table<AlgorithmRow>& allgatherv_algorithms();

}  // namespace haichi::mpi
