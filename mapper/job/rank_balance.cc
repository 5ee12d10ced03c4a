#include "mapper/job/rank_balance.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "base/errors.h"
#include "mapper/partition/balanced_blocks.h"

namespace haichi {

namespace {

constexpr std::int64_t kMostGroupSlots = std::int64_t{1} << 30;

std::string percent(double fraction) {
    std::string text = std::to_string(100 * fraction);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
    return text + " %";
}

/// (1 + imbalance) * total / nodes, rounded up. Tolerates rounding errors below 10^-9.
std::int64_t capacity_of(std::int64_t total, std::int32_t node_count, double imbalance) {
    const double exact = (1 + imbalance) * static_cast<double>(total) / node_count;
    return static_cast<std::int64_t>(std::ceil(exact * (1 - 1e-12)));
}

/// The number of ranks that fit on a node that gets the lightest ranks.
std::int32_t most_ranks_of(std::vector<std::int64_t> weights, std::int64_t capacity) {
    std::ranges::sort(weights);
    std::int32_t count = 0;
    for (const std::int64_t weight : weights) {
        if (weight > capacity) break;
        capacity -= weight;
        ++count;
    }
    return count;
}

}  // namespace

RankBalance rank_balance(std::span<const std::int64_t> weights, std::int32_t rank_count, std::int32_t node_count,
                         double imbalance) {
    RankBalance balance;
    balance.imbalance = imbalance;
    balance.node_count = node_count;
    balance.weights.assign(weights.begin(), weights.end());
    std::vector<std::int64_t> all = balance.weights;
    if (all.empty()) all.assign(static_cast<std::size_t>(rank_count), 1);
    balance.total = std::reduce(all.begin(), all.end(), std::int64_t{0});
    if (balance.total == 0) throw OptionError("§imbalance requires ranks with weights above 0", "all weights are 0");
    balance.capacity = capacity_of(balance.total, node_count, imbalance);
    const auto heaviest = std::ranges::max_element(all);
    const std::string limit = "a node holds at most " + std::to_string(balance.capacity) + " with §imbalance " +
                              percent(imbalance) + ": " + std::to_string(balance.total) + " in all on " +
                              std::to_string(node_count) + " nodes";
    if (*heaviest > balance.capacity) {
        throw OptionError("rank " + std::to_string(heaviest - all.begin()) + " has the weight " +
                              std::to_string(*heaviest) + ", and " + limit,
                          "allow a larger §imbalance, or use fewer nodes");
    }
    auto block = balanced_blocks(all, node_count, balance.capacity);
    if (!block) throw OptionError("no distribution of the ranks was found, and " + limit, "allow a larger §imbalance");
    balance.node_of_rank = std::move(*block);
    balance.most_ranks = most_ranks_of(std::move(all), balance.capacity);
    if (std::int64_t{balance.most_ranks} * node_count > kMostGroupSlots) {
        throw OptionError("too many ranks of small weight: " + std::to_string(balance.most_ranks) +
                              " ranks fit on each of " + std::to_string(node_count) + " nodes",
                          "the limit is 2^30 for all nodes together");
    }
    return balance;
}

Mapping balanced_placement(const RankBalance& balance, const Allocation& allocation) {
    std::vector<NodeId> usable;
    for (std::int32_t n = 0; n < allocation.node_count(); ++n) {
        if (allocation.network.is_usable(NodeId(n))) usable.push_back(NodeId(n));
    }
    std::vector<NodeId> nodes;
    for (const std::int32_t b : balance.node_of_rank) nodes.push_back(usable[static_cast<std::size_t>(b)]);
    return Mapping::from_nodes(nodes, allocation.node_count(), allocation.ranks_per_node);
}

HeaviestNode heaviest_node(const RankBalance& balance, const Mapping& mapping) {
    std::vector<std::int64_t> weight(static_cast<std::size_t>(mapping.node_count()), 0);
    for (std::int32_t r = 0; r < mapping.rank_count(); ++r) {
        weight[mapping.node(RankId(r)).index()] += balance.weight(static_cast<std::size_t>(r));
    }
    const auto heaviest = std::ranges::max_element(weight);
    const double mean = static_cast<double>(balance.total) / balance.node_count;
    return {NodeId(static_cast<std::int32_t>(heaviest - weight.begin())), *heaviest,
            static_cast<double>(*heaviest) / mean - 1};
}

void check_balance(const RankBalance& balance, const Mapping& mapping, const Network& network,
                   const std::string& source) {
    const HeaviestNode heaviest = heaviest_node(balance, mapping);
    if (heaviest.weight <= balance.capacity) return;
    throw InputError(source + ": node " + network.node_name(heaviest.node) + " holds ranks of the weight " +
                         std::to_string(heaviest.weight) + ", but at most " + std::to_string(balance.capacity) +
                         " with §imbalance " + percent(balance.imbalance),
                     "the imbalance of this map is " + percent(heaviest.imbalance));
}

}  // namespace haichi
