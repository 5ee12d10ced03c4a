#pragma once

#include <functional>
#include <optional>

#include "mapper/anneal/search_options.h"
#include "objectives/objective.h"

namespace haichi {

/// What a search found, in the unit of its objective.
struct SearchResult {
    Mapping mapping;
    double value = 0;
    std::optional<double> lower_bound;
    bool optimal = false;  ///< value and bound are exactly equal
    std::int64_t evaluations = 0;
    double loop_seconds = 0;  ///< in the annealing loops of the restarts that count
    bool interrupted = false;
};

/// Restarts that a search makes when not told: more for small problems, where one is short. Does not depend on threads.
std::int32_t default_restarts(const Problem& problem, ScheduleKind schedule);
/// Evaluations of a restart under the schedule auto when not told.
std::int64_t default_evaluations(const Problem& problem);

/// Where restart number `restart` begins.
using StartOfRestart = std::function<Mapping(std::int32_t restart)>;

}  // namespace haichi
