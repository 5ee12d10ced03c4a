#pragma once

#include <string>
#include <vector>

#include "netmodel/machine/allocation.h"

namespace haichi {

/// A way the scheduler may lay a request on an allocation: which of its logical axes are the request's first, second
/// and third. Rank order follows them, so it differs from one to the next.
struct Rotation {
    std::vector<std::size_t> axes;         ///< of the fold; {0, 1, 2} is the allocation as asked for
    std::vector<NodeId> node_of_position;  ///< the rank order
};

/// All orders of the fold's logical axes that give different rank orders, the fold's own first. Only that one when rank
/// order does not follow the logical coordinates (node lists, trees).
std::vector<Rotation> rotations(const Allocation& allocation);

}  // namespace haichi
