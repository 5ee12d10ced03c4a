#pragma once

#include <cmath>
#include <limits>

#include "base/errors.h"
#include "objectives/objective.h"

namespace haichi {

/// A user's function of the mapping, such as a Python callable, called for every proposal. The function must return the
/// same value for the same mapping. It has no unit and no lower bound.
class FunctionObjective {
  public:
    using Value = double;
    static constexpr ObjectiveInfo kInfo{"function", "1", "a function of the node of every rank"};

    FunctionObjective(const Problem& problem, const ObjectiveSpec& spec, const Mapping& default_placement)
        : function_(&spec.function),
          nodes_(default_placement.node_of_rank().begin(), default_placement.node_of_rank().end()) {
        const double usual = nodes_.empty() ? 0 : std::abs(checked(default_placement.node_of_rank()));
        const auto messages = static_cast<double>(problem.workload().crossing_message_count());
        energy_scale_ = usual > 0 ? messages / usual : 1;
    }

    void reset(const Mapping& mapping) {
        nodes_.assign(mapping.node_of_rank().begin(), mapping.node_of_rank().end());
        value_ = checked(nodes_);
    }
    Change propose(const Mapping&, const Move& move) {
        pending_ = move;
        value_before_ = value_;
        for (const Relocation& r : move) nodes_[r.rank.index()] = r.to_node;
        value_ = checked(nodes_);
        return {(value_ - value_before_) * energy_scale_, 0};
    }
    void commit() {}
    void rollback() {
        for (const Relocation& r : pending_) nodes_[r.rank.index()] = r.from_node;
        value_ = value_before_;
    }

    [[nodiscard]] Value value() const { return value_; }
    [[nodiscard]] std::int64_t smoothing() const { return 0; }
    [[nodiscard]] Value value_from_scratch(const Mapping& mapping) const { return checked(mapping.node_of_rank()); }
    [[nodiscard]] std::int64_t smoothing_from_scratch(const Mapping&) const { return 0; }
    [[nodiscard]] std::optional<Value> lower_bound() const { return std::nullopt; }
    [[nodiscard]] double in_unit(Value value) const { return value; }
    void append_hot_ranks(const Mapping&, std::vector<RankId>&) const {}

  private:
    [[nodiscard]] double checked(std::span<const NodeId> nodes) const {
        const double value = (*function_)(nodes);
        if (!std::isfinite(value)) throw InputError("the objective function returned " + std::to_string(value));
        return value;
    }

    const ObjectiveFunction* function_;
    std::vector<NodeId> nodes_;
    /// Energy of one unit of value: the default placement's value corresponds to one unit per crossing message.
    double energy_scale_ = 1;
    Value value_ = 0;
    Value value_before_ = 0;
    Move pending_;
};

}  // namespace haichi
