#pragma once

#include "commlog/renumber/plan.h"

namespace haichi::renumber {

/// Returns X Y Z A B C of the node that `rank` runs on, relative to the job, from Fujitsu's MPI. Empty with other MPIs.
Coordinates asked_coordinates(int rank);

}  // namespace haichi::renumber
