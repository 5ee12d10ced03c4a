#pragma once

#include <optional>
#include <span>
#include <vector>

#include "mapper/choose/map.h"
#include "mapper/judge/evaluate.h"
#include "mapper/solve/robust.h"

namespace haichi {

/// Finds a placement for each job, one search after another. A time limit is distributed over the searches.
std::vector<Placement> map_shapes(std::span<const Job> jobs, const MapOptions& options,
                                  const SearchControl& control = {}, const SimulationControl& simulation = {});

/// The evaluation of placements for several shapes.
struct ShapesReport {
    std::vector<Evaluation> shapes;
    std::optional<RobustPlacement> robust;  ///< one placement for all shapes; `shapes` has its result on each shape
    double wall_seconds = 0;
    bool interrupted = false;
};

/// Evaluates each placement. After an interrupted simulation, no further simulations start.
ShapesReport evaluate_shapes(std::span<const Placement> placements, const EvaluateOptions& options,
                             const SimulationControl& simulation = {});
/// Evaluates a robust placement on each shape.
ShapesReport evaluate_shapes(RobustPlacement robust, const EvaluateOptions& options,
                             const SimulationControl& simulation = {});

}  // namespace haichi
