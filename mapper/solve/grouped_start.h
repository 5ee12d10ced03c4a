#pragma once

#include <optional>

#include "mapper/search/search_options.h"
#include "mapper/start/may_go_on.h"
#include "netmodel/machine/allocation.h"
#include "objectives/mapping.h"
#include "objectives/problem.h"

namespace haichi {

/// The effort that the starts of a search may take.
struct StartEffort {
    const SearchOptions& search;  ///< the options of the search; the time limit includes the starts
    const SearchControl& control;
    MayGoOn may_go_on;
};

/// Groups ranks that exchange few bytes with other groups (rank_groups). A group has the size of a node if nodes have
/// several ranks. On large jobs with one rank per node, it has the size of a block of nodes (node_blocks).
///
/// The groups are placed as the ranks of a smaller job, recursively by this function. A short search with hop-bytes
/// then improves their placement, and their ranks are distributed inside (bisection_within). Because there are few
/// groups, this search achieves more than moves of single ranks would. Without groups, the result is the bisection.
/// Returns nothing if `effort.may_go_on` ends it.
///
/// At equal CPU time, a search from this start reached values 1 to 11 % lower than a search from bisection. The graphs
/// were random geometric graphs, meshes and power-law graphs of 4,096 to 16,384 ranks. The machines were tori and
/// Fugaku, with 1 and 4 ranks per node. With 48 ranks per node, the values were 16 % lower. On smaller jobs with one
/// rank per node, there was no difference. On stencils with holes the results were mixed.
std::optional<Mapping> grouped_start(const Problem& problem, const Allocation& allocation, const StartEffort& effort);

/// Whether grouped_start() groups ranks.
bool ranks_are_grouped(const Problem& problem);

}  // namespace haichi
