#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "commlog/workload/workload.h"
#include "netmodel/topology/ids.h"

namespace haichi {

/// Ranks that wait for each other in barriers. Each partition counts its own ranks. When all of them have arrived, one
/// message notifies the home partition, which counts the partitions.
struct RankGroup {
    struct Part {
        int partition = 0;
        NodeId node;  ///< the node of one of its ranks
        std::int32_t members = 0;
        // Accessed only by the partition:
        std::int32_t arrived = 0;  ///< ranks that have arrived in the current round
        std::int64_t last_ps = 0;
        std::int64_t rounds = 0;  ///< completed rounds
    };

    [[nodiscard]] Part& part_of(int partition) {
        return *std::ranges::lower_bound(parts, partition, {}, &Part::partition);
    }
    /// Number of ranks that wait in the current round.
    [[nodiscard]] std::int32_t waiting() const {
        std::int32_t sum = 0;
        for (const Part& part : parts) sum += part.rounds > released ? part.members : part.arrived;
        return sum;
    }

    std::vector<RankId> ranks;
    std::int64_t cost_ps = 0;  ///< from the last arrival to the release
    std::vector<Part> parts;   ///< by partition; the first one is the home partition
    // Accessed only by the home partition:
    std::size_t parts_arrived = 0;
    std::int64_t last_ps = 0;
    std::int64_t released = 0;  ///< number of released rounds
};

}  // namespace haichi
