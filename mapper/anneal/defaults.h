#pragma once

#include <cstdint>

#include "mapper/search/search_options.h"
#include "objectives/problem.h"

namespace haichi {

/// Default number of restarts of a search. Small problems have more restarts, because each is short. The number does
/// not depend on threads.
std::int32_t default_restarts(const Problem& problem, ScheduleKind schedule);
/// Whether all threads work on one restart at a time (LaneAnnealer), if the objective allows it. This suits large jobs,
/// which have few and long restarts.
bool restarts_are_shared(const Problem& problem, ScheduleKind schedule);
/// Default evaluations of a restart under the schedule auto.
std::int64_t default_evaluations(const Problem& problem);

}  // namespace haichi
