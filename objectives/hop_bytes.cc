#include "objectives/hop_bytes.h"

#include <algorithm>

#include "objectives/largest_nodes.h"

namespace haichi {

HopBytes::HopBytes(const Problem& problem, const ObjectiveSpec&, const Mapping&)
    : problem_(&problem),
      table_(problem.hop_distance().table8()),
      node_count_(static_cast<std::size_t>(problem.node_count())),
      symmetric_(problem.network().hops_are_symmetric()),
      per_message_(1.0 / problem.mean_message_bytes()) {}

std::int64_t HopBytes::directed_change(const Mapping& mapping, const Move& move) const {
    const HopDistance& hops = problem_->hop_distance();
    std::int64_t change = 0;
    for_each_moved_message(*problem_, mapping, move, [&](const MovedMessage& m) {
        change += m.size_bytes * (hops(m.new_source, m.new_destination) - hops(m.old_source, m.old_destination));
    });
    return change;
}

HopBytes::Value HopBytes::value_from_scratch(const Mapping& mapping) const {
    std::int64_t sum = 0;
    for (const Message& m : problem_->workload().messages()) {
        if (!m.crosses_network()) continue;
        sum += m.size_bytes * problem_->network().hops(mapping.node(m.source), mapping.node(m.destination));
    }
    return sum;
}

std::optional<HopBytes::Value> HopBytes::lower_bound() const {
    std::size_t most_partners = 0;
    for (const RankId rank : problem_->communicating_ranks()) {
        most_partners = std::max(most_partners, problem_->flows(rank).size());
    }
    const std::vector<std::size_t> slots = largest_nodes(*problem_, most_partners + 1);
    const std::vector<std::int32_t> nearest = problem_->network().nearest_distance_bound(slots.size());
    __int128 twice = 0;
    std::vector<std::int64_t> sizes;
    for (const RankId rank : problem_->communicating_ranks()) {
        sizes.clear();
        for (const Flow& flow : problem_->flows(rank)) sizes.push_back(flow.size_bytes);
        std::ranges::sort(sizes, std::ranges::greater{});
        // The rank's own node is followed by the others in the order of their distance. No nodes have more slots than
        // the largest ones.
        std::size_t node = 0;
        std::size_t room = slots[0] - 1;
        for (const std::int64_t size : sizes) {
            if (room == 0 && node + 1 < slots.size()) room = slots[++node];
            if (room > 0) --room;
            if (node > 0 && node <= nearest.size()) twice += static_cast<__int128>(size) * nearest[node - 1];
        }
    }
    return static_cast<Value>((twice + 1) / 2);
}

void HopBytes::append_hot_ranks(const Mapping& mapping, std::vector<RankId>& ranks) const {
    // Hot ranks are the eighth of the ranks with the most byte-hops.
    std::vector<std::pair<std::int64_t, RankId>> costs;
    for (const RankId rank : problem_->communicating_ranks()) {
        std::int64_t cost = 0;
        for (const Flow& flow : problem_->flows(rank)) {
            cost += flow.size_bytes * problem_->hop_distance()(mapping.node(rank), mapping.node(flow.partner));
        }
        costs.emplace_back(-cost, rank);
    }
    const auto count = static_cast<std::ptrdiff_t>((costs.size() + 7) / 8);
    std::ranges::nth_element(costs, costs.begin() + count - (count > 0 ? 1 : 0));
    for (std::ptrdiff_t i = 0; i < count; ++i) ranks.push_back(costs[static_cast<std::size_t>(i)].second);
    std::ranges::sort(ranks);
}

}  // namespace haichi
