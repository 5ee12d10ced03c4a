#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "mapper/job/placement.h"
#include "mapper/job/posed_job.h"
#include "mapper/search/search_options.h"
#include "mgen/replay/simulation.h"

namespace haichi {

/// A placement that a search ended with; `value` is that of the objective that was searched.
struct Finalist {
    Mapping mapping;
    double value = 0;
};

/// How many placements simulated-time compares at most, without the default one.
inline constexpr std::int32_t kMostFinalists = 4;

/// The restarts of one search as kMostFinalists searches of a part of them each, whose winners are the finalists; an
/// interruption leaves out searches behind it. A time limit is shared out. Evaluations and times are sums, the mapping
/// is the first of the smallest value.
SearchResult search_for_finalists(const PosedJob& posed, const StartOfRestart& start, const SearchOptions& options,
                                  const SearchControl& control, std::vector<Finalist>& finalists);

/// When ranking has to end, and how it is told; the searches' flag counts as well as the simulations' own.
struct RankingLimits {
    std::optional<std::chrono::steady_clock::time_point> end;
    std::int32_t threads = 1;
    const std::atomic<bool>* stop = nullptr;
};

/// Simulates the best finalist, the default placement, and the other finalists, best first, without barriers, and notes
/// the candidates in the record. The fastest; what was cut short does not count. The best finalist where not even the
/// first two could be compared.
Mapping fastest_finalist(const PosedJob& posed, std::vector<Finalist> finalists, const RankingLimits& limits,
                         const SimulationControl& control, SearchRecord& record);

}  // namespace haichi
