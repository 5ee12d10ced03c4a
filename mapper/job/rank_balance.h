#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "netmodel/machine/allocation.h"
#include "objectives/mapping.h"

namespace haichi {

/// The limit of the ranks' weight per node, for jobs with groups of ranks on nodes. A value type.
struct RankBalance {
    double imbalance = 0;               ///< largest weight of a node above the mean, as a fraction
    std::int64_t capacity = 0;          ///< largest weight of a node: (1 + imbalance) * mean, rounded up
    std::int64_t total = 0;             ///< weight of all ranks
    std::int32_t node_count = 0;        ///< usable nodes
    std::int32_t most_ranks = 0;        ///< ranks that fit on a node that gets the lightest ranks
    std::vector<std::int64_t> weights;  ///< by rank; empty means that all weights are 1
    /// A distribution that meets the limit: by rank, the index among the usable nodes.
    std::vector<std::int32_t> node_of_rank;

    [[nodiscard]] std::int64_t weight(std::size_t rank) const { return weights.empty() ? 1 : weights[rank]; }
};

/// Throws OptionError if a rank alone exceeds the capacity, or if no distribution of the ranks was found.
RankBalance rank_balance(std::span<const std::int64_t> weights, std::int32_t rank_count, std::int32_t node_count,
                         double imbalance);

/// The placement of RankBalance::node_of_rank, which puts consecutive ranks on each node if possible.
Mapping balanced_placement(const RankBalance& balance, const Allocation& allocation);

/// The weight of the ranks on the heaviest node.
struct HeaviestNode {
    NodeId node;
    std::int64_t weight = 0;
    double imbalance = 0;  ///< weight above the mean, as a fraction
};
HeaviestNode heaviest_node(const RankBalance& balance, const Mapping& mapping);

/// Throws InputError if a node is above its capacity. `source` names the map.
void check_balance(const RankBalance& balance, const Mapping& mapping, const Network& network,
                   const std::string& source);

}  // namespace haichi
