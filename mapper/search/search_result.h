#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "mapper/search/convergence.h"
#include "objectives/mapping.h"

namespace haichi {

/// What a search found, in the unit of its objective.
struct SearchResult {
    Mapping mapping;
    double value = 0;
    std::optional<double> lower_bound;
    bool optimal = false;  ///< value and bound are exactly equal
    std::int64_t evaluations = 0;
    std::vector<ConvergencePoint> convergence;  ///< of the restart that won; empty where it is not recorded
    /// In the inner loops of the restarts that count, summed over threads. 0 where there is no rate to tell: a step of
    /// tabu search looks at all swaps in a table that it keeps up to date, and evaluates none of them on its own.
    double loop_seconds = 0;
    bool interrupted = false;
};

/// Where restart number `restart` begins.
using StartOfRestart = std::function<Mapping(std::int32_t restart)>;

}  // namespace haichi
