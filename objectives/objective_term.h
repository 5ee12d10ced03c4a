#pragma once

#include <bit>
#include <limits>
#include <memory>
#include <optional>
#include <type_traits>
#include <vector>

#include "objectives/metrics.h"
#include "objectives/objective.h"
#include "objectives/robust.h"

namespace haichi {

/// A value with the same order as the objective's own values, without rounding to a double.
using ExactValue = __int128;

template <class Value>
ExactValue exact_value_of(Value value) {
    if constexpr (std::is_floating_point_v<Value>) {
        // The bits of doubles are in the same order as their magnitudes.
        const auto bits = std::bit_cast<std::int64_t>(value == 0 ? 0.0 : double{value});
        return bits < 0 ? -ExactValue{bits & std::numeric_limits<std::int64_t>::max()} : ExactValue{bits};
    } else {
        return static_cast<ExactValue>(value);
    }
}

/// An objective with its type hidden, for objectives known only at run time: terms of a sum (Weighted) and of a
/// tie-breaking order (Ordered). Values are in the unit of the objective.
class ObjectiveTerm {
  public:
    virtual ~ObjectiveTerm() = default;

    virtual void reset(const Mapping& mapping) = 0;
    virtual Change propose(const Mapping& mapping, const Move& move) = 0;
    virtual void commit() = 0;
    virtual void rollback() = 0;
    [[nodiscard]] virtual double value() const = 0;
    [[nodiscard]] virtual double value_from_scratch(const Mapping& mapping) const = 0;
    [[nodiscard]] virtual double value_with(const Mapping& mapping, const Metrics& metrics) const = 0;
    [[nodiscard]] virtual std::optional<double> lower_bound() const = 0;
    [[nodiscard]] virtual ExactValue exact_value() const = 0;
    [[nodiscard]] virtual ExactValue exact_value_from_scratch(const Mapping& mapping) const = 0;
    [[nodiscard]] virtual std::optional<ExactValue> exact_lower_bound() const = 0;
    [[nodiscard]] virtual bool is_searched_elsewhere() const = 0;
    virtual void append_hot_ranks(const Mapping& mapping, std::vector<RankId>& ranks) const = 0;
};

template <SearchObjective O>
class ObjectiveTermOf final : public ObjectiveTerm {
  public:
    ObjectiveTermOf(const Problem& problem, const Mapping& default_placement)
        : objective_(problem, {.name = std::string(O::kInfo.name)}, default_placement) {}

    void reset(const Mapping& mapping) override { objective_.reset(mapping); }
    Change propose(const Mapping& mapping, const Move& move) override { return objective_.propose(mapping, move); }
    void commit() override { objective_.commit(); }
    void rollback() override { objective_.rollback(); }
    [[nodiscard]] double value() const override { return objective_.in_unit(objective_.value()); }
    [[nodiscard]] double value_from_scratch(const Mapping& mapping) const override {
        return objective_.in_unit(objective_.value_from_scratch(mapping));
    }
    [[nodiscard]] double value_with(const Mapping& mapping, const Metrics& metrics) const override {
        return objective_.in_unit(haichi::value_with(objective_, mapping, metrics));
    }
    [[nodiscard]] std::optional<double> lower_bound() const override {
        const auto bound = objective_.lower_bound();
        return bound ? std::optional(objective_.in_unit(*bound)) : std::nullopt;
    }
    [[nodiscard]] ExactValue exact_value() const override { return exact_value_of(objective_.value()); }
    [[nodiscard]] ExactValue exact_value_from_scratch(const Mapping& mapping) const override {
        return exact_value_of(objective_.value_from_scratch(mapping));
    }
    [[nodiscard]] std::optional<ExactValue> exact_lower_bound() const override {
        const auto bound = objective_.lower_bound();
        return bound ? std::optional(exact_value_of(*bound)) : std::nullopt;
    }
    [[nodiscard]] bool is_searched_elsewhere() const override { return haichi::is_searched_elsewhere(objective_); }
    void append_hot_ranks(const Mapping& mapping, std::vector<RankId>& ranks) const override {
        objective_.append_hot_ranks(mapping, ranks);
    }

  private:
    O objective_;
};

/// Makes the term. In a robust search (Problem::robust_job), makes its robust form.
template <SearchObjective O>
std::unique_ptr<ObjectiveTerm> make_term(const Problem& problem, const Mapping& default_placement) {
    if (problem.robust_job() != nullptr) {
        return std::make_unique<ObjectiveTermOf<Robust<O>>>(problem, default_placement);
    }
    return std::make_unique<ObjectiveTermOf<O>>(problem, default_placement);
}

}  // namespace haichi
