#include "mapper/start/distance_blocks.h"

#include <algorithm>
#include <optional>

namespace haichi {

namespace {

constexpr std::int32_t kNoClass = -1;

std::vector<NodeId> usable_nodes(const Network& network) {
    std::vector<NodeId> nodes;
    for (std::int32_t n = 0; n < network.node_count(); ++n) {
        if (network.is_usable(NodeId(n))) nodes.push_back(NodeId(n));
    }
    return nodes;
}

/// The distances that occur, ascending.
std::vector<std::int32_t> distances_of(const HopDistance& distance, const std::vector<NodeId>& nodes) {
    std::vector<std::uint8_t> occurs;
    for (const NodeId a : nodes) {
        for (const NodeId b : nodes) {
            const auto at = static_cast<std::size_t>(distance(a, b));
            if (at >= occurs.size()) occurs.resize(at + 1, 0);
            occurs[at] = 1;
        }
    }
    std::vector<std::int32_t> found;
    for (std::size_t d = 1; d < occurs.size(); ++d) {
        if (occurs[d] != 0) found.push_back(static_cast<std::int32_t>(d));
    }
    return found;
}

/// The class of each node, or nothing if "at most `threshold` apart" is not an equivalence.
std::optional<std::vector<std::int32_t>> classes_of(const HopDistance& distance, const std::vector<NodeId>& nodes,
                                                    std::int32_t node_count, std::int32_t threshold) {
    std::vector<std::int32_t> class_of(static_cast<std::size_t>(node_count), kNoClass);
    std::int32_t count = 0;
    std::vector<NodeId> members;
    for (const NodeId first : nodes) {
        if (class_of[first.index()] != kNoClass) continue;
        members.clear();
        for (const NodeId node : nodes) {
            if (distance(first, node) > threshold) continue;
            if (class_of[node.index()] != kNoClass) return {};
            class_of[node.index()] = count;
            members.push_back(node);
        }
        for (const NodeId a : members) {
            std::size_t near = 0;
            for (const NodeId b : nodes) {
                if (distance(a, b) > threshold) continue;
                if (class_of[b.index()] != count) return {};
                ++near;
            }
            if (near != members.size()) return {};
        }
        ++count;
    }
    return class_of;
}

}  // namespace

DistanceBlocks find_distance_blocks(const Problem& problem) {
    constexpr std::int32_t kMostNodes = 8192;
    const Network& network = problem.network();
    DistanceBlocks blocks;
    const bool is_known = network.coordinates() != nullptr || !network.topology().block_sizes().empty();
    if (is_known || network.node_count() > kMostNodes || !network.hops_are_symmetric()) return blocks;
    const HopDistance& distance = problem.hop_distance();
    const std::vector<NodeId> nodes = usable_nodes(network);
    for (const std::int32_t threshold : distances_of(distance, nodes)) {
        auto class_of = classes_of(distance, nodes, network.node_count(), threshold);
        if (!class_of) continue;
        if (std::ranges::max(*class_of) == 0) break;  // a single class with all nodes
        blocks.levels.push_back(std::move(*class_of));
    }
    return blocks;
}

}  // namespace haichi
