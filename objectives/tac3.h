#pragma once

#include <vector>

#include "objectives/collisions.h"
#include "objectives/objective.h"

namespace haichi {

/// tac3, the collision cost of the TAC3 paper: sum over sets of the max over messages m of bytes(m) * coll(m) / B,
/// coll(m) being the largest number of the set's messages on any link of m's route. Unit seconds per iteration.
///
/// Where all messages of a set have one size, the set's cost is that size times the largest count of any link, O(1)
/// from Collisions. Other sets are searched from their largest message down, until no smaller one can win: O(messages *
/// hops) at worst.
class Tac3 {
  public:
    using Value = std::int64_t;  ///< scaled bytes: seconds * problem.scale_per_second()
    static constexpr ObjectiveInfo kInfo{
        "tac3", "seconds",
        "sum over sets of max over messages of bytes * (most messages of the set on a link of its route) / bandwidth"};

    Tac3(const Problem& problem, const ObjectiveSpec& spec, const Mapping& default_placement);

    void reset(const Mapping& mapping);
    Change propose(const Mapping& mapping, const Move& move);
    void commit() {}
    void rollback();

    [[nodiscard]] Value value() const { return value_; }
    [[nodiscard]] std::int64_t companion() const { return collisions_.excess(); }
    [[nodiscard]] Value value_from_scratch(const Mapping& mapping) const;
    [[nodiscard]] std::int64_t companion_from_scratch(const Mapping& mapping) const;
    /// Sum over sets of the largest message that no mapping keeps inside a node: with one rank per node the set's
    /// largest message.
    [[nodiscard]] std::optional<Value> lower_bound() const;
    [[nodiscard]] double in_unit(Value value) const {
        return static_cast<double>(value) / problem_->scale_per_second();
    }
    void append_hot_ranks(const Mapping& mapping, std::vector<RankId>& ranks) const;

  private:
    struct Touched {
        std::size_t set = 0;
        std::int64_t cost_before = 0;
    };

    template <class NodeOf>
    std::int64_t set_cost(std::size_t t, NodeOf&& node_of) const;
    template <class NodeOf>
    std::int64_t mixed_set_cost(std::size_t t, NodeOf&& node_of) const;

    const Problem* problem_;
    Collisions collisions_;
    double per_message_;
    std::vector<std::vector<Message>> by_size_;  ///< for sets of mixed sizes: messages, largest first
    std::vector<std::int64_t> set_cost_;
    Value value_ = 0;

    std::vector<MovedMessage> pending_;
    std::vector<Touched> touched_;
    std::vector<std::uint8_t> is_touched_;
    std::vector<LinkId> scratch_;
    mutable std::vector<LinkId> cost_scratch_;
    Value value_before_ = 0;
};

}  // namespace haichi
