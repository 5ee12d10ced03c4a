#pragma once

#include "collectives/algorithms.h"

namespace haichi::collectives {

/// Operations between two groups, the way MPICH makes them: by the algorithms of operations inside the groups, and
/// messages between their members 0.
Steps inter_steps(Exchange& exchange, CollectiveArguments arguments);

}  // namespace haichi::collectives
