#pragma once

#include <vector>

#include "mapper/start/axis_walk.h"
#include "mapper/start/machine_box.h"
#include "mapper/start/may_go_on.h"
#include "mapper/structure/rank_grid.h"

namespace haichi {

/// A rank grid in a machine's box. Each grid axis uses its own shares of the box's axes.
struct GridEmbedding {
    std::vector<AxisWalk> walks;  ///< one per axis of the rank grid
    double byte_hops = 0;         ///< as if every message went along one axis; exact for messages that do
    double byte_load = 0;         ///< sum of AxisWalk::byte_load

    /// Converts a position in the grid to a position in the box.
    void locate(std::span<const std::int32_t> in_grid, std::vector<std::int32_t>& in_box) const;
};

/// The best distributions of the box's axes by `cost`, at most `most`, with different costs, best first. It tries
/// distributions that give every box axis to one grid axis, then those that cut axes in two, then all others. The total
/// is limited to a few hundred thousand. Empty if the grid does not fit.
std::vector<GridEmbedding> best_embeddings(const Problem& problem, const MachineBox& box, const RankGrid& grid,
                                           WalkCost cost, std::size_t most, const MayGoOn& may_go_on);

}  // namespace haichi
