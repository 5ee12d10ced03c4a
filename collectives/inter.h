#pragma once

#include "collectives/algorithms.h"

namespace haichi::collectives {

/// Operations between two groups, as in MPICH. They consist of operations inside the groups, and of messages between
/// the first members of the two groups.
Steps inter_steps(Exchange& exchange, CollectiveArguments arguments);

}  // namespace haichi::collectives
