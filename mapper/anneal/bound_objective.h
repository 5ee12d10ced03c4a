#pragma once

#include <optional>

#include "mapper/search/search_options.h"
#include "mapper/search/search_result.h"
#include "objectives/metrics.h"
#include "objectives/objective.h"

namespace haichi {

/// A placement's evaluation score and its bound, in the unit of the objective.
struct Standing {
    double value = 0;
    std::optional<double> lower_bound;
    /// Exact counts, if the unit is a count. A double cannot hold counts above 2^53 exactly.
    std::optional<unsigned __int128> counted_value;
    std::optional<unsigned __int128> counted_lower_bound;
    bool optimal = false;  ///< whether value and bound are exactly equal
    /// The value on the searched topology, for objectives that are not searched on the real topology: rmatt-3d, and
    /// sums with it. `value` is then the value on the real topology, and there is no bound.
    std::optional<double> search_value;
};

/// An objective on one problem with its type hidden: the interface that a job uses. The tie-breaking order
/// (ObjectiveSpec::then) counts only in searches; an evaluation score contains only the objective itself. Virtual calls
/// occur once per run, not per move, because search() is the annealing loop compiled for the concrete objective.
/// Objectives of the table, robust objectives, plug-ins and Python callables all implement this interface.
class BoundObjective {
  public:
    virtual ~BoundObjective() = default;

    [[nodiscard]] virtual ObjectiveInfo info() const = 0;
    [[nodiscard]] virtual Standing standing(const Mapping& mapping) const = 0;
    /// Returns standing(mapping), but reads values from `metrics` where they are known.
    [[nodiscard]] virtual Standing standing(const Mapping& mapping, const Metrics& metrics) const = 0;
    /// Anneals from start(restart), with restarts distributed over OpenMP threads. The winner is the smallest (value,
    /// restart index). Restarts after the first that reaches the bound are discarded and not counted. The result is the
    /// same for any number of threads, unless a time limit or an interruption ends the search.
    [[nodiscard]] virtual SearchResult search(const StartOfRestart& start, const SearchOptions& options,
                                              const SearchControl& control) const = 0;
    /// Evaluates every placement (ExhaustiveSearch). Throws OptionError when there are too many.
    [[nodiscard]] virtual SearchResult search_all(VerifyLevel verify, const SearchControl& control) const = 0;
};

}  // namespace haichi
