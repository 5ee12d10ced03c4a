#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "base/stop_flag.h"
#include "mapper/partition/blocks.h"

namespace haichi {

/// The effort of a search for a partition: a point in time, or a number of evaluations, which makes results
/// reproducible. A value type.
struct PartitionEffort {
    using Clock = std::chrono::steady_clock;
    std::optional<Clock::time_point> end{};
    std::int64_t evaluations = 0;
    const StopFlag* stop = nullptr;
    int threads = 1;

    [[nodiscard]] bool may_go_on() const {
        if (stop != nullptr && stop->load()) return false;
        return !end || Clock::now() < *end;
    }
    /// The fraction `share` of the effort that is left now.
    [[nodiscard]] PartitionEffort part(double share) const;
};

/// A partition, and the number of evaluations that found it.
struct FoundPartition {
    Partition partition;
    std::int64_t evaluations = 0;
};

/// Searches for a partition of low cost: makes some new partitions, then combines them (Sanders and Schulz 2012). The
/// search ends when the effort is used up, or after many combinations without a gain. The result does not depend on the
/// threads unless time or a stop ends it.
FoundPartition evolved_partition(const PartitionGraph& graph, const Blocks& blocks, std::uint64_t seed,
                                 const PartitionEffort& effort);

/// Improves a partition by V-cycles. The result is never worse.
FoundPartition improved_partition(const PartitionGraph& graph, const Blocks& blocks, Partition first,
                                  std::uint64_t seed, const PartitionEffort& effort);

}  // namespace haichi
