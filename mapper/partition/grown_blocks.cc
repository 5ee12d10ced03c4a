#include "mapper/partition/grown_blocks.h"

#include <algorithm>
#include <limits>
#include <queue>

namespace haichi {

namespace {

std::int32_t any_vertex(const PartitionGraph& graph, Random& random) {
    return static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(graph.vertex_count())));
}

/// A vertex with the largest distance from the vertices `from`, or one that they do not reach.
std::int32_t farthest_from(const PartitionGraph& graph, const std::vector<std::int32_t>& from, Random& random) {
    std::vector<std::uint8_t> is_reached(graph.vertex_count(), 0);
    std::vector<std::int32_t> queue = from;
    for (const std::int32_t v : queue) is_reached[static_cast<std::size_t>(v)] = 1;
    for (std::size_t i = 0; i < queue.size(); ++i) {
        const auto v = static_cast<std::size_t>(queue[i]);
        for (std::size_t e = graph.first[v]; e < graph.first[v + 1]; ++e) {
            std::uint8_t& to = is_reached[static_cast<std::size_t>(graph.to[e])];
            if (to != 0) continue;
            to = 1;
            queue.push_back(graph.to[e]);
        }
    }
    if (queue.size() >= graph.vertex_count()) return queue.back();
    std::int32_t vertex = any_vertex(graph, random);
    while (is_reached[static_cast<std::size_t>(vertex)] != 0) {
        vertex = vertex + 1 < static_cast<std::int32_t>(graph.vertex_count()) ? vertex + 1 : 0;
    }
    return vertex;
}

struct Candidate {
    std::int64_t connection;  ///< weight of the edges to the block
    std::uint32_t tie;
    std::int32_t vertex;
    bool operator<(const Candidate& other) const {
        return connection != other.connection ? connection < other.connection : tie < other.tie;
    }
};

}  // namespace

BlockOfVertex grown_blocks(const PartitionGraph& graph, const Blocks& blocks, Random& random) {
    const std::size_t count = graph.vertex_count();
    const std::size_t block_count = blocks.count();
    BlockOfVertex block(count, -1);
    std::vector<std::priority_queue<Candidate>> candidates(block_count);
    std::vector<std::int64_t> weight(block_count, 0);
    std::vector<std::int64_t> connection(count * block_count, 0);
    // The random vertex only serves to find a first seed at the edge of the graph.
    std::vector<std::int32_t> seeds = {farthest_from(graph, {any_vertex(graph, random)}, random)};
    while (seeds.size() < block_count) seeds.push_back(farthest_from(graph, seeds, random));
    for (std::size_t b = 0; b < block_count; ++b) candidates[b].push({0, 0, seeds[b]});
    std::size_t next_free = 0;
    const auto take_next = [&](std::size_t b) {
        while (!candidates[b].empty()) {
            const auto v = static_cast<std::size_t>(candidates[b].top().vertex);
            candidates[b].pop();
            if (block[v] < 0) return v;
        }
        while (block[next_free] >= 0) ++next_free;
        return next_free;
    };
    for (std::size_t placed = 0; placed < count; ++placed) {
        std::size_t b = 0;
        double least = std::numeric_limits<double>::max();
        for (std::size_t other = 0; other < block_count; ++other) {
            const double fill = static_cast<double>(weight[other]) / static_cast<double>(blocks.capacity[other]);
            if (fill >= least) continue;
            least = fill;
            b = other;
        }
        const std::size_t v = take_next(b);
        block[v] = static_cast<std::int32_t>(b);
        weight[b] += graph.vertex_weight[v];
        for (std::size_t e = graph.first[v]; e < graph.first[v + 1]; ++e) {
            const auto u = static_cast<std::size_t>(graph.to[e]);
            if (block[u] >= 0) continue;
            std::int64_t& sum = connection[u * block_count + b];
            sum += graph.weight[e];
            candidates[b].push({sum, static_cast<std::uint32_t>(random.next() >> 32), graph.to[e]});
        }
    }
    return block;
}

}  // namespace haichi
