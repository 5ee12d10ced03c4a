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

/// Places rank grids, from the messages or from the rank numbers, on the machine in the best ways (GridEmbedding).
/// Returns the placement with the fewest hop-bytes. Ranks without a usable node, or off the grid, go next to their
/// partners. Returns nothing if `may_go_on` ends it before the first placement. The parameter `seed` exists for the
/// table of starts.
std::optional<Mapping> grid_placement(const Problem& problem, const Allocation& allocation, std::uint64_t seed,
                                      const MayGoOn& may_go_on);

/// Values of a placement in the order of their priority; smaller is better.
using ValuesOfPlacement = std::function<std::vector<double>(const Mapping&)>;

/// Like grid_placement(), but with the smallest values instead of the fewest hop-bytes. It also tries placements whose
/// links have few messages each, so it suits objectives that count the messages of a link.
std::optional<Mapping> grid_placement_by(const Problem& problem, const Allocation& allocation,
                                         const ValuesOfPlacement& values, const MayGoOn& may_go_on);

}  // namespace haichi
