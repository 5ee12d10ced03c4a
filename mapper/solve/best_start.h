#pragma once

#include "mapper/job/posed_job.h"
#include "mapper/solve/grouped_start.h"

namespace haichi {

/// The best of several starts, by the objective and its tie-breaking order. The starts are the default placement, grid,
/// greedy and grouped_start(). Later starts are omitted once one reaches all bounds. `objective` may differ from the
/// job's own.
Mapping best_start(const PosedJob& posed, const BoundObjective& objective, const StartEffort& effort);

}  // namespace haichi
