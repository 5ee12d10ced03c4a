// Network::near_nodes: which nodes a search may try as "next to" another.

#include <algorithm>
#include <utility>

#include "netmodel/routing/network.h"

namespace haichi {

namespace {

constexpr std::size_t kMostNear = 64;

}  // namespace

void Network::build_near_nodes_of_grid(const Grid& grid) {
    near_first_.reserve(static_cast<std::size_t>(node_count_));
    near_count_.reserve(static_cast<std::size_t>(node_count_));
    near_.reserve(static_cast<std::size_t>(node_count_) * static_cast<std::size_t>(grid.links_per_vertex()));
    const auto takes_ranks = [this](NodeId node) { return node.valid() && is_usable(node); };
    for (std::int32_t i = 0; i < node_count_; ++i) {
        const std::size_t first = near_.size();
        near_first_.push_back(static_cast<std::uint32_t>(first));
        for (std::size_t k = 0; k < grid.axis_count(); ++k) {
            const VertexId plus = grid.neighbour(vertex(NodeId(i)), k, Sign::kPlus);
            const VertexId minus = grid.neighbour(vertex(NodeId(i)), k, Sign::kMinus);
            if (const NodeId node = node_at(plus); takes_ranks(node)) near_.push_back(node);
            if (minus == plus) continue;
            if (const NodeId node = node_at(minus); takes_ranks(node)) near_.push_back(node);
        }
        near_count_.push_back(static_cast<std::uint8_t>(near_.size() - first));
    }
}

void Network::build_near_nodes_of_blocks(std::int32_t terminals_of_block) {
    near_first_.assign(static_cast<std::size_t>(node_count_), 0);
    near_count_.assign(static_cast<std::size_t>(node_count_), 0);
    std::vector<NodeId> nodes;  // by vertex
    for (std::int32_t i = 0; i < node_count_; ++i) {
        const NodeId node = nodes_by_vertex_.empty() ? NodeId(i) : nodes_by_vertex_[static_cast<std::size_t>(i)];
        if (is_usable(node)) nodes.push_back(node);
    }
    near_.reserve(2 * nodes.size());
    const auto block = [&](std::size_t i) { return vertex(nodes[i]).value / terminals_of_block; };
    // The nodes of a block are written twice, g0 g1 .. gk g0 g1 .., so that every node's list is a window behind it.
    for (std::size_t begin = 0; begin < nodes.size();) {
        std::size_t end = begin + 1;
        while (end < nodes.size() && block(end) == block(begin)) ++end;
        const std::size_t size = end - begin;
        for (std::size_t i = begin; i < end; ++i) {
            near_first_[nodes[i].index()] = static_cast<std::uint32_t>(near_.size() + (i - begin) + 1);
            near_count_[nodes[i].index()] = static_cast<std::uint8_t>(std::min(size - 1, kMostNear));
        }
        for (std::size_t i = 0; i < 2 * size; ++i) near_.push_back(nodes[begin + i % size]);
        begin = end;
    }
}

void Network::build_near_nodes_of_graph(const Graph& graph) {
    std::vector<std::int32_t> seen_by(static_cast<std::size_t>(graph.vertex_count()), -1);
    std::vector<VertexId> level;
    std::vector<VertexId> next_level;
    std::vector<NodeId> found;
    for (std::int32_t i = 0; i < node_count_; ++i) {
        found.clear();
        level = {vertex(NodeId(i))};
        seen_by[level.front().index()] = i;
        while (found.empty() && !level.empty()) {
            next_level.clear();
            for (const VertexId v : level) {
                for (const Graph::Neighbour& next : graph.successors(v)) {
                    if (std::exchange(seen_by[next.vertex.index()], i) == i) continue;
                    next_level.push_back(next.vertex);
                    const NodeId node = node_at(next.vertex);
                    if (node.valid() && is_usable(node)) found.push_back(node);
                }
            }
            level.swap(next_level);
        }
        // Those that follow the node come first, so that no node is in everybody's list.
        std::ranges::sort(found, {}, [&](NodeId n) { return n.value > i ? n.value - i : n.value - i + node_count_; });
        if (found.size() > kMostNear) found.resize(kMostNear);
        near_first_.push_back(static_cast<std::uint32_t>(near_.size()));
        near_count_.push_back(static_cast<std::uint8_t>(found.size()));
        near_.insert(near_.end(), found.begin(), found.end());
    }
}

}  // namespace haichi
