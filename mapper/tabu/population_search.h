#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "mapper/search/search_options.h"
#include "mapper/search/search_result.h"
#include "objectives/problem.h"

namespace haichi {

/// Most usable slots of a job that search_by_tabu() takes: every thread then holds 24 MB of tables.
constexpr std::int32_t kMostTabuSlots = 1024;

/// Whether search_by_tabu() can place the job: hops are the same in both directions, and slots are few. Else says why
/// not.
std::optional<std::string> why_not_tabu(const Problem& problem);

/// Finds placements of small hop-bytes by tabu searches from the crossings of a population's members (a memetic
/// algorithm, as Benlic and Hao 2015 for the quadratic assignment problem). The children of a generation are
/// independent and share the threads, so the result is the same for any number of them, unless a time limit or an
/// interruption ends it. A restart is a population of its own; of options it takes seed, restarts (0: one), threads,
/// evaluations (swaps looked at; 0: by the size), the time limit and verify. start(i) is where the i-th member of the
/// first population begins.
SearchResult search_by_tabu(const Problem& problem, const StartOfRestart& start, const SearchOptions& options,
                            const SearchControl& control);

}  // namespace haichi
