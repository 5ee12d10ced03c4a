#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "commlog/workload/workload.h"
#include "mapper/start/may_go_on.h"
#include "objectives/problem.h"

namespace haichi {

/// Which ranks are to share a node, or a block of nodes, whichever that is. A value.
struct RankGroups {
    std::vector<std::int32_t> of_rank;  ///< the number of each rank's group
    std::int32_t count = 0;
};

/// As few groups as hold all ranks, of at most `most_ranks` each, such that few bytes go from group to group: ranks and
/// groups halved together again and again, without regard to where nodes are. Same seed, same groups. About
/// O(messages * log(groups)) time. Nothing when told to give up.
std::optional<RankGroups> rank_groups(const Problem& problem, std::int32_t most_ranks, std::uint64_t seed,
                                      const MayGoOn& may_go_on);

/// What groups exchange: a workload of one set with a rank for each group.
Workload traffic_between(const Problem& problem, const RankGroups& groups);

}  // namespace haichi
