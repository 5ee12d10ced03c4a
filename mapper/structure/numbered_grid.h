#pragma once

#include <vector>

#include "mapper/structure/rank_grid.h"
#include "objectives/problem.h"

namespace haichi {

/// The grids of the ranks' own numbers, last axis fastest, in which messages go least far: programs number the ranks of
/// a grid so (MPI_Cart_create). At most `most` of up to four axes, the best first; the last is always the one of a
/// single axis. Judged on some thousand ranks.
std::vector<RankGrid> numbered_grids(const Problem& problem, std::size_t most);

}  // namespace haichi
