#pragma once

#include <vector>

#include "objectives/collisions.h"
#include "objectives/set_sum.h"

namespace haichi {

/// A set's collision cost: the max over its messages of bytes * coll. If all messages of the set have one size, the
/// cost is the size times the largest count of any link, O(1) from Collisions. Other sets are searched from their
/// largest message down until no smaller one can cost more, O(messages * hops) at worst.
class CollisionCost {
  public:
    explicit CollisionCost(const Problem& problem);

    void clear() { collisions_.clear(); }
    void begin(std::size_t set) { collisions_.begin(set); }
    void prefetch(std::size_t set, std::span<const LinkId> links) const { collisions_.prefetch(set, links); }
    void take(std::size_t set, std::span<const LinkId> links, std::int64_t) { collisions_.take(set, links); }
    void bring(std::size_t set, std::span<const LinkId> links, std::int64_t) { collisions_.bring(set, links); }
    void keep() { collisions_.keep(); }
    void drop() { collisions_.drop(); }

    template <class NodeOf>
    [[nodiscard]] std::int64_t cost(std::size_t set, NodeOf&& node_of) {
        const std::int64_t largest_scaled = collisions_.largest_scaled(set);
        if (problem_->set_is_uniform(set)) return problem_->set_largest_bytes(set) * largest_scaled;
        std::int64_t cost = 0;
        for (const Message& m : by_size_[set]) {
            if (m.size_bytes * largest_scaled <= cost) break;  // no smaller message can cost more
            for (const LinkId link : problem_->route(node_of(m.source), node_of(m.destination), scratch_)) {
                cost = std::max(cost, message_cost(set, m, link));
            }
        }
        return cost;
    }
    [[nodiscard]] std::int64_t least(std::size_t set) const {
        if (!problem_->set_is_uniform(set)) return bound(set);
        return problem_->set_largest_bytes(set) * collisions_.largest_scaled(set);
    }
    /// The largest message that no mapping keeps inside a node. With one rank per node it is the set's largest message.
    [[nodiscard]] std::int64_t bound(std::size_t set) const {
        return problem_->unavoidable_bytes(set) * problem_->smallest_scale();
    }
    [[nodiscard]] bool is_worst(std::size_t set, const Message& m, LinkId link, std::int64_t cost) const {
        return message_cost(set, m, link) == cost;
    }
    [[nodiscard]] std::int64_t excess() const { return collisions_.excess(); }
    [[nodiscard]] static std::int64_t from_metrics(const Metrics& metrics) { return metrics.tac3_scaled; }

  private:
    [[nodiscard]] std::int64_t message_cost(std::size_t set, const Message& m, LinkId link) const {
        return m.size_bytes * static_cast<std::int64_t>(collisions_.count(set, link)) * problem_->link_scale(link);
    }

    const Problem* problem_;
    Collisions collisions_;
    std::vector<std::vector<Message>> by_size_;  ///< for sets with mixed sizes: messages, largest first
    std::vector<LinkId> scratch_;
};

/// tac3, the collision cost of the TAC3 paper: sum over sets of the max over messages m of bytes(m) * coll(m) / B, with
/// the link bandwidth B. The factor coll(m) is the largest number of the set's messages on any link of m's route. Unit
/// seconds per iteration.
class Tac3 : public SetSum<CollisionCost> {
  public:
    static constexpr ObjectiveInfo kInfo{
        .name = "tac3",
        .unit = "seconds",
        .sentence =
            "sum over sets of max over messages of bytes * (most messages of the set on a link of its route) / "
            "bandwidth",
        .report_key = "tac3_seconds",
        .usual_next = "hop-bytes"};

    Tac3(const Problem& problem, const ObjectiveSpec&, const Mapping&) : SetSum(problem) {}
};

}  // namespace haichi
