#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "mapper/start/may_go_on.h"
#include "netmodel/machine/allocation.h"
#include "objectives/mapping.h"
#include "objectives/problem.h"

namespace haichi {

/// Dual recursive bipartitioning (Pellegrini and Roman 1996). The nodes are cut into two distant halves, and the ranks
/// into two parts that exchange few bytes and fit the halves. Both halves are cut again, level by level, down to single
/// nodes. Ranks outside a part pull its ranks towards the half nearer to their current location. If there are fewer
/// ranks than slots, ranks stay together instead of spreading over all nodes.
///
/// The result is the best of up to 16 such constructions by hop-bytes, fewer for larger problems. The same seed gives
/// the same mapping. One construction takes about O(messages * log(nodes) * log(ranks)) time and O(messages + ranks +
/// nodes * axes) memory. Each thread makes one construction at a time. When `may_go_on` ends the function, it returns
/// the best construction so far, if any. `allocation` is unused; all functions in the table of start methods have the
/// same parameters.
std::optional<Mapping> bisection_placement(const Problem& problem, const Allocation& allocation, std::uint64_t seed,
                                           const MayGoOn& may_go_on);

/// Makes one construction for ranks that are already assigned to blocks of nodes. `blocks` must contain every usable
/// node once, and each block enough slots for its ranks.
std::optional<Mapping> bisection_within(const Problem& problem, std::span<const std::vector<NodeId>> blocks,
                                        std::span<const std::int32_t> block_of_rank, std::uint64_t seed,
                                        const MayGoOn& may_go_on);

}  // namespace haichi
