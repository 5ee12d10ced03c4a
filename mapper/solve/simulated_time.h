#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/stop_flag.h"
#include "mapper/job/placement.h"
#include "mapper/job/posed_job.h"
#include "mapper/search/search_options.h"
#include "mgen/replay/simulation.h"

namespace haichi {

/// The final placement of a search, and its value of the searched objective.
struct Finalist {
    Mapping mapping;
    double value = 0;
};

/// Maximum number of placements that simulated-time compares, besides the default one.
inline constexpr std::int32_t kMostFinalists = 4;

/// Splits the restarts of one search into kMostFinalists searches, whose winners are the finalists. After an
/// interruption, later searches are omitted. A time limit is distributed over the searches. In the result, evaluations
/// and times are sums, and the mapping is the first with the smallest value.
SearchResult search_for_finalists(const PosedJob& posed, const StartOfRestart& start, const SearchOptions& options,
                                  const SearchControl& control, std::vector<Finalist>& finalists);

/// The limits of the ranking. The stop flags of the search and of the simulations both end it.
struct RankingLimits {
    std::optional<std::chrono::steady_clock::time_point> end;
    std::int32_t threads = 1;
    const StopFlag* stop = nullptr;
};

/// Simulates the best finalist, the default placement, and the other finalists, best first, without barriers. Adds the
/// candidates to the record. Returns the fastest one; incomplete simulations do not count. If fewer than two were
/// complete, returns the best finalist.
Mapping fastest_finalist(const PosedJob& posed, std::vector<Finalist> finalists, const RankingLimits& limits,
                         const SimulationControl& control, SearchRecord& record);

}  // namespace haichi
