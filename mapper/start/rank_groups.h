#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "commlog/workload/workload.h"
#include "mapper/start/may_go_on.h"
#include "objectives/problem.h"

namespace haichi {

/// The ranks that will share a node or a block of nodes. The node is chosen later. A value type.
struct RankGroups {
    std::vector<std::int32_t> of_rank;  ///< id of each rank's group
    std::int32_t count = 0;
};

/// Divides the ranks into as few groups as possible, of at most `most_ranks` ranks each, with few bytes between groups.
/// Ranks and groups are halved repeatedly, without regard to the nodes. The same seed gives the same groups. About
/// O(messages * log(groups)) time. Returns nothing if `may_go_on` ends it.
std::optional<RankGroups> rank_groups(const Problem& problem, std::int32_t most_ranks, std::uint64_t seed,
                                      const MayGoOn& may_go_on);

/// The traffic between groups: a workload of one set with a rank for each group.
Workload traffic_between(const Problem& problem, const RankGroups& groups);

}  // namespace haichi
