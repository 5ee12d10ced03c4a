#pragma once

#include <vector>

#include "netmodel/machine/allocation.h"

namespace haichi {

/// The job's nodes, unit by unit. On a machine whose logical axes are pairs (X-A, Y-B, Z-C of Tofu), a unit consists of
/// the nodes that differ only on the second axes. On Tofu, these are 12 neighbouring nodes. Consecutive nodes in a unit
/// are one hop apart. Units are ordered with the first axis (X) fastest. Throws OptionError for a machine without such
/// pairs.
std::vector<NodeId> nodes_unit_by_unit(const Allocation& allocation);

}  // namespace haichi
