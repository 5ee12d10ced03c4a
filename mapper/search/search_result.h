#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "mapper/search/convergence.h"
#include "objectives/mapping.h"

namespace haichi {

/// The result of a search, in the unit of its objective.
struct SearchResult {
    Mapping mapping;
    double value = 0;
    std::optional<double> lower_bound;
    bool optimal = false;  ///< value and bound are exactly equal
    std::int64_t evaluations = 0;
    std::vector<ConvergencePoint> convergence;  ///< improvements of the winning restart, or empty
    /// Time in the inner loops of the counted restarts, summed over threads. 0 if there is no rate: a step of tabu
    /// search scans a table of all swaps and evaluates none of them separately.
    double loop_seconds = 0;
    bool interrupted = false;
};

/// Returns the first mapping of a restart; `restart` starts at 0.
using StartOfRestart = std::function<Mapping(std::int32_t restart)>;

}  // namespace haichi
