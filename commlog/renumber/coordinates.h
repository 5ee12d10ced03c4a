#pragma once

#include "commlog/renumber/plan.h"

namespace haichi::renumber {

/// Returns the coordinates X Y Z A B C, relative to the job, of the node on which `rank` runs, from Fujitsu's MPI. The
/// result is empty with other MPIs.
Coordinates asked_coordinates(int rank);

}  // namespace haichi::renumber
