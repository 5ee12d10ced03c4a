#pragma once

#include "mgen/mpi/collectives/algorithms.h"

namespace haichi::mpi {

const Table<AlgorithmRow>& alltoall_algorithms();
const Table<AlgorithmRow>& alltoallv_algorithms();
const Table<AlgorithmRow>& alltoallw_algorithms();

}  // namespace haichi::mpi
