#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "mapper/job/placement.h"
#include "mapper/job/posed_job.h"

namespace haichi {

/// The value of a placement if the scheduler rotates the request. The map then keeps its logical coordinates, but the
/// request's axes lie along other axes of the machine.
struct RotatedValue {
    std::vector<std::int32_t> shape;  ///< shape of the worst orientation, in the machine's axes
    double value = 0;                 ///< value of the objective in that orientation
    bool matters = false;             ///< whether it is worse than the requested orientation by more than rounding
};

/// The worst value over all orientations that the machine can hold. `value` is the objective's value of the placement
/// itself. Evaluates up to five orientations. Empty if the scheduler cannot rotate the job: only 3D requests of
/// machines with PJM can be rotated. Strict requests, node lists, coordinate tables, stated origins and jobs with
/// faulty nodes cannot.
std::optional<RotatedValue> worst_rotated_value(const Placement& placement, const ObjectiveChoice& objective,
                                                double value);

}  // namespace haichi
