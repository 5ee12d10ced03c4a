#pragma once

#include <optional>
#include <string>

#include "mapper/search/search_options.h"
#include "mapper/search/search_result.h"
#include "objectives/problem.h"

namespace haichi {

/// The reason why search_by_partition() does not support the job, or nothing.
std::optional<std::string> why_no_partition(const Problem& problem);

/// Finds placements with small hop-bytes for many ranks per node, with a limit of the weight (Problem::node_capacity)
/// or number of ranks per node. The graph of the ranks is split along the blocks of the machine, level by level (Schulz
/// and Woydt 2025). evolved_partition() makes each split. V-cycles on the exact distances of all nodes follow. On
/// machines without blocks, parts are first placed as the ranks of a smaller job.
///
/// Uses the options seed, threads, evaluations and the time limit. `evaluations` counts computed changes of vertices,
/// and 0 means a number that depends on the size. The result is the same for any number of threads, unless a time limit
/// or an interruption ends the search. Memory: about 60 bytes per message, and 4 bytes per pair of nodes.
SearchResult search_by_partition(const Problem& problem, const SearchOptions& options, const SearchControl& control);

}  // namespace haichi
