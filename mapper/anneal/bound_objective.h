#pragma once

#include <memory>
#include <optional>
#include <type_traits>

#include "mapper/anneal/restarted_search.h"
#include "mapper/exhaustive/exhaustive_search.h"
#include "mapper/search/search_result.h"
#include "objectives/metrics.h"
#include "objectives/objective.h"
#include "objectives/ordered.h"

namespace haichi {

/// A placement's value beside the bound, in the unit of the objective.
struct Standing {
    double value = 0;
    std::optional<double> lower_bound;
    /// The two as counted, where the unit counts something: a double beyond 2^53 is not it.
    std::optional<unsigned __int128> counted_value;
    std::optional<unsigned __int128> counted_lower_bound;
    bool optimal = false;  ///< value and bound are exactly equal
    /// For objectives that are searched elsewhere than on the real topology (rmatt-3d, and sums with it): the value
    /// there. `value` is the real one, and there is no bound.
    std::optional<double> search_value;
};

/// An objective on one problem with its type hidden: all that a job asks of it. What decides between its ties
/// (ObjectiveSpec::then) counts in searches; a standing is of the objective itself. Crossed once per run and not per
/// move: search() is the annealing loop as compiled for the concrete objective. Objectives of the table, robust ones,
/// plug-ins and Python callables all come as one of these.
class BoundObjective {
  public:
    virtual ~BoundObjective() = default;

    [[nodiscard]] virtual ObjectiveInfo info() const = 0;
    [[nodiscard]] virtual Standing standing(const Mapping& mapping) const = 0;
    /// The same when the mapping's metrics are known already.
    [[nodiscard]] virtual Standing standing(const Mapping& mapping, const Metrics& metrics) const = 0;
    /// Anneals from start(restart), restarts over OpenMP threads. The winner is the smallest (value, restart index);
    /// restarts above the first that reaches the bound are discarded and not counted. Same result for any number of
    /// threads, unless a time limit or an interruption ends it.
    [[nodiscard]] virtual SearchResult search(const StartOfRestart& start, const SearchOptions& options,
                                              const SearchControl& control) const = 0;
    /// Looks at every placement (ExhaustiveSearch); throws OptionError when they are too many.
    [[nodiscard]] virtual SearchResult search_all(VerifyLevel verify, const SearchControl& control) const = 0;
};

/// The problem must outlive it. `default_placement` is what weighted objectives refer to.
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
        return with_next([&](auto tag) {
            using Searched = typename decltype(tag)::type;
            return RestartedSearch<Searched>(*problem_, spec_, default_placement_, start, options, control).run();
        });
    }
    [[nodiscard]] SearchResult search_all(VerifyLevel verify, const SearchControl& control) const override {
        return with_next([&](auto tag) {
            using Searched = typename decltype(tag)::type;
            return ExhaustiveSearch<Searched>(*problem_, spec_, default_placement_, verify, control).run();
        });
    }

  private:
    /// Objectives alone are searched without the cost of others.
    template <class F>
    SearchResult with_next(F&& search) const {
        return spec_.then.empty() ? search(std::type_identity<O>{}) : search(std::type_identity<Ordered<O>>{});
    }
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
