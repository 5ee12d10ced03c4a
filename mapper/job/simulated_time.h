#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "mapper/job/job.h"

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
SearchResult search_for_finalists(const Job& job, const StartOfRestart& start, const SearchOptions& options,
                                  const SearchControl& control, std::vector<Finalist>& finalists);

/// When ranking has to end, and how it is told; the searches' flag counts as well as the simulations' own.
struct RankingLimits {
    std::optional<std::chrono::steady_clock::time_point> end;
    std::int32_t threads = 1;
    const std::atomic<bool>* stop = nullptr;
};

/// Simulates the best finalist, the default placement, and the other finalists, best first, without barriers. Sets
/// report.mapping to the fastest and report.candidates. What was cut short does not count. False, with the best
/// finalist as the mapping, when not even the first two could be compared.
bool rank_by_simulation(const Job& job, std::vector<Finalist> finalists, const RankingLimits& limits,
                        const SimulationControl& control, MapReport& report);

/// Makes a report that describes a placement by the searched objective one about `ranking`, simulated-time.
void report_ranking(const ObjectiveRow& ranking, double seconds_per_iteration, double default_seconds_per_iteration,
                    MapReport& report);

}  // namespace haichi
