#pragma once

#include "commlog/renumber/plan.h"

namespace haichi::renumber {

/// X Y Z A B C of the node that `rank` runs on, relative to the job, as Fujitsu's MPI says; empty elsewhere.
Coordinates asked_coordinates(int rank);

}  // namespace haichi::renumber
