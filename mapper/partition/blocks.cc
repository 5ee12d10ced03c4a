#include "mapper/partition/blocks.h"

#include <algorithm>

namespace haichi {

Blocks Blocks::equal(std::int32_t count, std::int64_t capacity) {
    const auto n = static_cast<std::size_t>(count);
    Blocks blocks{std::vector<std::int32_t>(n * n, 1), std::vector<std::int64_t>(n, capacity)};
    for (std::size_t b = 0; b < n; ++b) blocks.distances[b * n + b] = 0;
    return blocks;
}

Partition make_partition(const PartitionGraph& graph, const Blocks& blocks, BlockOfVertex block) {
    Partition out{std::move(block), std::vector<std::int64_t>(blocks.count(), 0)};
    std::int64_t twice = 0;
    for (std::size_t v = 0; v < graph.vertex_count(); ++v) {
        const std::int32_t own = out.block[v];
        out.weight[static_cast<std::size_t>(own)] += graph.vertex_weight[v];
        for (std::size_t e = graph.first[v]; e < graph.first[v + 1]; ++e) {
            const std::int32_t other = out.block[static_cast<std::size_t>(graph.to[e])];
            if (other != own) twice += graph.weight[e] * blocks.distance(own, other);
        }
    }
    out.cost = twice / 2;
    for (std::size_t b = 0; b < blocks.count(); ++b) {
        out.overload += std::max<std::int64_t>(out.weight[b] - blocks.capacity[b], 0);
    }
    return out;
}

}  // namespace haichi
