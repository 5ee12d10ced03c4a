#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "objectives/metrics.h"
#include "objectives/objective.h"
#include "objectives/routed_sets.h"
#include "objectives/sliced_collisions.h"

namespace haichi {

/// The common part of the objectives that add up a cost per communication set. `Cost` computes the cost of one set:
///
///     explicit Cost(const Problem&);
///     void clear();
///     void begin(set);                          a trial of changes, see Collisions
///     void take(set, links, size_bytes);
///     void bring(set, links, size_bytes);
///     void keep();
///     void drop();
///     std::int64_t cost(set, node_of_rank);     cost of the present routes, scaled bytes
///     std::int64_t least(set);                  lower bound of cost(), whatever routes are added
///     std::int64_t bound(set);                  lower bound for any mapping
///     bool is_worst(set, message, link, cost);  whether this link causes the set's cost
///     std::int64_t excess();                    the smoothing term
///     static std::int64_t from_metrics(const Metrics&);
///
/// Values are in scaled bytes: seconds * problem.scale_per_second(). If SlicedCollisions suit the problem, every Cost
/// is size * largest count, and SlicedCollisions keep it instead.
template <class Cost>
class SetSum {
  public:
    using Value = std::int64_t;
    /// True because only ranks on the most loaded links of the most expensive sets are hot.
    static constexpr bool kHotRanksAreFew = true;

    explicit SetSum(const Problem& problem)
        : problem_(&problem),
          routed_(problem),
          per_message_(1.0 / (problem.mean_message_bytes() * static_cast<double>(problem.smallest_scale()))),
          excess_per_message_(1.0 / problem.mean_message_bytes()) {
        for (std::size_t t = 0; t < problem.set_count(); ++t) bound_ += bound(t);
        if (SlicedCollisions::suits(problem, Counted::kPerSet)) sliced_.emplace(problem, Counted::kPerSet);
    }

    void reset(const Mapping& mapping) { sliced_ ? sliced_->reset(mapping) : routed_.reset(mapping); }

    Change propose(const Mapping& mapping, const Move& move) { return *propose_within(mapping, move, {}); }

    std::optional<Change> propose_within(const Mapping& mapping, const Move& move, const EnergyLimit& limit) {
        const Value before = value();
        const std::int64_t excess_before = smoothing();
        const auto change_to = [&](Value value, std::int64_t excess) {
            return Change{static_cast<double>(value - before) * per_message_,
                          static_cast<double>(excess - excess_before) * excess_per_message_};
        };
        const auto excludes = [&](Value least, std::int64_t least_excess) {
            return limit.excludes(change_to(least, least_excess));
        };
        if (sliced_) {
            if (excludes(bound_, 0) || !sliced_->propose_within(mapping, move, excludes)) return std::nullopt;
        } else if (!routed_.propose(mapping, move, excludes)) {
            return std::nullopt;
        }
        return change_to(value(), smoothing());
    }
    void commit() { sliced_ ? sliced_->commit() : routed_.commit(); }
    void rollback() { sliced_ ? sliced_->rollback() : routed_.rollback(); }

    [[nodiscard]] Value value() const { return sliced_ ? sliced_->value() : routed_.value(); }
    [[nodiscard]] std::int64_t smoothing() const { return sliced_ ? sliced_->excess() : routed_.excess(); }
    [[nodiscard]] Value value_from_scratch(const Mapping& mapping) const {
        return Cost::from_metrics(measure(*problem_, mapping));
    }
    [[nodiscard]] Value value_in(const Metrics& metrics) const { return Cost::from_metrics(metrics); }
    [[nodiscard]] std::int64_t smoothing_from_scratch(const Mapping& mapping) const {
        return measure(*problem_, mapping).excess_bytes;
    }
    [[nodiscard]] std::optional<Value> lower_bound() const { return bound_; }
    [[nodiscard]] double in_unit(Value value) const {
        return static_cast<double>(value) / problem_->scale_per_second();
    }

    /// Ranks with messages over the most loaded links of the sets that are furthest above their bound.
    void append_hot_ranks(const Mapping& mapping, std::vector<RankId>& ranks) const {
        std::int64_t worst = 0;
        for (std::size_t t = 0; t < problem_->set_count(); ++t) worst = std::max(worst, cost_of(t) - bound(t));
        if (worst == 0) return;
        std::vector<LinkId> scratch;
        for (std::size_t t = 0; t < problem_->set_count(); ++t) {
            if (cost_of(t) - bound(t) != worst) continue;
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
    [[nodiscard]] Value bound(std::size_t set) const { return routed_.costs().bound(set); }
    [[nodiscard]] Value cost_of(std::size_t set) const {
        return sliced_ ? sliced_->largest(set) * problem_->set_largest_bytes(set) : routed_.cost_of(set);
    }
    [[nodiscard]] bool is_worst(std::size_t set, const Message& m, LinkId link) const {
        if (sliced_) return sliced_->count(set, link) == sliced_->largest(set);
        return routed_.costs().is_worst(set, m, link, routed_.cost_of(set));
    }

    const Problem* problem_;
    RoutedSets<Cost> routed_;
    std::optional<SlicedCollisions> sliced_;
    double per_message_;
    double excess_per_message_;
    Value bound_ = 0;
};

}  // namespace haichi
