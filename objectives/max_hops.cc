#include "objectives/max_hops.h"

#include <algorithm>

#include "objectives/largest_nodes.h"

namespace haichi {

namespace {

std::int64_t bound_of(const Problem& problem) {
    std::size_t most_partners = 0;
    for (const RankId rank : problem.communicating_ranks()) {
        most_partners = std::max(most_partners, problem.flows(rank).size());
    }
    // The rank's own node, then the others in the order of their distance.
    const std::size_t nodes = largest_nodes(problem, most_partners + 1).size();
    const std::vector<std::int32_t> nearest = problem.network().nearest_distance_bound(nodes);
    if (nearest.empty()) return 0;
    bool leaves_a_node = false;
    for (std::size_t t = 0; t < problem.set_count(); ++t) leaves_a_node |= problem.unavoidable_bytes(t) > 0;
    const std::int64_t least = leaves_a_node ? nearest.front() : 0;
    if (nodes == 1) return least;
    return std::max<std::int64_t>(least, nearest[std::min(nodes - 2, nearest.size() - 1)]);
}

}  // namespace

MaxHops::MaxHops(const Problem& problem, const ObjectiveSpec&, const Mapping&)
    : problem_(&problem), floor_(bound_of(problem)) {}

void MaxHops::count(std::int32_t hops, std::int64_t change) {
    const auto length = static_cast<std::size_t>(hops);
    if (length >= messages_of_length_.size()) messages_of_length_.resize(length + 1, 0);
    messages_of_length_[length] += change;
    excess_ += change * excess_of(hops);
    largest_ = std::max<std::int64_t>(largest_, hops);
}

void MaxHops::settle() {
    while (largest_ > 0 && messages_of_length_[static_cast<std::size_t>(largest_)] == 0) --largest_;
}

void MaxHops::reset(const Mapping& mapping) {
    messages_of_length_.assign(1, 0);
    largest_ = 0;
    excess_ = 0;
    for (const Message& m : problem_->workload().messages()) {
        if (m.crosses_network())
            count(problem_->hop_distance()(mapping.node(m.source), mapping.node(m.destination)), 1);
    }
}

Change MaxHops::propose(const Mapping& mapping, const Move& move) {
    const HopDistance& hops = problem_->hop_distance();
    const std::int64_t excess = excess_;
    largest_before_ = largest_;
    pending_.clear();
    for_each_moved_message(*problem_, mapping, move, [&](const MovedMessage& m) {
        const MovedLength length{hops(m.old_source, m.old_destination), hops(m.new_source, m.new_destination)};
        if (length.before == length.after) return;
        pending_.push_back(length);
        count(length.before, -1);
        count(length.after, 1);
    });
    settle();
    return {static_cast<double>(largest_ - largest_before_), static_cast<double>(excess_ - excess)};
}

void MaxHops::rollback() {
    for (const MovedLength& length : pending_) {
        count(length.after, -1);
        count(length.before, 1);
    }
    largest_ = largest_before_;
}

MaxHops::Value MaxHops::value_from_scratch(const Mapping& mapping) const {
    Value largest = 0;
    for (const Message& m : problem_->workload().messages()) {
        if (!m.crosses_network()) continue;
        largest =
            std::max<Value>(largest, problem_->network().hops(mapping.node(m.source), mapping.node(m.destination)));
    }
    return largest;
}

std::int64_t MaxHops::smoothing_from_scratch(const Mapping& mapping) const {
    std::int64_t excess = 0;
    for (const Message& m : problem_->workload().messages()) {
        if (!m.crosses_network()) continue;
        excess += excess_of(problem_->network().hops(mapping.node(m.source), mapping.node(m.destination)));
    }
    return excess;
}

void MaxHops::append_hot_ranks(const Mapping& mapping, std::vector<RankId>& ranks) const {
    for (const Message& m : problem_->workload().messages()) {
        if (!m.crosses_network()) continue;
        if (problem_->hop_distance()(mapping.node(m.source), mapping.node(m.destination)) != largest_) continue;
        ranks.push_back(m.source);
        ranks.push_back(m.destination);
    }
}

}  // namespace haichi
