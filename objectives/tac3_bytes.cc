#include "objectives/tac3_bytes.h"

#include <algorithm>

#include "objectives/metrics.h"

namespace haichi {

namespace {

std::vector<std::int32_t> number_mixed_sets(const Problem& problem) {
    std::vector<std::int32_t> numbers;
    std::int32_t next = 0;
    for (std::size_t t = 0; t < problem.set_count(); ++t) numbers.push_back(problem.set_is_uniform(t) ? -1 : next++);
    return numbers;
}

SetLoads loads_of_mixed_sets(const Problem& problem, const std::vector<std::int32_t>& numbers) {
    const auto mixed = static_cast<std::size_t>(std::ranges::count_if(numbers, [](auto n) { return n >= 0; }));
    return {mixed, static_cast<std::size_t>(problem.network().link_count())};
}

/// The part of the bound that one set gives, scaled bytes.
std::int64_t bound_of_set(const Problem& problem, std::size_t t, std::vector<std::int64_t>& sent,
                          std::vector<std::int64_t>& received) {
    std::int64_t bytes = problem.unavoidable_bytes(t);
    if (problem.ranks_per_node() == 1) {
        const std::int64_t degree = std::max(problem.network().largest_out_degree(), 1);
        const auto messages = problem.workload().messages(t);
        for (const Message& m : messages) {
            if (!m.crosses_network()) continue;
            bytes = std::max(bytes, ((sent[m.source.index()] += m.size_bytes) + degree - 1) / degree);
            bytes = std::max(bytes, ((received[m.destination.index()] += m.size_bytes) + degree - 1) / degree);
        }
        for (const Message& m : messages) sent[m.source.index()] = received[m.destination.index()] = 0;
        // Loads of a set of equal messages are whole multiples of their size.
        const std::int64_t unit = problem.set_is_uniform(t) ? problem.set_largest_bytes(t) : 1;
        if (unit > 0) bytes = (bytes + unit - 1) / unit * unit;
    }
    return bytes * problem.smallest_scale();
}

}  // namespace

Tac3Bytes::Tac3Bytes(const Problem& problem, const ObjectiveSpec&, const Mapping&)
    : problem_(&problem),
      collisions_(problem),
      mixed_number_(number_mixed_sets(problem)),
      mixed_loads_(loads_of_mixed_sets(problem, mixed_number_)),
      per_message_(1.0 / (problem.mean_message_bytes() * static_cast<double>(problem.smallest_scale()))),
      set_cost_(problem.set_count(), 0),
      is_touched_(problem.set_count(), 0) {
    std::vector<std::int64_t> sent(static_cast<std::size_t>(problem.rank_count()), 0);
    std::vector<std::int64_t> received(sent);
    for (std::size_t t = 0; t < problem.set_count(); ++t) {
        set_bound_.push_back(bound_of_set(problem, t, sent, received));
    }
}

void Tac3Bytes::route_message(std::size_t set, NodeId s, NodeId d, std::int64_t size_bytes, bool add) {
    const std::span<const LinkId> links = problem_->route(s, d, scratch_);
    if (add) {
        collisions_.add(set, links);
    } else {
        collisions_.remove(set, links);
    }
    const std::int32_t mixed = mixed_number_[set];
    if (mixed < 0) return;
    const std::int64_t change = add ? size_bytes : -size_bytes;
    for (const LinkId link : links) {
        mixed_loads_.add(static_cast<std::size_t>(mixed), link.index(), change * problem_->link_scale(link));
    }
}

std::int64_t Tac3Bytes::set_cost(std::size_t t) {
    const std::int32_t mixed = mixed_number_[t];
    if (mixed < 0) return problem_->set_largest_bytes(t) * collisions_.largest_scaled(t);
    return mixed_loads_.largest(static_cast<std::size_t>(mixed));
}

void Tac3Bytes::reset(const Mapping& mapping) {
    collisions_.clear();
    mixed_loads_ = loads_of_mixed_sets(*problem_, mixed_number_);
    value_ = 0;
    for (std::size_t t = 0; t < problem_->set_count(); ++t) {
        for (const Message& m : problem_->workload().messages(t)) {
            if (m.crosses_network()) {
                route_message(t, mapping.node(m.source), mapping.node(m.destination), m.size_bytes, true);
            }
        }
        set_cost_[t] = set_cost(t);
        value_ += set_cost_[t];
    }
}

Change Tac3Bytes::propose(const Mapping& mapping, const Move& move) {
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
        route_message(m.set, m.old_source, m.old_destination, m.size_bytes, false);
        route_message(m.set, m.new_source, m.new_destination, m.size_bytes, true);
    });
    for (const Touched& touched : touched_) {
        is_touched_[touched.set] = 0;
        value_ -= set_cost_[touched.set];
        set_cost_[touched.set] = set_cost(touched.set);
        value_ += set_cost_[touched.set];
    }
    return {static_cast<double>(value_ - value_before_) * per_message_,
            static_cast<double>(collisions_.excess() - excess_before) * per_message_ *
                static_cast<double>(problem_->smallest_scale())};
}

void Tac3Bytes::rollback() {
    for (const MovedMessage& m : pending_) {
        route_message(m.set, m.new_source, m.new_destination, m.size_bytes, false);
        route_message(m.set, m.old_source, m.old_destination, m.size_bytes, true);
    }
    for (const Touched& touched : touched_) set_cost_[touched.set] = touched.cost_before;
    value_ = value_before_;
}

Tac3Bytes::Value Tac3Bytes::value_from_scratch(const Mapping& mapping) const {
    return measure(*problem_, mapping).tac3_bytes_scaled;
}

std::int64_t Tac3Bytes::companion_from_scratch(const Mapping& mapping) const {
    return measure(*problem_, mapping).excess_bytes;
}

std::optional<Tac3Bytes::Value> Tac3Bytes::lower_bound() const {
    Value sum = 0;
    for (const std::int64_t bound : set_bound_) sum += bound;
    return sum;
}

std::int64_t Tac3Bytes::scaled_load(std::size_t t, LinkId link) const {
    const std::int32_t mixed = mixed_number_[t];
    if (mixed >= 0) return mixed_loads_.load(static_cast<std::size_t>(mixed), link.index());
    return problem_->set_largest_bytes(t) * collisions_.count(t, link) * problem_->link_scale(link);
}

void Tac3Bytes::append_hot_ranks(const Mapping& mapping, std::vector<RankId>& ranks) const {
    std::int64_t worst = 0;
    for (std::size_t t = 0; t < problem_->set_count(); ++t) worst = std::max(worst, set_cost_[t] - set_bound_[t]);
    if (worst == 0) return;
    std::vector<LinkId> scratch;
    for (std::size_t t = 0; t < problem_->set_count(); ++t) {
        if (set_cost_[t] - set_bound_[t] != worst) continue;
        for (const Message& m : problem_->workload().messages(t)) {
            if (!m.crosses_network()) continue;
            for (const LinkId link : problem_->route(mapping.node(m.source), mapping.node(m.destination), scratch)) {
                if (scaled_load(t, link) == set_cost_[t]) {
                    ranks.push_back(m.source);
                    ranks.push_back(m.destination);
                    break;
                }
            }
        }
    }
}

}  // namespace haichi
