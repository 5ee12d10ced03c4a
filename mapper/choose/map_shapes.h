#pragma once

#include <optional>
#include <span>
#include <vector>

#include "mapper/choose/map.h"
#include "mapper/judge/evaluate.h"
#include "mapper/solve/robust.h"

namespace haichi {

/// A placement for each job: one search after the other, which share out a time limit.
std::vector<Placement> map_shapes(std::span<const Job> jobs, const MapOptions& options,
                                  const SearchControl& control = {}, const SimulationControl& simulation = {});

/// What is told of placements for several shapes.
struct ShapesReport {
    std::vector<Evaluation> shapes;
    std::optional<RobustPlacement> robust;  ///< one placement for all shapes, whose placements there are `shapes`
    double wall_seconds = 0;
    bool interrupted = false;
};

/// Simulations end with the first that is interrupted.
ShapesReport evaluate_shapes(std::span<const Placement> placements, const EvaluateOptions& options,
                             const SimulationControl& simulation = {});
/// The same of a robust placement on each shape.
ShapesReport evaluate_shapes(RobustPlacement robust, const EvaluateOptions& options,
                             const SimulationControl& simulation = {});

}  // namespace haichi
