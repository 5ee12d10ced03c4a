#pragma once

#include <cstdint>
#include <vector>

#include "mapper/partition/partition_graph.h"

namespace haichi {

/// The blocks of a partition: their distances and their capacities. A value type.
struct Blocks {
    std::vector<std::int32_t> distances;  ///< distance of blocks a and b at a * count() + b; symmetric, 0 from a to a
    std::vector<std::int64_t> capacity;   ///< largest weight of the vertices in each block

    /// `count` blocks with equal distances and capacities.
    static Blocks equal(std::int32_t count, std::int64_t capacity);

    [[nodiscard]] std::size_t count() const { return capacity.size(); }
    [[nodiscard]] std::int64_t distance(std::int32_t a, std::int32_t b) const {
        return distances[static_cast<std::size_t>(a) * count() + static_cast<std::size_t>(b)];
    }
};

/// A partition, with its weights and its value. A value type.
struct Partition {
    BlockOfVertex block;
    std::vector<std::int64_t> weight;  ///< weight of each block
    std::int64_t overload = 0;         ///< weight above the capacities, summed over the blocks
    std::int64_t cost = 0;             ///< sum over edges of weight * distance

    /// Whether this partition is better: it has less overload or, if equal, a lower cost.
    [[nodiscard]] bool is_better_than(const Partition& other) const {
        return overload != other.overload ? overload < other.overload : cost < other.cost;
    }
};

/// Computes the weights and values for the given block of each vertex. O(vertices + edges).
Partition make_partition(const PartitionGraph& graph, const Blocks& blocks, BlockOfVertex block);

}  // namespace haichi
