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

/// Anneals on the objective from `start(restart)`, restarts over OpenMP threads. The winner is the smallest (value,
/// restart index); restarts above the first that reaches the bound are discarded and not counted. Same result for any
/// number of threads, unless a time limit or an interruption ends it. `default_placement` is what weighted objectives
/// refer to.
SearchResult search(const Problem& problem, const ObjectiveSpec& spec, const Mapping& default_placement,
                    const std::function<Mapping(std::int32_t restart)>& start, const SearchOptions& options,
                    const SearchControl& control);

}  // namespace haichi
