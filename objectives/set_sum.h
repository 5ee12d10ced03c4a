#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "objectives/metrics.h"
#include "objectives/objective.h"
#include "objectives/sliced_collisions.h"

namespace haichi {

/// What the objectives that add up a cost per communication set share: which sets a move touches, their costs before
/// and after, and the way back. `Cost` knows what one set costs:
///
///     explicit Cost(const Problem&);
///     void clear();
///     void add(set, links, size_bytes); void remove(set, links, size_bytes);     one message's route
///     std::int64_t cost(set, node_of_rank);                                      scaled bytes, of the routes added
///     std::int64_t bound(set);                                                   of any mapping
///     bool is_worst(set, message, link, cost);                                   this link makes the set cost that
///     std::int64_t excess();                                                     the companion
///     static std::int64_t from_metrics(const Metrics&);
///
/// Values are in scaled bytes: seconds * problem.scale_per_second(). Where SlicedCollisions suit the problem, every
/// Cost is size * largest count, and they keep it instead.
template <class Cost>
class SetSum {
  public:
    using Value = std::int64_t;
    /// Ranks on the worst links of the worst sets.
    static constexpr bool kHotRanksAreFew = true;

    explicit SetSum(const Problem& problem)
        : problem_(&problem),
          cost_(problem),
          per_message_(1.0 / (problem.mean_message_bytes() * static_cast<double>(problem.smallest_scale()))),
          excess_per_message_(1.0 / problem.mean_message_bytes()),
          set_cost_(problem.set_count(), 0),
          is_touched_(problem.set_count(), 0) {
        if (SlicedCollisions::suits(problem, Counted::kPerSet)) sliced_.emplace(problem, Counted::kPerSet);
    }

    void reset(const Mapping& mapping) {
        if (sliced_) return sliced_->reset(mapping);
        cost_.clear();
        value_ = 0;
        for (std::size_t t = 0; t < problem_->set_count(); ++t) {
            for (const Message& m : problem_->workload().messages(t)) {
                if (m.crosses_network()) add(t, mapping.node(m.source), mapping.node(m.destination), m.size_bytes);
            }
            set_cost_[t] = cost_.cost(t, [&](RankId r) { return mapping.node(r); });
            value_ += set_cost_[t];
        }
    }

    Change propose(const Mapping& mapping, const Move& move) {
        if (sliced_) {
            const std::int64_t before = sliced_->value();
            const std::int64_t excess = sliced_->excess();
            sliced_->propose(mapping, move);
            return {static_cast<double>(sliced_->value() - before) * per_message_,
                    static_cast<double>(sliced_->excess() - excess) * excess_per_message_};
        }
        pending_.clear();
        touched_.clear();
        used_ = 0;
        value_before_ = value_;
        const std::int64_t excess_before = cost_.excess();
        for_each_moved_message(*problem_, mapping, move, [&](const MovedMessage& m) {
            const std::size_t old_first = used_;
            used_ = problem_->route_table().append(m.old_source, m.old_destination, links_, used_);
            const std::size_t new_first = used_;
            used_ = problem_->route_table().append(m.new_source, m.new_destination, links_, used_);
            pending_.push_back({m.set, m.size_bytes, old_first, new_first, used_});
            if (is_touched_[m.set] == 0) {
                is_touched_[m.set] = 1;
                touched_.push_back({m.set, set_cost_[m.set]});
            }
            cost_.remove(m.set, links(old_first, new_first), m.size_bytes);
            cost_.add(m.set, links(new_first, used_), m.size_bytes);
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
            cost = cost_.cost(touched.set, node_after);
            value_ += cost;
        }
        return {static_cast<double>(value_ - value_before_) * per_message_,
                static_cast<double>(cost_.excess() - excess_before) * excess_per_message_};
    }
    void commit() {
        if (sliced_) sliced_->commit();
    }
    void rollback() {
        if (sliced_) return sliced_->rollback();
        for (const Rerouted& m : pending_) {
            cost_.remove(m.set, links(m.new_first, m.end), m.size_bytes);
            cost_.add(m.set, links(m.old_first, m.new_first), m.size_bytes);
        }
        for (const Touched& touched : touched_) set_cost_[touched.set] = touched.cost_before;
        value_ = value_before_;
    }

    [[nodiscard]] Value value() const { return sliced_ ? sliced_->value() : value_; }
    [[nodiscard]] std::int64_t companion() const { return sliced_ ? sliced_->excess() : cost_.excess(); }
    [[nodiscard]] Value value_from_scratch(const Mapping& mapping) const {
        return Cost::from_metrics(measure(*problem_, mapping));
    }
    [[nodiscard]] Value value_in(const Metrics& metrics) const { return Cost::from_metrics(metrics); }
    [[nodiscard]] std::int64_t companion_from_scratch(const Mapping& mapping) const {
        return measure(*problem_, mapping).excess_bytes;
    }
    [[nodiscard]] std::optional<Value> lower_bound() const {
        Value sum = 0;
        for (std::size_t t = 0; t < problem_->set_count(); ++t) sum += cost_.bound(t);
        return sum;
    }
    [[nodiscard]] double in_unit(Value value) const {
        return static_cast<double>(value) / problem_->scale_per_second();
    }

    /// Ranks with messages over the worst links of the sets that are furthest above their bound.
    void append_hot_ranks(const Mapping& mapping, std::vector<RankId>& ranks) const {
        std::int64_t worst = 0;
        for (std::size_t t = 0; t < problem_->set_count(); ++t) worst = std::max(worst, cost_of(t) - cost_.bound(t));
        if (worst == 0) return;
        std::vector<LinkId> scratch;
        for (std::size_t t = 0; t < problem_->set_count(); ++t) {
            if (cost_of(t) - cost_.bound(t) != worst) continue;
            for (const Message& m : problem_->workload().messages(t)) {
                if (!m.crosses_network()) continue;
                const auto links = problem_->route(mapping.node(m.source), mapping.node(m.destination), scratch);
                if (std::ranges::any_of(links, [&](LinkId l) { return is_worst(t, m, l); })) {
                    ranks.push_back(m.source);
                    ranks.push_back(m.destination);
                }
            }
        }
    }

  private:
    struct Touched {
        std::size_t set = 0;
        std::int64_t cost_before = 0;
    };

    /// A message of the proposed move: its old route and its new one in links_.
    struct Rerouted {
        std::size_t set = 0;
        std::int64_t size_bytes = 0;
        std::size_t old_first = 0;
        std::size_t new_first = 0;
        std::size_t end = 0;
    };

    [[nodiscard]] std::span<const LinkId> links(std::size_t first, std::size_t end) const {
        return {links_.data() + first, end - first};
    }
    [[nodiscard]] std::int64_t cost_of(std::size_t set) const {
        return sliced_ ? sliced_->largest(set) * problem_->set_largest_bytes(set) : set_cost_[set];
    }
    [[nodiscard]] bool is_worst(std::size_t set, const Message& m, LinkId link) const {
        if (sliced_) return sliced_->count(set, link) == sliced_->largest(set);
        return cost_.is_worst(set, m, link, set_cost_[set]);
    }
    void add(std::size_t set, NodeId s, NodeId d, std::int64_t size_bytes) {
        cost_.add(set, problem_->route(s, d, scratch_), size_bytes);
    }

    const Problem* problem_;
    Cost cost_;
    std::optional<SlicedCollisions> sliced_;
    double per_message_;
    double excess_per_message_;
    std::vector<std::int64_t> set_cost_;
    Value value_ = 0;

    std::vector<Rerouted> pending_;
    std::vector<LinkId> links_;  ///< the first used_
    std::size_t used_ = 0;
    std::vector<Touched> touched_;
    std::vector<std::uint8_t> is_touched_;
    std::vector<LinkId> scratch_;
    Value value_before_ = 0;
};

}  // namespace haichi
