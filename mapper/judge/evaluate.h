#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mapper/job/placement.h"
#include "mapper/job/posed_job.h"
#include "mapper/judge/rotated.h"
#include "mapper/judge/simulate.h"
#include "objectives/metrics.h"

namespace haichi {

/// One objective's value of a placement, with its bound.
struct ObjectiveValue {
    std::string objective;
    std::string unit;
    double value = 0;
    std::optional<double> lower_bound{};
    /// Exact counts, if the unit is a count. A double cannot hold counts above 2^53 exactly.
    std::optional<unsigned __int128> counted_value{};
    std::optional<unsigned __int128> counted_lower_bound{};
    bool optimal = false;  ///< true if value and bound are exactly equal, or every placement was evaluated
};

/// The requested parts of an evaluation.
struct EvaluateOptions {
    ObjectiveChoice objective{};  ///< the objective for the comparison with the default placement
    bool all_objectives = true;   ///< whether to add every applicable objective of the table
    std::size_t most_loaded_links = 10;
    std::optional<SimulationOptions> simulation{};  ///< if set, simulates this placement and the default placement
    bool if_turned = false;  ///< whether to add the value for a request that the scheduler rotates
};

/// Runs of a placement and, for comparison, the corresponding runs of the default placement.
struct SimulatedPlacement {
    std::vector<SimulatedRun> runs;
    std::vector<SimulatedRun> default_runs;  ///< empty after an interruption
};

/// The result of evaluate(), with all data of haichi-report/1. A value type.
struct Evaluation {
    Placement placement;
    ObjectiveValue asked{};  ///< value of the requested objective
    /// Values of the tie-breaking order. A value counts as optimal only if all values before it are optimal.
    std::vector<ObjectiveValue> next{};
    ObjectiveValue usual{};  ///< value of the requested objective for the default placement
    /// For objectives that are searched on another topology (rmatt-3d): the value on that topology. `asked` has the
    /// value on the real topology.
    std::optional<double> search_value{};
    /// With simulated-time: the objective of the search.
    std::optional<std::string> searched_objective{};
    Metrics metrics{};
    Metrics default_metrics{};
    std::vector<ObjectiveValue> objectives{};       ///< only if all objectives are requested
    std::vector<HotLink> most_loaded_links{};       ///< as many as requested
    std::optional<SimulatedPlacement> simulated{};  ///< only if requested
    std::optional<RotatedValue> rotated{};          ///< only if requested, and if the scheduler may rotate the job
    double wall_seconds = 0;                        ///< without simulations
    bool interrupted = false;  ///< whether the placement's search or the simulation was interrupted
};

/// Evaluates a placement by the definitions and, if requested, simulates it. Throws OptionError for the objective
/// simulated-time without a simulation, unless a search with simulated-time found the placement.
Evaluation evaluate(const Placement& placement, const EvaluateOptions& options = {},
                    const SimulationControl& simulation = {});

/// Time of the placement's search, if any, and of the evaluation, without simulations.
double wall_seconds(const Evaluation& evaluation);

}  // namespace haichi
