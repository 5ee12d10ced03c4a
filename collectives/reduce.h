#pragma once

#include "collectives/algorithms.h"

namespace haichi::collectives {

const Table<AlgorithmRow>& reduce_algorithms();

Steps reduce_linear(Exchange& exchange, CollectiveArguments arguments, Tuning tuning);
Steps reduce_rabenseifner(Exchange& exchange, CollectiveArguments arguments, Tuning tuning);
Steps reduce_rabenseifner_of_halves(Exchange& exchange, CollectiveArguments arguments, Tuning tuning);

}  // namespace haichi::collectives
