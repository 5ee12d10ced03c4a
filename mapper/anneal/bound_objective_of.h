#pragma once

#include <memory>
#include <type_traits>
#include <utility>

#include "mapper/anneal/bound_objective.h"
#include "mapper/anneal/restarted_search.h"
#include "mapper/exhaustive/exhaustive_search.h"
#include "objectives/ordered.h"

namespace haichi {

/// Implements BoundObjective for one objective type. The problem must outlive this object. Weighted objectives refer to
/// `default_placement`.
template <SearchObjective O>
class BoundObjectiveOf : public BoundObjective {
  public:
    BoundObjectiveOf(const Problem& problem, ObjectiveSpec spec, Mapping default_placement)
        : problem_(&problem),
          spec_(std::move(spec)),
          default_placement_(std::move(default_placement)),
          objective_(problem, spec_, default_placement_) {}

    [[nodiscard]] ObjectiveInfo info() const override { return O::kInfo; }
    [[nodiscard]] Standing standing(const Mapping& mapping) const override {
        return standing_of(objective_.value_from_scratch(mapping));
    }
    [[nodiscard]] Standing standing(const Mapping& mapping, const Metrics& metrics) const override {
        const auto value = value_with(objective_, mapping, metrics);
        if (!is_searched_elsewhere(objective_)) return standing_of(value);
        Standing standing;
        standing.value = objective_.in_unit(value);
        standing.search_value = objective_.in_unit(objective_.value_from_scratch(mapping));
        return standing;
    }
    [[nodiscard]] SearchResult search(const StartOfRestart& start, const SearchOptions& options,
                                      const SearchControl& control) const override {
        // Without a tie-breaking order, searches the plain objective, which is cheaper.
        if (spec_.then.empty()) {
            return RestartedSearch<O>(*problem_, spec_, default_placement_, start, options, control).run();
        }
        return RestartedSearch<Ordered<O>>(*problem_, spec_, default_placement_, start, options, control).run();
    }
    [[nodiscard]] SearchResult search_all(VerifyLevel verify, const SearchControl& control) const override {
        return ExhaustiveSearch<Ordered<O>>(*problem_, spec_, default_placement_, verify, control).run();
    }

  private:
    [[nodiscard]] Standing standing_of(typename O::Value value) const {
        Standing standing;
        standing.value = objective_.in_unit(value);
        standing.counted_value = counted(value);
        if (const auto bound = objective_.lower_bound()) {
            standing.lower_bound = objective_.in_unit(*bound);
            standing.optimal = value == *bound;
            standing.counted_lower_bound = counted(*bound);
        }
        return standing;
    }
    [[nodiscard]] static std::optional<unsigned __int128> counted(typename O::Value value) {
        if constexpr (!std::is_floating_point_v<typename O::Value>) {
            if (is_counted(O::kInfo.unit) && !(value < typename O::Value{}))
                return static_cast<unsigned __int128>(value);
        }
        return std::nullopt;
    }

    const Problem* problem_;
    ObjectiveSpec spec_;
    Mapping default_placement_;
    O objective_;
};

}  // namespace haichi
