#pragma once

#include <optional>

#include "mapper/search/search_options.h"
#include "mapper/search/search_result.h"
#include "objectives/metrics.h"
#include "objectives/objective.h"

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

}  // namespace haichi
