#pragma once

#include "mapper/job/posed_job.h"
#include "mapper/solve/grouped_start.h"

namespace haichi {

/// The best, as the objective and those after it see it, of the starts that are worth their time: the default
/// placement, and unless one reaches all bounds, grid, greedy and grouped_start(). `objective` need not be the job's
/// own.
Mapping best_start(const PosedJob& posed, const BoundObjective& objective, const StartEffort& effort);

}  // namespace haichi
