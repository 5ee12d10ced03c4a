#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mapper/job/placement.h"
#include "mapper/job/posed_job.h"
#include "mapper/judge/simulate.h"
#include "objectives/metrics.h"

namespace haichi {

/// One objective's value of a placement beside its bound.
struct ObjectiveValue {
    std::string objective;
    std::string unit;
    double value = 0;
    std::optional<double> lower_bound{};
    /// The two as counted, where the unit counts something: a double beyond 2^53 is not it.
    std::optional<unsigned __int128> counted_value{};
    std::optional<unsigned __int128> counted_lower_bound{};
    bool optimal = false;  ///< value and bound are exactly equal, or every placement was looked at
};

/// What is to be told of a placement.
struct EvaluateOptions {
    ObjectiveChoice objective{};  ///< the one that is compared with the default placement
    bool all_objectives = true;   ///< beside it, every one of the table that applies
    std::size_t hottest_links = 10;
    std::optional<SimulationOptions> simulation{};  ///< of the placement and the default one
};

/// A placement and, for comparison, the default one, each simulated in the same ways.
struct SimulatedPlacement {
    std::vector<SimulatedRun> runs;
    std::vector<SimulatedRun> default_runs;  ///< empty after an interruption
};

/// The answer: haichi-report/1 with all it needs to be printed. A value.
struct Evaluation {
    Placement placement;
    ObjectiveValue asked{};  ///< of the objective that was asked for
    /// Of those that decide between its ties, in their order; one is optimal where those before it are, too.
    std::vector<ObjectiveValue> next{};
    ObjectiveValue usual{};  ///< the same of the default placement
    /// For objectives searched elsewhere (rmatt-3d): the value there; that of `asked` is on the real topology.
    std::optional<double> search_value{};
    /// simulated-time is asked: what it was searched with, or would be.
    std::optional<std::string> searched_objective{};
    Metrics metrics{};
    Metrics default_metrics{};
    std::vector<ObjectiveValue> objectives{};       ///< where all are wanted
    std::vector<HotLink> hottest_links{};           ///< as many as are wanted
    std::optional<SimulatedPlacement> simulated{};  ///< where it is wanted
    double wall_seconds = 0;                        ///< without simulations
    bool interrupted = false;                       ///< the placement's search, or the simulation
};

/// Measures a placement from the definitions and simulates it where that is wanted. Throws OptionError for the
/// objective simulated-time without a simulation, unless the placement was found by it.
Evaluation evaluate(const Placement& placement, const EvaluateOptions& options = {},
                    const SimulationControl& simulation = {});

/// Of the placement's search, where there was one, and the evaluation; without simulations.
double wall_seconds(const Evaluation& evaluation);

}  // namespace haichi
