#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "commlog/workload/workload.h"
#include "netmodel/topology/ids.h"

namespace haichi {

/// Ranks that wait for each other in barriers. The ranks of a partition are counted there; when all have come, one
/// message tells the home, which counts partitions.
struct RankGroup {
    struct Part {
        int partition = 0;
        NodeId node;  ///< of one of its ranks
        std::int32_t members = 0;
        // Touched by the partition only:
        std::int32_t arrived = 0;  ///< in the running round
        std::int64_t last_ps = 0;
        std::int64_t rounds = 0;  ///< in which all have arrived
    };

    [[nodiscard]] Part& part_of(int partition) {
        return *std::ranges::lower_bound(parts, partition, {}, &Part::partition);
    }
    /// Ranks that wait in the running round.
    [[nodiscard]] std::int32_t waiting() const {
        std::int32_t sum = 0;
        for (const Part& part : parts) sum += part.rounds > released ? part.members : part.arrived;
        return sum;
    }

    std::vector<RankId> ranks;
    std::int64_t cost_ps = 0;  ///< from the last arrival to the release
    std::vector<Part> parts;   ///< by partition; the first one is the home
    // Touched by the home only:
    std::size_t parts_arrived = 0;
    std::int64_t last_ps = 0;
    std::int64_t released = 0;  ///< rounds
};

}  // namespace haichi
