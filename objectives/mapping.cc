#include "objectives/mapping.h"

#include <string>

#include "base/errors.h"

namespace haichi {

Mapping::Mapping(std::int32_t rank_count, std::int32_t node_count, std::int32_t ranks_per_node)
    : ranks_per_node_(ranks_per_node) {
    const std::int64_t slots = std::int64_t{node_count} * ranks_per_node;
    if (ranks_per_node < 1) {
        throw OptionError("invalid number of ranks per node: " + std::to_string(ranks_per_node) + " (at least 1)");
    }
    if (rank_count > slots) {
        throw OptionError(std::to_string(rank_count) + (rank_count == 1 ? " rank does" : " ranks do") + " not fit on " +
                              std::to_string(node_count) + (node_count == 1 ? " node" : " nodes") + " with " +
                              std::to_string(ranks_per_node) + (ranks_per_node == 1 ? " rank each" : " ranks each"),
                          "use more nodes or a larger §ppn");
    }
    if (slots > std::int64_t{1} << 30) {
        throw OptionError("too many rank slots: " + std::to_string(slots) + " (at most 2^30)");
    }
    inverse_ranks_per_node_ = inverse(ranks_per_node);
    slot_of_rank_.resize(static_cast<std::size_t>(rank_count));
    node_of_rank_.resize(static_cast<std::size_t>(rank_count));
    rank_of_slot_.resize(static_cast<std::size_t>(slots));
}

Mapping Mapping::from_nodes(std::span<const NodeId> node_of_rank, std::int32_t node_count,
                            std::int32_t ranks_per_node) {
    Mapping mapping(static_cast<std::int32_t>(node_of_rank.size()), node_count, ranks_per_node);
    std::vector<std::int32_t> used(static_cast<std::size_t>(node_count), 0);
    for (std::size_t r = 0; r < node_of_rank.size(); ++r) {
        const NodeId node = node_of_rank[r];
        if (node.value < 0 || node.value >= node_count) {
            throw OptionError("invalid node of rank " + std::to_string(r) + ": " + std::to_string(node.value) +
                              " (the job has nodes 0.." + std::to_string(node_count - 1) + ")");
        }
        if (used[node.index()] == ranks_per_node) {
            throw OptionError("rank " + std::to_string(r) + " does not fit on node " + std::to_string(node.value) +
                              ", which has " + std::to_string(ranks_per_node) +
                              (ranks_per_node == 1 ? " rank slot" : " rank slots"));
        }
        mapping.place(RankId(r), SlotId(node.value * ranks_per_node + used[node.index()]++));
    }
    return mapping;
}

}  // namespace haichi
