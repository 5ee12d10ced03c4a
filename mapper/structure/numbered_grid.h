#pragma once

#include <vector>

#include "mapper/structure/rank_grid.h"
#include "objectives/problem.h"

namespace haichi {

/// Finds grids in which ranks are numbered in order, last axis fastest, and messages have the shortest distances.
/// Programs number the ranks of a grid in this way (MPI_Cart_create). Returns at most `most` grids of up to four axes,
/// the best first. The last grid always has a single axis. The comparison uses a few thousand ranks.
std::vector<RankGrid> numbered_grids(const Problem& problem, std::size_t most);

}  // namespace haichi
