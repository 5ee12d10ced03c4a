#pragma once

#include <optional>

#include "mapper/search/search_options.h"
#include "mapper/start/may_go_on.h"
#include "netmodel/machine/allocation.h"
#include "objectives/mapping.h"
#include "objectives/problem.h"

namespace haichi {

/// What the starts of a search may take.
struct StartEffort {
    const SearchOptions& search;  ///< the search's own; its time limit is on all of it, starts included
    const SearchControl& control;
    MayGoOn may_go_on;
};

/// Ranks are put in groups that exchange few bytes with each other (rank_groups): of a node's size where nodes take
/// several, else of a block of nodes (node_blocks) on large jobs. The groups are placed as the ranks of a smaller job,
/// by this function again, a short search with hop-bytes improves on where they are, and their ranks are shared out
/// inside (bisection_within). There are few groups to move, so the search gets far where moves of single ranks would
/// not. Where ranks are not grouped it is bisection. Nothing when told to give up.
///
/// At equal CPU time a search from there ended 1 to 11 % below one from bisection on random geometric graphs, meshes
/// and power-law graphs of 4,096 to 16,384 ranks on tori and Fugaku, with 1 and 4 ranks per node, and 16 % with 48. On
/// smaller jobs with one rank per node it made no difference, and on stencils with holes it went either way.
std::optional<Mapping> grouped_start(const Problem& problem, const Allocation& allocation, const StartEffort& effort);

/// Whether ranks are grouped there.
bool ranks_are_grouped(const Problem& problem);

}  // namespace haichi
