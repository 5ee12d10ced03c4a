#pragma once

#include <array>
#include <compare>
#include <memory>
#include <vector>

#include "objectives/objective_term.h"

namespace haichi {

/// Objectives in tie-breaking order. The placement with the smaller first value is better. Among placements with equal
/// first values, the next values decide. The first objective keeps its type. The others are terms, ObjectiveSpec::then.
///
/// The search uses one energy, in messages of mean size: the energy of the first objective plus a fraction of the
/// energies of the others. The energy only guides the search. The exact values select the best placement.
template <SearchObjective O>
class Ordered {
  public:
    /// Values are compared entry by entry; smaller is better. Unused entries are equal.
    struct Value {
        typename O::Value first{};
        std::array<ExactValue, kMostNext> then{};

        friend auto operator<=>(const Value&, const Value&) = default;
        friend bool operator==(const Value&, const Value&) = default;
    };
    static constexpr ObjectiveInfo kInfo = O::kInfo;
    static constexpr bool kHotRanksAreFew = requires { O::kHotRanksAreFew; };

    Ordered(const Problem& problem, const ObjectiveSpec& spec, const Mapping& default_placement)
        : first_(problem, spec, default_placement), bound_(first_.lower_bound()) {
        for (const NextObjective& next : spec.then) terms_.push_back(next.make(problem, default_placement));
    }

    void reset(const Mapping& mapping) {
        first_.reset(mapping);
        note_first();
        for (auto& term : terms_) term->reset(mapping);
    }
    Change propose(const Mapping& mapping, const Move& move) {
        Change change = first_.propose(mapping, move);
        for (auto& term : terms_) change.value += weight_ * term->propose(mapping, move).value;
        return change;
    }
    /// The other objectives are evaluated first, because they take less time than an objective with early rejection.
    std::optional<Change> propose_within(const Mapping& mapping, const Move& move,
                                         const EnergyLimit& limit) requires LimitedObjective<O> {
        double others = 0;
        for (auto& term : terms_) others += weight_ * term->propose(mapping, move).value;
        std::optional<Change> change = first_.propose_within(mapping, move, limit.less(others));
        if (!change) {
            for (auto& term : terms_) term->rollback();
            return std::nullopt;
        }
        change->value += others;
        return change;
    }
    void commit() {
        first_.commit();
        note_first();
        for (auto& term : terms_) term->commit();
    }
    void rollback() {
        first_.rollback();
        for (auto& term : terms_) term->rollback();
    }

    [[nodiscard]] Value value() const {
        return with_terms(first_.value(), [](const ObjectiveTerm& term) { return term.exact_value(); });
    }
    [[nodiscard]] std::int64_t smoothing() const { return first_.smoothing(); }
    [[nodiscard]] Value value_from_scratch(const Mapping& mapping) const {
        return with_terms(first_.value_from_scratch(mapping),
                          [&](const ObjectiveTerm& term) { return term.exact_value_from_scratch(mapping); });
    }
    [[nodiscard]] std::int64_t smoothing_from_scratch(const Mapping& mapping) const {
        return first_.smoothing_from_scratch(mapping);
    }
    /// The bound of each objective by itself. It holds for all placements, and therefore also for the best placements
    /// by earlier objectives.
    [[nodiscard]] std::optional<Value> lower_bound() const {
        if (!bound_) return std::nullopt;
        for (const auto& term : terms_) {
            if (!term->exact_lower_bound()) return std::nullopt;
        }
        return with_terms(*bound_, [](const ObjectiveTerm& term) { return *term.exact_lower_bound(); });
    }
    /// The first value in its unit.
    [[nodiscard]] double in_unit(const Value& value) const { return first_.in_unit(value.first); }
    /// Ranks from the first objective, or from the next one when the first is at its bound.
    void append_hot_ranks(const Mapping& mapping, std::vector<RankId>& ranks) const {
        if (!bound_ || *bound_ < first_.value() || terms_.empty()) return first_.append_hot_ranks(mapping, ranks);
        terms_.front()->append_hot_ranks(mapping, ranks);
    }

  private:
    /// Weights of the other objectives: kBeside while the first is above its bound, kBehind when it is at its bound. On
    /// CG, FFT, stencils and random graphs of 64 to 256 ranks, kBeside gives better first values than no weight. Ten
    /// times that weight gives worse ones. At the bound, ten times the weight gives the fewest byte-hops on CG.
    static constexpr double kBeside = 0.03;
    static constexpr double kBehind = 0.3;

    void note_first() {
        if (bound_ && !(*bound_ < first_.value())) weight_ = kBehind;
    }

    template <class ValueOf>
    [[nodiscard]] Value with_terms(typename O::Value first, ValueOf&& value_of) const {
        Value value{first, {}};
        for (std::size_t k = 0; k < terms_.size(); ++k) value.then[k] = value_of(*terms_[k]);
        return value;
    }

    double weight_ = kBeside;
    O first_;
    std::optional<typename O::Value> bound_;
    std::vector<std::unique_ptr<ObjectiveTerm>> terms_;
};

}  // namespace haichi
