#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "mapper/search/search_options.h"
#include "mapper/search/search_result.h"
#include "objectives/problem.h"

namespace haichi {

/// Maximum number of usable slots of a job for search_by_tabu(). The tables of a thread then take 24 MB.
constexpr std::int32_t kMostTabuSlots = 1024;

/// The reason why search_by_tabu() does not support the job, or nothing. It requires equal hops in both directions and
/// few slots.
std::optional<std::string> why_not_tabu(const Problem& problem);

/// Finds placements with small hop-bytes by tabu searches that start from crossovers of a population's members. This is
/// a memetic algorithm, as in Benlic and Hao 2015 for the quadratic assignment problem. The children of a generation
/// are independent and run on all threads. The result is the same for any number of threads, unless a time limit or an
/// interruption ends the search.
///
/// A restart is a separate population. The search uses the options seed, restarts (0 means one), threads, evaluations,
/// the time limit and verify. `evaluations` counts scanned swaps; 0 means a number that depends on the size. The
/// function start(i) returns the first mapping of the i-th member of the first population.
SearchResult search_by_tabu(const Problem& problem, const StartOfRestart& start, const SearchOptions& options,
                            const SearchControl& control);

}  // namespace haichi
