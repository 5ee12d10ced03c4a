#pragma once

#include <optional>
#include <span>

#include "mapper/start/may_go_on.h"
#include "netmodel/machine/allocation.h"
#include "objectives/mapping.h"
#include "objectives/problem.h"

namespace haichi {

/// Ranks, most connected first, each to the free node nearest to the partners placed before it. `begun` has the nodes
/// of ranks that are placed already, with invalid ids for the others; empty: none is. O(messages * log + ranks *
/// candidates). Nothing when it gave up.
std::optional<Mapping> greedy_placement(const Problem& problem, const Allocation& allocation,
                                        std::span<const NodeId> begun, const MayGoOn& may_go_on);

}  // namespace haichi
