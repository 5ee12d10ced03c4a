#include "objectives/tac3.h"

#include <algorithm>

#include "objectives/metrics.h"

namespace haichi {

Tac3::Tac3(const Problem& problem, const ObjectiveSpec&, const Mapping&)
    : problem_(&problem),
      collisions_(problem),
      per_message_(1.0 / (problem.mean_message_bytes() * static_cast<double>(problem.smallest_scale()))),
      by_size_(problem.set_count()),
      set_cost_(problem.set_count(), 0),
      is_touched_(problem.set_count(), 0) {
    for (std::size_t t = 0; t < problem.set_count(); ++t) {
        if (problem.set_is_uniform(t)) continue;
        for (const Message& m : problem.workload().messages(t)) {
            if (m.crosses_network()) by_size_[t].push_back(m);
        }
        std::ranges::stable_sort(by_size_[t], std::ranges::greater{}, &Message::size_bytes);
    }
}

template <class NodeOf>
std::int64_t Tac3::mixed_set_cost(std::size_t t, NodeOf&& node_of) const {
    const std::int64_t largest_scaled = collisions_.largest_scaled(t);
    std::int64_t cost = 0;
    for (const Message& m : by_size_[t]) {
        if (m.size_bytes * largest_scaled <= cost) break;  // nor can any smaller message cost more
        for (const LinkId link : problem_->route(node_of(m.source), node_of(m.destination), cost_scratch_)) {
            cost = std::max(cost, m.size_bytes * static_cast<std::int64_t>(collisions_.count(t, link)) *
                                      problem_->link_scale(link));
        }
    }
    return cost;
}

template <class NodeOf>
std::int64_t Tac3::set_cost(std::size_t t, NodeOf&& node_of) const {
    if (problem_->set_is_uniform(t)) return problem_->set_largest_bytes(t) * collisions_.largest_scaled(t);
    return mixed_set_cost(t, node_of);
}

void Tac3::reset(const Mapping& mapping) {
    collisions_.clear();
    value_ = 0;
    for (std::size_t t = 0; t < problem_->set_count(); ++t) {
        for (const Message& m : problem_->workload().messages(t)) {
            if (!m.crosses_network()) continue;
            collisions_.add(t, problem_->route(mapping.node(m.source), mapping.node(m.destination), scratch_));
        }
        set_cost_[t] = set_cost(t, [&](RankId r) { return mapping.node(r); });
        value_ += set_cost_[t];
    }
}

Change Tac3::propose(const Mapping& mapping, const Move& move) {
    pending_.clear();
    touched_.clear();
    value_before_ = value_;
    const std::int64_t excess_before = collisions_.excess();
    for_each_moved_message(*problem_, mapping, move, [&](const MovedMessage& m) {
        pending_.push_back(m);
        if (is_touched_[m.set] == 0) {
            is_touched_[m.set] = 1;
            touched_.push_back({m.set, set_cost_[m.set]});
        }
        collisions_.remove(m.set, problem_->route(m.old_source, m.old_destination, scratch_));
        collisions_.add(m.set, problem_->route(m.new_source, m.new_destination, scratch_));
    });
    const auto node_after = [&](RankId r) {
        for (const Relocation& moved : move) {
            if (moved.rank == r) return moved.to_node;
        }
        return mapping.node(r);
    };
    for (const Touched& touched : touched_) {
        is_touched_[touched.set] = 0;
        std::int64_t& cost = set_cost_[touched.set];
        value_ -= cost;
        cost = set_cost(touched.set, node_after);
        value_ += cost;
    }
    return {static_cast<double>(value_ - value_before_) * per_message_,
            static_cast<double>(collisions_.excess() - excess_before) * per_message_ *
                static_cast<double>(problem_->smallest_scale())};
}

void Tac3::rollback() {
    for (const MovedMessage& m : pending_) {
        collisions_.remove(m.set, problem_->route(m.new_source, m.new_destination, scratch_));
        collisions_.add(m.set, problem_->route(m.old_source, m.old_destination, scratch_));
    }
    for (const Touched& touched : touched_) set_cost_[touched.set] = touched.cost_before;
    value_ = value_before_;
}

Tac3::Value Tac3::value_from_scratch(const Mapping& mapping) const { return measure(*problem_, mapping).tac3_scaled; }

std::int64_t Tac3::companion_from_scratch(const Mapping& mapping) const {
    return measure(*problem_, mapping).excess_bytes;
}

std::optional<Tac3::Value> Tac3::lower_bound() const {
    Value sum = 0;
    for (std::size_t t = 0; t < problem_->set_count(); ++t) {
        sum += problem_->unavoidable_bytes(t) * problem_->smallest_scale();
    }
    return sum;
}

void Tac3::append_hot_ranks(const Mapping& mapping, std::vector<RankId>& ranks) const {
    std::int64_t worst = 0;
    const auto above_bound = [&](std::size_t t) {
        return set_cost_[t] - problem_->unavoidable_bytes(t) * problem_->smallest_scale();
    };
    for (std::size_t t = 0; t < problem_->set_count(); ++t) worst = std::max(worst, above_bound(t));
    if (worst == 0) return;
    std::vector<LinkId> scratch;
    for (std::size_t t = 0; t < problem_->set_count(); ++t) {
        if (above_bound(t) != worst) continue;
        for (const Message& m : problem_->workload().messages(t)) {
            if (!m.crosses_network()) continue;
            for (const LinkId link : problem_->route(mapping.node(m.source), mapping.node(m.destination), scratch)) {
                const std::int64_t count = collisions_.count(t, link);
                if (m.size_bytes * count * problem_->link_scale(link) == set_cost_[t]) {
                    ranks.push_back(m.source);
                    ranks.push_back(m.destination);
                    break;
                }
            }
        }
    }
}

}  // namespace haichi
