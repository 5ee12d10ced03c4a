#pragma once

#include <cstdint>

#include "mapper/search/search_options.h"
#include "objectives/problem.h"

namespace haichi {

/// Restarts that a search makes when not told: more for small problems, where one is short. Does not depend on threads.
std::int32_t default_restarts(const Problem& problem, ScheduleKind schedule);
/// Whether all threads work on one restart after the other (LaneAnnealer), where the objective lets them: restarts are
/// few on large jobs, and long.
bool restarts_are_shared(const Problem& problem, ScheduleKind schedule);
/// Evaluations of a restart under the schedule auto when not told.
std::int64_t default_evaluations(const Problem& problem);

}  // namespace haichi
