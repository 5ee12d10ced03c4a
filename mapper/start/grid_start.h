#pragma once

#include <cstdint>
#include <optional>

#include "mapper/start/may_go_on.h"
#include "netmodel/machine/allocation.h"
#include "objectives/mapping.h"
#include "objectives/problem.h"

namespace haichi {

/// Grids of the ranks, those found in their messages and those of their numbers, laid into the machine in the best ways
/// there are (GridEmbedding); of all these the placement of the fewest hop-bytes. Ranks whose place is no usable node,
/// or that are off the grid, go next to their partners. Nothing when it gave up before it had any placement. The seed
/// is there for the table of starts.
std::optional<Mapping> grid_placement(const Problem& problem, const Allocation& allocation, std::uint64_t seed,
                                      const MayGoOn& may_go_on);

}  // namespace haichi
