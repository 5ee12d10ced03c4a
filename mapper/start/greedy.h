#pragma once

#include <optional>
#include <span>

#include "mapper/start/may_go_on.h"
#include "netmodel/machine/allocation.h"
#include "objectives/mapping.h"
#include "objectives/problem.h"

namespace haichi {

/// Places the ranks, most connected first, each on the free node nearest to its already placed partners. `begun`
/// contains the nodes of ranks that are already placed, and invalid ids for the other ranks. Empty means that no rank
/// is placed. O(messages * log + ranks * candidates). Returns nothing if `may_go_on` ends it.
std::optional<Mapping> greedy_placement(const Problem& problem, const Allocation& allocation,
                                        std::span<const NodeId> begun, const MayGoOn& may_go_on);

}  // namespace haichi
