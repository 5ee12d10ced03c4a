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

/// Dual recursive bipartitioning (Pellegrini and Roman 1996): the nodes are cut into two halves that are far apart, the
/// ranks into two parts that exchange few bytes and fit the halves, and both halves again, level by level, down to
/// single nodes. Ranks outside a part pull its ranks to the half that is nearer to where they are so far. Few ranks on
/// many nodes stay together; they are not spread out. The best of up to 16 such constructions by hop-bytes, fewer the
/// larger the problem. Same seed, same mapping. One construction takes about O(messages * log(nodes) * log(ranks)) time
/// and O(messages + ranks + nodes * axes) memory; threads make one each. Told to give up, it returns the best
/// construction so far, if any. The allocation is there for the table of starts.
std::optional<Mapping> bisection_placement(const Problem& problem, const Allocation& allocation, std::uint64_t seed,
                                           const MayGoOn& may_go_on);

/// The same from halfway, once: ranks are in blocks of nodes already. `blocks` have every usable node once, and slots
/// for the ranks that are in them.
std::optional<Mapping> bisection_within(const Problem& problem, std::span<const std::vector<NodeId>> blocks,
                                        std::span<const std::int32_t> block_of_rank, std::uint64_t seed,
                                        const MayGoOn& may_go_on);

}  // namespace haichi
