#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "mapper/start/may_go_on.h"
#include "netmodel/machine/allocation.h"
#include "objectives/mapping.h"
#include "objectives/problem.h"

namespace haichi {

/// Derives rank grids from the messages or from the rank numbers, and places them on the machine by the best embeddings
/// (GridEmbedding). Returns the placement with the fewest hop-bytes. Ranks off the grid, and ranks whose position has
/// no usable node, are placed near their partners. Returns nothing if `may_go_on` ends it before the first placement.
/// The parameter `seed` is required by the table of starts and unused.
std::optional<Mapping> grid_placement(const Problem& problem, const Allocation& allocation, std::uint64_t seed,
                                      const MayGoOn& may_go_on);

/// Returns the values of a placement, highest priority first. Smaller values are better.
using ValuesOfPlacement = std::function<std::vector<double>(const Mapping&)>;

/// Like grid_placement(), but with the smallest values instead of the fewest hop-bytes. It also tries placements whose
/// links have few messages each, so it suits objectives that count the messages of a link.
std::optional<Mapping> grid_placement_by(const Problem& problem, const Allocation& allocation,
                                         const ValuesOfPlacement& values, const MayGoOn& may_go_on);

}  // namespace haichi
