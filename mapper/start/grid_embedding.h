#pragma once

#include <vector>

#include "mapper/start/axis_walk.h"
#include "mapper/start/machine_box.h"
#include "mapper/start/may_go_on.h"
#include "mapper/structure/rank_grid.h"

namespace haichi {

/// A rank grid in a machine's box: each of its axes laid through shares of the box's axes that no other has.
struct GridEmbedding {
    std::vector<AxisWalk> walks;  ///< one per axis of the rank grid
    double byte_hops = 0;         ///< as if every message went along one axis; exact for those that do

    /// The position in the box of a position in the grid.
    void locate(std::span<const std::int32_t> in_grid, std::vector<std::int32_t>& in_box) const;
};

/// The best ways to share out the axes of the box, at most `most`, of different costs, the best first. Looks at those
/// that give every axis of the box to one axis of the grid, then at those that cut it in two, then at all, some
/// hundred thousand at most. Empty when the grid does not fit so.
std::vector<GridEmbedding> best_embeddings(const Problem& problem, const MachineBox& box, const RankGrid& grid,
                                           std::size_t most, const MayGoOn& may_go_on);

}  // namespace haichi
