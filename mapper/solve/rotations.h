#pragma once

#include <string>
#include <vector>

#include "netmodel/machine/allocation.h"

namespace haichi {

/// A possible orientation of a request on an allocation: the logical axes that are the request's first, second and
/// third. The rank order follows these axes, so it differs between orientations.
struct Rotation {
    std::vector<std::size_t> axes;         ///< axes of the fold; {0, 1, 2} is the requested orientation
    std::vector<NodeId> node_of_position;  ///< the rank order
};

/// All orders of the fold's logical axes that give different rank orders. The fold's own order comes first. It is the
/// only one if the rank order does not follow the logical coordinates (node lists, trees).
std::vector<Rotation> rotations(const Allocation& allocation);

}  // namespace haichi
