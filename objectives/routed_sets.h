#pragma once

#include <cstdint>
#include <vector>

#include "objectives/collisions.h"
#include "objectives/objective.h"

namespace haichi {

/// Costs of communication sets, kept message by message and link by link. SetSum uses this class if SlicedCollisions do
/// not suit the problem, and defines `Cost`. A proposal first removes the old routes of all its messages. While the new
/// routes are added, costs only rise, so the proposal ends as soon as they exceed the limit.
template <class Cost>
class RoutedSets {
  public:
    explicit RoutedSets(const Problem& problem)
        : problem_(&problem), cost_(problem), set_cost_(problem.set_count(), 0), touched_number_(problem.set_count()) {}

    void reset(const Mapping& mapping) {
        cost_.clear();
        value_ = 0;
        std::vector<LinkId> scratch;
        for (std::size_t t = 0; t < problem_->set_count(); ++t) {
            for (const Message& m : problem_->workload().messages(t)) {
                if (!m.crosses_network()) continue;
                cost_.begin(t);
                cost_.bring(t, problem_->route(mapping.node(m.source), mapping.node(m.destination), scratch),
                            m.size_bytes);
                cost_.keep();
            }
            set_cost_[t] = cost_.cost(t, [&](RankId r) { return mapping.node(r); });
            value_ += set_cost_[t];
        }
    }

    /// Applies the move and returns true; commit() or rollback() must follow. Returns false and keeps the old state if
    /// is_too_much(value, excess) holds for lower bounds of the value and the excess after the move.
    template <class IsTooMuch>
    bool propose(const Mapping& mapping, const Move& move, IsTooMuch&& is_too_much) {
        value_before_ = value_;
        collect(mapping, move);
        const RouteTable& routes = problem_->route_table();
        buffer_.clear(routes, 2 * moved_.size());
        // Finds all routes first and prefetches their counters, which then arrive from memory while the next route is
        // found.
        for (Rerouted& m : moved_) {
            m.old_links = routes.route(m.ends.old_source, m.ends.old_destination, buffer_);
            cost_.prefetch(m.ends.set, m.old_links);
        }
        for (const Rerouted& m : moved_) cost_.take(m.ends.set, m.old_links, m.ends.size_bytes);
        std::int64_t least = value_;
        for (Touched& touched : touched_) {
            touched.least = cost_.least(touched.set);
            least += touched.least - touched.cost_before;
        }
        for (const Rerouted& m : moved_) {
            if (is_too_much(least, cost_.excess())) break;
            const auto links = routes.route(m.ends.new_source, m.ends.new_destination, buffer_);
            cost_.bring(m.ends.set, links, m.ends.size_bytes);
            Touched& touched = touched_[m.touched];
            least -= touched.least;
            touched.least = cost_.least(touched.set);
            least += touched.least;
        }
        if (is_too_much(least, cost_.excess())) {
            cost_.drop();
            return false;
        }
        tell_costs(mapping, move);
        return true;
    }
    void commit() { cost_.keep(); }
    void rollback() {
        cost_.drop();
        for (const Touched& touched : touched_) set_cost_[touched.set] = touched.cost_before;
        value_ = value_before_;
    }

    [[nodiscard]] std::int64_t value() const { return value_; }
    [[nodiscard]] std::int64_t excess() const { return cost_.excess(); }
    [[nodiscard]] std::int64_t cost_of(std::size_t set) const { return set_cost_[set]; }
    [[nodiscard]] const Cost& costs() const { return cost_; }

  private:
    /// A message of the proposed move.
    struct Rerouted {
        MovedMessage ends;
        std::uint32_t touched = 0;  ///< index of its set in touched_
        std::span<const LinkId> old_links{};
    };
    /// A set of the proposed move.
    struct Touched {
        std::size_t set = 0;
        std::int64_t cost_before = 0;
        std::int64_t least = 0;  ///< lower bound of its cost after the move, as far as known
    };

    void collect(const Mapping& mapping, const Move& move) {
        moved_.clear();
        touched_.clear();
        for_each_moved_message(*problem_, mapping, move, [&](const MovedMessage& m) {
            std::uint32_t& number = touched_number_[m.set];
            if (number == 0) {
                touched_.push_back({.set = m.set, .cost_before = set_cost_[m.set]});
                number = static_cast<std::uint32_t>(touched_.size());
                cost_.begin(m.set);
            }
            moved_.push_back({.ends = m, .touched = number - 1});
        });
        for (const Touched& touched : touched_) touched_number_[touched.set] = 0;
    }

    void tell_costs(const Mapping& mapping, const Move& move) {
        const auto node_after = [&](RankId r) {
            for (const Relocation& moved : move) {
                if (moved.rank == r) return moved.to_node;
            }
            return mapping.node(r);
        };
        for (const Touched& touched : touched_) {
            std::int64_t& cost = set_cost_[touched.set];
            cost = cost_.cost(touched.set, node_after);
            value_ += cost - touched.cost_before;
        }
    }

    const Problem* problem_;
    Cost cost_;
    std::vector<std::int64_t> set_cost_;
    std::int64_t value_ = 0;
    std::int64_t value_before_ = 0;

    // State of the proposed move.
    std::vector<Rerouted> moved_;
    std::vector<Touched> touched_;
    std::vector<std::uint32_t> touched_number_;  ///< per set: its index in touched_ + 1 during collect(), else 0
    RouteBuffer buffer_;
};

}  // namespace haichi
