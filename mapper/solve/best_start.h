#pragma once

#include "mapper/job/posed_job.h"
#include "mapper/solve/grouped_start.h"

namespace haichi {

/// The best of the worthwhile starts, by the objective and its tie-breaking order. These are the default placement and,
/// unless one start reaches all bounds, grid, greedy and grouped_start(). `objective` may differ from the job's own.
Mapping best_start(const PosedJob& posed, const BoundObjective& objective, const StartEffort& effort);

}  // namespace haichi
