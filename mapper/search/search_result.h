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
    double loop_seconds = 0;                    ///< in the inner loops of the restarts that count, summed over threads
    bool interrupted = false;
};

/// Where restart number `restart` begins.
using StartOfRestart = std::function<Mapping(std::int32_t restart)>;

}  // namespace haichi
