#pragma once

#include <memory>
#include <vector>

#include "objectives/objective_term.h"

namespace haichi {

/// weighted(a=0.7,b=0.3): sum over terms of weight * f / f(default placement). A term whose default placement has value
/// 0 is divided by one unit instead. The sum has no unit. The value is a pure function of the terms' exact values.
class Weighted {
  public:
    using Value = double;
    static constexpr ObjectiveInfo kInfo{
        .name = "weighted",
        .unit = "1",
        .sentence = "weighted(a=0.7,b=0.3): sum of weight * objective / objective of the default placement",
        .needs_terms = true};

    Weighted(const Problem& problem, const ObjectiveSpec& spec, const Mapping& default_placement);

    void reset(const Mapping& mapping);
    Change propose(const Mapping& mapping, const Move& move);
    void commit();
    void rollback();

    [[nodiscard]] Value value() const;
    [[nodiscard]] std::int64_t smoothing() const { return 0; }
    [[nodiscard]] Value value_from_scratch(const Mapping& mapping) const;
    [[nodiscard]] Value value_in(const Mapping& mapping, const Metrics& metrics) const;
    [[nodiscard]] std::int64_t smoothing_from_scratch(const Mapping&) const { return 0; }
    [[nodiscard]] std::optional<Value> lower_bound() const;
    [[nodiscard]] double in_unit(Value value) const { return value; }
    /// True if any term is searched on another topology.
    [[nodiscard]] bool is_searched_elsewhere() const;
    void append_hot_ranks(const Mapping& mapping, std::vector<RankId>& ranks) const;

  private:
    struct Term {
        std::unique_ptr<ObjectiveTerm> objective;
        double weight_per_unit = 0;             ///< weight / f(default placement)
        double weight_per_unit_in_metrics = 0;  ///< the same for metrics(), on the real topology
    };

    std::vector<Term> terms_;
    /// Energy of one unit of value: the default placement's value corresponds to one unit per crossing message.
    double energy_scale_ = 1;
};

}  // namespace haichi
