#pragma once

#include <vector>

#include "netmodel/machine/allocation.h"

namespace haichi {

/// The job's nodes, unit by unit. The machine's logical axes must be pairs (X-A, Y-B, Z-C of Tofu). A unit consists of
/// the nodes that differ only on the second axes. On Tofu, these are 12 neighbouring nodes. Consecutive nodes in a unit
/// are one hop apart. Units are ordered with the first axis (X) fastest. Throws OptionError for other machines.
std::vector<NodeId> nodes_unit_by_unit(const Allocation& allocation);

}  // namespace haichi
