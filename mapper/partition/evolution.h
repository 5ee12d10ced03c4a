#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "base/stop_flag.h"
#include "mapper/partition/blocks.h"

namespace haichi {

/// The effort of a search for a partition: until a point in time, or a number of evaluations, which is reproducible.
/// A value type.
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
    /// A fraction of the effort from now on.
    [[nodiscard]] PartitionEffort part(double share) const;
};

/// A partition, and the number of evaluations that found it.
struct FoundPartition {
    Partition partition;
    std::int64_t evaluations = 0;
};

/// Searches for a partition of low cost: a few new ones, and then their combinations (Sanders and Schulz 2012). The
/// search ends with the effort, or after many combinations without a gain. The result does not depend on the threads
/// unless time or a stop ends it.
FoundPartition evolved_partition(const PartitionGraph& graph, const Blocks& blocks, std::uint64_t seed,
                                 const PartitionEffort& effort);

/// Improves a partition by V-cycles. The result is never worse.
FoundPartition improved_partition(const PartitionGraph& graph, const Blocks& blocks, Partition first,
                                  std::uint64_t seed, const PartitionEffort& effort);

}  // namespace haichi
