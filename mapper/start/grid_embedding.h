#pragma once

#include <vector>

#include "mapper/start/axis_walk.h"
#include "mapper/start/machine_box.h"
#include "mapper/start/may_go_on.h"
#include "mapper/structure/rank_grid.h"

namespace haichi {

/// A rank grid in a machine's box. Each grid axis uses its own part of the box's axes.
struct GridEmbedding {
    std::vector<AxisWalk> walks;  ///< one per axis of the rank grid
    double byte_hops = 0;         ///< sum over axes; exact for messages between ranks that differ on one axis
    double byte_load = 0;         ///< sum of AxisWalk::byte_load

    /// Converts a position in the grid to a position in the box.
    void locate(std::span<const std::int32_t> in_grid, std::vector<std::int32_t>& in_box) const;
};

/// At most `most` embeddings with the lowest `cost`, all with different costs, best first. Tries distributions that
/// give every box axis to one grid axis, then those that cut axes in two, then all others. At most a few hundred
/// thousand distributions are tried. Empty if the grid does not fit.
std::vector<GridEmbedding> best_embeddings(const Problem& problem, const MachineBox& box, const RankGrid& grid,
                                           WalkCost cost, std::size_t most, const MayGoOn& may_go_on);

}  // namespace haichi
